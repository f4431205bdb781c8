"""berth bake from outside: transcripts, exit codes, files whole or absent, C that
compiles whatever the model is called. BERTH_REWRITE=1 writes the transcripts anew."""

import json
import os
import shutil
import subprocess
import zlib

import pytest

from support import ROOT, bundled_models, run

TRANSCRIPTS = ROOT / "tests" / "cli" / "bake"
M = "examples/models/"
VWW = ROOT / M / "vww96_int8.tflite"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
COMPILERS = [[cc, std] for cc, std in
             (("gcc", "-std=c11"), ("clang", "-std=c11"), ("g++", "-std=c++11"),
              ("g++", "-std=c++17"), ("clang++", "-std=c++20"))]

CASES = {
    "help": ["--help"],
    "vww96_int8": [M + "vww96_int8.tflite", "--tflm", "-o", "{}/out.tflite"],
    "vww96_m4": [M + "vww96_int8.tflite", "--tflm", "-o", "{}/out.tflite", "--target", "m4",
                 "--kernels", "cmsis-nn", "--header", "{}/out.h", "--plan", "{}/out.plan"],
    "in_place": [M + "residual_float32.tflite", "--tflm", "--output={}/out.tflite",
                 "--assume-reference-kernels"],
    "json": [M + "vww96_int8.tflite", "--tflm", "-o", "{}/out.tflite", "--format", "json"],
    "cannot_profit": [M + "kws_dscnn_int8.tflite", "--tflm", "-o", "{}/out.tflite"],
    "only_a_header": [M + "kws_dscnn_int8.tflite", "--tflm", "--header", "{}/out.h"],
    "no_runtime": [M + "vww96_int8.tflite", "-o", "{}/out.tflite"],
    "no_output": [M + "vww96_int8.tflite", "--tflm"],
    "no_file": ["--tflm", "-o", "{}/out.tflite"],
    "two_files": ["a", "b", "--tflm", "-o", "{}/out.tflite"],
    "one_name_twice": [M + "vww96_int8.tflite", "--tflm", "-o", "{}/x", "--c", "{}/x"],
    "output_twice": [M + "vww96_int8.tflite", "--tflm", "-o", "{}/x", "-o", "{}/y"],
    "output_missing": [M + "vww96_int8.tflite", "--tflm", "-o"],
    "not_the_kernels": [M + "vww96_int8.tflite", "--tflm", "-o", "{}/x", "--target", "m4",
                        "--kernels", "cmsis-nn", "--assume-reference-kernels"],
    "two_kernel_sets": [M + "vww96_int8.tflite", "--tflm", "-o", "{}/x", "--target", "m4",
                        "--kernels", "cmsis-nn", "--kernels", "reference"],
    "option_of_report": [M + "vww96_int8.tflite", "--tflm", "-o", "{}/x", "--budget", "1M"],
    "no_folder": [M + "vww96_int8.tflite", "--tflm", "-o", "{}/nowhere/x"],
    "no_model": ["nothing.tflite", "--tflm", "-o", "{}/x"],
    "not_a_model": ["LICENSE", "--tflm", "-o", "{}/x"],
}


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("name", CASES)
def test_transcript(name, tmp_path):
    path = TRANSCRIPTS / f"{name}.out"
    arguments = [word.replace("{}", str(tmp_path)) for word in CASES[name]]
    done = run("bake", *arguments)
    said = (f"$ berth bake {' '.join(CASES[name])}\n{done.stdout}{done.stderr}"
            f"[exit {done.returncode}]\n").replace(str(tmp_path), "{}")
    if os.environ.get("BERTH_REWRITE"):
        path.write_text(said)
    assert said == path.read_text()
    # All or nothing, and nothing that was in between.
    left = {file.name for file in tmp_path.iterdir()}
    assert (left == set()) == (done.returncode != 0 or "--help" in arguments)
    assert all(name in {"out.tflite", "out.h", "out.plan", "out.c"} for name in left)


def test_every_transcript_has_its_case():
    assert {path.stem for path in TRANSCRIPTS.glob("*.out")} == set(CASES)


# --- files ------------------------------------------------------------------------


def bake(model, folder, *more):
    out = folder / "out.tflite"
    done = run("bake", model, "--tflm", "-o", out, *more, "--format", "json")
    return done, out


