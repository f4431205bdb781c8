"""berth map from outside: transcripts, exit codes, the data and the policy of the page,
CSVs, and names that try to be markup. BERTH_REWRITE=1 writes the transcripts anew. What
a browser makes of the pages is in test_long_map.py."""

import base64
import hashlib
import html.parser
import json
import os
import re
import xml.etree.ElementTree as ElementTree

import pytest

from long_model import HOSTILE, hostile_model, long_model, pack, tensor
from support import ROOT, bundled_models, need_corpus, run

TRANSCRIPTS = ROOT / "tests" / "cli" / "map"
M = "examples/models/"
VWW = ROOT / M / "vww96_int8.tflite"

CASES = {
    "help": ["--help"],
    "vww96_int8": [M + "vww96_int8.tflite", "-o", "{}/map.html"],
    "picture": [M + "vww96_int8.tflite", "-o", "{}/map.svg"],
    "strategy": [M + "vww96_int8.tflite", "--output={}/map.svg", "--strategy", "tflm"],
    "no_file": ["-o", "{}/map.html"],
    "two_files": ["a", "b", "-o", "{}/map.html"],
    "output_twice": [M + "vww96_int8.tflite", "-o", "{}/x", "-o", "{}/y"],
    "output_missing": [M + "vww96_int8.tflite", "-o"],
    "no_format": [M + "vww96_int8.tflite", "-o", "{}/x", "--format", "png"],
    "no_strategy": [M + "vww96_int8.tflite", "-o", "{}/x", "--strategy", "bets"],
    "option_of_report": [M + "vww96_int8.tflite", "-o", "{}/x", "--budget", "1M"],
    "no_folder": [M + "vww96_int8.tflite", "-o", "{}/nowhere/x"],
    "no_model": ["nothing.tflite", "-o", "{}/x"],
    "no_csv": ["nothing.csv", "-o", "{}/x"],
    "not_a_model": ["LICENSE", "-o", "{}/x"],
    "a_folder": ["docs", "-o", "{}/x"],
    "no_signature": [M + "vww96_int8.tflite", "-o", "{}/x", "--signature", "sing"],
    "no_tensor": [M + "vww96_int8.tflite", "-o", "{}/x", "--keep", "photo"],
}


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("name", CASES)
def test_transcript(name, tmp_path):
    path = TRANSCRIPTS / f"{name}.out"
    done = run("map", *[word.replace("{}", str(tmp_path)) for word in CASES[name]])
    said = (f"$ berth map {' '.join(CASES[name])}\n{done.stdout}{done.stderr}"
            f"[exit {done.returncode}]\n").replace(str(tmp_path), "{}")
    if os.environ.get("BERTH_REWRITE"):
        path.write_text(said)
    assert said == path.read_text()
    assert (list(tmp_path.iterdir()) == []) == (done.returncode != 0 or name == "help")


def test_every_transcript_has_its_case():
    assert {path.stem for path in TRANSCRIPTS.glob("*.out")} == set(CASES)


# --- the page ---------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """The elements of a page with their attributes, and the text of scripts and style."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.raw, self.inside = [], {}, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if tag in ("script", "style"):
            self.inside = attributes.get("type", tag)

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.raw[self.inside] = self.raw.get(self.inside, "") + data

    @property
    def data(self):
        return json.loads(self.raw["application/json"])


def page_of(path, *options, code=0, environment=None):
    done = run("map", path, *options, binary=True, environment=environment)
    assert done.returncode == code, done.stderr
    page = Page(done.stdout.decode("utf-8"))
    assert "@" not in page.elements[3][1]["content"] and page.data["format"] == 1
    return page


