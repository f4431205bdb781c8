#!/usr/bin/env python3
"""Instructions that MiniMalloc's instances take to fit into 1 MiB, since machines
and their load differ and instructions do not.

  bench/instructions.py [--bench DIR] [--corpus DIR] [LIST ...]

Counted by valgrind's callgrind over the whole of bench/plan_bench, reading the
file included: fifty times as slow as a plain run.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CAPACITY = "1048576"


def count(bench, path):
    """(instructions, nodes)"""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         str(bench / "plan_bench"), "--best", "--capacity", CAPACITY, str(path)],
        check=True, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    nodes = re.search(r"(\d+) nodes", done.stdout)
    return int(found[1]), int(nodes[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bench", type=Path, default=ROOT / "build/release/bench")
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("lists", nargs="*", type=Path)
    options = parser.parse_args()
    lists = options.lists or sorted(
        (options.corpus / "dsa/minimalloc").glob("?.1048576.csv"))
    total = 0
    for path in lists:
        instructions, nodes = count(options.bench, path)
        total += instructions
        print(f"{path.name:<24}{nodes:>12,} nodes{instructions:>18,} instructions",
              flush=True)
    print(f"{'all':<24}{'':>18}{total:>18,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
