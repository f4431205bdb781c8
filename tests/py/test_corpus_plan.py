"""berth plan and check on every file of the corpus: what plan writes is right by both
judges, in each form; plans changed by one thing are refused; the lists that others use."""

import csv
import io

import pytest

from support import need_corpus, run
from test_cli_check import mutations, write_csv
from test_corpus_map import models

TOO_MANY = 2000  # rows, for the quadratic judge of the test
SOON = ["--time", "100ms"]  # whatever was found by then has to be right


def complaint(path, turn, folder):
    """What is wrong with the plans of one model; None: nothing, or there is no plan. The
    other forms and the changes take turns, which is enough of so many files."""
    done = run("plan", path, "--format", "csv", *SOON, timeout=600)
    if done.returncode != 0:
        told = run("report", path, timeout=600).returncode
        return None if done.returncode == told else f"{done.stderr}, report's exit code is {told}"
    plan = folder / "plan.csv"
    plan.write_text(done.stdout)
    if run("check", path, plan, timeout=600).returncode != 0:
        return "its CSV is wrong"
    if turn % 4 != 0:
        return None
    turn //= 4
    other = folder / ("plan.json", "plan.plan")[turn % 2]
    if (run("plan", path, "-o", other, *SOON, timeout=600).returncode
            or run("check", path, other, timeout=600).returncode):
        return f"its {other.suffix} is wrong"
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    if 1 < len(rows) < TOO_MANY and any(int(row["size"]) for row in rows):
        for what, changed in list(mutations(rows))[turn % 3::3]:
            write_csv(plan, changed)
            if run("check", path, plan, timeout=600).returncode != 1:
                return f"changed, and right all the same: {what}"
    return None


def test_every_plan_is_right_and_no_changed_one(tmp_path):
    paths = models()
    wrong = {str(path): found for turn, path in enumerate(paths)
             if (found := complaint(path, turn, tmp_path))}
    print(f"\n{len(paths)} files planned")
    assert wrong == {}


@pytest.mark.parametrize("name", [*"ABCDEFGHIJK", "input"])
def test_lists_that_others_wrote(name, tmp_path):
    path = need_corpus("dsa/minimalloc") / (
        "input.12.csv" if name == "input" else f"{name}.1048576.csv")
    placed = tmp_path / "placed.csv"
    assert run("plan", path, "--strategy", "size-best", "-o", placed).returncode == 0
    given, rows = path.read_text().split(), placed.read_text().split()
    assert [row.rpartition(",")[0] for row in rows] == given
    assert run("check", path, placed).returncode == 0
    assert run("check", placed).returncode == 0
    rows[1], rows[2] = (f"{row.rpartition(',')[0]},{(1 << 50) + i}" for i, row in enumerate(rows[1:3]))
    placed.write_text("\n".join(rows))
    meet = run("check", path, placed)
    assert meet.returncode in (0, 1)
    assert (meet.returncode == 1) == lives_meet(given[1], given[2])


def lives_meet(a, b):
    a, b = (list(map(int, row.split(",")[1:3])) for row in (a, b))
    return a[0] < b[1] and b[0] < a[1]