def test_the_old_bytes_follow_unchanged(tmp_path):
    done, out = bake(VWW, tmp_path)
    old, new = VWW.read_bytes(), out.read_bytes()
    assert done.returncode == 0
    assert new.endswith(old) and (len(new) - len(old)) % 64 == 0
    assert new[4:8] == b"TFL3"


def test_the_same_every_time(tmp_path):
    _, out = bake(VWW, tmp_path)
    first = out.read_bytes()
    _, out = bake(VWW, tmp_path)
    assert first == out.read_bytes()


def test_the_model_itself_may_be_replaced(tmp_path):
    model = tmp_path / "model.tflite"
    shutil.copy(VWW, model)
    model.chmod(0o640)
    done = run("bake", model, "--tflm", "-o", model)
    assert done.returncode == 0
    assert model.read_bytes().endswith(VWW.read_bytes())
    assert model.stat().st_mode & 0o777 == 0o640
    # And then there is nothing left to gain.
    baked = model.read_bytes()
    assert run("bake", model, "--tflm", "-o", model).returncode == 1
    assert model.read_bytes() == baked


def test_a_link_stays_a_link(tmp_path):
    place, link = tmp_path / "place.tflite", tmp_path / "link.tflite"
    place.write_bytes(b"old")
    link.symlink_to(place)
    assert run("bake", VWW, "--tflm", "-o", link).returncode == 0
    assert link.is_symlink() and place.read_bytes().endswith(VWW.read_bytes())


