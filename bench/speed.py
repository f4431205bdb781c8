#!/usr/bin/env python3
"""How fast berth's engine is beside TFLM and LiteRT, model by model.

  bench/speed.py [--berth BIN] [--corpus DIR] [--vs tflm|litert|litert-ref|
                 litert-xnnpack] [--python PROGRAM] [--only TEXT] [--time 300ms]
                 [--kernels opt|ref]

A line a model that both run: milliseconds of each, how many times as fast berth
is (median of rounds in turn, and the least and most), berth's prepare and first
run. Then the summary: median ratio, models where berth is slower, and whether
prepare and first run together stay under a millisecond for the models of
MLPerf Tiny. Times are of this machine; ratios are of one session.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIP = {".txt", ".py", ".tsv", ".md", ".json"}


def models(options):
    folder = options.corpus / "models"
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in SKIP and options.only in str(path):
            yield path, str(path.relative_to(folder))


def measure(options, path):
    """The figures, or a reason in words."""
    words = [options.berth, "bench", str(path), "--time", options.time,
             "--kernels", options.kernels, "--format", "json"]
    if options.vs != "none":
        words += ["--vs", options.vs, "--python", options.python]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return "too slow"
    if done.returncode not in (0, 1):
        return (done.stderr.strip().splitlines() or ["?"])[-1]
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--berth", default=str(ROOT / "build/release/berth"))
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--vs", default="tflm")
    parser.add_argument("--python", default=str(ROOT / "build/venv/bin/python"))
    parser.add_argument("--only", default="")
    parser.add_argument("--time", default="300ms")
    parser.add_argument("--kernels", default="opt")
    options = parser.parse_args()
    ratios, slower, started = [], [], []
    not_run = peer_not = 0
    print(f"{options.vs + ' ms':>12}{'berth ms':>12}{'times':>8}  {'least..most':>13}"
          f"{'prepare ms':>12}{'first ms':>10}  model")
    for path, name in models(options):
        found = measure(options, path)
        if isinstance(found, str):
            not_run += 1
            continue
        prepare, first = found["prepare_ns"] / 1e6, found["first_run_ns"] / 1e6
        if name.startswith("mlcommons-tiny/"):
            started.append((prepare + first, name))
        versus = found.get("versus", {"ran": False})
        if not versus["ran"]:
            peer_not += 1
            print(f"{'-':>12}{found['run_median_ns'] / 1e6:12.3f}{'-':>8}  {'':>13}"
                  f"{prepare:12.3f}{first:10.3f}  {name}", flush=True)
            continue
        ratios.append(versus["ratio"])
        if versus["ratio"] < 1:
            slower.append((versus["ratio"], name))
        print(f"{versus['runtime_ns'] / 1e6:12.3f}{versus['berth_ns'] / 1e6:12.3f}"
              f"{versus['ratio']:8.2f}  {versus['ratio_least']:6.2f}.."
              f"{versus['ratio_most']:.2f}{prepare:12.3f}{first:10.3f}  {name}",
              flush=True)
    print(f"\n{len(ratios)} models run on both; {peer_not} on berth only; {not_run} "
          f"not on berth")
    if ratios:
        print(f"berth is {statistics.median(ratios):.2f} times as fast as {options.vs} "
              f"in the median, {min(ratios):.2f} to {max(ratios):.2f}; slower on "
              f"{len(slower)}")
    for ratio, name in sorted(slower):
        print(f"  slower: {ratio:.2f}  {name}")
    for took, name in sorted(started, reverse=True):
        print(f"  prepare + first run: {took:.3f} ms  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
