"""The engine against the goldens: single operators by the thousand, and models.

What does not pass is listed, with the reason: tests/golden/op_exceptions.tsv and
model_exceptions.tsv. Large models are the matter of test_long_conform.py."""

import argparse
import csv
import importlib.util
import os
from pathlib import Path

import pytest

import conform
from support import BERTH, CORPUS, ROOT, need_corpus

TOOL = Path(os.environ.get("BERTH_BUILD") or BERTH.parent) / "tests" / "op_cases"
LARGE = 400_000  # bytes of a file

spec = importlib.util.spec_from_file_location("models", ROOT / "bench/conform.py")
models = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)


@pytest.mark.parametrize("kernels", ["ref", "opt"])
def test_operators(kernels):
    folder = need_corpus("goldens/ops")
    found, _ = conform.failures(TOOL, folder, kernels)
    allowed = conform.allowed()
    wrong = {case: found[case] for case in found if found[case] != allowed.get(case)}
    assert not wrong, wrong
    assert not set(allowed) - set(found), "passes, but is listed as an exception"


def test_nothing_that_is_taken_stands_at_nothing():
    folder = need_corpus("goldens/ops")
    found, _ = conform.all_failures(TOOL, folder, "opt")
    rows = conform.tallies(folder, found)
    assert not [row for row in rows if rows[row].taken and rows[row].passed == 0]
    taken = [rows[row] for row in rows if rows[row].taken]
    assert sum(t.passed for t in taken) > 0.98 * sum(t.total for t in taken)


def model_exceptions():
    with (ROOT / "tests/golden/model_exceptions.tsv").open() as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")),
                              delimiter="\t")
        return {(row["model"], row["kernels"]): row["why"] for row in rows}


def judge_model(name, cases, kernels):
    options = argparse.Namespace(berth=str(BERTH), corpus=CORPUS, kernels=kernels,
                                 timeout=600, poison=False)
    return models.run_model(options, name, cases)


def check(names, index, kernels):
    ran, wrong = 0, []
    exceptions = model_exceptions()
    for name in names:
        verdict, detail = judge_model(name, index[name], kernels)
        ran += verdict in ("equal", "class", "flat")
        if verdict in ("differs", "failed") and (name, kernels) not in exceptions:
            wrong.append((name, verdict, detail))
    assert not wrong, wrong
    assert ran > len(names) // 2


def test_small_models():
    need_corpus("goldens/models/index.tsv")
    index = models.read_index(CORPUS)
    check([name for name in sorted(index)
           if (CORPUS / "models" / name).stat().st_size < LARGE], index, "opt")
