"""The report on every file of the corpus: the expected verdict of each, the schema,
sums, the page's measures. tests/golden/verdicts.tsv is written anew by
bench/corpus.py --verdicts; a row that changes shows in its diff."""

import csv
import json

import jsonschema
import pytest

from support import BERTH, CORPUS, ROOT, need_corpus, run
from test_cli_json import VALIDATOR, check_lists, check_sums
from test_cli_what_if import with_rules

VERDICTS = ROOT / "tests" / "golden" / "verdicts.tsv"
EXCEPTIONS = ROOT / "tests" / "golden" / "best_exceptions.tsv"


def rows(path=VERDICTS):
    with path.open() as file:
        lines = (line for line in file if not line.startswith("#"))
        return list(csv.DictReader(lines, delimiter="\t"))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["model"])
def test_report(row):
    path = need_corpus("models/" + row["model"])
    done = run(path, "--format", "json", "--tensors", "--ops")
    assert done.returncode == int(row["exit"]), done.stderr
    assert "Sanitizer" not in done.stderr
    value = json.loads(done.stdout)
    VALIDATOR.validate(value)
    assert value["verdict"] == row["verdict"]
    if value["error"] is None:
        check_sums(value)
        check_lists(value)
    else:
        assert done.stderr.startswith("berth: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["model"])
def test_page(row):
    path = need_corpus("models/" + row["model"])
    for more in ([], ["--budget", "1"], ["--tensors", "--ops"], ["--runtime", "all"]):
        lines = run(path, *more).stdout.splitlines()
        assert len(lines) <= 45 or more[:1] not in ([], ["--budget"])
        assert max(map(len, lines), default=0) <= 100, more
        assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("model", ["generated/where_rows_float32", "basic-pitch/nmp"])
def test_what_is_a_part_is_not_called_proven(model):
    path = need_corpus(f"models/{model}.tflite")
    partial = {row["name"] for row in json.loads(run(path, "--format", "json").stdout)["strategies"]
               if row["peak_bytes"] is None and row["known_peak_bytes"]}
    page = {line.split()[0]: line for line in run(path).stdout.splitlines()
            if line.startswith("    ") and " % " in line}
    assert partial and all("at least" in page[name] and "proven" not in page[name]
                           for name in partial)


STRONGER = {("keep-inputs",), ("no-in-place",), ("lag",)}


@pytest.mark.parametrize("number, row", enumerate(rows()), ids=lambda row: row["model"]
                         if isinstance(row, dict) else "")
def test_what_if(number, row):
    """One row of the list, another for each model, is what a run with that rule gives; and
    rules that only ask for more never take less than the bound without them."""
    path = need_corpus("models/" + row["model"])
    if "scale_20000" in row["model"]:
        pytest.skip("nine searches among 20,000 operators")
    value = json.loads(run(path, "--what-if", "--format", "json").stdout)
    VALIDATOR.validate(value)
    if value["error"] is not None:
        return
    assert len(value["what_if"]) == 8
    best = next(row for row in value["strategies"] if row["name"] == "best")
    for change in value["what_if"]:
        if tuple(change["turned"]) in STRONGER and best["peak_bytes"] is not None:
            assert change["arena_bytes"] >= best["bound_bytes"]
    change = value["what_if"][number % 8]
    alone = run(path, *with_rules(value["rules"], change["turned"]), "--format", "json")
    assert json.loads(alone.stdout)["ledger"]["known_arena_bytes"] == change["arena_bytes"]


def test_every_file_has_a_row():
    need_corpus("models")
    known = {row["model"] for row in rows()}
    assert known == {str(path.relative_to(CORPUS / "models"))
                     for path in models_of(CORPUS / "models")}


def models_of(folder):
    """Every model, also those that are not named .tflite."""
    skip = {".txt", ".py", ".tsv", ".md", ".json"}
    return sorted(path for path in folder.rglob("*") if path.is_file()
                  and path.suffix not in skip and path.name != "SHA256SUMS")


def test_the_numbers_that_the_issue_names():
    """mlcommons-tiny/vww_96_int8: what the whole project is measured by first."""
    path = need_corpus("models/mlcommons-tiny/vww_96_int8.tflite")
    value = json.loads(run(path, "--format", "json").stdout)
    peaks = {row["name"]: row for row in value["strategies"]}
    assert peaks["tflite"]["peak_bytes"] == 82944
    assert peaks["tflm"]["peak_bytes"] == 73728
    assert peaks["best"]["peak_bytes"] <= 55296 and peaks["best"]["proven"]


def peaks_of(model, align):
    """{strategy: its row}, where all of the model has a number."""
    path = need_corpus("models/" + model)
    value = json.loads(run(path, "--format", "json", "--align", align).stdout)
    return {row["name"]: row for row in value["strategies"] if row["peak_bytes"] is not None}


def test_best_meets_its_bound_and_is_not_above_a_peer():
    """At the peer's own alignment; each exception is listed with its cause."""
    models = [row["model"] for row in rows() if row["exit"] != "3"]
    found, solved = set(), 0
    for model in models:
        for peer, align in (("tflm", 16), ("tflite", 64)):
            peaks = peaks_of(model, align)
            if "best" not in peaks:
                continue
            if peer == "tflm":
                solved += 1
                if not peaks["best"]["proven"]:
                    found.add(("bound", model))
            if peer in peaks and peaks["best"]["peak_bytes"] > peaks[peer]["peak_bytes"]:
                found.add((peer, model))
    assert found == {(row["against"], row["model"]) for row in rows(EXCEPTIONS)}
    assert all(row["cause"] for row in rows(EXCEPTIONS))
    assert sum(against == "bound" for against, _ in found) <= 0.05 * solved


@pytest.mark.parametrize("name,arguments", [
    ("two_signatures_int8", []), ("two_signatures_float32", ["--budget", "1"])])
def test_all_signatures(name, arguments):
    path = need_corpus(f"models/generated/{name}.tflite")
    done = run(path, "--all-signatures", "--format", "json", *arguments)
    value = json.loads(done.stdout)
    VALIDATOR.validate(value)
    assert done.returncode == value["all"]["exit_code"] == (1 if arguments else 0)
    assert len(value["signatures"]) >= 2
    arenas = [one["ledger"]["arena_bytes"] for one in value["signatures"]]
    assert value["all"]["arena_bytes"] == max(arenas)
    assert value["all"]["total_bytes"] == (
        value["all"]["arena_bytes"] + value["all"]["state_bytes"]
        + value["all"]["books_bytes"] + value["all"]["padding_bytes"])
    names = [one["model"]["signature"] for one in value["signatures"]]
    for one, signature in zip(value["signatures"], names):
        alone = json.loads(run(path, "--signature", signature, "--format", "json",
                               *arguments).stdout)
        assert alone["ledger"] == one["ledger"]
    text = run(path, "--all-signatures", *arguments).stdout
    assert all(signature in text for signature in names) and "\nall " in text
    piped = run("-", "--all-signatures", *arguments, stdin=path.read_bytes(), binary=True)
    assert piped.returncode == done.returncode and piped.stdout.decode() == text


def test_inspect_agrees_with_the_report():
    """examples/inspect.c prints the same arena that the report does."""
    import subprocess
    tool = BERTH.parent / "examples" / "inspect"
    if not tool.exists():
        pytest.skip("the examples are not built")
    for name in ("mlcommons-tiny/vww_96_int8", "generated/while_steps_float32"):
        path = need_corpus(f"models/{name}.tflite")
        said = subprocess.run([tool, path], capture_output=True, text=True, check=True).stdout
        value = json.loads(run(path, "--format", "json").stdout)
        assert f"arena: {value['ledger']['arena_bytes']} bytes" in said
