"""berth map on every model of the corpus: it ends as the report does, and says the same
peaks; the picture is well-formed XML."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from support import need_corpus, run
from test_cli_map import Page

SKIP = {".txt", ".py", ".tsv", ".md", ".json", ".csv"}
DRAWN = (0, 5)


def models():
    return sorted(path for path in need_corpus("models").rglob("*")
                  if path.is_file() and path.suffix not in SKIP and path.name != "SHA256SUMS")


def compare(path):
    """What differs between the map and the report; None where there is no map."""
    report = run("report", path, "--format", "json", timeout=600)
    page = run("map", path, binary=True, timeout=600)
    if report.returncode not in DRAWN or page.stdout == b"":
        return None if page.returncode == report.returncode else "exit code"
    data = Page(page.stdout.decode("utf-8")).data
    told = {row["name"]: row for row in json.loads(report.stdout)["strategies"]}
    for row in data["rows"]:
        peak = told[row["name"]]["peak_bytes"]
        if row["name"] in ("tflite", "tflm"):
            if row["good"] != (peak is not None) and not row["part"]:
                return f"{row['name']} has a number here only"
            if row["good"] and peak not in (None, row["peak"]):
                return f"{row['name']} {row['peak']}, not {peak}"
    arena = json.loads(report.stdout)["ledger"]["arena_bytes"]
    if data["partial"] != (arena is None):
        return "in part here only, or there only"
    if arena not in (None, data["rows"][0]["peak"]):
        return f"best {data['rows'][0]['peak']}, not {arena}"
    picture = run("map", path, "--format", "svg", binary=True, timeout=600)
    ElementTree.fromstring(picture.stdout)
    return None if page.returncode == report.returncode else "exit code"


def test_the_map_of_every_model_is_that_of_its_report():
    paths = models()
    wrong = {}
    for path in paths:
        found = compare(path)
        if found is not None:
            wrong[str(path)] = found
    print(f"\n{len(paths)} files compared")
    assert wrong == {}


@pytest.mark.parametrize("name", ["A", "F", "K"])
def test_lists_that_others_wrote(name):
    path = need_corpus(f"dsa/minimalloc/{name}.1048576.csv")
    data = Page(run("map", path, binary=True).stdout.decode()).data
    assert data["csv"] and len(data["name"]) == len(path.read_text().split()) - 1
    lives = [tuple(map(int, line.split(",")[1:3])) for line in path.read_text().split()[1:]]
    assert data["times"] == sorted({time for life in lives for time in life})
    assert [(data["times"][b], data["times"][d]) for b, d in data["spans"]] == lives
    assert data["rows"][0]["bound"] <= data["rows"][0]["peak"]
