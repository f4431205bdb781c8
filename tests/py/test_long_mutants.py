"""Sound files that make no sense: one-operator models with absurd options, constants,
quantization, shapes, types, operands and lists of inputs and outputs. Whatever they
are, run answers, no output depends on dead bytes, and fast kernels agree with the
obvious ones."""

import random
import struct

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from support import need_corpus, run

MUTANTS = 400
WHOLE = [0, -1, 1, 2, 3, 7, -128, 65536, 1 << 30, -(1 << 31), (1 << 31) - 1]
REAL = [float("nan"), float("inf"), 0.0, -0.0, -1.0, 1e-45, 1e-38, 3e38, 1.0]
ZEROS = [0, 127, -128, 128, 255, -129, 32767, 1 << 40, -(1 << 62)]


def change_option(r, model, graph):
    options = r.choice(graph.operators).builtinOptions
    numbers = [name for name, value in vars(options).items()
               if type(value) in (int, float)] if options else []
    if numbers:
        name = r.choice(numbers)
        real = isinstance(getattr(options, name), float)
        setattr(options, name, r.choice(REAL if real else WHOLE))


def change_constant(r, model, graph):
    found = [t for t in graph.tensors if t.type == schema.TensorType.INT32
             and model.buffers[t.buffer].data is not None
             and len(model.buffers[t.buffer].data) >= 4]
    if found:
        buffer = model.buffers[r.choice(found).buffer]
        values = np.array(buffer.data, np.uint8).view(np.int32)
        values[r.randrange(len(values))] = r.choice(WHOLE)
        buffer.data = values.view(np.uint8)


def change_quantization(r, model, graph):
    tensor = r.choice(graph.tensors)
    q = tensor.quantization
    if q is None or q.scale is None or q.zeroPoint is None or r.random() < 0.2:
        tensor.quantization = None
    elif r.random() < 0.4:
        q.scale = np.array([r.choice(REAL), *q.scale[1:]], np.float32)
    elif r.random() < 0.5:
        q.zeroPoint = np.array([r.choice(ZEROS), *q.zeroPoint[1:]], np.int64)
    else:
        q.scale = np.array([*q.scale] * 2, np.float32)
        q.quantizedDimension = r.choice([-1, 0, 1, 9])


def change_shape(r, model, graph):
    tensor = r.choice(graph.tensors)
    shape = [] if tensor.shape is None else [*tensor.shape]
    if shape and r.random() < 0.6:
        shape[r.randrange(len(shape))] = r.choice([0, 1, 2, 3, 5, 16])
    else:
        shape = r.choice([shape[1:], [1, *shape], [1] * 6 + shape, []])
    tensor.shape = np.array(shape, np.int32)


def change_type(r, model, graph):
    r.choice(graph.tensors).type = r.randrange(18)


def change_operands(r, model, graph):
    op = r.choice(graph.operators)
    inputs = [] if op.inputs is None else [*op.inputs]
    any_tensor = r.randrange(len(graph.tensors))
    op.inputs = r.choice([inputs[1:], inputs[:-1], [*inputs, any_tensor],
                          [any_tensor, *inputs[1:]], [-1, *inputs[1:]]])


def change_lists(r, model, graph):
    any_tensor = r.randrange(len(graph.tensors))
    if r.random() < 0.5:
        graph.inputs = [*graph.inputs, any_tensor]
    else:
        graph.outputs = [*graph.outputs, any_tensor]


def change_version(r, model, graph):
    r.choice(model.operatorCodes).version = r.choice(WHOLE)


CHANGES = [change_option, change_constant, change_quantization, change_shape,
           change_type, change_operands, change_lists, change_version]


def mutant(r, path):
    """None where a change makes no file."""
    model = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)
    graph = model.subgraphs[0]
    if not graph.operators:
        return None
    for _ in range(r.choice([1, 1, 2, 3])):
        r.choice(CHANGES)(r, model, graph)
    builder = flatbuffers.Builder()
    try:
        builder.Finish(model.Pack(builder), b"TFL3")
    except (TypeError, struct.error):
        return None
    return bytes(builder.Output())


@pytest.mark.parametrize("seed", range(4))
def test_mutants_get_an_answer(seed, tmp_path):
    r = random.Random(seed)
    paths = sorted(path for path in need_corpus("goldens/ops").glob("*/*.tflite")
                   if path.stat().st_size < 30000)
    answers = {}
    for _ in range(MUTANTS):
        path = r.choice(paths)
        data = mutant(r, path)
        if data is None:
            continue
        model = tmp_path / "m.tflite"
        model.write_bytes(data)
        out = tmp_path / "out.npy"
        out.unlink(missing_ok=True)
        words = ["run", model, "--random", "x", "--arena", "16M"]
        plain = run(*words, "--kernels", "ref", "--poison", "-o", out)
        if "numpy has no such" in plain.stderr:
            continue
        # 1: more than 16 MiB
        assert plain.returncode in (0, 1, 2, 3, 5), (path, plain.stderr)
        assert "dead bytes" not in plain.stdout, path
        expected = ["--expect", out, "--tolerance", "1e-3"] if out.exists() else []
        fast = run(*words, "--kernels", "opt", "--threads", 3, *expected)
        assert plain.returncode == fast.returncode, (path, fast.stdout, fast.stderr)
        answers[fast.returncode] = answers.get(fast.returncode, 0) + 1
    assert answers[0] > 20 and answers[3] > 20 and answers[5] > 20, answers
