"""TFLM's arena as predicted against the measured tables of the corpus, and against
the runtime itself (a sample; test_long_micro.py takes all)."""

import json
import subprocess
import sys

import pytest

from micro import CONFIGS, exceptions, predict, promise_holds, table
from support import CORPUS, ROOT, bundled_models, need_corpus, run

COLUMNS = {"arena_used": "arena_used_bytes", "head": "head_bytes", "tail": "tail_bytes",
           "head_noscratch": "head_noscratch_bytes", "min_arena": "arena_min_bytes"}

SAMPLE = ["tflite-micro/keyword_scrambled.tflite", "micro-wake-word/okay_nabu.tflite",
          "mlcommons-tiny/vww_96_int8.tflite", "litert-bin/multi_subgraphs_while.bin",
          "litert-bin/call_once_mul.bin", "tflite-micro/trained_lstm.tflite",
          "ai-edge-quantizer/branching_conv_fc.tflite"]


def differences(row, found):
    if found is None:
        return ["no figures"]
    wrong = [f"{column} is {row[column]}, predicted {found[key]}"
             for column, key in COLUMNS.items() if int(row[column]) != found[key]]
    measured = [] if row["scratch"] == "-" else [
        int(part.split("=")[1]) for part in row["scratch"].split(",")]
    if [one["bytes"] for one in found["scratch"]] != measured:
        wrong.append(f"scratch is {measured}, predicted {found['scratch']}")
    return wrong


@pytest.mark.parametrize("config", CONFIGS)
def test_rows_of_the_table(config):
    need_corpus("goldens/tflm_arena.tsv")
    rows = [row for row in table("tflm_arena.tsv")
            if row["config"] == config and row["status"] == "ok"]
    found = predict([CORPUS / "models" / row["model"] for row in rows], *CONFIGS[config])
    wrong = {row["model"]: differences(row, one) for row, one in zip(rows, found)}
    wrong = {model: why for model, why in wrong.items() if why}
    assert set(wrong) == exceptions(config), wrong
    assert len(wrong) <= len(rows) // 100


def test_rows_of_the_package():
    need_corpus("goldens/arena.tsv")
    rows = [row for row in table("arena.tsv") if row["tflm_arena_used"] != "-"]
    found = predict([CORPUS / "models" / row["model"] for row in rows], "pypi")
    wrong = {row["model"] for row, one in zip(rows, found)
             if one is None or (one["arena_min_bytes"], one["head_bytes"]) !=
             (int(row["tflm_arena_used"]), int(row["tflm_head"]))}
    assert wrong == exceptions("pypi")


def test_rows_of_litert():
    need_corpus("goldens/arena.tsv")
    rows = [row for row in table("arena.tsv") if row["litert_arena_bytes"] != "-"]
    found = predict([CORPUS / "models" / row["model"] for row in rows], runtime="litert")
    wrong = {row["model"] for row, one in zip(rows, found)
             if one is None or one["arena_bytes"] != int(row["litert_arena_bytes"])}
    assert wrong == exceptions("litert")
    assert len(wrong) <= len(rows) // 20


# Variables, decoded constants, handles, row sums, transposed weights; more by hand:
# litert_memory.py over any list of models.
PERSISTENT = [
    "models/micro-wake-word/okay_nabu.tflite", "models/mediapipe/palm_detection_full.tflite",
    *(f"goldens/ops/{name}.tflite" for name in (
        "BATCH_MATMUL/001", "CALL_ONCE/002", "CONV_2D/116", "CONV_2D/127", "DENSIFY/005",
        "FULLY_CONNECTED/077", "LSTM/004", "RNN/000", "SVDF/004", "TRANSPOSE_CONV/056",
        "CONV_3D/001", "UNIDIRECTIONAL_SEQUENCE_LSTM/004",
        "UNIDIRECTIONAL_SEQUENCE_RNN/001"))]


def test_both_arenas_of_litert_itself():
    litert = pytest.importorskip("ai_edge_litert")
    if not str(getattr(litert, "__version__", "2.3.0")).startswith("2.3.0"):
        pytest.skip("litert_memory.py knows the memory of LiteRT 2.3.0 only")
    paths = [need_corpus(name) for name in PERSISTENT]
    script = ROOT / "tests" / "py" / "litert_memory.py"
    said = subprocess.run([sys.executable, script], input="\n".join(map(str, paths)),
                          capture_output=True, text=True, timeout=300).stdout
    live = dict(json.loads(line) for line in said.splitlines() if line.startswith("["))
    assert len(live) == len(paths)
    for path, found in zip(paths, predict(paths, runtime="litert")):
        assert {"arena": found["arena_bytes"], "persistent": found["persistent_bytes"]} == \
            live[str(path)], path
    assert sum(one["persistent"] > 0 for one in live.values()) >= 8


def test_temporaries_that_are_not_known_are_named():
    path = need_corpus("goldens/ops/BIDIRECTIONAL_SEQUENCE_LSTM/010.tflite")
    found, = predict([path], runtime="litert")
    assert found["unknown_op"] == 0
    page = run("report", path, "--runtime", "litert").stdout
    assert "temporaries of operator 0 BIDIRECTIONAL_SEQUENCE_LSTM: unknown" in page


@pytest.mark.parametrize("model", SAMPLE)
def test_promise_holds(model):
    pytest.importorskip("tflite_micro")
    assert promise_holds(need_corpus(f"models/{model}")) == "kept"


# What these keep would lie over temporary tensors that Prepare still uses.
@pytest.mark.parametrize("model", [
    "BATCH_MATMUL/024", "FULLY_CONNECTED/040", "LOG_SOFTMAX/014", "SOFTMAX/029",
    "refused/CUMSUM_026"])
def test_promise_holds_where_what_is_kept_meets_live_tensors(model):
    pytest.importorskip("tflite_micro")
    assert promise_holds(need_corpus(f"goldens/ops/{model}.tflite")) == "kept"


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_promise_holds_for_bundled_models(path):
    pytest.importorskip("tflite_micro")
    assert promise_holds(path) in ("kept", None)