def report_of(path, *options):
    return json.loads(run("report", path, "--format", "json", "--tensors", "--ops",
                          *options).stdout)


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_the_page_says_what_the_report_says(path):
    data, report = page_of(path).data, report_of(path)
    rows = {row["name"]: row for row in data["rows"]}
    assert list(rows) == ["best", "size-best", "online", "none", "tflite", "tflm"]
    # The report's rows are without scratch, which shows where nothing shares bytes.
    scratch = any(told["name"] == "none" and told["peak_bytes"] != rows["none"]["peak"]
                  for told in report["strategies"])
    for told in report["strategies"]:
        row = rows[told["name"]]
        if told["peak_bytes"] is None:
            assert row["part"]  # the figure is that of a part, and says so
        elif told["name"] in ("tflite", "tflm") or not scratch:
            assert (row["peak"], row["bound"]) == (told["peak_bytes"], told["bound_bytes"])
            assert row["proven"] == told["proven"] and row["sound"] == told["sound"]
        assert row["peer"] == (told["name"] in ("tflite", "tflm"))
    best = rows["best"]
    assert best["peak"] == report["ledger"]["arena_bytes"]
    assert best["peakStep"] == report["peak"]["step"]
    assert best["live"] == [step["live_bytes"] for step in report["steps"]]
    assert data["stepOp"] == [step["op"] for step in report["steps"]]
    placed = {(tensor["subgraph"], tensor["index"]): tensor for tensor in report["tensors"]
              if tensor["offset"] is not None}
    for i, index in enumerate(data["index"]):
        tensor = placed.pop((data["subgraph"][i], index), None)
        if tensor is None:  # scratch, or what only other runtimes give bytes to
            assert index < 0 or best["offset"][i] == -1
            continue
        spans = data["spans"][i]
        assert data["name"][i] == tensor["name"] and data["class"][i] == tensor["class"]
        assert data["bytes"][i] == tensor["bytes"] and data["type"][i] == tensor["type"]
        assert best["offset"][i] == tensor["offset"]
        assert [spans[k:k + 2] for k in range(0, len(spans), 2)] == tensor["spans"]
    assert placed == {}


def test_every_row_reaches_its_peak_and_not_past_it():
    for path in bundled_models():
        data = page_of(path).data
        for row in data["rows"]:
            ends = [offset + size for offset, size in zip(row["offset"], data["bytes"])
                    if offset >= 0]
            assert max(row["live"]) <= row["peak"] and max(ends) == row["top"]
            if not row["peer"]:
                assert row["top"] == row["peak"]
            elif "end to end" not in row["note"]:
                assert row["top"] <= row["peak"] < row["top"] + 64, (path, row["name"])


def test_the_policy_allows_this_script_and_style_and_nothing_else():
    page = page_of(VWW)
    hashed = {name: base64.b64encode(hashlib.sha256(page.raw[name].encode()).digest()).decode()
              for name in ("script", "style")}
    policy = [a["content"] for tag, a in page.elements
              if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == [f"default-src 'none'; script-src 'sha256-{hashed['script']}'; "
                      f"style-src 'sha256-{hashed['style']}'; base-uri 'none'; form-action 'none'"]


def test_nothing_in_the_page_asks_for_another_file():
    page = page_of(VWW)
    for tag, attributes in page.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form", "video"}
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in {"style", "src", "srcset"}
            assert name != "href" or value.startswith("#")
    assert not re.search(r"https?:|url\(|@import|fetch\(|XMLHttp|innerHTML|outerHTML|"
                         r"insertAdjacent|document\.write|\beval\b|new Function",
                         page.raw["script"] + page.raw["style"])


def test_the_page_can_be_read_without_eyes():
    page = page_of(VWW)
    by_id = {a["id"]: (tag, a) for tag, a in page.elements if "id" in a}
    assert by_id["plot"][1]["role"] == "application" and by_id["plot"][1]["tabindex"] == "0"
    assert by_id["said"][1]["aria-live"] == "polite"
    assert by_id["find"][1]["role"] == "combobox" and by_id["hits"][1]["role"] == "listbox"
    assert ("html", {"lang": "en"}) in page.elements
    assert any(tag == "table" for tag, _ in page.elements)
    labels = [a.get("aria-label", "") for tag, a in page.elements if tag == "button"]
    assert "Zoom in" in labels and "Zoom out" in labels


def test_the_same_every_time(tmp_path):
    assert run("map", VWW).stdout == run("map", VWW).stdout


def test_the_strategy_asked_for_comes_first():
    assert [row["name"] for row in page_of(VWW, "--strategy", "tflm").data["rows"]][:2] == [
        "tflm", "best"]
    assert page_of(VWW, "--strategy", "area-first").data["rows"][0]["name"] == "area-first"


def test_options_reach_the_plan():
    wide = page_of(VWW, "--align", "64").data["rows"][0]
    assert all(offset % 64 == 0 for offset in wide["offset"] if offset >= 0)
    resized = page_of(ROOT / M / "any_picture_float32.tflite", "--shape", "pictures=1,64,64,3")
    assert "1×64×64×3" in resized.data["shape"]
    pinned = page_of(VWW, "--pin", "#9").data
    at = pinned["index"].index(9)
    assert pinned["spans"][at] == [0, pinned["steps"]]


def test_a_model_on_standard_input():
    done = run("map", "-", stdin=VWW.read_bytes(), binary=True)
    assert done.returncode == 0 and Page(done.stdout.decode()).data["title"] == "standard input"


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    place = tmp_path / "map.html"
    place.write_text("old")
    assert run("map", "LICENSE", "-o", place).returncode == 3
    assert place.read_text() == "old"
    assert run("map", VWW, "-o", place).returncode == 0
    assert place.read_text().startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_what_is_no_file_is_not_replaced():
    done = run("map", VWW, "-o", "/dev/full")
    assert done.returncode == 4 and "no ordinary file" in done.stderr


def test_dynamic_tensors_are_left_out_and_told(tmp_path):
    path = need_corpus("models/litert")
    for model in sorted(path.rglob("*.tflite")):
        if run("report", model).returncode == 5:
            done = run("map", model, "-o", tmp_path / "map.html")
            assert done.returncode == 5 and "not on the map" in done.stderr
            assert Page((tmp_path / "map.html").read_text()).data["partial"] is True
            return
    pytest.skip("no model with a dynamic tensor in the corpus")


# --- names --------------------------------------------------------------------------


def hidden_from_markup(name):
    """As the tool writes it: bytes that are no UTF-8 as \\xNN."""
    return name.decode("utf-8", "backslashreplace")


def test_hostile_names_are_data_and_nothing_else(tmp_path):
    path = tmp_path / "<img src=x onerror=alert(1)>&\".tflite"
    path.write_bytes(hostile_model())
    page, plain = page_of(path), page_of(VWW)
    # The same elements as any other page: no name became one, or an attribute.
    assert page.elements[4:] == plain.elements[4:]
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in plain.elements]
    assert page.raw["script"] == plain.raw["script"]
    # And every name is there, as it was.
    names = set(page.data["name"])
    for name in HOSTILE:
        assert hidden_from_markup(name) in names, name
    assert "<img src=x" in page.data["title"]
    assert set("<>&") & set(page.raw["application/json"]) == set()
    assert page.raw["application/json"].isascii()