def test_what_is_no_file_is_not_replaced(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for place in (folder, "/dev/null"):
        done = run("bake", VWW, "--tflm", "-o", place)
        assert done.returncode == 4 and "no ordinary file" in done.stderr
    assert list(tmp_path.iterdir()) == [folder]


def test_one_bad_place_and_none_is_written(tmp_path):
    done = run("bake", VWW, "--tflm", "-o", tmp_path / "out.tflite", "--header",
               tmp_path / "out.h", "--c", tmp_path / "nowhere" / "out.c")
    assert done.returncode == 4
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_standard_output_is_told(tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run([os.environ.get("BERTH_BIN") or "build/debug/berth", "bake", str(VWW),
                               "--tflm", "-o", str(tmp_path / "x")], stdout=full,
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4 and "cannot write" in done.stderr


def test_standard_input_is_a_model_too(tmp_path):
    out = tmp_path / "out.tflite"
    done = run("bake", "-", "--tflm", "-o", out, stdin=VWW.read_bytes(), binary=True)
    assert done.returncode == 0 and out.read_bytes().endswith(VWW.read_bytes())


def test_the_plan_file_is_as_documented(tmp_path):
    import hashlib
    plan = tmp_path / "out.plan"
    done, _ = bake(VWW, tmp_path, "--plan", plan)
    data, said = plan.read_bytes(), json.loads(done.stdout)
    number = lambda at, size: int.from_bytes(data[at:at + size], "little")
    items = number(20, 4)
    assert data[:8] == bytes.fromhex("8942504C4E0D0A00")
    assert (number(8, 4), number(12, 4), number(16, 4)) == (1, 1, 0)
    assert len(data) == 96 + 20 * items + 4
    assert number(24, 8) == said["after"]["head_bytes"] == 55296
    assert data[32:64] == hashlib.sha256(VWW.read_bytes()).digest()
    assert data[64:96].rstrip(b"\0") == b"reference@2026.08/x86-64"
    assert number(len(data) - 4, 4) == zlib.crc32(data[:-4])
    ends = [number(96 + 20 * i, 8) + number(96 + 20 * i + 8, 8) for i in range(items)]
    assert max(ends) == 55296


# --- C ----------------------------------------------------------------------------

NAMES = ["plain", "1leads", "int", "_", "a\"b'c", "new\nline", "* #error out *", "ümlaut-ß",
         "??=", "a__b--c", "X" * 200, "\\", "trailing_", "\x7f\x01"]


def compilers():
    found = [command for command in COMPILERS if shutil.which(command[0])]
    assert found
    return found


def macros_of(header):
    return {line.split()[1].split("(")[0] for line in header.splitlines()
            if line.startswith("#define ")}


@pytest.mark.parametrize("stem", NAMES, ids=range(len(NAMES)))
def test_c_files_compile_whatever_the_model_is_called(stem, tmp_path):
    model = tmp_path / f"{stem}.tflite"
    shutil.copy(ROOT / M / "hotword_svdf_int8.tflite", model)
    header, array = tmp_path / "out.h", tmp_path / "out.c"
    assert run("bake", model, "--tflm", "--header", header, "--c", array).returncode == 0
    compile_both(header, array, tmp_path)
    assert all(name.startswith("BERTH_") and "__" not in name
               for name in macros_of(header.read_text()))


def compile_both(header, array, folder):
    prefix = next(line.split()[1] for line in header.read_text().splitlines()
                  if line.startswith("#ifndef"))[:-2]
    symbol = prefix.lower() + "_model"
    user = folder / "user.c"
    user.write_text(f'#define {prefix}_TENSOR_ARENA_SIZE (64 << 20)\n#include "{header.name}"\n'
                    f"{prefix}_FITS({prefix}_ARENA_BYTES);\n"
                    f"int main(void) {{ return {symbol}[4] == 'T' ? 0 : 1; }}\n")
    for compiler, std in compilers():
        language = ["-x", "c++"] if "++" in compiler else []
        subprocess.run([compiler, std, *STRICT, "-I", str(folder), *language, str(user),
                        str(array), "-o", str(folder / "user")], check=True)
        subprocess.run([str(folder / "user")], check=True)


def test_an_arena_too_small_does_not_compile(tmp_path):
    header = tmp_path / "vww.h"
    said = json.loads(run("bake", VWW, "--tflm", "--header", header, "--format", "json").stdout)
    need = said["after"]["arena_min_bytes"]
    for arena, compiles in ((need, True), (need - 1, False)):
        user = tmp_path / "user.c"
        user.write_text(f"#define BERTH_VWW96_INT8_TENSOR_ARENA_SIZE {arena}\n"
                        '#include "vww.h"\n')
        done = subprocess.run(["gcc", "-std=c11", "-fsyntax-only", str(user)],
                              capture_output=True, text=True)
        assert (done.returncode == 0) == compiles
        assert compiles or "too small for this model" in done.stderr


def test_the_array_holds_the_copy(tmp_path):
    array = tmp_path / "out.c"
    _, out = bake(VWW, tmp_path, "--c", array)
    text = array.read_text().split("= {", 1)[1].split("}")[0]
    assert bytes(int(word, 16) for word in text.replace("\n", "").strip(",").split(",")) \
        == out.read_bytes()


def test_the_header_names_what_report_says(tmp_path):
    header = tmp_path / "out.h"
    assert run("bake", VWW, "--tflm", "--header", header).returncode == 0
    value = {line.split()[1]: line.split()[2] for line in header.read_text().splitlines()
             if line.startswith("#define ") and len(line.split()) > 2}
    assert value["BERTH_VWW96_INT8_ARENA_BYTES"] == "84960"
    assert value["BERTH_VWW96_INT8_HEAD_BYTES"] == "55296"
    assert value["BERTH_VWW96_INT8_INPUT_COUNT"] == "1"
    adders = set(line.split(".")[1].split("(")[0] for line in header.read_text().splitlines()
                 if "(void)(resolver)." in line)
    assert "AddConv2D" in adders
    assert int(value["BERTH_VWW96_INT8_OP_COUNT"]) == len(adders)


# TFLM's own Prepare fails: RESIZE_BILINEAR wants a constant size there.
REFUSED = {"any_picture_float32"}


@pytest.mark.parametrize("model", bundled_models(), ids=lambda path: path.stem)
def test_every_bundled_model_compiles(model, tmp_path):
    header, array = tmp_path / "out.h", tmp_path / "out.c"
    done = run("bake", model, "--tflm", "--header", header, "--c", array)
    if model.stem in REFUSED:
        assert done.returncode == 5 and \
            "operator 16 RESIZE_BILINEAR: its kernel refuses these operands" in done.stderr
        assert not header.exists() and not array.exists()
        return
    assert done.returncode == 0, done.stderr
    compile_both(header, array, tmp_path)
