"""berth run as a user meets it: inputs, outputs, comparing, memory, state, errors;
and LiteRT's reference kernels as the oracle for the bundled models."""

import json

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

import seeded
from support import MODELS, bundled_models, litert, run

VWW = MODELS / "vww96_int8.tflite"


def ok(*arguments, code=0):
    done = run("run", *arguments)
    assert done.returncode == code, done.stderr
    return done


def facts(*arguments, code=0):
    return json.loads(ok(*arguments, "--format", "json", code=code).stdout)


# --- the same answers as LiteRT ---------------------------------------------------


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_outputs_are_those_of_litert(path, tmp_path):
    interpreter = litert(path)
    interpreter.allocate_tensors()
    for i, details in enumerate(interpreter.get_input_details()):
        value = seeded.values(f"s#{i}#0#0", details["dtype"], details["shape"])
        interpreter.set_tensor(details["index"], value)
    interpreter.invoke()
    outputs = interpreter.get_output_details()
    words = [path, "--random", "s"]
    for i in range(len(outputs)):
        words += ["-o", tmp_path / f"{i}.npy"]
    done = run("run", *words)
    if done.returncode == 5:
        pytest.skip(f"not supported yet: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    for i, details in enumerate(outputs):
        got = np.load(tmp_path / f"{i}.npy")
        want = interpreter.get_tensor(details["index"])
        assert got.dtype == want.dtype and got.shape == want.shape
        if got.dtype.kind == "f":
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
        else:
            np.testing.assert_array_equal(got, want)


# --- memory -----------------------------------------------------------------------


def test_arena_is_that_of_the_report_and_one_less_is_refused():
    report = json.loads(run(VWW, "--format", "json").stdout)
    arena = report["ledger"]["arena_bytes"]
    assert facts(VWW, "--random", "1", "--arena", arena)["arena_bytes"] == arena
    done = ok(VWW, "--random", "1", "--arena", arena - 1, code=1)
    assert f"{arena - 1:,} bytes, the plan needs {arena:,}" in done.stderr
    assert done.stdout == ""


def test_no_bytes_at_all_are_not_all_that_it_needs():
    done = ok(VWW, "--random", "1", "--arena", "0", code=1)
    assert "0 bytes, the plan needs" in done.stderr


def test_more_than_enough_is_fine():
    ok(VWW, "--random", "1", "--arena", "1M")


@pytest.mark.parametrize("kernels", ["opt", "ref"])
def test_dead_bytes_do_not_matter(kernels):
    found = facts(VWW, "--random", "1", "--poison", "--kernels", kernels)
    assert found["depends_on_dead_bytes"] is False


def test_ledger_and_run_name_the_same_total():
    report = json.loads(run(VWW, "--format", "json").stdout)["ledger"]
    found = facts(VWW, "--random", "1")
    for name in ("arena_bytes", "state_bytes", "books_bytes", "total_bytes"):
        assert found[name] == report[name], name


# --- in and out -------------------------------------------------------------------


def test_output_is_expected_again(tmp_path):
    out = tmp_path / "out.npy"
    ok(VWW, "--random", "7", "-o", out)
    done = ok(VWW, "--random", "7", "--expect", out)
    assert "as expected" in done.stdout
    found = facts(VWW, "--random", "7", "--expect", out)
    assert found["outputs"][0]["as_expected"] is True
    changed = np.load(out)
    changed.reshape(-1)[0] ^= 1
    np.save(out, changed)
    done = ok(VWW, "--random", "7", "--expect", out, code=1)
    assert "1 of 2 values differ" in done.stdout
    np.save(out, np.zeros((3, 3), np.int8))
    assert "shape" in ok(VWW, "--random", "7", "--expect", out, code=1).stderr


def test_files_and_seeds_are_the_same_numbers(tmp_path):
    value = seeded.values("s#0#2#0", np.int8, (1, 96, 96, 3))
    np.save(tmp_path / "in.npy", value)
    (tmp_path / "in.bin").write_bytes(value.tobytes())
    ok(VWW, "--random", "s", "--case", "2", "-o", tmp_path / "want.npy")
    for name in ("in.npy", "in.bin"):
        ok(VWW, "--input", tmp_path / name, "--expect", tmp_path / "want.npy")


def test_a_pipe_is_read_to_its_end(tmp_path):
    value = seeded.values("s#0#0#0", np.float32, (1, 160, 160, 3))
    np.save(tmp_path / "in.npy", value)
    model = MODELS / "any_picture_float32.tflite"
    ok(model, "--input", tmp_path / "in.npy", "-o", tmp_path / "want.npy")
    whole = (tmp_path / "in.npy").read_bytes()
    assert len(whole) > 1 << 16
    done = run("run", model, "--input", "-", "--expect", tmp_path / "want.npy",
               stdin=whole, binary=True)
    assert done.returncode == 0, done.stderr


def test_threads_give_the_same_bits(tmp_path):
    for path in bundled_models():
        if run("run", path, "--random", "1", "-o", tmp_path / "1.npy").returncode:
            continue
        ok(path, "--random", "1", "--threads", "3", "--expect", tmp_path / "1.npy")


def test_kernel_sets_agree_on_integers(tmp_path):
    ok(VWW, "--random", "1", "--kernels", "ref", "-o", tmp_path / "ref.npy")
    ok(VWW, "--random", "1", "--kernels", "opt", "--expect", tmp_path / "ref.npy")


def test_array_of_another_shape_resizes(tmp_path):
    model = MODELS / "any_picture_float32.tflite"
    value = seeded.values("k", np.float32, (1, 20, 28, 3))
    np.save(tmp_path / "in.npy", value)
    found = facts(model, "--input", tmp_path / "in.npy", "-o", tmp_path / "out.npy")
    interpreter = litert(model)
    interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"],
                                    value.shape)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], value)
    interpreter.invoke()
    want = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    got = np.load(tmp_path / "out.npy")
    assert found["outputs"][0]["shape"] == list(want.shape)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_picture_is_resized_and_shifted(tmp_path):
    """A plain grey picture is one value whatever its size."""
    import struct
    import zlib

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(
            ">I", zlib.crc32(body))

    row = b"\0" + bytes([200]) * 7
    png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 7, 5, 8, 0, 0,
                                                            0, 0))
           + chunk(b"IDAT", zlib.compress(row * 5)) + chunk(b"IEND", b""))
    (tmp_path / "grey.png").write_bytes(png)
    np.save(tmp_path / "same.npy", np.full((1, 96, 96, 3), 72, np.int8))
    ok(VWW, "--input", tmp_path / "same.npy", "-o", tmp_path / "want.npy")
    ok(VWW, "--input", tmp_path / "grey.png", "--expect", tmp_path / "want.npy")


