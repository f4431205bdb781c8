"""A search that takes long, on a list whose least plan nobody knows: the line on a
terminal, Ctrl-C, --time. Nothing here asks how long anything took."""

import json
import os
import pty
import signal
import subprocess

import pytest

from support import BERTH, need_corpus, run

OPEN = "dsa/minimalloc/D.1048576.csv"


class OnTerminal:
    """berth with a terminal for standard error only; what it wrote there."""

    def __init__(self, *arguments, environment=None):
        self.leader, follower = pty.openpty()
        self.process = subprocess.Popen(
            [str(BERTH), *map(str, arguments)], stdin=subprocess.DEVNULL, stderr=follower,
            stdout=subprocess.PIPE, env={**os.environ, "TERM": "xterm", **(environment or {})})
        os.close(follower)
        self.said = b""

    def wait_for(self, word):
        """Reads until the word was written, or the terminal is closed."""
        while word not in self.said:
            try:
                got = os.read(self.leader, 4096)
            except OSError:  # the other side is closed
                return False
            if not got:
                return False
            self.said += got
        return True

    def finish(self):
        out = self.process.communicate(timeout=300)[0].decode()
        self.wait_for(b"\0")  # what is left
        os.close(self.leader)
        return self.process.returncode, out, self.said.decode()


@pytest.mark.parametrize("command", ["plan", "map"])
def test_ctrl_c_takes_the_best_so_far(tmp_path, command):
    path, out = need_corpus(OPEN), tmp_path / ("out.csv" if command == "plan" else "out.html")
    berth = OnTerminal(command, path, "-o", out, "--time", "1h")
    assert berth.wait_for(b"Ctrl-C takes it"), berth.said
    os.kill(berth.process.pid, signal.SIGINT)
    code, printed, said = berth.finish()
    assert code == 0 and "best" in printed
    # The line tells peak and bound, and is wiped away at the end.
    assert "best 1," in said and "none under 986,112" in said
    assert said.endswith("\r\x1b[K")
    if command == "plan":
        assert run("check", path, out).returncode == 0
    assert {file.name for file in tmp_path.iterdir()} == {out.name}


def test_ctrl_c_and_a_capacity_that_nothing_fits():
    """The exit code is the one that the best so far deserves."""
    berth = OnTerminal("plan", need_corpus(OPEN), "--time", "1h", "--capacity", "986112")
    assert berth.wait_for(b"Ctrl-C takes it"), berth.said
    os.kill(berth.process.pid, signal.SIGINT)
    code, printed, _ = berth.finish()
    assert code == 1 and "not known; found" in printed


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {}], ids=["dumb", "a file"])
def test_no_line_where_nobody_sees_it(environment, tmp_path):
    path = need_corpus(OPEN)
    if environment:
        berth = OnTerminal("plan", path, "--time", "1500ms", environment=environment)
        code, printed, said = berth.finish()
    else:
        done = run("plan", path, "--time", "1500ms")
        code, printed, said = done.returncode, done.stdout, done.stderr
    assert (code, said) == (0, "") and "best" in printed


def test_time_buys_no_worse_plan():
    path = need_corpus(OPEN)
    peaks = [json.loads(run("plan", path, "--time", time, "--format", "json").stdout)["peak_bytes"]
             for time in ("1ms", "300ms", "2s")]
    assert peaks == sorted(peaks, reverse=True)
