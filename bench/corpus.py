#!/usr/bin/env python3
"""Runs berth over every file of the corpus and prints a row each, then a summary.

  bench/corpus.py [--berth BIN] [--corpus DIR] [--repeat N] [--verdicts]

Columns: verdict, operators, steps, peak of best, its bound, peaks of tflite, tflm
and none, milliseconds (median of N runs, by berth's own clock: verify to both
judges), of which the planner and the peers took how much, milliseconds of processor
time of the whole command (which a busy machine does not stretch), lent bytes. The
summary answers the issue's questions: how often best
meets its bound, whether a peer is ever below best at the peer's own alignment
(64 for tflite, 16 for tflm), the median time, lent bytes per step and tensor.

--verdicts writes tests/golden/verdicts.tsv anew instead. Times depend on the
machine and are told, never tested.
"""

import argparse
import csv
import json
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIP = {".txt", ".py", ".tsv", ".md", ".json"}

# Where best is above a peer or its bound, and why.
EXCEPTIONS = ROOT / "tests" / "golden" / "best_exceptions.tsv"


def causes():
    with EXCEPTIONS.open() as file:
        lines = (line for line in file if not line.startswith("#"))
        return {(row["against"], row["model"]): row["cause"]
                for row in csv.DictReader(lines, delimiter="\t")}


def models(corpus):
    folder = corpus / "models"
    return [path for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in SKIP and path.name != "SHA256SUMS"]


def ask(berth, path, *more):
    done = subprocess.run([berth, path, "--format", "json", *more],
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def cpu_seconds():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def row_of(berth, corpus, path, repeat):
    runs = []
    cpu = []
    for _ in range(repeat):
        began = cpu_seconds()
        runs.append(ask(berth, path, "--timings"))
        cpu.append(cpu_seconds() - began)
    value = runs[0]
    row = {"model": str(path.relative_to(corpus / "models")), "verdict": value["verdict"],
           "exit": value["exit_code"], "operators": value.get("model", {}).get("operators"),
           "tensors": value.get("model", {}).get("tensors"), "steps": value.get("step_count"),
           "lent": value["lent_bytes"],
           "cpu": 1000 * statistics.median(cpu)}
    for name, stage in (("ms", "total"), ("plan", "plan"), ("peers", "peers")):
        row[name] = statistics.median(run["timings_us"][stage] for run in runs) / 1000
    rows = {one["name"]: one for one in value.get("strategies", [])}
    for name in ("best", "tflite", "tflm", "none"):
        row[name] = rows.get(name, {}).get("peak_bytes")
    row["bound"] = rows.get("best", {}).get("bound_bytes")
    row["unsound"] = rows.get("tflite", {}).get("sound") is False
    if row["tflite"] is not None:
        wide = {one["name"]: one for one in ask(berth, path, "--align", "64")["strategies"]}
        row["best64"] = wide["best"]["peak_bytes"]
    return row


def number(value):
    return "-" if value is None else f"{value:,}"


def print_rows(rows):
    print(f"{'model':58} {'verdict':9} {'ops':>6} {'best':>12} {'bound':>12} {'tflite':>12} "
          f"{'tflm':>12} {'none':>13} {'ms':>8} {'plan':>8} {'peers':>7} {'cpu':>7} {'lent':>11}")
    for row in rows:
        print(f"{row['model'][-58:]:58} {row['verdict']:9} {number(row['operators']):>6} "
              f"{number(row['best']):>12} {number(row['bound']):>12} "
              f"{number(row['tflite']):>12} {number(row['tflm']):>12} "
              f"{number(row['none']):>13} {row['ms']:8.2f} {row['plan']:8.2f} {row['peers']:7.2f} "
              f"{row['cpu']:7.1f} {number(row['lent']):>11}")


def lent_share(row):
    return row["lent"] / (65536 + 300 * (row["steps"] + row["tensors"]))


def summarise(rows):
    why = causes()
    solved = [row for row in rows if row["best"] is not None]
    open_ = [row for row in solved if row["best"] != row["bound"]]
    print(f"\n{len(rows)} files; best has a number for {len(solved)} and meets its bound on "
          f"{len(solved) - len(open_)} ({100 * (len(solved) - len(open_)) / len(solved):.1f} %)")
    for row in open_:
        print(f"  above its bound: {row['model']} {row['best']:,} > {row['bound']:,} "
              f"(+{100 * (row['best'] / row['bound'] - 1):.2f} %): "
              f"{why.get(('bound', row['model']), 'NO CAUSE KNOWN')}")
    for peer, mine in (("tflite", "best64"), ("tflm", "best")):
        both = [row for row in rows if row.get(mine) is not None and row[peer] is not None]
        beaten = [row for row in both if row[mine] > row[peer]]
        print(f"best at {peer}'s alignment: above it on {len(beaten)} of {len(both)} files")
        for row in beaten:
            print(f"  above {peer}: {row['model']} {row[mine]:,} > {row[peer]:,}: "
                  f"{why.get((peer, row['model']), 'NO CAUSE KNOWN')}")
    print(f"unsound tflite plans: {sum(row['unsound'] for row in rows)}")
    print(f"median {statistics.median(row['ms'] for row in solved):.2f} ms, "
          f"{statistics.median(row['cpu'] for row in solved):.1f} ms of processor time; slowest:")
    for row in sorted(solved, key=lambda row: -row["cpu"])[:3]:
        print(f"  {row['model']}, {row['operators']:,} operators: {row['ms']:.1f} ms, "
              f"{row['cpu']:.1f} ms of processor time")
    nearest = max(solved, key=lent_share)
    print(f"most lent against 64 KB + 300 per step and tensor: {nearest['model']} "
          f"{100 * lent_share(nearest):.1f} %")
    limit = [row for row in solved if lent_share(row) > 1]
    print(f"lent bytes above 64 KB + 300 per step and tensor: {len(limit)}")
    for row in limit:
        print(f"  {row['model']}: {row['lent']:,} for {row['steps']} steps and "
              f"{row['tensors']} tensors")


def write_verdicts(rows):
    path = ROOT / "tests" / "golden" / "verdicts.tsv"
    with path.open("w") as file:
        file.write("# What berth report says of every file of the corpus; made by\n"
                   "# bench/corpus.py --verdicts, held by tests/py/test_corpus_report.py.\n"
                   "model\texit\tverdict\n")
        for row in rows:
            file.write(f"{row['model']}\t{row['exit']}\t{row['verdict']}\n")
    print(f"{len(rows)} rows in {path.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--berth", default=os.environ.get("BERTH_BIN")
                        or ROOT / "build" / "release" / "berth")
    parser.add_argument("--corpus", type=Path, default=os.environ.get("BERTH_CORPUS")
                        or ROOT.parent / "shared")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--verdicts", action="store_true")
    given = parser.parse_args()
    files = models(Path(given.corpus))
    if not files:
        print(f"no models in {given.corpus} (BERTH_CORPUS)", file=sys.stderr)
        return 1
    rows = [row_of(given.berth, Path(given.corpus), path, given.repeat) for path in files]
    if given.verdicts:
        write_verdicts(rows)
        return 0
    print_rows(rows)
    summarise(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
