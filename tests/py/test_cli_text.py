"""What berth prints for people: transcripts in tests/cli/*.out, and the rules that
every page keeps. BERTH_REWRITE=1 writes the transcripts anew; look at the diff."""

import json
import os
import re

import pytest

from support import ROOT, bundled_models, need_corpus, run

TRANSCRIPTS = ROOT / "tests" / "cli"
M = "examples/models/"

CASES = {
    **{path.stem: ["report", M + path.name] for path in bundled_models()},
    "budget_fits": [M + "vww96_int8.tflite", "--budget", "76K"],
    "budget_fails": [M + "vww96_int8.tflite", "--budget", "32K"],
    "tensors_and_ops": [M + "loop_float32.tflite", "--tensors", "--ops"],
    "keep_and_pin": [M + "kws_dscnn_int8.tflite", "--keep", "#3", "--pin", "#6"],
    "strategy_online": [M + "residual_float32.tflite", "--strategy", "online"],
    "strategy_tflm": [M + "residual_float32.tflite", "--strategy", "tflm"],
    "all_strategies": [M + "detector_int8.tflite", "--all-strategies"],
    "align_64": [M + "residual_float32.tflite", "--align", "64"],
    "runtime_tflm": [M + "hotword_svdf_int8.tflite", "--target", "m55", "--kernels", "cmsis-nn",
                     "--expect-arena", "4K"],
    "runtime_all": [M + "vww96_int8.tflite", "--runtime", "all"],
    "runtime_drift": [M + "kws_dscnn_int8.tflite", "--target", "m4", "--kernels", "reference",
                      "--kernels", "cmsis-nn"],
    "several": [M + "vww96_int8.tflite", M + "detector_int8.tflite", "--budget", "76K"],
    "help": ["--help"],
    "help_report": ["report", "--help"],
}


def page(arguments, **options):
    done = run(*arguments, **options)
    return f"$ berth {' '.join(arguments)}\n{done.stdout}{done.stderr}[exit {done.returncode}]\n"


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("name", CASES)
def test_transcript(name):
    path = TRANSCRIPTS / f"{name}.out"
    said = page(CASES[name])
    if os.environ.get("BERTH_REWRITE"):
        path.write_text(said)
    assert said == path.read_text()


def test_every_transcript_has_its_case():
    assert {path.stem for path in TRANSCRIPTS.glob("*.out")} == set(CASES)


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
@pytest.mark.parametrize("more", [[], ["--budget", "1"], ["--tensors", "--ops"]],
                         ids=["plain", "unfit", "lists"])
def test_page_is_narrow_and_short(path, more):
    lines = run(path, *more).stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert all(line == line.rstrip() for line in lines)
    if "--ops" not in more:
        assert len(lines) <= 45


def test_the_same_every_time():
    first = run(M + "detector_int8.tflite", "--tensors", "--ops").stdout
    assert first and first == run(M + "detector_int8.tflite", "--tensors", "--ops").stdout


def test_report_may_be_left_out():
    assert run(M + "vww96_int8.tflite").stdout == run("report", M + "vww96_int8.tflite").stdout


@pytest.mark.parametrize("runtime, least", [("tflm", 73728), ("litert", 82944), ("all", 82944)])
def test_a_budget_is_one_of_the_runtime_asked_for(runtime, least):
    """berth's own 55,296 bytes are no answer for somebody else's arena."""
    model = M + "vww96_int8.tflite"
    done = run(model, "--runtime", runtime, "--budget", "60000")
    assert done.returncode == 1 and "fits in 60,000 bytes: no" in done.stdout
    missing = max(int(number.replace(",", "")) for number in
                  re.findall(r"no, ([\d,]+) missing", done.stdout))
    assert missing >= least - 60000
    exact = str(60000 + missing)
    assert run(model, "--runtime", runtime, "--budget", exact).returncode == 0
    assert run(model, "--runtime", runtime, "--budget", str(int(exact) - 1)).returncode == 1


