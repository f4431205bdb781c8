"""Pictures as inputs of berth run: JPEG, and a model whose metadata says how a picture is
to be normalised (TFLITE_METADATA of the task libraries), sound or damaged."""

import random

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from support import MODELS, run

ANY = MODELS / "any_picture_float32.tflite"
VWW = MODELS / "vww96_int8.tflite"

# A baseline JPEG by hand, 8 x 8 and grey: every quantizer is 8, so the first
# coefficient of the block, 72, is how far all of it is above 128. Its two tables of
# codes have a code each: a difference of seven bits, and the end of the block.
GREY = 200
JPEG = bytes.fromhex(
    "ffd8 ffdb004300" + "08" * 64 + "ffc0000b080008000801011100"
    "ffc40014000100000000000000000000000000000007"
    "ffc40014100100000000000000000000000000000000"
    "ffda0008010100003f00 487f ffd9")


def ok(*arguments):
    done = run("run", *arguments)
    assert done.returncode == 0, done.stderr
    return done


def table(builder, *fields):
    """A table of (slot, how to add it, value)."""
    builder.StartObject(1 + max(slot for slot, _, _ in fields))
    for slot, add, value in fields:
        getattr(builder, f"Prepend{add}Slot")(slot, value, 0)
    return builder.EndObject()


def tables(builder, *offsets):
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


def metadata(mean, std):
    """ModelMetadata of one input, whose second process unit normalises."""
    builder = flatbuffers.Builder()
    numbers = [builder.CreateNumpyVector(np.array(v, np.float32)) for v in (mean, std)]
    options = table(builder, *((i, "UOffsetTRelative", v) for i, v in enumerate(numbers)))
    other = table(builder, (0, "Uint8", 2))
    unit = table(builder, (0, "Uint8", 1), (1, "UOffsetTRelative", options))
    units = tables(builder, other, unit)
    tensor = table(builder, (4, "UOffsetTRelative", units))
    inputs = tables(builder, tensor)
    subgraph = table(builder, (2, "UOffsetTRelative", inputs))
    subgraphs = tables(builder, subgraph)
    builder.Finish(table(builder, (3, "UOffsetTRelative", subgraphs)), b"M001")
    return bytes(builder.Output())


def with_metadata(path, data):
    """A copy of the picture model with that metadata."""
    model = schema.ModelT.InitFromPackedBuf(ANY.read_bytes(), 0)
    buffer = schema.BufferT()
    buffer.data = np.frombuffer(data, np.uint8)
    entry = schema.MetadataT()
    entry.name, entry.buffer = "TFLITE_METADATA", len(model.buffers)
    model.buffers.append(buffer)
    model.metadata = [*(model.metadata or []), entry]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    path.write_bytes(bytes(builder.Output()))
    return path


@pytest.fixture
def jpeg(tmp_path):
    path = tmp_path / "grey.jpg"
    path.write_bytes(JPEG)
    return path


def test_a_jpeg_is_a_picture(tmp_path, jpeg):
    np.save(tmp_path / "same.npy", np.full((1, 96, 96, 3), GREY - 128, np.int8))
    ok(VWW, "--input", tmp_path / "same.npy", "-o", tmp_path / "want.npy")
    ok(VWW, "--input", jpeg, "--expect", tmp_path / "want.npy")


@pytest.mark.parametrize("mean, std", [
    ([127.5], [127.5]), ([120.0, 110.0, 100.0], [50.0, 60.0, 70.0])], ids=["one", "three"])
def test_metadata_says_how_a_picture_is_normalised(tmp_path, jpeg, mean, std):
    model = with_metadata(tmp_path / "m.tflite", metadata(mean, std))
    asked = ["--mean", ",".join(map(str, mean)), "--std", ",".join(map(str, std))]
    ok(ANY, "--input", jpeg, "-o", tmp_path / "plain.npy")
    ok(ANY, "--input", jpeg, *asked, "-o", tmp_path / "want.npy")
    ok(model, "--input", jpeg, "--expect", tmp_path / "want.npy")
    assert run("run", model, "--input", jpeg, "--expect",
               tmp_path / "plain.npy").returncode == 1
    # Who asks is heard before the file.
    ok(model, "--input", jpeg, "--mean", "0", "--std", "255", "--expect",
       tmp_path / "plain.npy", "--tolerance", "1e-5")


@pytest.mark.parametrize("mean, std", [([1.0], [0.0]), ([1.0, 2.0], [1.0, 2.0]),
                                       ([1.0], [1.0, 1.0, 1.0]), ([1.0], [float("nan")]),
                                       ([float("inf")], [1.0])])
def test_senseless_metadata_says_nothing(tmp_path, jpeg, mean, std):
    model = with_metadata(tmp_path / "m.tflite", metadata(mean, std))
    ok(ANY, "--input", jpeg, "-o", tmp_path / "plain.npy")
    ok(model, "--input", jpeg, "--expect", tmp_path / "plain.npy")


def test_damaged_metadata_harms_nobody(tmp_path, jpeg):
    data = metadata([127.5], [127.5])
    dice = random.Random(1)
    for _ in range(40):
        broken = bytearray(data[:dice.choice((len(data), dice.randrange(len(data))))])
        for _ in range(dice.randint(1, 3)):
            if broken:
                broken[dice.randrange(len(broken))] = dice.choice((0, 1, 4, 127, 128, 255))
        ok(with_metadata(tmp_path / "m.tflite", bytes(broken)), "--input", jpeg)