def test_hostile_names_in_a_picture(tmp_path):
    path = tmp_path / "<b>.tflite"
    path.write_bytes(hostile_model())
    done = run("map", path, "--format", "svg")
    assert done.returncode == 0
    tree = ElementTree.fromstring(done.stdout)
    assert {element.tag.rpartition("}")[2] for element in tree.iter()} == {
        "svg", "title", "desc", "style", "rect", "text", "path"}
    titles = [title.text or "" for title in tree.iter("{http://www.w3.org/2000/svg}title")]
    assert any("</script><script>" in title for title in titles)
    assert any("\\xff" in title for title in titles)
    for element in tree.iter():
        assert not any(name.startswith("on") or "href" in name for name in element.attrib)


def test_a_long_name_is_cut_between_characters(tmp_path):
    path = tmp_path / "long.tflite"
    path.write_bytes(pack([tensor("é" * 4000, [1, 4]), tensor("b", [1, 4])], [([0], [1])], [0], [1]))
    assert page_of(path).data["name"][0] == "é" * 500


# --- lists of buffers ---------------------------------------------------------------

CSV = "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\n"


def csv_page(tmp_path, text, *options, code=0, name="list.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return page_of(path, *options, code=code)


def test_a_list_of_buffers(tmp_path):
    data = csv_page(tmp_path, CSV).data
    assert data["csv"] and data["name"] == ["b1", "b2", "b3"]
    assert data["times"] == [0, 3, 9] and data["spans"] == [[0, 1], [1, 2], [0, 2]]
    rows = {row["name"]: row for row in data["rows"]}
    assert list(rows) == ["best", "size-best", "online", "none", "tflite", "tflm"]
    assert rows["best"]["peak"] == rows["best"]["bound"] == 8
    assert rows["none"]["peak"] == 12 and rows["best"]["live"] == [8, 8]


@pytest.mark.parametrize("text", [
    CSV.replace("\n", "\r\n"), "\ufeff" + CSV, CSV.rstrip("\n"), CSV.replace("\n", "\n\n"),
    "size, upper ,lower,id\n4,3,0,b1\n4,9,3,b2\n4,9,0,b3\n", CSV.replace(",", " , "),
    "buffer_id,start,end,size\nb1,0,2,4\nb2,3,8,4\nb3,0,8,4\n",
    'buffer,begin,upper,size,hint\n"b1" ,0,3,4,7\n"b2",3,9,"4",\n b3,0,9,4,x\n'])
def test_other_ways_to_write_the_same_list(tmp_path, text):
    expected = csv_page(tmp_path, CSV).data
    assert csv_page(tmp_path, text).data == expected


def test_a_list_is_known_by_its_first_line(tmp_path):
    assert csv_page(tmp_path, CSV, name="buffers.txt").data["csv"]


def test_offsets_of_the_list_come_first_and_are_judged(tmp_path):
    good = "id,lower,upper,size,offset\na,0,2,4,0\nb,1,3,4,4\n"
    data = csv_page(tmp_path, good).data
    assert data["rows"][0]["name"] == "given" and data["rows"][0]["sound"]
    assert data["rows"][0]["peak"] == 8 and data["rows"][0]["proven"]
    data = csv_page(tmp_path, good.replace("b,1,3,4,4", "b,1,3,4,3"), code=1).data
    assert not data["rows"][0]["sound"] and data["rows"][0]["peak"] == 7
    assert data["rows"][1]["peak"] == 8


def test_gaps_of_the_list(tmp_path):
    text = "id,lower,upper,size,gaps\na,0,9,4,2-4 6-7\nb,2,4,4,\nc,6,7,4,\n"
    data = csv_page(tmp_path, text).data
    assert data["times"] == [0, 2, 4, 6, 7, 9]
    assert data["spans"][0] == [0, 1, 2, 3, 4, 5] and data["rows"][0]["peak"] == 4
    inclusive = "id,start,end,size,gaps\na,0,8,4,2-3 6-6\nb,2,3,4,\nc,6,6,4,\n"
    assert csv_page(tmp_path, inclusive).data == data


def test_quotes_and_names_of_the_list(tmp_path):
    text = 'id,lower,upper,size,name\n"a,""b""",0,2,3,\nc,0,2,3,"x, y"\n"d,0,2,3,\n'
    data = csv_page(tmp_path, text).data
    assert data["name"] == ['a,"b"', "x, y", '"d']


def test_alignment_of_the_list(tmp_path):
    text = "id,lower,upper,size,alignment\na,0,2,3,1\nb,0,2,3,8\n"
    best = csv_page(tmp_path, text).data["rows"][0]
    assert best["offset"][1] % 8 == 0 and best["peak"] == 6


BAD_LISTS = {
    "": "line 1: an empty file", "\n\n": "empty",
    "a,b,c\n1,2,3\n": "line 1, column 1: columns are", "id,lower,upper\n": "a column size",
    "id,id,lower,upper,size\n": "line 1, column 2: this column was named before",
    "id,lower,upper,size,colour\n": "column 5: columns are",
    "id,lower,upper,size\na,1,1,4\n": "line 2, column 2: a life has to end",
    "id,lower,upper,size\na,2,1,4\n": "line 2, column 2: a life has to end",
    "id,lower,upper,size\na,0,1\n": "line 2: has not as many",
    "id,lower,upper,size\na,0,1,2,3\n": "line 2",
    "id,lower,upper,size\na,0,1,x\n": "line 2, column 4: not a whole number",
    "id,lower,upper,size\na,-1,1,2\n": "column 2: not a whole number from 0 to 2^63 - 1: '-1'",
    "id,lower,upper,size\n\na,0,1,\n": "line 3, column 4: not a whole number",
    "id,lower,upper,size\na,0,1,99999999999999999999\n": "not a whole number",
    "id,lower,upper,size\na,0,1,9223372036854775808\n": "not a whole number",
    "id,lower,upper,size,alignment\na,0,1,2,3\n": "power of two",
    "id,lower,upper,size,alignment\na,0,1,2,0\n": "power of two",
    "id,lower,upper,size\n" + "," * 40 + "\n": "more columns",
    "id,lower,upper,size,gaps\na,0,9,4,3\n": "gaps are written",
    "id,lower,upper,size,gaps\na,0,9,4,3-\n": "gaps are written",
    "id,lower,upper,size,gaps\na,0,9,4,0-3\n": "inside the life",
    "id,lower,upper,size,gaps\na,0,9,4,5-9\n": "inside the life",
    "id,lower,upper,size,gaps\na,0,9,4,5-6 3-4\n": "gaps ascend",
    "id,lower,upper,size,gaps\na,0,9,4,4-3\n": "gaps ascend",
}
# What is no mistake, but more than is served.
MORE_LISTS = {
    "id,lower,upper,size\na,0,1,9007199254740993\n": "2^53",
    "id,lower,upper,size\na,0,9007199254740993,1\n": "2^53",
    "id,lower,upper,size,region\na,0,1,1,0\nb,0,1,1,1\n": "line 3, column 5: several regions",
    "id,lower,upper,size,gaps\na,0,9,4,3-4@0:2\n": "line 2, column 5: a gap that frees only a part",
    "id,lower,upper,size,model\na,0,1,1,x\nb,0,1,1,y\n": "line 3, column 5: the buffers of several",
}


@pytest.mark.parametrize("number", range(len(MORE_LISTS)))
def test_a_list_that_asks_for_more_is_told_with_its_line(tmp_path, number):
    text, words = list(MORE_LISTS.items())[number]
    path = tmp_path / "more.csv"
    path.write_text(text)
    done = run("map", path, "-o", tmp_path / "map.html")
    assert done.returncode == 5 and words in done.stderr


@pytest.mark.parametrize("number", range(len(BAD_LISTS)))
def test_a_damaged_list_is_told_with_its_line(tmp_path, number):
    text, words = list(BAD_LISTS.items())[number]
    path = tmp_path / "bad.csv"
    path.write_text(text)
    done = run("map", path, "-o", tmp_path / "map.html")
    assert done.returncode == 3 and words in done.stderr
    assert done.stderr.startswith("berth: ") and "Sanitizer" not in done.stderr
    assert list(tmp_path.iterdir()) == [path]


def test_more_bytes_than_a_page_can_show(tmp_path):
    path = tmp_path / "huge.csv"
    path.write_text("id,lower,upper,size\na,0,1,9007199254740992\nb,0,1,1\n")
    done = run("map", path)
    assert done.returncode == 5 and "2^53" in done.stderr and done.stdout == ""


def test_an_empty_list_is_an_empty_map(tmp_path):
    data = csv_page(tmp_path, "id,lower,upper,size\n").data
    assert data["bytes"] == [] and data["steps"] == 0 and data["rows"][0]["peak"] == 0
    (tmp_path / "list.svg.csv").write_text("id,lower,upper,size\n")
    assert ElementTree.fromstring(run("map", tmp_path / "list.svg.csv", "--format", "svg").stdout)


def test_hostile_names_of_buffers(tmp_path):
    rows = b"".join(b"%s,0,%d,4\n" % (name.replace(b",", b";").replace(b"\n", b" "), i + 1)
                    for i, name in enumerate(HOSTILE) if b"\0" not in name)
    page = csv_page(tmp_path, b"id,lower,upper,size\n" + rows)
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in page_of(VWW).elements]
    assert any("</script><script>" in name for name in page.data["name"])