def test_top_with_labels(tmp_path):
    (tmp_path / "labels.txt").write_bytes(b"nobody\r\n\x1b[31mperson\n")
    done = ok(VWW, "--random", "1", "--top", "5", "--labels", tmp_path / "labels.txt")
    assert "nobody" in done.stdout and "\\x1b[31mperson" in done.stdout
    assert "\x1b" not in done.stdout
    for asked, listed in ((1, 1), (1000000000, 2)):
        top = facts(VWW, "--random", "1", "--top", asked)["top"]
        assert len(top) == listed


def test_dump_tensor_is_the_value_on_the_way(tmp_path):
    report = json.loads(run(VWW, "--format", "json", "--tensors").stdout)
    inner = [t for t in report["tensors"] if t["class"] == "inner"][0]
    ok(VWW, "--random", "1", "--dump-tensor", f"#{inner['index']}={tmp_path}/t.npy")
    got = np.load(tmp_path / "t.npy")
    assert list(got.shape) == inner["shape"] and len(np.unique(got)) > 1


def test_state_goes_on_in_a_file(tmp_path):
    """Two runs in one process are one run, saved, and another that goes on."""
    model = MODELS / "stream_int8.tflite"
    shape = json.loads(run(model, "--format", "json", "--tensors").stdout)
    shape = next(t["shape"] for t in shape["tensors"] if t["class"] == "input")
    np.save(tmp_path / "in.npy", seeded.values("k", np.int8, shape))
    words = [model, "--input", tmp_path / "in.npy"]
    ok(*words, "--repeat", "2", "-o", tmp_path / "twice.npy")
    ok(*words, "-o", tmp_path / "once.npy")
    assert np.any(np.load(tmp_path / "once.npy") != np.load(tmp_path / "twice.npy"))
    state = tmp_path / "state"
    ok(*words, "--state", state, "--expect", tmp_path / "once.npy")
    first = state.read_bytes()
    ok(*words, "--state", state, "--expect", tmp_path / "twice.npy")
    assert state.read_bytes() != first
    state.write_bytes(first[:-1])
    assert "state" in ok(*words, "--state", state, code=3).stderr
    assert state.read_bytes() == first[:-1]
    assert "state" in ok(VWW, "--random", "1", "--state", state, code=3).stderr


