"""The what-if list: each row is what a run with that rule gives, and the reasons at the
peak are true of the schedule that the same report lists."""

import re

import pytest

from support import bundled_models, need_corpus, run
from test_cli_json import VWW, report

RULES = ["hold-inputs", "hold-outputs", "keep-inputs", "no-views", "no-in-place", "lag"]
MORE = [[], ["--lag", "2"], ["--hold-inputs", "--no-views"], ["--keep", "#0", "--align", "64"],
        ["--strategy", "size-best"], ["--no-in-place", "--hold-outputs", "--keep-inputs"]]
# Every model plain; what rules do to one another, on one with a loop and on one with state.
RUNS = [(path, []) for path in bundled_models()] + [
    (path, more) for path in bundled_models() if path.stem.split("_")[0] in ("loop", "stream")
    for more in MORE[1:]]


def name_of(part):
    return " ".join(part) or "plain" if isinstance(part, list) else part.stem


def with_rules(rules, turned):
    """The options of a run with other rules."""
    rules = {**rules, **{name: not rules[name] for name in turned}}
    return [word for name in RULES if rules[name]
            for word in ([f"--{name}"] if name != "lag" else ["--lag", str(int(rules["lag"]))])]


def without_rules(more):
    """Options that are no rules."""
    words = iter(more)
    return [word for word in words
            if not (word[2:] in RULES and (word != "--lag" or next(words)))]


def check_list(path, more, codes=(0, 5)):
    value = report(path, *more, "--what-if", codes=codes)
    arena = value["ledger"]["known_arena_bytes"]
    arenas = [row["arena_bytes"] for row in value["what_if"]]
    assert arenas == sorted(arenas)
    for row in value["what_if"]:
        assert row["change_bytes"] == row["arena_bytes"] - arena
        assert row["proven"] == (row["bound_bytes"] == row["arena_bytes"])
        options = with_rules(value["rules"], row["turned"]) + without_rules(more)
        alone = report(path, *options, codes=codes)
        assert alone["ledger"]["known_arena_bytes"] == row["arena_bytes"], options
        assert alone["ledger"]["known_total_bytes"] == row["total_bytes"]
        assert alone["what_if"] is None
        if row["same_problem"]:
            assert row["change_bytes"] == row["outside_bytes"] == 0
    return value


@pytest.mark.parametrize("path, more", RUNS, ids=name_of)
def test_a_row_is_what_a_run_with_that_rule_gives(path, more):
    check_list(path, more)


def test_every_rule_has_a_row_and_pairs_have_one():
    turned = [tuple(row["turned"]) for row in check_list(VWW, [])["what_if"]]
    assert sorted(turned) == sorted([(name,) for name in RULES] + [
        ("hold-inputs", "hold-outputs"), ("no-views", "no-in-place")])
    turned = [tuple(row["turned"]) for row in check_list(VWW, ["--hold-inputs"])["what_if"]]
    assert ("hold-inputs", "hold-outputs") not in turned


def test_what_leaves_the_arena_is_counted():
    rows = {tuple(row["turned"]): row for row in check_list(VWW, [])["what_if"]}
    both = ("hold-inputs", "hold-outputs")
    assert rows[both]["outside_bytes"] == 96 * 96 * 3 + 2
    assert sum(rows[(name,)]["outside_bytes"] for name in both) == rows[both]["outside_bytes"]
    held = report(VWW, "--hold-inputs", "--hold-outputs", "--tensors")
    assert held["ledger"]["of_which_io_bytes"] == 0
    ends = {end["index"] for end in held["inputs"] + held["outputs"]}
    assert all((t["offset"] is None) == (t["index"] in ends) for t in held["tensors"]
               if t["class"] in ("input", "output", "inner") and t["bytes"])


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_a_longer_lag_never_takes_less_than_the_bound_of_a_shorter(path):
    bound = 0
    for lag in (0, 1, 2, 3, 5, 8, 1000):
        value = report(path, "--lag", lag, codes=(0, 5))
        best = next(row for row in value["strategies"] if row["name"] == "best")
        if best["peak_bytes"] is not None:
            assert best["peak_bytes"] >= bound
            bound = best["bound_bytes"]


def test_a_lag_of_nothing_is_no_lag():
    assert report(VWW, "--lag", 0) == report(VWW)


