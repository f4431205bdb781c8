"""What README.md says of other people's lists of buffers is what berth does: the same bound, and a
plan within half a percent of it. The README has the plans of bench/plan_bench, to the byte in
tests/corpus/test_plan_instances.c; the tool counts moments for steps, so its plans may differ."""

import json
import re

from support import ROOT, need_corpus, run


def shown_rows():
    text = (ROOT / "README.md").read_text()
    part = text.partition("plans start -->")[2].partition("<!--")[0]
    for name, *_, load, _, _, peak, proof in re.findall(
            r"^\| (\S+) \| ([\d,]+) \| ([\d,]+) \| (.*?) \| (.*?) \| ([\d,]+) \| (.*?) \|$",
            part, re.MULTILINE):
        yield name, int(load.replace(",", "")), int(peak.replace(",", "")), proof


def test_lists_of_buffers_are_packed_nearly_as_the_readme_says():
    folder = need_corpus("dsa/idealloc")
    rows = list(shown_rows())
    assert len(rows) == len(list(folder.glob("*.csv")))
    for name, load, peak, proof in rows:
        done = run("plan", folder / f"{name}.csv", "--format", "json")
        plan = json.loads(done.stdout)
        assert plan["bound_bytes"] == load, name
        assert plan["peak_bytes"] <= 1.005 * load, name
        assert (load == peak) == (proof == "proven least")
