#!/usr/bin/env python3
"""Runs the planner over lists of buffers and prints one table of all.

  bench/plan.py [--bench DIR] [--corpus DIR] [--best] [--quick] [LIST ...]

LIST: a CSV (id,lower,upper,size), or KIND:BUFFERS[:SEED]. Without any: the
instances of MiniMalloc and idealloc that the corpus has, and generated ones of
10,000 and 100,000 buffers (--quick: 10,000 only). Columns: buffers, the bound,
how far above it each greedy ends, the best plan, whether it is proven least or
how far above the bound it is, nodes, seconds of the processor, megabytes lent.
Then what others reach where it is known (bench/plan_peers.tsv), and what berth
does with the files of the corpus (bench/corpus.py prints a row for each).
Seconds belong to a machine. --best leaves the greedies out.
"""

import argparse
import csv
import io
import os
import subprocess
import sys
from pathlib import Path

from corpus import ROOT, models, row_of

PEERS = ROOT / "bench" / "plan_peers.tsv"
CAPACITY = 1048576  # what MiniMalloc's instances are to fit into
KINDS = ["training", "deep", "convnet", "random"]
FIXED = ["instance", "buffers", "bound", "best", "proven", "nodes", "seconds", "work_bytes"]


def read_tsv(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return list(csv.DictReader(io.StringIO("\n".join(lines)), delimiter="\t"))


def instances(corpus):
    return [str(path) for folder in ("minimalloc", "idealloc")
            for path in sorted((corpus / "dsa" / folder).glob("*.csv"))]


def plan_rows(bench, lists, *options):
    """A row for each list, as plan_bench makes it."""
    done = subprocess.run([bench / "plan_bench", "--tsv", *options, *lists], check=True,
                          capture_output=True, text=True)
    return read_tsv(done.stdout)


def above(peak, bound):
    gap = 100 * (int(peak) / int(bound) - 1)
    return "0" if gap == 0 else f"+{gap:.2f} %" if gap >= 0.005 else f"+{gap:.4f} %"


def verdict(row):
    return "proven" if row["proven"] == "1" else above(row["best"], row["bound"])


def markdown(header, rows):
    print("| " + " | ".join(header) + " |")
    print("| --- |" + " ---: |" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def print_plans(rows):
    greedies = [name for name in rows[0] if name not in FIXED]
    markdown(["instance", "buffers", "bound", *greedies, "best", "", "nodes", "s", "MB"],
             [[row["instance"], f"{int(row['buffers']):,}", f"{int(row['bound']):,}",
               *(above(row[name], row["bound"]) for name in greedies),
               f"{int(row['best']):,}", verdict(row), f"{int(row['nodes']):,}", row["seconds"],
               f"{int(row['work_bytes']) / 1e6:.2f}"] for row in rows])
    proven = sum(row["proven"] == "1" for row in rows)
    print(f"{len(rows)} lists, {proven} proven least, "
          f"{sum(float(row['seconds']) for row in rows):.1f} s\n")


def known_peers():
    return {row["instance"]: row for row in read_tsv(PEERS.read_text())}


def fit_rows(bench, lists):
    """MiniMalloc's question, for those of its lists: does it fit into 1 MiB?"""
    asked = [path for path in lists if path.endswith(f".{CAPACITY}.csv")]
    return plan_rows(bench, asked, "--best", "--capacity", str(CAPACITY)) if asked else []


def print_peers(rows, fits):
    known = known_peers()
    shown = [(row, known[row["instance"]]) for row in rows if row["instance"] in known]
    if shown:
        print("Others, as quoted in bench/plan_peers.tsv (MiniMalloc: peak, seconds; idealloc: "
              "above the load):\n")
        markdown(["instance", "MiniMalloc", "s", "idealloc", "s", "berth", "", "s"],
                 [[row["instance"], peer["minimalloc"], peer["minimalloc_seconds"],
                   f"+{peer['idealloc_gap']} %", peer["idealloc_seconds"], row["best"],
                   verdict(row), row["seconds"]] for row, peer in shown])
    if fits:
        print(f"Does it fit into {CAPACITY:,}?\n")
        markdown(["instance", "peak", "nodes", "s", "MiniMalloc, s"],
                 [[row["instance"], row["best"] if int(row["best"]) <= CAPACITY else "not found",
                   row["nodes"], row["seconds"], known[row["instance"]]["minimalloc_seconds"]]
                  for row in fits])
        print(f"{sum(int(row['best']) <= CAPACITY for row in fits)} of {len(fits)} fit, "
              f"{sum(float(row['seconds']) for row in fits):.2f} s in all\n")


def print_corpus(berth, corpus):
    rows = [row_of(berth, corpus, path, 1) for path in models(corpus)]
    solved = [row for row in rows if row["best"] is not None]
    proven = [row for row in solved if row["best"] == row["bound"]]
    if rows:
        print(f"Models of the corpus: {len(rows)} files, {len(solved)} planned, "
              f"{len(proven)} proven least.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=ROOT / "build" / "release" / "bench")
    parser.add_argument("--corpus", type=Path,
                        default=os.environ.get("BERTH_CORPUS") or ROOT.parent / "shared")
    parser.add_argument("--best", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("lists", nargs="*")
    given = parser.parse_args()
    sizes = [10_000] if given.quick else [10_000, 100_000]
    lists = given.lists or (instances(given.corpus) +
                            [f"{kind}:{size}" for kind in KINDS for size in sizes])
    rows = plan_rows(given.bench, lists, *(["--best"] if given.best else []))
    print_plans(rows)
    print_peers(rows, fit_rows(given.bench, lists))
    if not given.lists:
        print_corpus(given.bench.parent / "berth", given.corpus)
    return 0


if __name__ == "__main__":
    sys.exit(main())
