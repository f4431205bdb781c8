"""Whether TFLM starts with models. As a program, many in one process and a child for
each, since TFLM ends the process when it is unhappy:

  starts.py           reads JSON lines [path, arena bytes]; prints one for each: true, or
                      what TFLM says
"""

import json
import os
import signal
import subprocess
import sys

SECONDS = 20


def child(path, arena, out):
    """Never returns: the child's exit code is the answer."""
    from tflite_micro import runtime
    os.dup2(out, 1)
    os.dup2(out, 2)
    signal.alarm(SECONDS)
    try:
        runtime.Interpreter.from_file(path, arena_size=arena)
    except BaseException:  # whatever it says of a model
        os._exit(1)
    os._exit(0)


def start(path, arena):
    inward, out = os.pipe()
    pid = os.fork()
    if pid == 0:
        child(path, arena, out)
    os.close(out)
    with open(inward, errors="replace") as said:
        words = said.read().strip()
    _, status = os.waitpid(pid, 0)
    return status == 0 or words or f"status {status}"


def main():
    from tflite_micro import runtime  # noqa: F401  once, not in each child
    for line in sys.stdin:
        print(json.dumps(start(*json.loads(line))), flush=True)


# --- for tests --------------------------------------------------------------------

# Prepare takes uint8 there, and Eval refuses it: berth says so before.
LATE = {"DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"}


def generous(found):
    return max(found["arena_min_bytes"] * 5 // 4 + (1 << 16), 1 << 18) // 16 * 16


def unlike(paths):
    """{path: what TFLM says} of those where berth says otherwise."""
    from micro import predict
    found = [(path, one) for at in range(0, len(paths), 200)
             for path, one in zip(paths[at:at + 200], predict(paths[at:at + 200], "pypi"))
             if one is not None]
    requests = "".join(json.dumps([str(path), generous(one)]) + "\n" for path, one in found)
    done = subprocess.run([sys.executable, __file__], input=requests, text=True,
                          stdout=subprocess.PIPE, timeout=900, check=True)
    said = list(map(json.loads, done.stdout.splitlines()))
    assert len(said) == len(found) > 0
    return {path: words for (path, one), words in zip(found, said)
            if one["starts"] != (words is True)
            and not (words is True and one["refusal"]["op"] in LATE)}


if __name__ == "__main__":
    main()
