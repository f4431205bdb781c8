#!/usr/bin/env python3
"""Bakes every model of the corpus that TFLM runs, and runs both: a row each.

  bench/bake.py [--in-place] [--most-mb N] [--seconds N] [--match TEXT]

Columns: the head that stock TFLM takes, the head of the copy as predicted and as
measured, both smallest arenas as predicted, whether all outputs are equal to the byte
on the seeded inputs of goldens/README.md (two steps on one interpreter). A model that
cannot profit has no copy: its stock head stands in all columns. Why others are left out
is counted at the end. --in-place adds
--assume-reference-kernels. A model that does not end within --seconds is "not run": its
sizes are measured, its outputs are not. Needs build/venv (make test brings it) or any
Python with tflite-micro and numpy; the runs take minutes.
"""

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("BERTH_BIN", str(ROOT / "build" / "release" / "berth"))
sys.path.insert(0, str(ROOT / "tests" / "py"))

from baking import corpus_models, row  # noqa: E402

WORDS = {"late": "not run"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--in-place", action="store_true")
    parser.add_argument("--most-mb", type=float, default=64, help="larger files are left out")
    parser.add_argument("--seconds", type=int, default=20, help="for one run")
    parser.add_argument("--match", default="", help="only models with this in their path")
    chosen = parser.parse_args()
    more = ["--assume-reference-kernels"] if chosen.in_place else []
    left, wrong, late, saved = Counter(), 0, 0, []
    print(f"{'model':60} {'stock':>11} {'predicted':>11} {'measured':>11} {'arena':>11} "
          f"{'after':>11}  outputs")
    with tempfile.TemporaryDirectory() as folder:
        for path, key in corpus_models():
            if chosen.match not in key:
                continue
            if path.stat().st_size > chosen.most_mb * 2 ** 20:
                left["file too large"] += 1
                continue
            found = row(path, key, folder, *more, timeout=chosen.seconds)
            if found["verdict"] not in ("equal", "differs", "late", "cannot profit"):
                left[found["verdict"]] += 1
                continue
            before, after = found["before"], found["after"]
            head = found["baked"].get("head", 0)
            print(f"{key:60} {found['stock']['head']:11,} {after['head_bytes']:11,} {head:11,} "
                  f"{before['arena_min_bytes']:11,} {after['arena_min_bytes']:11,}  "
                  f"{WORDS.get(found['verdict'], found['verdict'])}", flush=True)
            if found["verdict"] == "cannot profit":
                left[found["verdict"]] += 1
                wrong += found["stock"]["head"] != before["head_bytes"]
                continue
            saved.append(1 - after["head_bytes"] / before["head_bytes"])
            late += found["verdict"] == "late"
            wrong += found["verdict"] == "differs" or head != after["head_bytes"]
    median = sorted(saved)[len(saved) // 2] if saved else 0
    print(f"\n{len(saved)} models gain, median {median:.1%} of the head; {wrong} wrong, "
          f"{late} not run to the end")
    for why, count in left.most_common():
        print(f"{count:4} left out: {why}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
