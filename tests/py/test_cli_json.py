"""What berth prints for machines: held to docs/report.schema.json, to its own sums,
and to names that are no text."""

import json
import re
import struct

import jsonschema
import pytest

from support import MODELS, ROOT, bundled_models, run

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
VWW = ROOT / "examples/models/vww96_int8.tflite"
LEDGER = {"weights_used_bytes", "weights_encoded_bytes", "weights_copied_bytes",
          "weights_unused_bytes", "arena_bytes", "of_which_io_bytes", "of_which_scratch_bytes",
          "state_bytes", "books_bytes", "padding_bytes", "total_bytes"}


def report(*arguments, codes=(0,)):
    done = run(*arguments, "--format", "json")
    assert done.returncode in codes, done.stderr
    value = json.loads(done.stdout)
    VALIDATOR.validate(value)
    if isinstance(value, dict) and "exit_code" in value:
        assert value["exit_code"] == done.returncode
    return value


def check_sums(value):
    ledger = value["ledger"]
    assert LEDGER <= set(ledger)
    assert ledger["file_bytes"] == value["model"]["file_bytes"] == (
        ledger["weights_used_bytes"] + ledger["weights_unused_bytes"]
        + ledger["metadata_bytes"] + ledger["structure_bytes"])
    assert ledger["weights_encoded_bytes"] <= ledger["weights_used_bytes"]
    assert ledger["weights_copied_bytes"] <= ledger["weights_used_bytes"]
    if ledger["total_bytes"] is None:
        return
    assert ledger["total_bytes"] == (ledger["arena_bytes"] + ledger["state_bytes"]
                                     + ledger["books_bytes"] + ledger["padding_bytes"])
    assert ledger["of_which_io_bytes"] <= ledger["arena_bytes"]
    assert ledger["of_which_scratch_bytes"] <= ledger["arena_bytes"]
    rows = {row["name"]: row for row in value["strategies"]}
    assert {"best", "none", "online", "tflite", "tflm", "size-best"} <= set(rows)
    for row in value["strategies"]:
        assert row["known_peak_bytes"] != 0 or row["peak_bytes"] == 0, row
        if row["peak_bytes"] is not None:
            assert row["bound_bytes"] <= row["peak_bytes"], row
            assert row["proven"] == (row["bound_bytes"] == row["peak_bytes"]), row
            if row["name"] not in ("tflite", "tflm"):
                assert row["sound"] is True
                assert rows["best"]["peak_bytes"] <= row["peak_bytes"], row


def check_lists(value):
    """Peak, alive and idle bytes, recomputed from offsets and spans."""
    arena = value["ledger"]["known_arena_bytes"]
    placed = [t for t in value["tensors"] if t["offset"] is not None and t["bytes"]]
    for tensor in value["tensors"]:
        assert (tensor["offset"] is None) == (tensor["spans"] == [])
        assert all(born < dead <= value["step_count"] for born, dead in tensor["spans"])
    assert all(t["offset"] + t["bytes"] <= arena for t in placed)
    assert [s["step"] for s in value["steps"]] == list(range(value["step_count"]))
    if value["ledger"]["of_which_scratch_bytes"] == 0 and value["peak"]:
        step = value["peak"]["step"]
        alive = [t for t in placed if any(b <= step < d for b, d in t["spans"])]
        used = union((t["offset"], t["offset"] + t["bytes"]) for t in alive)
        assert used <= value["peak"]["live_bytes"]
    if value["peak"]:
        peak = value["peak"]
        assert peak["live_bytes"] == value["steps"][peak["step"]]["live_bytes"]
        assert peak["live_bytes"] + peak["idle_bytes"] == arena
        assert sum(end - start for start, end in peak["idle"]) == peak["idle_bytes"]
        sizes = [a["bytes"] for a in peak["alive"]]
        assert sizes == sorted(sizes, reverse=True)
        assert union((a["offset"], a["offset"] + a["bytes"])
                     for a in peak["alive"]) == peak["live_bytes"]


def union(intervals):
    total = reached = 0
    for start, end in sorted(intervals):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_bundled_models(path):
    value = report(path, "--tensors", "--ops", "--timings", codes=(0, 5))
    check_sums(value)
    check_lists(value)


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_knows_every_class():
    header = (ROOT / "include" / "berth" / "lifetime.h").read_text()
    classes = re.findall(r'^    X\([A-Z]+, "(\w+)", "', header, re.M)
    properties = SCHEMA["$defs"]["report"]["properties"]["tensors"]["items"]["properties"]
    assert properties["class"]["enum"] == classes


def test_the_schema_knows_every_rule():
    header = (ROOT / "include" / "berth" / "hosted" / "report.h").read_text()
    table = header[header.index("BERTH_RULE_TABLE(X)"):header.index("typedef enum berth_rule")]
    rules = re.findall(r'X\([A-Z_]+, "([a-z-]+)"', table)
    properties = SCHEMA["$defs"]["report"]["properties"]
    assert list(properties["rules"]["properties"]) == rules
    change = properties["what_if"]["oneOf"][1]["items"]["properties"]
    assert change["turned"]["items"]["enum"] == rules


