"""berth plan from outside: transcripts, exit codes, and what it writes against the models
and lists that it was made for. BERTH_REWRITE=1 writes the transcripts anew."""

import csv
import hashlib
import io
import json
import os
import random
import signal
import subprocess

import jsonschema
import pytest

from support import BERTH, ROOT, bundled_models, run

TRANSCRIPTS = ROOT / "tests" / "cli" / "plan"
SCHEMA = json.loads((ROOT / "docs" / "plan.schema.json").read_text())
M = "examples/models/"
VWW = ROOT / M / "vww96_int8.tflite"
KWS = ROOT / M / "kws_dscnn_int8.tflite"
STREAM = ROOT / M / "stream_int8.tflite"
LOOP = ROOT / M / "loop_float32.tflite"

LISTS = {
    "five.csv": "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n",
    "placed.csv": "id,lower,upper,size,offset\na,0,2,4,0\nb,1,3,4,8\nc,2,4,4,\n",
    "wrong.csv": "id,lower,upper,size,offset\na,0,2,4,0\nb,1,3,4,2\n",
    "apart.csv": "id,lower,upper,size,offset\na,0,2,4,0\nb,1,3,4,8\n",
    "empty.csv": "id,lower,upper,size\n",
}

CASES = {
    "help": ["--help"],
    "model": [M + "vww96_int8.tflite"],
    "list": ["{}/five.csv"],
    "list_csv": ["{}/five.csv", "--format", "csv"],
    "list_json": ["{}/five.csv", "--format", "json"],
    "list_of_nothing": ["{}/empty.csv"],
    "strategy": ["{}/five.csv", "--strategy", "none", "--format", "csv"],
    "align": ["{}/five.csv", "--align", "16", "--format", "csv"],
    "saved": ["{}/five.csv", "-o", "{}/out.csv"],
    "fits": ["{}/five.csv", "--capacity", "16"],
    "fits_not": ["{}/five.csv", "--capacity", "11"],
    "fits_not_csv": ["{}/five.csv", "--capacity", "11", "--format", "csv"],
    "fits_not_saved": ["{}/five.csv", "--capacity", "11", "-o", "{}/out.csv"],
    "fits_not_json": ["{}/five.csv", "--capacity", "11", "--format", "json"],
    "given_ignored": ["{}/apart.csv"],
    "given_wrong": ["{}/wrong.csv"],
    "fixed": ["{}/placed.csv", "--fixed", "--format", "csv"],
    "fixed_wrong": ["{}/wrong.csv", "--fixed"],
    "exclusive": [M + "vww96_int8.tflite", M + "kws_dscnn_int8.tflite",
                  M + "stream_int8.tflite", "--exclusive"],
    "together": [M + "vww96_int8.tflite", M + "kws_dscnn_int8.tflite",
                 M + "stream_int8.tflite", "--together", "--capacity", "64K"],
    "together_csv": ["{}/five.csv", "{}/placed.csv", "--together", "--format", "csv"],
    "no_file": [],
    "no_sharing": ["a", "b"],
    "sharing_of_one": ["a", "--together"],
    "both_sharings": ["a", "b", "--together", "--exclusive"],
    "one_signature_of_two": ["a", "b", "--together", "--signature", "x"],
    "stdin_twice": ["-", "-", "--together"],
    "plan_file_of_two": ["a", "b", "--together", "-o", "{}/out.plan"],
    "no_format": ["{}/five.csv", "--format", "yaml"],
    "no_suffix": ["{}/five.csv", "-o", "{}/out.txt"],
    "no_capacity": ["{}/five.csv", "--capacity", "lots"],
    "no_time": ["{}/five.csv", "--time", "soon"],
    "no_folder": ["{}/five.csv", "-o", "{}/nowhere/out.csv"],
    "no_model": ["nothing.tflite"],
    "a_folder": ["docs"],
    "not_a_model": ["LICENSE"],
    "no_tensor": [M + "vww96_int8.tflite", "--keep", "photo"],
    "option_of_report": ["{}/five.csv", "--budget", "1M"],
}


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def lists(tmp_path):
    for name, text in LISTS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("name", CASES)
