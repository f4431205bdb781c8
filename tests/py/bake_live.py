"""Runs models in TFLM and tells what came out. A process of its own, since TFLM
ends the process when it is unhappy:

  bake_live.py            reads JSON lines {path, key, arena, steps}

Prints for each a JSON line once it has started, {head, used}, and one when it has run,
{head, used, outputs: a hash of the bytes of all outputs of all steps, count}; or
{refused: why}. Inputs are those of seeded.py."""

import hashlib
import json
import re
import sys

from peer_live import captured
from seeded import values


def details_of(ask):
    """All there are: the package counts neither inputs nor outputs."""
    found = []
    while len(found) < 64:
        try:
            found.append(ask(len(found)))
        except (IndexError, RuntimeError, ValueError):
            break
    return found


def run(path, key, arena, steps):
    from tflite_micro.python.tflite_micro import runtime
    interpreter = runtime.Interpreter.from_file(path, arena_size=arena)
    said = captured(interpreter.print_allocations)
    sizes = {"head": int(re.search(r"head (\d+)", said)[1]),
             "used": int(re.search(r"total (\d+)", said)[1])}
    print(json.dumps(sizes), flush=True)
    inputs = details_of(interpreter.get_input_details)
    outputs = details_of(interpreter.get_output_details)
    total = hashlib.sha256()
    for step in range(steps):
        for i, detail in enumerate(inputs):
            interpreter.set_input(values(f"{key}#{i}#0#{step}", detail["dtype"],
                                         tuple(detail["shape"])), i)
        interpreter.invoke()
        for i in range(len(outputs)):
            total.update(interpreter.get_output(i).tobytes())
    return {**sizes, "outputs": total.hexdigest(), "count": len(outputs)}


def main():
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = run(**request)
        except Exception as error:  # whatever it says of a model
            answer = {"refused": str(error) or type(error).__name__}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
