#!/usr/bin/env python3
"""What each rule of lifetimes is worth over the corpus: berth report --what-if on every
model that has a number.

  bench/what_if.py [--berth BIN] [--corpus DIR] [--lag N ...]

A row for each rule: the models where it makes a difference, the least, median and most
change of the arena among those, in percent, how many of its plans are proven least, and
the model that it moves most. Then the cost of a lag, step by step, over all models.
"""

import argparse
import os
import statistics
import sys
from pathlib import Path

from corpus import ROOT, ask, models


def changes_of(berth, files):
    """{rules: [(percent, model, proven), ...]}"""
    rules = {}
    for path in files:
        value = ask(berth, path, "--what-if")
        if value["error"] is not None or not value["ledger"]["arena_bytes"]:
            continue
        for row in value["what_if"]:
            percent = 100 * row["change_bytes"] / value["ledger"]["arena_bytes"]
            rules.setdefault(" ".join(row["turned"]), []).append(
                (percent, path.stem, row["proven"]))
    return rules


def print_rules(rules):
    print(f"{'rule':28} {'models':>10} {'least':>8} {'median':>8} {'most':>8} {'proven':>9}  moved most")
    for name, rows in rules.items():
        moved = sorted(row for row in rows if row[0])
        proven = f"{sum(row[2] for row in rows)}/{len(rows)}"
        count = f"{len(moved)}/{len(rows)}"
        if not moved:
            print(f"{name:28} {count:>10} {'':>26} {proven:>9}")
            continue
        percents = [row[0] for row in moved]
        print(f"{name:28} {count:>10} {percents[0]:+7.1f}% {statistics.median(percents):+7.1f}% "
              f"{percents[-1]:+7.1f}% {proven:>9}  {max(moved, key=lambda row: abs(row[0]))[1]}")


def print_lags(berth, files, lags):
    plain = {path: ask(berth, path) for path in files}
    known = [path for path in files if plain[path]["error"] is None
             and plain[path]["ledger"]["arena_bytes"]]
    for lag in lags:
        grown = [100 * (ask(berth, path, "--lag", str(lag))["ledger"]["arena_bytes"]
                        / plain[path]["ledger"]["arena_bytes"] - 1) for path in known]
        print(f"--lag {lag}: median {statistics.median(grown):+.1f} %, "
              f"most {max(grown):+.1f} %, {sum(not one for one in grown)} of {len(grown)} the same")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--berth", default=ROOT / "build" / "release" / "berth")
    parser.add_argument("--corpus", type=Path,
                        default=os.environ.get("BERTH_CORPUS") or ROOT.parent / "shared")
    parser.add_argument("--lag", type=int, nargs="*", default=[1, 2, 4])
    given = parser.parse_args()
    files = models(given.corpus)
    if not files:
        print(f"no models in {given.corpus} (BERTH_CORPUS)", file=sys.stderr)
        return 1
    print_rules(changes_of(given.berth, files))
    print_lags(given.berth, files, given.lag)
    return 0


if __name__ == "__main__":
    sys.exit(main())
