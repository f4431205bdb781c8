"""Baked models in TFLM and in LiteRT: smaller where berth says so, and the same
answers to the byte, on the seeded inputs of the corpus."""

import csv
import hashlib

import numpy as np
import pytest

from baking import bake, corpus_models, live, row
from seeded import values
from support import MODELS, litert, need_corpus

VWW = "mlcommons-tiny/vww_96_int8.tflite"
# Of those that gain: what one can wait for.
ARENA_MOST = 2 << 20
FILE_MOST_BYTES = 2 << 20


@pytest.fixture(scope="module")
def gains(tmp_path_factory):
    """The rows of all models of the corpus that TFLM runs and that gain."""
    need_corpus("models")
    folder = tmp_path_factory.mktemp("baked")
    rows = []
    for path, key in corpus_models():
        if path.stat().st_size > FILE_MOST_BYTES:
            continue
        code, said = bake(path, folder / "try.tflite")
        if code == 0 and said["before"]["arena_min_bytes"] <= ARENA_MOST:
            rows.append(row(path, key, folder))
    return rows


def test_vww_takes_a_quarter_less_and_says_the_same(tmp_path):
    path = need_corpus(f"models/{VWW}")
    found = row(path, VWW, tmp_path)
    assert found["stock"]["head"] == 73728
    assert found["baked"]["head"] == 55296 == found["after"]["head_bytes"]
    assert found["verdict"] == "equal"


def test_the_seeded_inputs_are_those_of_the_corpus():
    with open(need_corpus("goldens/models/index.tsv"), newline="") as lines:
        rows = [r for r in csv.DictReader(lines, delimiter="\t")
                if r["io"] == "in" and r["model"] == VWW]
    assert rows
    for r in rows:
        shape = tuple(map(int, r["shape"].split("x")))
        data = values(f"{VWW}#{r['index']}#{r['case']}#{r['step']}", r["dtype"], shape)
        assert hashlib.sha256(data.tobytes()).hexdigest() == r["sha256"]


def test_every_gain_is_real_and_every_answer_the_same(gains):
    ran = [r for r in gains if r["verdict"] in ("equal", "differs")]
    others = {r["model"]: r["verdict"] for r in gains if r not in ran}
    print(f"{len(ran)} of {len(gains)} models that gain run in TFLM; the others: {others}")
    assert len(ran) >= 20
    assert [r["model"] for r in ran if r["verdict"] == "differs"] == []
    wrong = [r["model"] for r in ran
             if (r["stock"]["head"], r["baked"]["head"])
             != (r["before"]["head_bytes"], r["after"]["head_bytes"])]
    assert wrong == []
    assert all(r["baked"]["used"] == r["after"]["arena_used_bytes"] for r in ran)


def test_the_new_arena_works_and_sixteen_bytes_less_do_not(gains, tmp_path):
    ran = sorted((r for r in gains if r["verdict"] == "equal"),
                 key=lambda r: r["after"]["arena_min_bytes"])
    for r in ran[::3]:
        path = need_corpus(f"models/{r['model']}")
        out = tmp_path / "baked.tflite"
        assert bake(path, out)[0] == 0
        least = r["after"]["arena_min_bytes"]
        assert live(out, r["model"], least, steps=1).get("outputs"), r["model"]
        assert "refused" in live(out, r["model"], least - 16, steps=1), r["model"]


def test_in_place_is_right_with_the_reference_kernels(tmp_path):
    """The package's kernels are the reference ones."""
    folder = need_corpus("models")
    tried = 0
    for path, key in corpus_models():
        if path.stat().st_size > FILE_MOST_BYTES // 2:
            continue
        code, said = bake(path, tmp_path / "try.tflite", "--assume-reference-kernels")
        if code != 0 or not said["share_in_place"] or \
                said["before"]["arena_min_bytes"] > ARENA_MOST:
            continue
        found = row(path, key, tmp_path, "--assume-reference-kernels")
        if found["verdict"] in ("equal", "differs"):
            assert found["verdict"] == "equal", key
            assert found["baked"]["head"] == found["after"]["head_bytes"], key
            tried += 1
    print(f"{tried} models in place, below {folder}")
    assert tried >= 10


# --- LiteRT -----------------------------------------------------------------------


def answers(path, key):
    interpreter = litert(path)
    interpreter.allocate_tensors()
    for i, detail in enumerate(interpreter.get_input_details()):
        interpreter.set_tensor(detail["index"], values(f"{key}#{i}#0#0", detail["dtype"],
                                                       tuple(detail["shape"])))
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


@pytest.mark.parametrize("stem", ["vww96_int8", "residual_float32"])
def test_litert_reads_the_copy_as_the_model(stem, tmp_path):
    model, out = MODELS / f"{stem}.tflite", tmp_path / "baked.tflite"
    assert bake(model, out, "--assume-reference-kernels")[0] == 0
    assert compare_in_litert(model, out, stem)


def compare_in_litert(model, out, key):
    """False: LiteRT's reference kernels do not run the model itself."""
    try:
        expected = answers(model, key)
    except (ValueError, RuntimeError):
        return False
    for a, b in zip(expected, answers(out, key), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=key)
    return True


def test_litert_reads_copies_of_other_people_s_models(gains, tmp_path):
    out, compared = tmp_path / "baked.tflite", 0
    for r in gains:
        path = need_corpus(f"models/{r['model']}")
        if r["verdict"] == "equal" and r["before"]["arena_min_bytes"] < 1 << 20 and bake(
                path, out)[0] == 0:
            compared += compare_in_litert(path, out, r["model"])
    print(f"{compared} models in LiteRT")
    assert compared >= 10


def test_the_schema_classes_see_one_thing_more(tmp_path):
    """Every table of the copy but the new ones, as the reference classes read it."""
    from ai_edge_litert import schema_py_generated as schema
    path = need_corpus(f"models/{VWW}")
    out = tmp_path / "baked.tflite"
    assert bake(path, out)[0] == 0
    old, new = (schema.ModelT.InitFromPackedBuf(file.read_bytes(), 0) for file in (path, out))
    plan = new.metadata.pop()
    assert plan.name == b"OfflineMemoryAllocation"
    data = np.array(new.buffers.pop().data, np.uint8).tobytes()
    assert plan.buffer == len(new.buffers)
    tensors = sum(len(g.tensors) for g in old.subgraphs)
    assert np.frombuffer(data, "<i4")[:3].tolist() == [0, len(old.subgraphs), tensors]
    assert same(old, new)


def same(a, b):
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "__dict__"):
        return type(a) is type(b) and all(
            same(value or None, getattr(b, name) or None) if isinstance(value, (list, type(None)))
            else same(value, getattr(b, name)) for name, value in vars(a).items())
    return a == b