def test_the_schema_is_not_satisfied_by_anything():
    value = report(VWW)
    for key in ("ledger", "strategies", "peak"):
        broken = {k: v for k, v in value.items() if k != key}
        assert not VALIDATOR.is_valid(broken)
    assert not VALIDATOR.is_valid({**value, "extra": 1})


def test_the_same_numbers_as_the_issue_asks_for():
    value = report(VWW)
    rows = {row["name"]: row for row in value["strategies"]}
    assert rows["best"]["peak_bytes"] == rows["best"]["bound_bytes"] == 55296
    assert rows["tflm"]["peak_bytes"] == 73728
    assert rows["tflite"]["peak_bytes"] == 82944


def test_lists_are_there_only_when_asked_for():
    value = report(VWW)
    assert not {"tensors", "steps", "timings_us"} & set(value)
    assert "tensors" in report(VWW, "--tensors") and "steps" in report(VWW, "--ops")


def test_budget_that_fits_and_not():
    total = report(VWW)["ledger"]["total_bytes"]
    fits = report(VWW, "--budget", total)
    assert fits["budget"] == {"budget_bytes": total, "fits": True, "missing_bytes": 0, "blame": []}
    unfit = report(VWW, "--budget", total - 1, codes=(1,))
    assert unfit["verdict"] == "unfit" and unfit["budget"]["missing_bytes"] == 1
    assert len(unfit["budget"]["blame"]) == 3
    assert report(VWW, "--budget", "0", codes=(1,))["budget"]["missing_bytes"] == total


def test_three_are_to_blame():
    """First what is in the total, largest first; then the largest elsewhere."""
    value = report(ROOT / "examples/models/any_picture_float32.tflite", "--budget", "1",
                   codes=(1,))
    blame = value["budget"]["blame"]
    alive = value["peak"]["alive"]
    assert len(alive) == 2 and blame[:2] == alive
    assert blame[2]["role"] == "not at the peak" and blame[2]["reader"] is None
    assert not blame[2]["span"][0] <= value["peak"]["step"] < blame[2]["span"][1]


def test_state_is_to_blame_too():
    value = report(ROOT / "examples/models/hotword_svdf_int8.tflite", "--budget", "1", codes=(1,))
    blame = value["budget"]["blame"]
    assert [one["class"] for one in blame] == ["state"] * 3
    assert [one["bytes"] for one in blame] == sorted((one["bytes"] for one in blame), reverse=True)
    assert sum(one["bytes"] for one in blame) <= value["ledger"]["state_bytes"]
    assert all(one["offset"] is None and one["span"] is None for one in blame)


def test_the_budget_is_answered_whatever_else_is_asked():
    value = report(VWW, "--budget", "1M", "--expect-arena", "16", codes=(1,))
    assert value["budget"]["fits"] is True and value["budget"]["blame"] == []


@pytest.mark.parametrize("text,value", [("1", 1), ("1b", 1), ("3K", 3072), ("3kb", 3072),
                                        ("3KiB", 3072), ("2M", 2 << 20), ("1GiB", 1 << 30),
                                        ("18446744073709551615", None), ("16777215G", None)])
def test_units_of_a_budget(text, value):
    budget = report(VWW, "--budget", text, codes=(0, 1))["budget"]["budget_bytes"]
    assert value is None or budget == value


def test_several_files_are_an_array():
    value = report(VWW, ROOT / "examples/models/stream_int8.tflite")
    assert [len(v["strategies"]) > 0 for v in value] == [True, True]


def test_a_damaged_file_is_an_object_too(tmp_path):
    path = tmp_path / "cut.tflite"
    path.write_bytes(VWW.read_bytes()[:4000])
    value = report(path, codes=(3,))
    assert value["verdict"] == "damaged" and value["error"]["stage"] == "model"
    assert "model" not in value
    several = report(VWW, path, "no/such", codes=(4,))
    assert [v["verdict"] for v in several] == ["ok", "damaged", "system"]


def test_keep_has_a_price():
    free = report(VWW)
    kept = report(VWW, "--keep", "#9")
    assert kept["keep"] == [{"subgraph": 0, "index": 9, "name": "pw1", "price_bytes":
                             kept["ledger"]["arena_bytes"] - free["ledger"]["arena_bytes"]}]
    assert kept["keep"][0]["price_bytes"] > 0


def test_a_pinned_tensor_shares_no_byte():
    value = report(VWW, "--pin", "#9", "--tensors")
    tensors = value["tensors"]
    pinned = next(t for t in tensors if t["subgraph"] == 0 and t["index"] == 9)
    start, end = pinned["offset"], pinned["offset"] + pinned["bytes"]
    for other in tensors:
        if other is not pinned and other["offset"] is not None:
            assert other["offset"] >= end or other["offset"] + other["bytes"] <= start


