"""The runtimes themselves, asked for their arenas. A process of its own, since
some models crash them:

  peer_live.py tflm|litert|reuse      reads "PATH<tab>TENSOR,TENSOR..." lines

Prints a JSON line [path, answer] for each: the head in bytes for TFLM; for
LiteRT {tensor: [address, bytes]} of those tensors that it lets be looked at, or,
for "reuse", whether it computes the same when it reuses no bytes; a string where
the runtime refuses."""

import json
import os
import re
import sys


def tflm(path, _):
    from tflite_micro.python.tflite_micro import runtime
    # A multiple of 16, and enough.
    size = (max(10 * os.path.getsize(path), 1 << 20) + 15) // 16 * 16
    interpreter = runtime.Interpreter.from_file(path, arena_size=size)
    return int(re.search(r"head (\d+)", captured(interpreter.print_allocations))[1])


def captured(call):
    """What C code prints meanwhile."""
    sys.stdout.flush()
    read_end, write_end = os.pipe()
    kept = [(fd, os.dup(fd)) for fd in (1, 2)]
    for fd, _ in kept:
        os.dup2(write_end, fd)
    try:
        call()
    finally:
        os.close(write_end)
        for fd, copy in kept:
            os.dup2(copy, fd)
            os.close(copy)
    with os.fdopen(read_end, "rb") as pipe:
        return pipe.read().decode(errors="replace")


def litert(path, tensors):
    from support import litert as interpreter_of
    interpreter = interpreter_of(path)
    interpreter.allocate_tensors()
    known = {detail["index"] for detail in interpreter.get_tensor_details()}
    places = {}
    for tensor in tensors:
        if tensor not in known:
            continue  # of another subgraph
        array = interpreter.tensor(tensor)()
        if array.ndim > 0:  # numpy copies the others
            places[tensor] = [array.__array_interface__["data"][0], array.nbytes]
    return places


def reuse(path, _):
    import numpy
    from support import litert as interpreter_of
    results = []
    for keep in (False, True):
        interpreter = interpreter_of(path, experimental_preserve_all_tensors=keep)
        interpreter.allocate_tensors()
        random = numpy.random.RandomState(1)
        for detail in interpreter.get_input_details():
            interpreter.set_tensor(
                detail["index"],
                random.uniform(-1, 1, detail["shape"]).astype(detail["dtype"]))
        interpreter.invoke()
        results.append([interpreter.get_tensor(detail["index"])
                        for detail in interpreter.get_output_details()])
    return all(numpy.array_equal(a, b, equal_nan=True) for a, b in zip(*results))


def main():
    ask = {"tflm": tflm, "litert": litert, "reuse": reuse}[sys.argv[1]]
    for line in sys.stdin:
        path, tensors = line.rstrip("\n").split("\t")
        try:
            answer = ask(path, [int(t) for t in tensors.split(",") if t])
        except Exception as error:  # whatever a runtime says of a bad model
            answer = f"refused: {error}"
        print(json.dumps([path, answer]), flush=True)


if __name__ == "__main__":
    main()
