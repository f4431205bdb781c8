"""berth check from outside: transcripts, every kind of plan file, plans changed by one
thing, and files that are none. BERTH_REWRITE=1 writes the transcripts anew."""

import csv
import io
import json
import os
import random
import zlib

import pytest

from support import ROOT, bundled_models, run
from test_cli_plan import (KWS, LISTS, LOOP, M, STREAM, VWW, lives_of, overlaps, random_list,
                           rows_of)

TRANSCRIPTS = ROOT / "tests" / "cli" / "check"

CASES = {
    "help": ["--help"],
    "own_offsets": ["{}/apart.csv"],
    "own_offsets_wrong": ["{}/wrong.csv"],
    "own_offsets_lacking": ["{}/placed.csv"],
    "no_offsets": ["{}/five.csv"],
    "model": [M + "vww96_int8.tflite", "{}/vww.csv"],
    "model_wrong": [M + "vww96_int8.tflite", "{}/vww_wrong.csv"],
    "model_misaligned": [M + "vww96_int8.tflite", "{}/vww_misaligned.csv"],
    "model_capacity": [M + "vww96_int8.tflite", "{}/vww.csv", "--capacity", "50K"],
    "another_model": [M + "kws_dscnn_int8.tflite", "{}/vww.csv"],
    "another_list": ["{}/apart.csv", "{}/five_placed.csv"],
    "a_size": ["{}/apart.csv", "{}/size.csv"],
    "once_too_often": ["{}/apart.csv", "{}/often.csv"],
    "one_is_lacking": ["{}/apart.csv", "{}/lacking.csv"],
    "together": [M + "vww96_int8.tflite", M + "kws_dscnn_int8.tflite", "{}/two.json",
                 "--together"],
    "exclusive_is_not_together": [M + "vww96_int8.tflite", M + "kws_dscnn_int8.tflite",
                                  "{}/one_of_two.csv", "--together"],
    "two_without_models": [M + "vww96_int8.tflite", M + "kws_dscnn_int8.tflite",
                           "{}/vww.csv", "--together"],
    "nothing": [],
    "no_plan": [M + "vww96_int8.tflite"],
    "no_such_plan": [M + "vww96_int8.tflite", "nothing.csv"],
    "no_plan_at_all": [M + "vww96_int8.tflite", "LICENSE"],
    "other_json": [M + "vww96_int8.tflite", "docs/plan.schema.json"],
    "not_json": [M + "vww96_int8.tflite", "{}/not.json"],
    "no_number": ["{}/apart.csv", "{}/number.csv"],
    "stdin_twice": ["-", "-"],
}


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)