def test_transcript(name, lists):
    path = TRANSCRIPTS / f"{name}.out"
    done = run("plan", *[word.replace("{}", str(lists)) for word in CASES[name]])
    said = (f"$ berth plan {' '.join(CASES[name])}\n{done.stdout}{done.stderr}"
            f"[exit {done.returncode}]\n").replace(str(lists), "{}")
    if os.environ.get("BERTH_REWRITE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(said)
    assert said == path.read_text()
    left = {file.name for file in lists.iterdir()} - set(LISTS)
    assert left == ({"out.csv"} if name == "saved" else set())


def test_every_transcript_has_its_case():
    assert {path.stem for path in TRANSCRIPTS.glob("*.out")} == set(CASES)


# --- what it writes -----------------------------------------------------------------


def rows_of(*arguments, code=0):
    done = run("plan", *arguments, "--format", "csv")
    assert done.returncode == code, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def json_of(*arguments, code=0):
    done = run("plan", *arguments, "--format", "json")
    assert done.returncode == code, done.stderr
    said = json.loads(done.stdout)
    jsonschema.validate(said, SCHEMA)
    return said


def lives_of(row):
    """The pieces of a life that a row of a CSV tells."""
    at, pieces = int(row["lower"]), []
    for gap in (row.get("gaps") or "").split():
        lower, upper = map(int, gap.split("-"))
        pieces.append((at, lower))
        at = upper
    return [*pieces, (at, int(row["upper"]))]


def overlaps(rows):
    """Pairs of rows that share a moment and a byte: the judge, written again."""
    found = []
    for i, a in enumerate(rows):
        for b in rows[:i]:
            bytes_met = (int(a["offset"]) < int(b["offset"]) + int(b["size"])
                         and int(b["offset"]) < int(a["offset"]) + int(a["size"]))
            if bytes_met and any(s < v and u < t for s, t in lives_of(a) for u, v in lives_of(b)):
                found.append((a["id"], b["id"]))
    return found


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_the_csv_says_what_the_report_says(path):
    report = json.loads(run("report", path, "--format", "json", "--tensors").stdout)
    rows = rows_of(path)
    assert max(int(row["offset"]) + int(row["size"]) for row in rows) \
        == report["ledger"]["arena_bytes"]
    placed = {(f"{tensor['index']}" + (f"@{tensor['subgraph']}" if tensor["subgraph"] else "")):
              tensor for tensor in report["tensors"] if tensor["offset"] is not None}
    for row in rows:
        if row["id"].startswith("op"):
            continue
        tensor = placed.pop(row["id"])
        assert (int(row["offset"]), int(row["size"]), row["name"]) == \
            (tensor["offset"], tensor["bytes"], tensor["name"])
        assert [list(life) for life in lives_of(row)] == tensor["spans"]
    assert placed == {}


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_csv_and_json_say_the_same(path):
    rows, said = rows_of(path), json_of(path)
    [file] = said["files"]
    assert file["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert said["peak_bytes"] == file["peak_bytes"] >= file["bound_bytes"]
    assert [(row["id"], row["name"] or None, int(row["size"]), int(row["offset"]),
             [list(life) for life in lives_of(row)]) for row in rows] == \
        [(one["id"], one["name"], one["size"], one["offset"], one["lives"])
         for one in file["buffers"]]


def random_list(seed, count=60):
    rng = random.Random(seed)
    lines = ["id,lower,upper,size,alignment,gaps"]
    for i in range(count):
        lower = rng.randrange(100) * 1000
        upper = lower + 1000 * rng.randrange(1, 30)
        gaps = (f"{lower + 100}-{lower + 300} {upper - 500}-{upper - 400}"
                if rng.random() < 0.3 else "")
        lines.append(f"b{i},{lower},{upper},{rng.randrange(0, 500)},{2 ** rng.randrange(6)},{gaps}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(8))
def test_a_plan_of_a_random_list_holds(tmp_path, seed):
    path = tmp_path / "list.csv"
    path.write_text(random_list(seed))
    given = list(csv.DictReader(io.StringIO(path.read_text())))
    for strategy in ("online", "size-best", "birth-first"):
        rows = rows_of(path, "--strategy", strategy)
        assert [{k: row[k] for k in given[0]} for row in rows] == given
        assert overlaps(rows) == []
        assert all(int(row["offset"]) % int(row["alignment"]) == 0 for row in rows)


@pytest.mark.parametrize("seed", range(4))
def test_what_it_writes_it_reads_again(tmp_path, seed):
    path, placed = tmp_path / "list.csv", tmp_path / "placed.csv"
    path.write_text(random_list(seed))
    size_best = ["--strategy", "size-best"]  # best searches long on such lists
    assert run("plan", path, "-o", placed, *size_best).returncode == 0
    again = run("plan", placed, "--format", "csv", *size_best)
    assert again.stdout == placed.read_text()
    fixed = run("plan", placed, "--fixed", "--strategy", "none", "--format", "csv")
    assert fixed.stdout == placed.read_text()


def test_hostile_ids_are_text_and_the_same_when_read_again(tmp_path):
    path, placed = tmp_path / "list.csv", tmp_path / "placed.csv"
    names = [b"a\x1b[2Jb", b"\xff\xfe", b'"x,""y"', b"\xe2\x80\xaeabc", "é".encode(), b"",
             b"=1+1", b"\x00", b"<b>", b"n" * 1000, b"t\tb", b"r\rb"]
    path.write_bytes(b"id,lower,upper,size\n"
                     + b"".join(name + b",0,4,4\n" for name in names))
    assert run("plan", path, "-o", placed).returncode == 0
    text = placed.read_bytes()
    assert b"\x1b" not in text and b"\xff" not in text and b"\x00" not in text
    assert text.decode().splitlines()[1].startswith("a\\x1b[2Jb,")
    assert run("plan", placed, "--format", "csv").stdout.encode() == text
    said = json_of(path)
    assert [one["id"] for one in said["files"][0]["buffers"]] == \
        [row["id"] for row in csv.DictReader(io.StringIO(text.decode()))]


def test_a_list_and_a_model_on_standard_input(tmp_path):
    done = run("plan", "-", "--format", "csv", stdin=LISTS["five.csv"])
    assert done.returncode == 0 and done.stdout.splitlines()[1] == "b1,0,3,4,0"
    done = run("plan", "-", stdin=VWW.read_bytes(), binary=True)
    assert done.returncode == 0 and done.stdout.startswith(b"standard input")
    # Longer than what is read to see whether a stream is a model.
    text = "id,lower,upper,size\n" + "".join(f"b{i},{i},{i + 2},7\n" for i in range(20000))
    done = run("plan", "-", "--strategy", "online", "--format", "csv", stdin=text)
    assert done.returncode == 0 and done.stdout.count("\n") == 20001


def test_the_same_every_time(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text(random_list(9, count=9))
    assert run("plan", path, "--format", "json").stdout == run("plan", path, "--format", "json").stdout


def test_options_reach_the_plan():
    assert all(int(row["offset"]) % 64 == 0 for row in rows_of(VWW, "--align", "64"))
    wide = rows_of(ROOT / M / "any_picture_float32.tflite", "--shape", "pictures=1,64,64,3")
    assert any(row["name"] == "pictures" and int(row["size"]) == 64 * 64 * 3 * 4 for row in wide)
    pinned = [row for row in rows_of(VWW, "--pin", "#9") if row["id"] == "9"][0]
    assert int(pinned["lower"]) == 0 and int(pinned["upper"]) == 31
    assert rows_of(VWW, "--strategy", "tflm") != rows_of(VWW)


# --- several files ------------------------------------------------------------------


def test_exclusive_models_begin_at_nothing():
    alone = {path.name: rows_of(path) for path in (VWW, KWS, STREAM)}
    rows = rows_of(VWW, KWS, STREAM, "--exclusive")
    for name, own in alone.items():
        mine = [{key: row[key] for key in own[0]} for row in rows if row["model"] == name]
        assert mine == own
    said = json_of(VWW, KWS, STREAM, "--exclusive")
    assert said["peak_bytes"] == max(file["peak_bytes"] for file in said["files"])
    assert [file["base_bytes"] for file in said["files"]] == [0, 0, 0]


def test_models_together_have_no_byte_in_common():
    rows = rows_of(VWW, KWS, STREAM, LOOP, "--together")
    spans = {}
    for row in rows:
        if int(row["size"]) > 0:
            at, end = spans.get(row["model"], (10 ** 18, 0))
            spans[row["model"]] = (min(at, int(row["offset"])),
                                   max(end, int(row["offset"]) + int(row["size"])))
    ordered = sorted(spans.values())
    assert all(a[1] <= b[0] for a, b in zip(ordered, ordered[1:])) and len(ordered) == 4
    assert all(int(row["offset"]) % int(row["alignment"]) == 0 for row in rows)
    said = json_of(VWW, KWS, STREAM, LOOP, "--together")
    assert said["peak_bytes"] == max(end for _, end in spans.values())
    stated = {file["file"]: file["state_bytes"] for file in said["files"]}
    assert stated[STREAM.name] > 0 and stated[VWW.name] == 0


def test_files_of_one_name_are_told_apart(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "list.csv").write_text(LISTS["five.csv"])
    rows = rows_of(tmp_path / "a" / "list.csv", tmp_path / "b" / "list.csv", "--together")
    assert {row["model"] for row in rows} == {str(tmp_path / "a" / "list.csv"),
                                             str(tmp_path / "b" / "list.csv")}


@pytest.mark.parametrize("sharing", ["--exclusive", "--together"])
@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_a_file_may_be_named_more_than_once(tmp_path, sharing, suffix):
    plan = tmp_path / f"out.{suffix}"
    assert run("plan", KWS, LOOP, KWS, KWS, sharing, "-o", plan).returncode == 0
    assert run("check", KWS, LOOP, KWS, KWS, plan, sharing).returncode == 0
    assert run("check", LOOP, KWS, KWS, KWS, plan, sharing).returncode == 0
    assert run("check", KWS, LOOP, KWS, plan, sharing).returncode == 1
    said = json_of(KWS, LOOP, KWS, KWS, sharing)
    assert [file["file"] for file in said["files"]] == \
        [KWS.name, LOOP.name, KWS.name + " (2)", KWS.name + " (3)"]


# --- the plan file ------------------------------------------------------------------


def test_the_plan_file_is_as_documented(tmp_path):
    plan = tmp_path / "out.plan"
    assert run("plan", VWW, "-o", plan).returncode == 0
    data, rows = plan.read_bytes(), rows_of(VWW)
    number = lambda at, size: int.from_bytes(data[at:at + size], "little")
    assert data[:8] == bytes.fromhex("8942504C4E0D0A00")
    assert (number(8, 4), number(12, 4), number(20, 4)) == (1, 0, len(rows))
    assert data[32:64] == hashlib.sha256(VWW.read_bytes()).digest()
    assert data[64:96].rstrip(b"\0") == b"berth"
    for i, row in enumerate(rows):
        key = 0xFFFFFFFF if row["id"].startswith("op") else int(row["id"])
        assert (number(96 + 20 * i, 8), number(104 + 20 * i, 8), number(112 + 20 * i, 4)) == \
            (int(row["offset"]), int(row["size"]), key)


# --- files and terminals --------------------------------------------------------------


def test_a_file_is_replaced_whole_or_not_at_all(lists):
    place = lists / "out.csv"
    place.write_text("old")
    assert run("plan", lists / "five.csv", "--capacity", "1", "-o", place).returncode == 1
    assert run("plan", "LICENSE", "-o", place).returncode == 3
    assert place.read_text() == "old"
    assert run("plan", lists / "five.csv", "-o", place).returncode == 0
    assert place.read_text().startswith("id,lower,upper,size,offset\n")


@pytest.mark.parametrize("sent", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_half_of_a_file(tmp_path, sent):
    source, place = tmp_path / "list.csv", tmp_path / "out.json"
    lines = "".join(f"b{i},{i},{i + 2},8\n" for i in range(20000))
    source.write_text("id,lower,upper,size\n" + lines)
    planning = subprocess.Popen([BERTH, "plan", source, "--strategy", "none", "-o", place],
                                stdout=subprocess.DEVNULL)
    while planning.poll() is None and not list(tmp_path.glob("out.json*")):
        pass
    planning.send_signal(sent)
    planning.wait()
    assert {path.name for path in tmp_path.iterdir()} <= {"list.csv", "out.json"}
    assert not place.exists() or run("check", source, place).returncode == 0


def test_what_is_read_is_not_lost(lists, tmp_path):
    model, link = tmp_path / "m.tflite", tmp_path / "link.csv"
    model.write_bytes(KWS.read_bytes())
    link.symlink_to(model)
    for words in (["plan", model, "--format", "json", "-o", model], ["plan", model, "-o", link],
                  ["map", model, "-o", model], ["bake", "--tflm", model, "--header", model],
                  ["bake", "--tflm", model, "--c", model],
                  ["bake", "--tflm", model, "--plan", model],
                  ["plan", model, lists / "five.csv", "--together", "-o", lists / "five.csv"],
                  ["map", lists / "five.csv", "-o", lists / "five.csv"]):
        done = run(*words)
        assert done.returncode == 2 and "is what is read" in done.stderr
    assert model.read_bytes() == KWS.read_bytes()
    assert (lists / "five.csv").read_text() == LISTS["five.csv"]


def test_a_list_may_be_given_its_offsets(lists):
    place = lists / "five.csv"
    assert run("plan", place, "-o", place).returncode == 0
    assert run("check", place).returncode == 0


def test_moments_end_where_they_can_be_written(tmp_path):
    place, again = tmp_path / "far.csv", tmp_path / "again.csv"
    for last, code in ((2**63 - 2, 0), (2**63 - 1, 3)):
        place.write_text(f"id,begin,end,size\na,0,{last},5\n")
        assert run("plan", place, "-o", again).returncode == code
    assert rows_of(again)[0]["upper"] == str(2**63 - 1)
    assert json_of(again)["files"][0]["buffers"][0]["lives"] == [[0, 2**63 - 1]]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_standard_output_is_told(lists):
    with open("/dev/full", "w") as full:
        done = subprocess.run([BERTH, "plan", lists / "five.csv"], stdout=full,
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4 and "cannot write" in done.stderr
