"""The shapes that LiteRT gives every tensor, and the ones that berth gives.

LiteRT runs in a forked child, since some models make it crash. Reference
kernels first, the optimised ones where the reference refuses.
"""

import faulthandler
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from support import ROOT

TOOL = Path(os.environ.get("BERTH_BUILD") or ROOT / "build" / "debug") / "tests" / "shape_tool"


@dataclass
class Ours:
    state: str    # static, dynamic, unsized
    flags: str    # c v r d f u, see tests/tools/shape_tool.c
    size: int
    dims: tuple
    culprit: str


def berth_shapes(paths, overrides=None):
    """{path: {(subgraph, tensor): Ours}}, or the line that says why not."""
    words = [str(path) for path in paths]
    for index, dims in (overrides or {}).items():
        words.append(f"{index}={'x'.join(map(str, dims)) or 'scalar'}")
    out = subprocess.run([str(TOOL), *words], capture_output=True, text=True, timeout=300)
    assert out.returncode == 0, out.stderr
    found, current = {}, None
    for line in out.stdout.splitlines():
        if line.startswith("file "):
            current = found[line[5:]] = {}
        elif line.startswith("refused "):
            found[list(found)[-1]] = line
        else:
            subgraph, tensor, state, flags, size, dims, culprit = line.split(" ")
            dims = () if dims == "scalar" else tuple(map(int, dims.split("x")))
            current[int(subgraph), int(tensor)] = Ours(
                state, flags[1:], int(size), dims, culprit)
    return found


def _shapes(interpreter, held=False):
    """[[shape of each tensor] of each subgraph]; with `held`, None for a tensor
    that has no memory at the moment: dynamic, or not prepared yet."""
    inner = interpreter._interpreter
    all_shapes = []
    for s in range(inner.NumSubgraphs()):
        shapes = []
        for t in range(inner.NumTensors(s)):
            try:
                shape = [int(d) for d in interpreter._get_tensor_details(t, s)["shape"]]
                if held:
                    inner.GetTensor(t, s)
            except ValueError:
                shape = None
            shapes.append(shape)
        all_shapes.append(shapes)
    return all_shapes


def _random_inputs(interpreter):
    generator = np.random.default_rng(1)
    for detail in interpreter.get_input_details():
        dtype, shape = np.dtype(detail["dtype"]), tuple(detail["shape"])
        if dtype.kind in "biu":
            values = generator.integers(0, 2, shape)
        elif dtype.kind == "f":
            values = generator.random(shape)
        else:
            raise ValueError("an input that is no number")
        interpreter.set_tensor(detail["index"], np.asarray(values).astype(dtype))


def _run(path, resolver, overrides, what):
    from ai_edge_litert import interpreter as litert
    interpreter = litert.Interpreter(
        model_path=str(path), num_threads=1,
        experimental_op_resolver_type=getattr(litert.OpResolverType, resolver))
    if what == "inputs":
        return [[int(d["index"]), [int(n) for n in d["shape"]],
                 [int(n) for n in d["shape_signature"]]]
                for d in interpreter.get_input_details()]
    for index, dims in (overrides or {}).items():
        interpreter.resize_tensor_input(index, dims)
    interpreter.allocate_tensors()
    if what == "invoked":
        _random_inputs(interpreter)
        interpreter.invoke()
    return _shapes(interpreter, held=what == "held")


def _answer(*arguments):
    try:
        return _run(*arguments)
    except BaseException as error:  # whatever it is, the parent wants to know
        return {"error": str(error)}


def _forked(questions):
    """An answer to each question, from one child; fewer where it crashed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        faulthandler.disable()  # a crash of LiteRT is an answer
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        with os.fdopen(writer, "w") as pipe:
            for question in questions:
                print(json.dumps(_answer(*question)), file=pipe, flush=True)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        lines = pipe.read().split("\n")
    os.waitpid(child, 0)
    return [json.loads(line) for line in lines[:-1]]  # behind the last one: a rest


def _ask(questions):
    """Goes on behind a question that makes LiteRT crash."""
    answers = []
    while len(answers) < len(questions):
        part = questions[len(answers):len(answers) + 100]
        found = _forked(part)
        crashed = len(found) < len(part)
        answers += found + [{"error": "crash"}] * crashed
    return answers


def litert_all(paths, what="allocated", overrides=None):
    """{path: what LiteRT says, or {"error": ...}}. what: allocated, held (only
    what has memory after allocation), invoked, inputs."""
    answers = {}
    left = [str(path) for path in paths]
    for resolver in ("BUILTIN_REF", "BUILTIN_WITHOUT_DEFAULT_DELEGATES"):
        answers.update(zip(left, _ask([(p, resolver, overrides, what) for p in left])))
        left = [path for path in left if isinstance(answers[path], dict)]
    return answers


def litert_shapes(path, overrides=None, what="allocated"):
    return litert_all([path], what, overrides)[str(path)]


def differences(path, ours, overrides=None, allocated=None):
    """Static tensors whose shape is LiteRT's neither after allocation nor, where
    it can run the model, after a run (LiteRT prepares what follows a dynamic
    tensor only then). The second result counts the tensors compared; None: LiteRT
    does not take the model."""
    allocated = allocated or litert_shapes(path, overrides)
    if isinstance(allocated, dict):
        return [], None

    def wrong(theirs, keys):
        return [key for key in keys if theirs[key[0]][key[1]] is not None
                and tuple(theirs[key[0]][key[1]]) != ours[key].dims]

    static = [key for key, tensor in ours.items() if tensor.state == "static"]
    left = wrong(allocated, static)
    if left:
        invoked = litert_shapes(path, overrides, "invoked")
        if not isinstance(invoked, dict):
            left = wrong(invoked, left)
    return [(key, ours[key].dims, allocated[key[0]][key[1]]) for key in left], len(static)
