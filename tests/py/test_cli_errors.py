"""What berth says when something is wrong: exit codes, messages on standard error,
nothing but results on standard output, and never a sanitizer report."""

import os
import subprocess

import pytest

from support import BERTH, ROOT, run

MODEL = str(ROOT / "examples/models/vww96_int8.tflite")
RESIZABLE = str(ROOT / "examples/models/any_picture_float32.tflite")
VWW = (ROOT / "examples/models/vww96_int8.tflite").read_bytes()


def refused(arguments, code, *words, **options):
    done = run(*arguments, **options)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith("berth: ")
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr
    for word in words:
        assert word in done.stderr, done.stderr
    return done


# --- usage ---------------------------------------------------------------------

USAGE = {
    "wrong command": (["reprot", MODEL], "did you mean report?"),
    "no command": (["xyzzy"], "neither a command nor a file"),
    "wrong flag": ([MODEL, "--bugdet", "1"], "did you mean --budget?"),
    "abbreviation": ([MODEL, "--budg", "1"], "did you mean --budget?"),
    "abbreviation without a value": ([MODEL, "--bu"], "did you mean --budget?"),
    "far abbreviation": ([MODEL, "--vers"], "did you mean --version?"),
    "ambiguous abbreviation": ([MODEL, "--s", "1"], "no option --s"),
    "far flag": ([MODEL, "--quantum"], "no option --quantum"),
    "short flag": ([MODEL, "-x"], "no option -x"),
    "short flag of bake": ([MODEL, "-o"], "no option -o"),
    "short flag among others": ([MODEL, "-Vx"], "no option -x"),
    "one dash": (["-help"], "no option -help; did you mean --help?"),
    "one dash and a value": ([MODEL, "-budget", "1"], "did you mean --budget?"),
    "help as a command": (["help"], "did you mean --help?"),
    "target": ([MODEL, "--target", "m99"], "no such target", "there are", "riscv32"),
    "runtime": ([MODEL, "--runtime", "tensorflow"], "there are tflm, litert, all"),
    "kernels' version": ([MODEL, "--kernels", "cmsis-nn@1"], "there are cmsis-nn@"),
    "a runtime, and berth's plan": ([MODEL, "--runtime", "tflm", "--pin", "#0"],
                                    "--pin is about berth's own plan"),
    "a runtime, and strategies": ([MODEL, "--runtime", "all", "--all-strategies"],
                                  "--all-strategies is about berth's own plan"),
    "strategy far from all": ([MODEL, "--strategy", "quantum"], "there are best, none"),
    "kernels without their target": ([MODEL, "--kernels", "cmsis-nn"], "with --target"),
    "margin of nothing": ([MODEL, "--margin", "5"], "goes with --expect-arena"),
    "value that is not taken": ([MODEL, "--tensors=1"], "takes no value"),
    "value that is missing": ([MODEL, "--budget"], "needs a value"),
    "no file": (["report"], "no file"),
    "only options": (["--budget", "1"], "no file"),
    "standard input twice": (["-", "-"], "only once"),
    "no number": ([MODEL, "--budget", "lots"], "not a number of bytes"),
    "negative number": ([MODEL, "--budget", "-5"], "not a number of bytes"),
    "empty number": ([MODEL, "--budget", ""], "not a number of bytes"),
    "wrong unit": ([MODEL, "--budget", "5Q"], "not a number of bytes"),
    "two units": ([MODEL, "--budget", "5KK"], "not a number of bytes"),
    "beyond 64 bits": ([MODEL, "--budget", "18446744073709551616"], "not a number"),
    "beyond 64 bits by its unit": ([MODEL, "--budget", "18446744073709551615K"], "not a number"),
    "align that is no power of two": ([MODEL, "--align", "48"], "power of two"),
    "align of nothing": ([MODEL, "--align", "0"], "power of two"),
    "strategy": ([MODEL, "--strategy", "tflight"], "did you mean tflite?"),
    "format": ([MODEL, "--format", "yaml"], "text, csv or json"),
    "shape without a name": ([MODEL, "--shape", "=1"], "not NAME="),
    "shape without numbers": ([MODEL, "--shape", "picture=1,"], "not NAME="),
    "shape of words": ([MODEL, "--shape", "picture=1,a"], "not NAME="),
    "shape beyond 31 bits": ([MODEL, "--shape", "picture=2147483648"], "not NAME="),
    "shape of too many": ([MODEL, "--shape", "picture=1,1,1,1,1,1,1,1,1"], "not NAME="),
    "unknown input": ([MODEL, "--shape", "photo=1,96,96,3"], "no tensor 'photo'", "picture"),
    "unknown tensor": ([MODEL, "--keep", "photo"], "no tensor 'photo'"),
    "tensor without a name": ([MODEL, "--keep", ""], "--keep: the name is empty"),
    "tensor past the last": ([MODEL, "--pin", "#4000000000"], "no tensor"),
    "unknown signature": ([MODEL, "--signature", "sing"], "signature"),
    "empty signature": ([MODEL, "--signature", ""], "empty"),
    "shape of another rank": ([RESIZABLE, "--shape", "#0=1,5"], "signature does not allow"),
}