@pytest.mark.parametrize("lag", [1, 2, 4])
@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_no_byte_is_taken_before_the_lag_is_over(path, lag):
    """Lives without a lag, places with it: for as many steps as the lag is, nobody who is
    born may lie on the bytes of the dead. Views and inputs of a callee are one buffer."""
    plain = report(path, "--tensors", codes=(0, 5))
    late = report(path, "--lag", lag, "--tensors", codes=(0, 5))
    spans = [t["spans"] for t in plain["tensors"]]
    places = [(t["offset"], t["bytes"]) for t in late["tensors"]]
    for i, (offset, size) in enumerate(places):
        for j, (other, length) in enumerate(places):
            if i == j or None in (offset, other) or not size or not length:
                continue
            if offset == other and "view" in (late["tensors"][i]["class"],
                                              late["tensors"][j]["class"]):
                continue
            if offset < other + length and other < offset + size:
                assert not any(born < dead + lag and dead <= born for _, dead in spans[i]
                               for born, _ in spans[j]), (i, j)


# --- reasons --------------------------------------------------------------------------

@pytest.mark.parametrize("path, more", RUNS, ids=name_of)
def test_who_is_alive_at_the_peak_has_a_reason(path, more):
    value = report(path, *more, "--ops", codes=(0, 5))
    peak = value["peak"]
    arena = value["ledger"]["known_arena_bytes"]
    for alive in peak["alive"]:
        assert abs(alive["permille"] - 1000 * alive["bytes"] / arena) <= 0.5
        if alive["reader"] is not None:
            assert peak["step"] < alive["reader"] < alive["span"][1]
        elif alive["role"] == "waiting":
            last = alive["span"][1] == value["step_count"]
            assert last or value["rules"]["lag"] or value["keep"], alive


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_the_page_names_the_reader(path):
    value = report(path, "--ops", codes=(0, 5))
    steps = {step["step"]: step for step in value["steps"]}
    text = run(path).stdout
    for alive in value["peak"]["alive"][:5]:
        if alive["reader"] is not None:
            reader = steps[alive["reader"]]
            assert f"op {reader['op_index']} {reader['op'][:16]}" in text


# --- the page -------------------------------------------------------------------------

def test_the_page_shows_the_list_where_it_is_cheap():
    text = run(VWW).stdout
    assert "what if, planned anew" in text and "nothing changes: " in text
    names = re.findall(r"^    ((?:without )?--[a-z- 1]+?)  ", text, re.M)
    assert "--lag 1" in names
    said = run(VWW, "--lag", "1", "--hold-inputs", "--what-if").stdout
    assert "without --lag" in said and "planned with --hold-inputs --lag 1" in said


@pytest.mark.parametrize("path", bundled_models(), ids=lambda path: path.stem)
def test_every_row_is_told_on_the_page(path):
    rows = report(path, "--what-if", codes=(0, 5))["what_if"]
    text = " ".join(run(path, "--what-if").stdout.split())
    assert all(row["text"] in text for row in rows)
    assert all(f"{row['arena_bytes']:,} {row['change_bytes']:+,} " in text for row in rows
               if row["change_bytes"])


def test_a_change_that_makes_it_fit_says_so():
    path = next(path for path in bundled_models() if path.stem.startswith("any_picture"))
    value = report(path, "--what-if")
    total = min(row["total_bytes"] for row in value["what_if"])
    assert total < value["ledger"]["total_bytes"]
    said = run(path, "--what-if", "--budget", total)
    assert said.returncode == 1
    lines = [line for line in said.stdout.splitlines() if line.endswith(", fits")]
    assert len(lines) == sum(row["total_bytes"] == total for row in value["what_if"])
    assert ", fits" not in run(path, "--what-if", "--budget", "1").stdout
    assert ", fits" not in run(path, "--what-if", "--budget", "1G").stdout


def test_what_is_costly_is_not_planned_unasked():
    path = need_corpus("models/generated/randwire_2000_float32.tflite")
    assert "costly here, see --what-if" in run(path).stdout
    assert "what if, planned anew" in run(path, "--what-if").stdout


@pytest.mark.parametrize("value", ["-1", "x", "", "16777217", "1.5"])
def test_a_lag_is_a_number_of_steps(value):
    done = run(VWW, f"--lag={value}")
    assert done.returncode == 2 and done.stderr.startswith("berth: --lag")


def test_the_list_follows_the_page_of_a_runtime_if_asked_for():
    assert "what if, planned anew" in run(VWW, "--runtime", "all", "--what-if").stdout
    assert "what if" not in run(VWW, "--runtime", "all").stdout


def test_several_files_have_no_list_unless_asked():
    both = report(VWW, VWW, "--what-if")
    assert all(one["what_if"] for one in both)
    assert all(one["what_if"] is None for one in report(VWW, VWW))
