"""berth bench as a user meets it: figures that are there, whatever they are."""

import json
import sys

import pytest

from support import MODELS, run

VWW = MODELS / "vww96_int8.tflite"
FAST = ["--time", "1ms", "--runs", "3"]


def facts(*arguments, code=0):
    done = run("bench", *arguments, *FAST, "--format", "json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_figures_are_there():
    found = facts(VWW, "--ops")
    assert found["runs"] == 3
    for name in ("load_ns", "prepare_ns", "first_run_ns", "run_median_ns",
                 "peak_rss_bytes", "macs", "arena_bytes", "books_bytes"):
        assert found[name] > 0, name
    assert found["run_best_ns"] <= found["run_median_ns"] <= found["run_worst_ns"]
    # Sanitized builds do not count.
    assert found["allocations_in_runs"] in (0, None)
    assert len(found["ops"]) == 31
    assert found["macs"] == sum(op["macs"] for op in found["ops"]) == 7489664
    done = run("bench", VWW, *FAST, "--ops")
    assert done.returncode == 0 and "DEPTHWISE_CONV_2D" in done.stdout


@pytest.mark.parametrize("runtime", ["tflm", "litert"])
def test_ratio_beside_a_peer(runtime):
    found = facts(VWW, "--vs", runtime, "--python", sys.executable)
    versus = found["versus"]
    assert versus["ran"] and versus["rounds"] == 9
    assert 0 < versus["ratio_least"] <= versus["ratio"] <= versus["ratio_most"]


def test_peer_that_is_not_there():
    found = facts(VWW, "--vs", "tflm", "--python", "/nowhere/python", code=1)
    assert found["versus"]["ran"] is False
    assert "No such file" in found["versus"]["why"]
    found = facts(VWW, "--vs", "tflm", "--python", "true", code=1)
    assert "ended with code 0" in found["versus"]["why"]


def test_threads_and_kernel_sets():
    facts(VWW, "--threads", "3")
    facts(VWW, "--kernels", "ref")
    facts(VWW, "--shape", "#0=1,96,96,3")


@pytest.mark.parametrize("words, code, text", [
    ([], 2, "one model"),
    ([VWW, VWW], 2, "one model"),
    (["-"], 2, "one model"),
    ([VWW, "--runs", "0"], 2, "--runs 0"),
    ([VWW, "--vs", "onnx"], 2, "onnx"),
    ([VWW, "--signature", "gone"], 2, "gone"),
    (["/nowhere/x.tflite"], 4, "No such file"),
])
def test_wrong_usage(words, code, text):
    done = run("bench", *words)
    assert done.returncode == code and text in done.stderr
    assert done.stdout == ""