def test_a_budget_cannot_be_told_of_a_runtime_without_a_number():
    model = need_corpus("models/generated/where_rows_float32.tflite")
    done = run(model, "--runtime", "litert", "--budget", "1G", "--format", "json")
    assert done.returncode == 5 and json.loads(done.stdout)["budget"]["fits"] is None
    done = run(model, "--runtime", "tflm", "--budget", "1", "--format", "json")
    assert done.returncode == 5 and json.loads(done.stdout)["budget"]["fits"] is None


def test_several_files_give_a_row_each_of_the_runtime():
    files = [M + "vww96_int8.tflite", M + "loop_float32.tflite", M + "any_picture_float32.tflite"]
    done = run(*files, "--runtime", "all")
    head, *rows = [line.split() for line in done.stdout.splitlines()]
    assert head == ["file", "tflm", "arena", "head", "tail", "litert", "persistent", "verdict"]
    assert [row[1] for row in rows] == ["103,392", "4,544", "-"] and "will not start" in done.stdout
    head, *rows = [line.split() for line in run(*files, "--runtime", "litert").stdout.splitlines()]
    assert head == ["file", "litert", "persistent", "verdict"] and rows[0][1] == "108,288"
    done = run(*files[:2], "--target", "m4", "--kernels", "reference", "--kernels", "cmsis-nn")
    assert "2nd kernels" in done.stdout.splitlines()[0]


def test_drift_names_what_changed_and_by_how_much():
    model = M + "vww96_int8.tflite"
    done = run(model, "--target", "m4", "--kernels", "reference", "--kernels", "cmsis-nn")
    assert "100,720   48 more" in done.stdout
    assert re.search(r"and \d+ more; --format json has all", done.stdout)
    done = run(model, "--target", "m4", "--kernels", "cmsis-nn@7.0.0", "--kernels", "cmsis-nn")
    assert "no operator takes anything else" in done.stdout


def test_an_arena_is_not_right_for_a_model_that_will_not_start():
    model = M + "any_picture_float32.tflite"
    done = run(model, "--target", "m4", "--expect-arena", "1M")
    assert done.returncode == 5 and "will not start" in done.stdout
    assert "expected" not in done.stdout


def test_lists_that_are_asked_for_follow_the_page_of_a_runtime():
    done = run(M + "vww96_int8.tflite", "--runtime", "tflm", "--tensors", "--ops")
    assert "where berth's own plan puts them" in done.stdout
    assert "bytes in use in each of" in done.stdout and "#30 " in done.stdout


def test_long_names_are_cut_with_a_mark():
    lines = run(M + "vww96_int8.tflite", "./" + M + "loop_float32.tflite").stdout.splitlines()
    assert all(line.startswith("\N{HORIZONTAL ELLIPSIS}") for line in lines[1:])
    assert len({len(line.rsplit("  ", 1)[0]) for line in lines}) == 1


def test_options_may_come_first_or_last():
    model = M + "vww96_int8.tflite"
    assert run("--budget", "1M", model).stdout == run(model, "--budget=1M").stdout


def test_standard_input_is_a_file_too():
    data = (ROOT / M / "vww96_int8.tflite").read_bytes()
    piped = run("-", stdin=data, binary=True).stdout.decode()
    named = run(M + "vww96_int8.tflite").stdout
    assert piped.splitlines()[1:] == named.splitlines()[1:]
    assert piped.startswith("standard input ")


def test_the_rows_of_the_text_add_up():
    text = run(M + "stream_int8.tflite").stdout
    value = {name: int(number.replace(",", "")) for name, number in
             re.findall(r"^    (arena|state|books|padding|total)[^\d]*? +([\d,]+)", text, re.M)}
    assert value["total"] == (value["arena"] + value["state"] + value["books"]
                              + value.get("padding", 0))


def test_version_is_that_of_the_header():
    header = (ROOT / "include" / "berth" / "base.h").read_text()
    assert run("--version").stdout == f'berth {re.search(r"VERSION .(.*?).$", header, re.M)[1]}\n'
