"""TFLM predicted and TFLM measured: the tables of the corpus, the PyPI package."""

import csv
import json
import subprocess
import sys

from support import CORPUS, ROOT, run

CONFIGS = {
    "x64": ("x86-64", "reference"), "x32": ("x86-32", "reference"), "m4": ("m4", "reference"),
    "x32cn": ("x86-32", "cmsis-nn"), "m4cn": ("m4", "cmsis-nn"), "m55cn": ("m55", "cmsis-nn"),
}

# Runs the model once in the given arena; a process of its own, since TFLM ends
# the process when an arena is far too small.
ONE_RUN = """
import sys
import numpy
from tflite_micro import runtime
interpreter = runtime.Interpreter.from_file(sys.argv[1], arena_size=int(sys.argv[2]))
print("it starts", flush=True)
index = 0
while True:
    try:
        details = interpreter.get_input_details(index)
    except Exception:
        break
    interpreter.set_input(numpy.zeros(details["shape"], details["dtype"]), index)
    index += 1
interpreter.invoke()
print("it runs")
"""


def table(name):
    with open(CORPUS / "goldens" / name) as lines:
        return list(csv.DictReader((line for line in lines if line[0] != "#"), delimiter="\t"))


def exceptions(config):
    with open(ROOT / "tests" / "golden" / "micro_exceptions.tsv") as lines:
        rows = csv.DictReader((line for line in lines if line[0] != "#"), delimiter="\t")
        return {row["model"] for row in rows if row["config"] == config}


def predict(paths, target=None, kernels="reference", runtime="tflm"):
    """The runtime object of each file, or None where there is none."""
    which = ["--target", target, "--kernels", kernels] if target else []
    done = run("report", *paths, "--runtime", runtime, *which, "--format", "json", timeout=900)
    reports = json.loads(done.stdout)
    reports = reports if isinstance(reports, list) else [reports]
    return [report.get("runtime") for report in reports]


def runs_in(path, arena_bytes, seconds=60):
    """Whether it starts and runs once; a model that is still at it after a minute
    has long had what memory it needs."""
    try:
        done = subprocess.run([sys.executable, "-c", ONE_RUN, str(path), str(arena_bytes)],
                              capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        return b"it starts" in (late.stdout or b"")
    return done.stdout.strip().endswith("it runs")


def promise_holds(path):
    """The predicted arena works and 16 bytes less does not. None: TFLM refuses
    the model in any arena."""
    found, = predict([path], "pypi")
    if found is None or not found["starts"]:
        return None
    arena = found["arena_min_bytes"]
    if not runs_in(path, arena):
        return None if not runs_in(path, 2 * arena + (1 << 20)) else "the predicted size fails"
    return "16 bytes less works" if runs_in(path, arena - 16) else "kept"
