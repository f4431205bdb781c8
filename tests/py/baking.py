"""A model, its baked copy, and TFLM running both: rows for tests and for bench."""

import json
import subprocess
import sys
from pathlib import Path

from support import CORPUS, run

LIVE = Path(__file__).with_name("bake_live.py")
STEPS = 2  # of the same interpreter, so that state shows
SKIP = {".txt", ".py", ".tsv", ".md", ".json"}


def corpus_models():
    """[(path, key)]: the key is the path below models."""
    folder = CORPUS / "models"
    return [(path, str(path.relative_to(folder))) for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in SKIP and path.name != "SHA256SUMS"]


def bake(path, out, *more):
    """(exit code, what it says, or the complaint)"""
    done = run("bake", path, "--tflm", "-o", out, "--target", "pypi", "--format", "json", *more,
               timeout=60)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr.strip()


def live(path, key, arena, steps=STEPS, timeout=600):
    """What TFLM says of one run, in a process of its own. One that takes longer has its
    sizes, and `late`."""
    request = {"path": str(path), "key": key, "arena": arena, "steps": steps}
    try:
        done = subprocess.run([sys.executable, str(LIVE)], input=json.dumps(request) + "\n",
                              capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as late:
        started = (late.stdout or b"").split(b"\n")[0]
        return {**json.loads(started), "late": True} if started else \
            {"refused": f"does not start within {timeout} s"}
    lines = done.stdout.splitlines()
    answer = json.loads(lines[-1]) if lines else {}
    return answer if {"outputs", "refused"} & set(answer) else \
        {"refused": f"exit {done.returncode}"}


def generous(arena_bytes):
    return (arena_bytes + arena_bytes // 4 + (1 << 16)) // 16 * 16


def stock_row(path, key, folder, timeout):
    """A model that cannot profit: what TFLM takes stays. Its figures come with the header."""
    done = run("bake", path, "--tflm", "--header", Path(folder) / "stock.h", "--target", "pypi",
               "--format", "json", timeout=60)
    said = json.loads(done.stdout)
    stock = live(path, key, generous(said["before"]["arena_min_bytes"]), timeout=timeout)
    return {"model": key, "before": said["before"], "after": said["after"],
            "bound": said["bound_bytes"], "stock": stock, "baked": stock,
            "verdict": stock.get("refused") or "cannot profit"}


def verdict_of(stock, baked):
    if stock.get("refused"):
        return stock["refused"]
    if stock.get("late") or baked.get("late"):
        return "late"
    return "equal" if stock["outputs"] == baked.get("outputs") else "differs"


def row(path, key, folder, *more, timeout=600):
    """Stock and baked side by side. `verdict`: equal, differs, late (the sizes are there,
    but one run takes too long), or why there is nothing to compare."""
    out = Path(folder) / "baked.tflite"
    try:
        code, said = bake(path, out, *more)
    except subprocess.TimeoutExpired:
        return {"model": key, "verdict": "bake takes too long"}
    if code == 1:
        return stock_row(path, key, folder, timeout)
    if code != 0:
        return {"model": key, "verdict": said.split(": ")[-1]}
    before, after = said["before"], said["after"]
    stock = live(path, key, generous(before["arena_min_bytes"]), timeout=timeout)
    baked = live(out, key, generous(after["arena_min_bytes"]), timeout=timeout)
    return {"model": key, "before": before, "after": after, "bound": said["bound_bytes"],
            "stock": stock, "baked": baked, "verdict": verdict_of(stock, baked)}