def test_an_input_that_is_a_constant_is_not_written(tmp_path):
    model = schema.ModelT.InitFromPackedBuf(VWW.read_bytes(), 0)
    graph = model.subgraphs[0]
    constant = next(i for i, tensor in enumerate(graph.tensors)
                    if model.buffers[tensor.buffer].data is not None)
    graph.inputs = [*graph.inputs, constant]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    (tmp_path / "m.tflite").write_bytes(builder.Output())
    ok(VWW, "--random", "s", "-o", tmp_path / "want.npy")
    ok(tmp_path / "m.tflite", "--random", "s", "--expect", tmp_path / "want.npy")
    assert run("bench", tmp_path / "m.tflite", "--runs", "1").returncode == 0
    np.save(tmp_path / "in.npy", seeded.values("s#0#0#0", np.int8, (1, 96, 96, 3)))
    (tmp_path / "raw").write_bytes(bytes(np.asarray(
        model.buffers[graph.tensors[constant].buffer].data, np.uint8)))
    done = ok(tmp_path / "m.tflite", "--input", tmp_path / "in.npy",
              "--input", tmp_path / "raw", code=2)
    assert "input 1 is a constant of the model" in done.stderr


# --- what is wrong ------------------------------------------------------------------


def test_missing_inputs_are_named():
    done = ok(VWW, code=2)
    assert "no --input for 1 of the model's 1 inputs" in done.stderr
    assert "int8 1x96x96x3" in done.stderr


@pytest.mark.parametrize("words, code, text", [
    (["--input", "nowhere.npy"], 4, "nowhere.npy"),
    (["--random", "1", "--repeat", "0"], 2, "--repeat 0"),
    (["--random", "1", "--threads", "-1"], 2, "--threads -1"),
    (["--random", "1", "--arena", "many"], 2, "--arena many"),
    (["--random", "1", "--tolerance", "x"], 2, "--tolerance x"),
    (["--random", "1", "--tolerance", "-1"], 2, "0 or more"),
    (["--random", "1", "--mean", "1,2"], 2, "1, 3 or 4"),
    (["--random", "1", "--std", "0"], 2, "above 0"),
    (["--random", "1", "--kernels", "gpu"], 2, "gpu"),
    (["--random", "1", "--signature", "gone"], 2, "gone"),
    (["--random", "1", "--dump-tensor", "x"], 2, "NAME=FILE"),
    (["--random", "1", "--dump-tensor", "gone=x.npy"], 2, "no such tensor"),
    (["--random", "1", "-o", "/nowhere/x.npy"], 4, "/nowhere/x.npy"),
    (["--random", "1", "--expect", "a", "--expect", "b"], 2, "more files"),
    (["--random", "1", "--labels", "nowhere", "--top", "1"], 4, "nowhere"),
    (["--input", "a", "--input", "b"], 2, "the model has 1 input\n"),
    (["--random", "1", "-o", VWW], 2, "written over the model"),
    (["--random", "1", "-o", f"{VWW.parent}/./{VWW.name}"], 2, "written over"),
    (["--random", "1", "-o", "x.npy", "--state", "x.npy"], 2, "or twice"),
    (["--random", "1", "--dump-tensor", f"#3={VWW}"], 2, "written over"),
])
def test_wrong_usage(words, code, text):
    done = ok(VWW, *words, code=code)
    assert text in done.stderr
    assert code == 4 or done.stdout == ""


def test_damaged_arrays_are_refused(tmp_path):
    np.save(tmp_path / "in.npy", np.zeros((1, 96, 96, 3), np.int8))
    whole = (tmp_path / "in.npy").read_bytes()
    for name, data, text in (("cut", whole[:-5], "as many bytes"),
                             ("head", whole[:40], "cut short"),
                             ("raw", b"12345", "raw bytes"),
                             ("png", b"\x89PNG\r\n\x1a\n123", "damaged picture")):
        (tmp_path / name).write_bytes(data)
        assert text in ok(VWW, "--input", tmp_path / name, code=3).stderr
    np.save(tmp_path / "in.npy", np.zeros((1, 96, 96, 3), np.float32))
    refused = ok(VWW, "--input", tmp_path / "in.npy", code=3).stderr
    assert "another type" in refused
    assert "input 0 is picture, int8 1x96x96x3\n" in refused
    np.save(tmp_path / "in.npy", np.zeros((1, 32, 96, 3), np.int8))
    done = ok(VWW, "--input", tmp_path / "in.npy", code=5)
    assert "cannot take these input shapes" in done.stderr
    assert "in.npy: int8 1x32x96x3\n" in done.stderr
    assert "input 0 is picture, int8 1x96x96x3\n" in done.stderr


def test_not_a_model(tmp_path):
    (tmp_path / "bad.tflite").write_bytes(b"TFL3" * 10)
    ok(tmp_path / "bad.tflite", "--random", "1", code=3)
    ok(tmp_path / "gone.tflite", "--random", "1", code=4)
    ok(code=2)
    ok(VWW, VWW, "--random", "1", code=2)
