"""The engine runs in exactly the bytes that the report named."""

import json

import pytest

from support import MODELS, run

NAMES = sorted(path.stem for path in MODELS.glob("*.tflite"))


def said(*arguments):
    return json.loads(run(*arguments, "--format", "json").stdout)


@pytest.mark.parametrize("name", NAMES)
def test_the_total_of_the_report_is_what_the_engine_takes(name):
    model = MODELS / f"{name}.tflite"
    ledger = said("report", model)["ledger"]
    ran = run("run", model, "--random", "1", "--format", "json")
    if ran.returncode == 5:
        pytest.skip(f"{name}: {ran.stderr.strip()}")
    assert ran.returncode == 0, ran.stderr
    taken = json.loads(ran.stdout)
    for row in ("arena_bytes", "state_bytes", "books_bytes", "total_bytes"):
        assert taken[row] == ledger[row], row
