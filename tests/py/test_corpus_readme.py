"""What README.md says of other people's lists of buffers is what berth does: the same bound, and a
plan to the byte."""

import json
import re

import pytest

from support import ROOT, need_corpus, run


def shown_rows():
    text = (ROOT / "README.md").read_text()
    part = text.partition("plans start -->")[2].partition("<!--")[0]
    for name, *_, load, _, _, peak, proof in re.findall(
            r"^\| (\S+) \| ([\d,]+) \| ([\d,]+) \| (.*?) \| (.*?) \| ([\d,]+) \| (.*?) \|$",
            part, re.MULTILINE):
        yield name, int(load.replace(",", "")), int(peak.replace(",", "")), proof


def test_lists_of_buffers_are_packed_as_the_readme_says():
    folder = need_corpus("dsa/idealloc")
    rows = list(shown_rows())
    assert len(rows) == len(list(folder.glob("*.csv")))
    for name, load, peak, proof in rows:
        done = run("plan", folder / f"{name}.csv", "--format", "json")
        plan = json.loads(done.stdout)
        assert plan["bound_bytes"] == load, name
        assert plan["peak_bytes"] == peak, name
        assert (load == peak) == (proof == "proven least")


@pytest.mark.parametrize("name", "ABCDEFGHIJK")
def test_the_lists_that_are_to_fit_do(name):
    path = need_corpus("dsa/minimalloc") / f"{name}.1048576.csv"
    assert run("plan", path, "--capacity", "1048576").returncode == 0
