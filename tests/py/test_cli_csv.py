"""berth report --format csv: the same figures as the JSON, in every table."""

import csv
import io
import json

import pytest

from long_model import hostile_model
from support import ROOT, bundled_models, need_corpus, run

M = ROOT / "examples" / "models"


def rows_of(*arguments, code=0):
    done = run("report", *arguments, "--format", "csv")
    assert done.returncode == code, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def json_of(*arguments):
    return json.loads(run("report", *arguments, "--format", "json", "--tensors", "--ops").stdout)


def text(value):
    return "" if value is None else str(value)


def test_a_line_for_each_file():
    paths = bundled_models()
    rows, reports = rows_of(*paths), json_of(*paths)
    assert [row["file"] for row in rows] == [str(path) for path in paths]
    for row, report in zip(rows, reports):
        ledger = report["ledger"]
        peaks = {one["name"]: one["peak_bytes"] for one in report["strategies"]}
        assert row["verdict"] == report["verdict"] and row["signature"] == ""
        for key in ("arena_bytes", "state_bytes", "books_bytes", "total_bytes"):
            assert row[key] == text(ledger[key]), key
        assert row["weights_bytes"] == text(ledger["weights_used_bytes"])
        assert row["file_bytes"] == text(report["model"]["file_bytes"])
        assert row["operators"] == text(report["model"]["operators"])
        assert row["peak_step"] == text(report["peak"]["step"])
        for name in ("best", "none", "tflite", "tflm"):
            assert row[f"{name}_activations"] == text(peaks[name])


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_a_line_for_each_tensor_and_each_step(path):
    report = json_of(path)
    for row, one in zip(rows_of(path, "--tensors"), report["tensors"], strict=True):
        assert (row["subgraph"], row["tensor"], row["name"], row["type"], row["class"]) == \
            (text(one["subgraph"]), text(one["index"]), one["name"], one["type"], one["class"])
        assert row["bytes"] == text(one["bytes"]) and row["offset"] == text(one["offset"])
        shape = one["shape"]
        assert row["shape"] == ("" if shape is None else "x".join(map(str, shape)) or "scalar")
        spans = one["spans"] or []
        assert [row["lower"], row["upper"]] == (
            [str(spans[0][0]), str(spans[-1][1])] if spans else ["", ""])
        assert row["gaps"] == " ".join(f"{a[1]}-{b[0]}" for a, b in zip(spans, spans[1:]))
    for row, one in zip(rows_of(path, "--ops"), report["steps"], strict=True):
        assert (row["step"], row["live_bytes"]) == (text(one["step"]), text(one["live_bytes"]))


def test_a_file_that_cannot_be_read_has_a_line(tmp_path):
    done = run("report", M / "vww96_int8.tflite", ROOT / "LICENSE", tmp_path / "nothing.tflite",
               "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert done.returncode == 4
    assert [row["verdict"] for row in rows] == ["ok", "damaged", "system"]
    assert set(list(rows[1].values())[3:]) == {""}
    assert run("report", ROOT / "LICENSE", "--format", "csv", "--tensors").returncode == 3


def test_runtimes_that_are_asked_for():
    [row] = rows_of(M / "vww96_int8.tflite", "--target", "m4", "--kernels", "cmsis-nn")
    said = json.loads(run("report", M / "vww96_int8.tflite", "--target", "m4", "--kernels",
                          "cmsis-nn", "--format", "json").stdout)
    assert str(said["runtime"]["arena_min_bytes"]) == row["tflm_arena_bytes"] != ""


def test_a_line_for_each_signature():
    path = need_corpus("models/litert-bin/multi_signatures.bin")
    done = run("report", path, "--all-signatures", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) > 1 and all(row["signature"] for row in rows)


def test_hostile_names_are_escaped_and_stay_in_their_field(tmp_path):
    path = tmp_path / "a,\"b\".tflite"
    path.write_bytes(hostile_model())
    done = run("report", path, "--format", "csv", "--tensors", binary=True)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode("utf-8"))))
    assert len(rows) == len(json_of(path)["tensors"])
    assert {row["file"] for row in rows} == {str(path)}
    assert all(byte >= 32 or byte == 10 for byte in done.stdout)


def test_one_table_at_a_time():
    done = run("report", M / "vww96_int8.tflite", "--format", "csv", "--tensors", "--ops")
    assert done.returncode == 2 and "--tensors or --ops" in done.stderr