@pytest.mark.parametrize("align", [1, 4, 64, 4096])
def test_align(align):
    value = report(VWW, "--align", align, "--tensors")
    check_sums(value)
    assert all(t["offset"] % align == 0 for t in value["tensors"] if t["offset"] is not None)


def strategies():
    return [row["name"] for row in report(VWW, "--all-strategies")["strategies"]]


@pytest.mark.parametrize("name", strategies())
def test_every_strategy_can_be_chosen(name):
    for path in bundled_models():
        value = report(path, "--strategy", name, "--tensors", "--ops", codes=(0, 5))
        check_sums(value)
        check_lists(value)
        assert value["strategy"] == name


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_a_row_is_what_its_strategy_takes(path):
    """However the report came by it: some rows fall off while `best` is found. Rows are
    without scratch, which shows as a whole where nothing shares bytes."""
    taken = {row["name"]: (row["peak_bytes"], report(path, "--strategy", row["name"], codes=(0, 5)))
             for row in report(path, "--all-strategies", codes=(0, 5))["strategies"]}
    scratch = taken["none"][0] != taken["none"][1]["ledger"]["arena_bytes"]
    for name, (peak, value) in taken.items():
        if name not in ("tflite", "tflm"):
            assert peak == value["ledger"]["arena_bytes"] or scratch, name


def test_shape_flows():
    path = ROOT / "examples/models/any_picture_float32.tflite"
    small = report(path, "--tensors")
    name = small["inputs"][0]["name"]
    large = report(path, "--shape", f"{name}=1,80,112,3", "--tensors")
    assert large["inputs"][0]["shape"] == [1, 80, 112, 3]
    assert large["ledger"]["arena_bytes"] > 3 * small["ledger"]["arena_bytes"]
    assert large == {**report(path, "--shape", "#0=1x80x112x3", "--tensors")}


# --- names that are no text -------------------------------------------------------

def renamed(data, old, new):
    """The model with one string replaced by another of the same length."""
    assert len(old) == len(new)
    at = data.index(struct.pack("<I", len(old)) + old)
    return data[:at + 4] + new + data[at + 4 + len(old):]


NAMES = [b"\x1b[2J\x07..", b"\xff\xfe\x80\x80aaa", b"\xed\xa0\x80\xc0\xafx\0",
         b'"\\\n\r\t{}', "\u202eabcd".encode(), "\u00e9\U0001f600a".encode()]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.hex())
def test_hostile_names(name, tmp_path):
    """Valid JSON, valid UTF-8, and nothing that moves a terminal's cursor."""
    path = tmp_path / "names.tflite"
    path.write_bytes(renamed(VWW.read_bytes(), b"picture", name[:7].ljust(7, b".")))
    done = run(path, "--format", "json", "--tensors", binary=True)
    assert done.returncode == 0
    value = json.loads(done.stdout.decode("utf-8"))
    VALIDATOR.validate(value)
    for arguments in ([], ["--tensors"], ["--keep", "#0"], ["--budget", "1"]):
        text = run(path, *arguments, binary=True).stdout.decode("utf-8")
        bad = [c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160
               or c in "\u202e\u2066\ufeff"]
        assert not bad
    assert run(path, "--keep", "#0").returncode == 0


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_the_differences_add_up(path):
    """berth's arena and the lines of a runtime are what that runtime takes."""
    report = json.loads(run(path, "--runtime", "all", "--format", "json").stdout)
    best, = [row["peak_bytes"] for row in report["strategies"] if row["name"] == "best"]
    for runtime in report["runtimes"]:
        lines = [line["bytes"] for line in report["differences"]
                 if line["runtime"] == runtime["name"]]
        takes = (runtime["arena_min_bytes"] if runtime["name"] == "tflm"
                 else runtime["arena_bytes"] + runtime["persistent_bytes"])
        assert best + sum(lines) == takes, runtime["name"]


def test_litert_figures_of_a_part_say_so():
    said = run(MODELS / "any_picture_float32.tflite", "--runtime", "litert", "--format", "json")
    operator = json.loads(said.stdout)["runtime"]["grows_from_op"]
    page = run(MODELS / "any_picture_float32.tflite", "--runtime", "litert").stdout
    assert operator is not None and f"more while it runs, from operator {operator} " in page


def test_with_xnnpack_inputs_and_outputs_are_known():
    said = run(MODELS / "vww96_int8.tflite", "--runtime", "litert", "--format", "json")
    runtime = json.loads(said.stdout)["runtime"]
    assert runtime["xnnpack_bytes"] is None
    assert runtime["xnnpack_least_bytes"] == 96 * 96 * 3 + 2
