"""berth's imitations of LiteRT and TFLM against what the runtimes take: the
measured tables of the corpus, and the runtimes themselves on small models."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import ROOT, need_corpus

BUILD = Path(os.environ.get("BERTH_BUILD") or ROOT / "build" / "debug")
TOOL = BUILD / "tests" / "peer_tool"
LIVE = Path(__file__).with_name("peer_live.py")
EXCEPTIONS = ROOT / "tests" / "golden" / "peer_exceptions.tsv"

# Every so many of the models of goldens/ops.
STRIDE = int(os.environ.get("BERTH_PEERS_STRIDE") or 8)

# Operators whose TFLM kernels ask for scratch, which berth's figure leaves out.
TFLM_SCRATCH = {
    "ADD_N", "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "MEAN",
    "MIRROR_PAD", "REDUCE_ALL", "REDUCE_MAX", "REDUCE_MIN", "SUM", "SVDF",
    "TFLite_Detection_PostProcess", "TRANSPOSE_CONV",
    "UNIDIRECTIONAL_SEQUENCE_LSTM"}
# The same for LiteRT's temporaries: they move the other blocks apart.
LITERT_TEMPORARIES = {"DYNAMIC"}


def table(path, keep=lambda row: True):
    with open(path, newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        return [row for row in csv.DictReader(lines, delimiter="\t") if keep(row)]


def ask_berth(paths):
    """{(path, peer): {status, peak, bound, sound, what, places}}"""
    out = subprocess.run([str(TOOL), "-v", *map(str, paths)], capture_output=True,
                         text=True, check=True, timeout=600).stdout
    answers, last = {}, None
    for line in out.splitlines():
        if line.startswith("  "):
            tensor, address = map(int, line.split())
            if address >= 0:
                last["places"][tensor] = address
            continue
        path, peer, *rest = line.split("\t")
        last = dict(zip(("status", "peak", "bound", "sound", "what"), rest))
        last["places"] = {}
        answers[path, peer] = last
    return answers


def compare_with_table(peer, rows, column):
    folder = need_corpus("models")
    paths = {row["model"]: str(folder / row["model"]) for row in rows}
    answers = ask_berth(paths.values())
    known = {(row["model"], row["measured"], row["berth"])
             for row in table(EXCEPTIONS) if row["peer"] == peer}
    differing = {(row["model"], row[column],
                  answers.get((paths[row["model"]], peer), {}).get("peak"))
                 for row in rows}
    differing = {row for row in differing if row[1] != row[2]}
    assert differing == known
    print(f"{peer}: {len(rows)} rows, {len(differing)} exceptions")
    return {model: answers[path, peer] for model, path in paths.items()}


def test_litert_is_equal_on_every_row_that_the_file_decides():
    rows = table(need_corpus("goldens/arena.tsv"),
                 lambda row: row["litert_ref_temporaries"] == "0")
    assert len(rows) > 0
    answers = compare_with_table("litert", rows, "litert_arena_ref")
    for model, answer in answers.items():
        assert int(answer["bound"]) <= int(answer["peak"]), model


def test_tflm_is_equal_on_every_row():
    rows = table(need_corpus("goldens/tflm_arena.tsv"),
                 lambda row: row["config"] == "x64" and row["status"] == "ok")
    assert len(rows) > 0
    answers = compare_with_table("tflm", rows, "head_noscratch")
    for model, answer in answers.items():
        assert answer["sound"] == "sound", (model, answer)
        assert int(answer["bound"]) <= int(answer["peak"]), model


def test_litert_with_temporaries_takes_no_less():
    rows = table(need_corpus("goldens/arena.tsv"),
                 lambda row: row["litert_ref_temporaries"] not in ("0", "-"))
    folder = need_corpus("models")
    answers = ask_berth(str(folder / row["model"]) for row in rows)
    for row in rows:
        answer = answers[str(folder / row["model"]), "litert"]
        assert answer["status"] == "OK", row["model"]
        assert int(answer["peak"]) <= int(row["litert_arena_ref"]), row["model"]


@pytest.mark.parametrize("peer, peak", [("litert", 82944), ("tflm", 73728)])
def test_visual_wake_words(peer, peak):
    path = str(need_corpus("models/mlcommons-tiny/vww_96_int8.tflite"))
    assert int(ask_berth([path])[path, peer]["peak"]) == peak


# --- the runtimes themselves ---------------------------------------------------


def ask_runtime(peer, questions):
    """{path: answer}; a model that kills the runtime has none."""
    answers, rest = {}, list(questions)
    while rest:
        lines = "".join(f"{path}\t{','.join(map(str, tensors))}\n"
                        for path, tensors in rest)
        out = subprocess.run([sys.executable, str(LIVE), peer], input=lines,
                             capture_output=True, text=True, timeout=600).stdout
        found = [json.loads(line) for line in out.splitlines()
                 if line.startswith("[")]
        answers.update(found)
        rest = rest[len(found) + 1:]
    return answers


def sampled():
    folder = need_corpus("goldens/ops")
    return sorted(folder.glob("*/*.tflite"))[::STRIDE]


def operator_of(path):
    return (path.stem.rsplit("_", 1)[0] if path.parent.name == "refused"
            else path.parent.name)


def test_tflm_itself_agrees_on_small_models():
    pytest.importorskip("tflite_micro")
    paths = sampled()
    mine = ask_berth(paths)
    live = ask_runtime("tflm", [(str(path), []) for path in paths])
    equal = scratch = 0
    for path in paths:
        head, answer = live.get(str(path)), mine.get((str(path), "tflm"))
        if not isinstance(head, int) or answer is None:
            continue
        assert answer["status"] == "OK", (path, answer)
        if head != int(answer["peak"]):
            assert operator_of(path) in TFLM_SCRATCH | {"DYNAMIC"}, path
            assert head > int(answer["peak"]), path
            scratch += 1
        else:
            equal += 1
    print(f"tflm: {equal} equal, {scratch} with scratch above")
    assert equal > len(paths) / 2


def extent(places):
    return (max(at + size for at, size in places) - min(at for at, _ in places))


def test_litert_itself_agrees_on_small_models():
    pytest.importorskip("ai_edge_litert")
    paths = [path for path in sampled()
             if operator_of(path) not in LITERT_TEMPORARIES]
    mine = {path: answer for (path, peer), answer in ask_berth(paths).items()
            if peer == "litert" and answer["status"] == "OK"}
    live = ask_runtime("litert", [(path, answer["places"])
                                  for path, answer in mine.items()])
    equal = 0
    for path, places in live.items():
        if isinstance(places, str) or not places:
            continue
        # Of the tensors that can be looked at: berth's extent and LiteRT's.
        berth = extent([(mine[path]["places"][int(tensor)], size)
                        for tensor, (_, size) in places.items()])
        assert extent(list(places.values())) == berth, path
        equal += 1
    print(f"litert: {equal} equal")
    assert equal > len(paths) / 2