def test_a_list_of_any_bytes_is_refused_or_drawn(tmp_path):
    seed = 1
    path = tmp_path / "any.csv"
    for round_ in range(120):
        data = bytearray(CSV.encode())
        for _ in range(1 + round_ % 5):
            seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
            data[seed % len(data)] = seed >> 40 & 255
        path.write_bytes(bytes(data))
        done = run("map", path, binary=True)
        assert done.returncode in (0, 3), (round_, bytes(data), done.stderr)
        assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr


# --- pictures -----------------------------------------------------------------------


def test_a_picture_has_a_rectangle_for_each_life():
    for path in bundled_models():
        data = page_of(path).data
        tree = ElementTree.fromstring(run("map", path, "--format", "svg").stdout)
        rectangles = [e for e in tree.iter("{http://www.w3.org/2000/svg}rect")
                      if e.get("class", "").startswith("t")]
        lives = sum(len(spans) // 2 for i, spans in enumerate(data["spans"])
                    if data["rows"][0]["offset"][i] >= 0 and data["bytes"][i] > 0)
        assert len(rectangles) == lives
        assert b"<script" not in run("map", path, "--format", "svg", binary=True).stdout


def test_a_long_model_is_one_page(tmp_path):
    path = tmp_path / "long.tflite"
    path.write_bytes(long_model(2000))
    data = page_of(path).data
    assert data["steps"] == 2000 and len(data["name"]) == 2001
    best = data["rows"][0]
    alive = [i for i, spans in enumerate(data["spans"])
             if spans[0] <= best["peakStep"] < spans[1]]
    assert data["name"][max(alive, key=lambda i: data["bytes"][i])] == "layer/peak"
