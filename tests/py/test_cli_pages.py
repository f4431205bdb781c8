"""What each command says of itself: --help fits a terminal, and docs/man has a page that its own
table of options made. A new command without one fails here (docs/man/berth-NAME.1 is what
`berth NAME --man` prints)."""

import re

import pytest

from support import ROOT, run

COMMANDS = ["report", "plan", "check", "bake", "map", "run", "bench"]


def man_page_of(command):
    name = "berth.1" if command == "report" else f"berth-{command}.1"
    return ROOT / "docs" / "man" / name


def test_these_are_all_commands():
    listed = run("--help").stdout.partition("\ncommands\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (\w+)", listed, re.M) == COMMANDS
    assert set((ROOT / "docs" / "man").iterdir()) == set(map(man_page_of, COMMANDS))


@pytest.mark.parametrize("command", COMMANDS)
def test_man_page_is_made_from_the_table(command):
    assert run(command, "--man").stdout == man_page_of(command).read_text()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_and_man_page_name_every_option(command):
    lines = run(command, "--help").stdout
    from_help = set(re.findall(r"^  --([a-z-]+)", lines, re.M))
    from_man = {name.replace("\\-", "-") for name in re.findall(
        r"^\.B \\-\\-((?:[a-z]|\\-)+)", run(command, "--man").stdout, re.M)}
    assert from_help == from_man
    assert {"help", "version"} <= from_help
    assert all(len(line) <= 80 for line in lines.splitlines())
