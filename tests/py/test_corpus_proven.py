"""The plan of every model of the corpus is the least there is, at the alignment of TFLM and
berth and at that of LiteRT; what is not proven is named here, and nothing is that need not."""

import json

import pytest

from support import need_corpus, run

OPEN = {
    64: {"generated/scale_20000_float32.tflite":
         "20,000 operators: a report ends 72 bytes above a bound of 4,100"},
    16: {},
}
SKIP = {".txt", ".py", ".tsv", ".md", ".json"}


@pytest.mark.parametrize("align", [16, 64])
def test_plans_are_proven_least(align):
    folder = need_corpus("models")
    found, proven = set(), 0
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix in SKIP or path.name == "SHA256SUMS":
            continue
        done = run("report", path, "--align", align, "--format", "json")
        strategies = json.loads(done.stdout).get("strategies") or []
        best = next((row for row in strategies if row["name"] == "best"), None)
        if best is not None and best["peak_bytes"] is not None:
            proven += best["proven"]
            if not best["proven"]:
                found.add(str(path.relative_to(folder)))
    assert found == set(OPEN[align])
    assert proven > 100
