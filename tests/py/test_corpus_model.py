"""Every model of the corpus is read as the schema classes of ai_edge_litert
read it, to the last name, shape, option and byte range; or it is refused for
the reason that stands here."""

import os
import subprocess
from pathlib import Path

import pytest

import schema_lines
from support import ROOT, need_corpus

BUILD = Path(os.environ.get("BERTH_BUILD") or ROOT / "build" / "debug")
DUMP = BUILD / "tests" / "dump_model"

REFUSED = {
    # LiteRT: "No subgraph in the model."
    "litert-bin/no_subgraphs.bin": "BAD_MODEL the model has no subgraph",
}


def is_model(path):
    with open(path, "rb") as file:
        return file.read(8)[4:] == b"TFL3"


def dump(paths):
    """Of each path: the lines that dump_model prints."""
    out = subprocess.run([str(DUMP), *map(str, paths)], capture_output=True,
                         text=True, check=True, timeout=600).stdout
    parts = ("\n" + out).split("\nfile ")[1:]
    return {part.split("\n", 1)[0]: part.rstrip("\n").split("\n")[1:]
            for part in parts}


def compare(folder, paths):
    found = dump(paths)
    assert len(found) == len(paths) > 0
    refused = {}
    for path in paths:
        lines = found[str(path)]
        if lines[0].startswith("refused "):
            reason = lines[0].split(" ", 1)[1].split(" @")[0]
            refused[str(path.relative_to(folder))] = reason
            continue
        expected = list(schema_lines.model_lines(path.read_bytes()))
        differing = [pair for pair in zip(expected, lines) if pair[0] != pair[1]]
        assert not differing, (path, differing[0])
        assert len(lines) == len(expected), path
    return refused


def test_other_peoples_models_are_read_as_the_schema_reads_them():
    folder = need_corpus("models")
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and is_model(p))
    assert compare(folder, paths) == REFUSED
    print(f"{len(paths)} models, {len(REFUSED)} refused")


def test_models_of_one_operator_are_read_as_the_schema_reads_them():
    folder = need_corpus("goldens/ops")
    paths = sorted(folder.rglob("*.tflite"))
    assert compare(folder, paths) == {}
    print(f"{len(paths)} models")


def test_what_litert_opens_opens_here():
    """And what it refuses for its bytes alone is refused: no more, no less."""
    pytest.importorskip("ai_edge_litert")
    from ai_edge_litert import interpreter
    folder = need_corpus("models")
    paths = sorted(p for p in folder.rglob("*")
                   if p.is_file() and is_model(p) and p.stat().st_size < 2 ** 22)
    found = dump(paths)
    for path in paths:
        try:
            interpreter.Interpreter(model_path=str(path))
        except (ValueError, RuntimeError):
            continue
        assert not found[str(path)][0].startswith("refused "), path