def write_csv(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def changed(rows, index, **fields):
    return [{**row, **(fields if i == index else {})} for i, row in enumerate(rows)]


@pytest.fixture
def files(tmp_path):
    for name, text in LISTS.items():
        (tmp_path / name).write_text(text)
    rows = rows_of(VWW)
    at = {row["id"]: i for i, row in enumerate(rows)}
    write_csv(tmp_path / "vww.csv", rows)
    write_csv(tmp_path / "vww_wrong.csv", changed(rows, at["9"], offset=16))
    write_csv(tmp_path / "vww_misaligned.csv", changed(rows, at["9"], offset=40001))
    (tmp_path / "five_placed.csv").write_text("id,offset\nb1,0\n")
    (tmp_path / "size.csv").write_text("id,size,offset\na,4,0\nb,5,8\n")
    (tmp_path / "often.csv").write_text("id,offset\na,0\nb,8\na,16\n")
    (tmp_path / "lacking.csv").write_text("id,offset\nb,8\n")
    (tmp_path / "number.csv").write_text("id,offset\nb,8\na,eight\n")
    (tmp_path / "not.json").write_text('{"format": "berth plan",\n "version" 1}\n')
    assert run("plan", VWW, KWS, "--together", "-o", tmp_path / "two.json").returncode == 0
    assert run("plan", VWW, KWS, "--exclusive", "-o",
               tmp_path / "one_of_two.csv").returncode == 0
    return tmp_path


@pytest.mark.parametrize("name", CASES)
def test_transcript(name, files):
    path = TRANSCRIPTS / f"{name}.out"
    done = run("check", *[word.replace("{}", str(files)) for word in CASES[name]])
    said = (f"$ berth check {' '.join(CASES[name])}\n{done.stdout}{done.stderr}"
            f"[exit {done.returncode}]\n").replace(str(files), "{}")
    if os.environ.get("BERTH_REWRITE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(said)
    assert said == path.read_text()


def test_every_transcript_has_its_case():
    assert {path.stem for path in TRANSCRIPTS.glob("*.out")} == set(CASES)


# --- right plans --------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "json", "plan"])
def test_what_plan_writes_is_right(tmp_path, suffix):
    for path in bundled_models():
        plan = tmp_path / f"out.{suffix}"
        assert run("plan", path, "-o", plan).returncode == 0
        done = run("check", path, plan)
        assert done.returncode == 0 and "right" in done.stdout, (path, done.stdout, done.stderr)


@pytest.mark.parametrize("options", [
    ["--align", "64"], ["--strategy", "none"], ["--strategy", "tflm"], ["--keep", "#0"],
    ["--pin", "#0"], ["--lag", "2"], ["--no-views", "--no-in-place"],
    ["--hold-inputs", "--hold-outputs"], ["--keep-inputs"]], ids=" ".join)
def test_plans_by_other_rules_are_right_by_those(tmp_path, options):
    plan = tmp_path / "out.csv"
    for path in (VWW, LOOP):
        assert run("plan", path, "-o", plan, *options).returncode == 0
        assert run("check", path, plan, *options).returncode == 0


@pytest.mark.parametrize("suffix", ["csv", "json", "plan"])
@pytest.mark.parametrize("seed", range(3))
def test_plans_of_lists_are_right(tmp_path, suffix, seed):
    path, plan = tmp_path / "list.csv", tmp_path / f"out.{suffix}"
    path.write_text(random_list(seed))
    assert run("plan", path, "-o", plan, "--strategy", "size-best").returncode == 0
    assert run("check", path, plan).returncode == 0
    if suffix == "csv":  # and the plan as a problem of its own
        assert run("check", plan).returncode == 0
        assert run("check", plan, plan).returncode == 0


def test_plan_files_of_bake_are_judged_by_tflm_s_rules(tmp_path):
    plan = tmp_path / "out.plan"
    for options in ([], ["--target", "m4", "--kernels", "cmsis-nn"]):
        assert run("bake", VWW, "--tflm", "--plan", plan, *options).returncode == 0
        done = run("check", VWW, plan)
        assert done.returncode == 0 and "both judges agree" in done.stdout, done.stdout
        assert (options[-1] if options else "reference") in done.stdout
    data = bytearray(plan.read_bytes())
    for at, code in ((96, 1), (104, 1), (16, 1), (32, 1), (64, 5)):
        broken = bytearray(data)
        broken[at] ^= 0x20 if at != 16 else 1
        broken[-4:] = zlib.crc32(bytes(broken[:-4])).to_bytes(4, "little")
        plan.write_bytes(broken)
        done = run("check", VWW, plan)
        assert done.returncode == code or at == 16, (at, done.stdout, done.stderr)
    plan.write_bytes(data)
    assert run("check", KWS, plan).returncode == 1


def test_a_plan_through_a_pipe():
    for form in ("csv", "json", "plan"):
        plan = run("plan", VWW, "--format", form, binary=True).stdout
        assert run("check", VWW, "-", stdin=plan, binary=True).returncode == 0
    assert run("check", "-", "examples/models/vww96_int8.tflite", stdin="id,lower").returncode == 3


def test_columns_and_rows_in_any_order(tmp_path):
    plan = tmp_path / "plan.csv"
    rows = [{"offset": row["offset"], "id": row["id"]} for row in rows_of(VWW)]
    random.Random(1).shuffle(rows)
    write_csv(plan, rows)
    assert run("check", VWW, plan).returncode == 0


def test_ids_that_are_not_unique_are_taken_in_their_order(tmp_path):
    path, plan = tmp_path / "list.csv", tmp_path / "plan.csv"
    path.write_text("id,lower,upper,size\n" + "".join(f"x,{i},{i + 2},4\n" for i in range(9)))
    assert run("plan", path, "-o", plan).returncode == 0
    assert run("check", path, plan).returncode == 0


# --- wrong ones ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_a_random_plan_is_judged_as_by_the_judge_here(tmp_path, seed):
    """Random offsets, right and wrong ones: berth and these lines of Python agree."""
    rng = random.Random(seed)
    path, plan = tmp_path / "list.csv", tmp_path / "plan.csv"
    path.write_text(random_list(seed, count=4))
    rows = rows_of(path)
    for round_ in range(12):
        moved = [{**row, "offset": rng.randrange(0, 40) * rng.choice([1, 32])} for row in rows]
        write_csv(plan, moved)
        right = overlaps(moved) == [] and all(
            int(row["offset"]) % int(row["alignment"]) == 0 for row in moved)
        assert run("check", path, plan).returncode == (0 if right else 1)


def mutations(rows):
    """Plans with one thing wrong. Pairs that meet in two steps or more have no licence."""
    yield "misaligned", changed(rows, 0, offset=int(rows[0]["offset"]) + 1)
    yield "one lacks", rows[1:]
    yield "one twice", [*rows, rows[0]]
    yield "another size", changed(rows, 0, size=int(rows[0]["size"]) + 1)
    yield "another id", changed(rows, 0, id="123456")
    for i, a in enumerate(rows):
        for b in rows[:i]:
            common = sum(max(0, min(t, v) - max(s, u))
                         for s, t in lives_of(a) for u, v in lives_of(b))
            if common >= 2 and int(a["size"]) > 16 and int(b["size"]) > 16 and "op" not in a["id"]:
                yield f"{a['id']} on {b['id']}", changed(rows, i, offset=int(b["offset"]) + 16)
                return


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_changed_plans_are_refused(path, tmp_path):
    plan = tmp_path / "plan.csv"
    for what, rows in mutations(rows_of(path)):
        write_csv(plan, rows)
        done = run("check", path, plan)
        assert done.returncode == 1 and "wrong: " in done.stdout and done.stderr == "", what


def test_a_changed_plan_file_is_damaged_or_wrong(tmp_path):
    plan, model = tmp_path / "out.plan", LOOP
    assert run("plan", model, "-o", plan).returncode == 0
    data = plan.read_bytes()
    for at in [*range(0, 100, 5), *range(100, len(data), 31)]:
        broken = bytearray(data)
        broken[at] ^= 0x10
        plan.write_bytes(broken)
        done = run("check", model, plan)
        assert done.returncode == 3 or (at in range(8, 12) and done.returncode == 5), at
        assert "Sanitizer" not in done.stderr
        # The same with a checksum that is right. A tensor that was moved may be right there.
        broken[-4:] = zlib.crc32(bytes(broken[:-4])).to_bytes(4, "little")
        if at < len(data) - 4:
            plan.write_bytes(broken)
            assert run("check", model, plan).returncode in ((1, 3, 5) if at < 96 else (0, 1)), at
    for cut in (0, 1, 7, 8, 95, 96, 99, len(data) - 1):
        plan.write_bytes(data[:cut])
        assert run("check", model, plan).returncode == 3


def test_changed_json_is_told(tmp_path):
    plan = tmp_path / "plan.json"
    said = json.loads(run("plan", STREAM, "--format", "json").stdout)

    def code(change):
        again = json.loads(json.dumps(said))
        change(again)
        plan.write_text(json.dumps(again))
        done = run("check", STREAM, plan)
        assert "Sanitizer" not in done.stderr
        return done.returncode

    buffers = lambda it: it["files"][0]["buffers"]
    assert code(lambda it: None) == 0
    assert code(lambda it: it["files"][0].update(file="renamed.tflite")) == 0
    assert code(lambda it: it.update(version=2)) == 5
    assert code(lambda it: it.update(format="x")) == 3
    assert code(lambda it: it.pop("files")) == 3
    assert code(lambda it: it["files"].clear()) == 1
    assert code(lambda it: it["files"].append(it["files"][0])) == 1
    assert code(lambda it: buffers(it).pop()) == 1
    assert code(lambda it: buffers(it)[0].pop("offset")) == 3
    assert code(lambda it: buffers(it)[0].update(offset=-16)) == 3
    assert code(lambda it: buffers(it)[0].update(offset="0")) == 3
    assert code(lambda it: buffers(it)[0].update(offset=2 ** 63 - 16)) in (0, 1)
    assert code(lambda it: buffers(it)[0].update(size=1)) == 1
    assert code(lambda it: buffers(it)[0].update(id="op9")) == 1
    for text in ("{", "[]", "{}", "[" * 100000, '{"format": 1e999}', '{"a": "\\ud800"}'):
        plan.write_text(text)
        assert run("check", STREAM, plan).returncode == 3, text[:20]


def test_a_key_that_stands_twice_is_refused(tmp_path):
    plan = tmp_path / "out.json"
    assert run("plan", KWS, "-o", plan).returncode == 0
    plan.write_text(plan.read_text().replace('"offset":', '"offset": 16, "offset":', 1))
    assert run("check", KWS, plan).returncode == 3


def test_far_above_a_small_bound_is_told_as_it_is(tmp_path):
    place = tmp_path / "far.csv"
    for size, words in ((5, "1,152,921,504,606,846,976 above bound, "), (0, "proven least")):
        place.write_text(f"id,lower,upper,size,offset\na,0,1,{size},{2**60}\n")
        done = run("check", place)
        assert done.returncode == 0 and words in done.stdout and " 0.0 %" not in done.stdout


def test_hostile_names_are_escaped(tmp_path):
    path, plan = tmp_path / "list.csv", tmp_path / "plan.csv"
    path.write_bytes(b"id,lower,upper,size,offset\na\x1b[2Jb,0,4,4,0\n\xff\xfe,0,4,4,2\n")
    done = run("check", path, binary=True)
    assert done.returncode == 1
    assert b"\x1b" not in done.stdout and b"\xff" not in done.stdout
    assert b"'a\\x1b[2Jb' (line 2)" in done.stdout and b"'\\xff\\xfe' (line 3)" in done.stdout
    plan.write_bytes(b"id,offset\n\x1b[2J,0\n")
    done = run("check", path, plan, binary=True)
    assert done.returncode == 1 and b"\x1b" not in done.stdout + done.stderr


# --- several files ------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "json"])
@pytest.mark.parametrize("sharing", ["--exclusive", "--together"])
def test_plans_of_several_files_are_right(tmp_path, suffix, sharing):
    models = [VWW, KWS, STREAM, LOOP]
    plan = tmp_path / f"out.{suffix}"
    assert run("plan", *models, sharing, "-o", plan).returncode == 0
    assert run("check", *models, plan, sharing).returncode == 0
    assert run("check", *reversed(models), plan, sharing).returncode == 0
    assert run("check", *models[1:], plan, sharing).returncode == 1
    other = "--together" if sharing == "--exclusive" else "--exclusive"
    assert run("check", *models, plan, other).returncode == (1 if other == "--together" else 0)
