"""The examples of examples/embed: an engine in one block, and many of one model."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from support import run as berth

BUILD = Path(os.environ["BERTH_BUILD"]) / "examples"
MODELS = Path(os.environ["BERTH_SOURCE"]) / "examples" / "models"


def run(name, *arguments):
    return subprocess.run([BUILD / name, *map(str, arguments)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)


@pytest.mark.parametrize("model", ["kws_dscnn_int8", "stream_int8"])
def test_a_device_needs_one_block_and_says_so(model):
    path = MODELS / f"{model}.tflite"
    enough = 1 << 18
    answer = run("desk", path, enough).stdout
    assert re.match(r"output of \d+ bytes, the first \d+\n", answer)
    too_few = 0
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        tried = run("desk", path, middle)
        assert tried.returncode in (0, 1), tried.stderr
        if tried.returncode == 0:
            assert tried.stdout == answer
            enough = middle
        else:
            assert tried.stderr.startswith("the memory lent is too small")
            too_few = middle
    for bytes_ in (*range(1, too_few, 997), too_few):
        assert run("desk", path, bytes_).returncode == 1


def least_block(*arguments):
    done = run("desk", *arguments)
    found = re.match(r"a block of (\d+) bytes\n(output .*\n)", done.stdout)
    assert found, done.stderr
    return int(found[1]), found[2]


@pytest.mark.parametrize("model", ["kws_dscnn_int8", "vww96_int8"])
def test_with_a_plan_from_the_desk_the_block_is_what_the_report_names(model, tmp_path):
    """64 bytes of alignment, the model's index and a little more; nothing of a solver."""
    path = MODELS / f"{model}.tflite"
    plan = tmp_path / "model.plan"
    assert berth("plan", path, "-o", plan).returncode == 0
    total = json.loads(berth(path, "--format", "json").stdout)["ledger"]["total_bytes"]
    alone, answer = least_block(path)
    with_plan, same = least_block(path, 0, plan)
    assert same == answer
    assert with_plan <= alone
    assert total <= with_plan <= total + 256
    assert run("desk", path, with_plan, plan).stdout == answer
    assert run("desk", path, with_plan - 1, plan).returncode == 1


def test_a_device_takes_no_plan_of_another_model(tmp_path):
    plan = tmp_path / "model.plan"
    assert berth("plan", MODELS / "vww96_int8.tflite", "-o", plan).returncode == 0
    done = run("desk", MODELS / "kws_dscnn_int8.tflite", 1 << 18, plan)
    assert (done.returncode, done.stdout) == (1, "")
    assert "another model" in done.stderr


def test_a_crowd_costs_what_its_engines_cost():
    path = MODELS / "kws_dscnn_int8.tflite"
    each = set()
    for count in (1, 2, 16):
        answer = re.match(r"(\d+) engines ran: (\d+) bytes, (\d+) each; the model's (\d+)",
                          run("crowd", path, count).stdout)
        assert int(answer[1]) == count
        assert int(answer[2]) == count * int(answer[3])
        assert int(answer[4]) == path.stat().st_size
        each.add(answer[3])
    assert len(each) == 1