@pytest.mark.parametrize("name", USAGE)
def test_wrong_usage_is_named(name):
    arguments, *words = USAGE[name]
    done = refused(arguments, 2, *words)
    assert done.stdout == "" or "no memory figures" in done.stdout


def test_nothing_prints_the_help_as_an_error():
    done = run()
    assert done.returncode == 2 and done.stdout == "" and "usage:" in done.stderr


def test_short_options_for_what_everybody_tries():
    assert run("-h").stdout == run("--help").stdout != ""
    assert run("report", "-h").stdout == run("report", "--help").stdout
    assert run("-V").stdout == run("--version").stdout


def test_too_many_of_one_option():
    many = [word for i in range(65) for word in ("--keep", f"#{i % 5}")]
    refused([MODEL, *many], 2, "at most 64")


def test_sixty_four_of_one_option_are_enough():
    many = [word for i in range(64) for word in ("--pin", f"#{i % 5}")]
    assert run(MODEL, *many).returncode == 0


def test_two_dashes_end_the_options(tmp_path):
    strange = tmp_path / "--tensors"
    strange.write_bytes(VWW)
    done = run("report", "--", "--tensors", environment={"PWD": str(tmp_path)})
    assert done.returncode == 4  # the folder is not ours: no such file
    done = subprocess.run([BERTH, "report", "--", "--tensors"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode == 0 and "CONV_2D" in done.stdout


# --- files ---------------------------------------------------------------------

FILES = {
    "git-LFS pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git-LFS"),
    "zip": (b"PK\x03\x04" + bytes(60), "zip"),
    "gzip": (b"\x1f\x8b\x08" + bytes(60), "gzip"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(60), "HDF5"),
    "ONNX": (b"\x08\x07\x12\x07pytorch" + bytes(50), "ONNX"),
    "empty file": (b"", "empty"),
    "text": (b"hello world, this is no model\n" * 4, "not a .tflite"),
    "zeros": (bytes(4096), "not a .tflite"),
    "a head and no more": (VWW[:8], ""),
    "half a model": (VWW[:len(VWW) // 2], "file offset"),
    "cut root": (b"\x18\x00\x00\x00TFL3", ""),
}


@pytest.mark.parametrize("name", FILES)
def test_other_files_are_named(name, tmp_path):
    content, word = FILES[name]
    path = tmp_path / "file.tflite"
    path.write_bytes(content)
    done = refused([path], 3, "file.tflite", word)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    piped = run("-", stdin=content, binary=True)
    assert piped.returncode == 3 and word.encode() in piped.stderr


def test_missing_file():
    refused(["no/such.tflite"], 4, "no/such.tflite: No such file")


def test_folder(tmp_path):
    refused([tmp_path], 4, "is a folder")


def test_saved_model(tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(b"")
    refused([tmp_path], 3, "SavedModel")


def test_forbidden_file(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = tmp_path / "secret.tflite"
    path.write_bytes(VWW)
    path.chmod(0)
    refused([path], 4, "Permission denied")


def test_control_characters_of_a_path_are_escaped(tmp_path):
    refused([str(tmp_path / "a\x1b[2Jb\n.tflite")], 4, "\\x1b[2Jb\\x0a")


def test_a_model_in_a_pipe_and_a_file_half_read():
    with open(MODEL, "rb") as file:
        file.read(1)  # what is left is not a model: no mapping of the whole
        done = subprocess.run([BERTH, "-"], stdin=file, capture_output=True)
    # Python reads ahead; berth sees the rest only, whatever it is.
    assert done.returncode == 3


def test_an_endless_stream_is_not_read_to_its_end():
    done = refused(["/dev/zero"], 3, "not a .tflite")
    assert done.stdout == ""


def test_a_sparse_file_of_four_gigabytes(tmp_path):
    path = tmp_path / "large.tflite"
    with path.open("wb") as file:
        file.write(b"\x18\0\0\0TFL3")
        file.truncate(4 << 30)
    refused([path], 3, "large.tflite")
    with path.open("r+b") as file:  # a model that is mapped, not read
        file.write(VWW)
    done = run(path, "--format", "json")
    assert done.returncode == 0 and '"file_bytes": 4294967296' in done.stdout


def test_a_worse_file_decides(tmp_path):
    bad = tmp_path / "bad.tflite"
    bad.write_bytes(b"PK\x03\x04")
    done = run(MODEL, bad, MODEL)
    assert done.returncode == 3
    assert done.stdout.count(" ok\n") == 2 and "damaged" in done.stdout
    assert run(MODEL, bad, "no/such.tflite").returncode == 4
    assert run(MODEL, MODEL, "--budget", "1K").returncode == 1


@pytest.mark.parametrize("cut", [1, 37, 1000])
def test_truncations(cut, tmp_path):
    """A sample here; the reader's own tests try every one."""
    path = tmp_path / "cut.tflite"
    path.write_bytes(VWW[:-cut])
    done = run(path)
    assert done.returncode in (0, 3) and "Sanitizer" not in done.stderr


# --- standard output -------------------------------------------------------------

def test_a_full_disk_is_an_error():
    with open("/dev/full", "w") as full:
        done = subprocess.run([BERTH, MODEL], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4 and "cannot write the output: No space" in done.stderr


@pytest.mark.parametrize("more", [[], ["--format", "json", "--tensors", "--ops"]])
def test_a_closed_pipe_ends_quietly(more):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([BERTH, MODEL, *more], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.stderr == "" and done.returncode == 0


def test_no_colour_but_on_a_terminal():
    import pty

    def on_terminal(**environment):
        try:
            leader, follower = pty.openpty()
        except OSError as why:  # a container without /dev/pts
            pytest.skip(f"no terminal to be had: {why}")
        process = subprocess.Popen(
            [BERTH, MODEL, "--budget", "1M"], stdout=follower, stdin=subprocess.DEVNULL,
            env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"},
                 "TERM": "xterm", **environment})
        os.close(follower)
        said = b""
        try:
            while chunk := os.read(leader, 65536):
                said += chunk
        except OSError:
            pass
        process.wait()
        os.close(leader)
        return said

    assert b"\x1b[" in on_terminal()
    assert b"\x1b[" not in on_terminal(NO_COLOR="1")
    assert b"\x1b[" not in on_terminal(TERM="dumb")
    assert "\x1b[" not in run(MODEL, environment={"NO_COLOR": "", "TERM": "xterm"}).stdout
