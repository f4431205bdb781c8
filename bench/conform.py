#!/usr/bin/env python3
"""Runs every model of the goldens on berth's engine and compares the outputs.

  bench/conform.py [--berth BIN] [--corpus DIR] [--kernels opt|ref] [-v]
                   [--op-cases BIN] [--only TEXT] [--jobs N] [--poison]

A line for each model that is not simply right (-v: for all), then how many run,
are bit-equal, are in their class, differ, or are not supported, by reason. With
--op-cases (build/PRESET/tests/op_cases) the golden cases of single operators
follow, run on the engine too: passed, and of how many, per operator and types;
then of all, of those that have a kernel, and of those whose types it takes.

With --poison every model runs twice, with opposite bits in its dead bytes, and
fails where an output depends on them.

How close is close: goldens README. Integers bit by bit; floats |a - b| <= 1e-5
rms + 1e-4 |b|, or ten times what TensorFlow's own fast kernels differ by where
that is more; behind hybrid kernels 2 % of rms at least. An output all of whose
values are one is no test, and counted apart: "untested".
"""

import argparse
import collections
import concurrent.futures
import csv
import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "py"))
import conform as cases  # noqa: E402
import seeded  # noqa: E402

# As the goldens were made; README there, "Shapes".
SHAPES = {"litert/simple_add_dynamic_shape.tflite": {0: "3,128,4", 1: "3,128,4"},
          "litert-bin/multi_signatures.bin": {0: "4"}}
PREFIXES = {"generated/any_batch_": {0: "3,28,28,1"},
            "generated/any_picture_": {0: "1,40,56,3"},
            "generated/bert_any_": {0: "1,24", 1: "1,24", 2: "1,24"}}
# Input 0 is the shape of the output. TFLM, which made these goldens, takes that of
# the file and never looks at the numbers, which were any.
OUTPUT_SHAPE_FIRST = {"tflite-micro/seanet/transpose_conv1.tflite"}
HYBRID = 0.02  # of rms


def shapes_of(model):
    for prefix, shapes in PREFIXES.items():
        if model.startswith(prefix):
            return shapes
    return SHAPES.get(model, {})


def read_index(corpus):
    """model -> (case, step) -> {"in": rows, "out": rows}"""
    found = collections.defaultdict(lambda: collections.defaultdict(
        lambda: {"in": [], "out": []}))
    with (corpus / "goldens/models/index.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            key = (int(row["case"]), int(row["step"]))
            found[row["model"]][key][row["io"]].append(row)
    return found


def input_files(model, case, rows, folder):
    """The inputs that --random does not make as the goldens have them: bert's
    masks are 0 or 1. They come first, so all before them are files too."""
    files = []
    if model in OUTPUT_SHAPE_FIRST:
        files.append(Path(folder) / "in0.npy")
        shape = next(row["shape"] for row in rows["out"])
        np.save(files[0], np.array(shape.split("x"), np.int32))
    if not model.startswith("generated/bert_"):
        return files
    for row in rows["in"]:
        shape = [int(dim) for dim in row["shape"].split("x")]
        key = f"{model}#{row['index']}#{case}#0"
        if row["index"] in ("0", "2"):
            values = (seeded.draws(key, int(np.prod(shape))) >> np.uint64(63))
            values = values.astype(row["dtype"]).reshape(shape)
        else:
            values = seeded.values(key, row["dtype"], shape)
        files.append(Path(folder) / f"in{row['index']}.npy")
        np.save(files[-1], values)
    return files


def command(options, model, case, step, rows, folder):
    words = [options.berth, "run", str(options.corpus / "models" / model),
             "--random", model, "--case", str(case), "--kernels", options.kernels]
    if options.poison:
        words.append("--poison")
    if rows["out"] and rows["out"][0]["runner"] == "TFLM":
        words += ["--profile", "tflm"]
    if step > 0:
        words += ["--repeat", str(step + 1)]
    files = input_files(model, case, rows, folder)
    for file in files:
        words += ["--input", str(file)]
    for index, shape in shapes_of(model).items():
        if not files:
            name = rows["in"][index]["name"]
            words += ["--shape", f"{name}={shape}"]
    outputs = [Path(folder) / f"out{i}.npy" for i in range(len(rows["out"]))]
    for output in outputs:
        words += ["--output", str(output)]
    return words, outputs


def sampled(array, stride):
    return array.reshape(-1)[::stride]


def judge(row, got, corpus):
    """(verdict, detail): equal, class, flat or differs."""
    want = np.load(corpus / "goldens/models" / row["file"])
    stride = int(row["stride"])
    shape = row["shape"] if row["shape"] != "scalar" else ""
    if "x".join(map(str, got.shape)) != shape or str(got.dtype) != row["dtype"]:
        return "differs", f"{got.dtype} {got.shape}, not {row['dtype']} {row['shape']}"
    flat = want.size > 1 and np.all(want == want.flat[0])
    if hashlib.sha256(got.tobytes()).hexdigest() == row["sha256"]:
        return ("flat" if flat else "equal"), ""
    mine, want = sampled(got, stride), want.reshape(-1)
    if got.dtype.kind != "f":
        wrong = int(np.count_nonzero(mine != want))
        step = np.max(np.abs(mine.astype(np.float64) - want.astype(np.float64)))
        return "differs", f"{wrong} of {want.size} values, by at most {step:g}"
    rms = float(row["rms"])
    try:
        peer = float(row["opt_maxdiff"])
    except ValueError:
        peer = 0.0
    allowed = 1e-5 * rms + 1e-4 * np.abs(want)
    if rms > 0 and peer / rms > 1e-6:
        allowed = allowed + 10 * peer
    off = np.abs(mine.astype(np.float64) - want)
    same = (mine == want) | (np.isnan(mine) & np.isnan(want))
    if np.all(same | (off <= allowed)):
        return "class", ""
    worst = float(np.nanmax(off))
    if rms > 0 and peer / rms > 1e-3 and worst <= max(4 * peer, HYBRID * rms):
        return "class", "hybrid"
    return "differs", f"by {worst:g}, rms {rms:g}, TensorFlow's own {peer:g}"


RANK = ["equal", "flat", "class", "differs", "unsupported", "failed"]


def run_model(options, model, cases):
    """(verdict, detail), the worst of all cases, steps and outputs."""
    worst = ("equal", "")
    for (case, step), rows in sorted(cases.items()):
        with tempfile.TemporaryDirectory() as folder:
            words, outputs = command(options, model, case, step, rows, folder)
            try:
                done = subprocess.run(words, capture_output=True, text=True,
                                      timeout=options.timeout)
            except subprocess.TimeoutExpired:
                return "failed", "too slow"
            message = done.stderr.strip().splitlines()[-1:] or [""]
            message = re.sub(r"^berth: \S+?: ", "", message[0])
            if done.returncode != 0:
                kind = "unsupported" if done.returncode == 5 else "failed"
                return kind, f"exit {done.returncode}: {message}"
            for row, output in zip(rows["out"], outputs):
                found = judge(row, np.load(output), options.corpus)
                if RANK.index(found[0]) > RANK.index(worst[0]):
                    worst = (found[0], f"case {case} step {step} output "
                                       f"{row['index']}: {found[1]}".rstrip(": "))
    return worst


def reason_of(detail):
    """What kind of thing is missing, without the place."""
    return re.sub(r"(, operator \d+|, tensor #\d+|, subgraph \d+)+.*$", "", detail)


def run_models(options):
    index = read_index(options.corpus)
    names = [name for name in sorted(index) if options.only in name]
    counts, reasons, results = collections.Counter(), collections.Counter(), {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(run_model, options, name, index[name])
                   for name in names]
        for name, future in zip(names, waiting):
            verdict, detail = results[name] = future.result()
            counts[verdict] += 1
            if verdict == "unsupported":
                reasons[reason_of(detail)] += 1
            if options.verbose or verdict not in ("equal", "class"):
                print(f"{verdict:<12}{name}  {detail}")
    ran = counts["equal"] + counts["flat"] + counts["class"] + counts["differs"]
    print(f"\nmodels: {len(names)}, of which {ran} run: {counts['equal']} bit-equal, "
          f"{counts['class']} in their class, {counts['flat']} with one value only, "
          f"{counts['differs']} differ; {counts['unsupported']} not supported, "
          f"{counts['failed']} failed ({options.kernels} kernels)")
    for reason, count in reasons.most_common():
        print(f"{count:5}  {reason}")
    return counts["differs"] + counts["failed"], results


def print_sum(what, rows):
    passed, total = sum(t.passed for t in rows), sum(t.total for t in rows)
    print(f"{what}: {passed} of {total} ({100 * passed / max(total, 1):.1f} %), "
          f"untested {sum(t.untested for t in rows)}")


def run_operators(options):
    """A line for each operator and types, the sums, and what stands at nothing."""
    folder = options.corpus / "goldens/ops"
    found, _ = cases.all_failures(options.op_cases, folder, options.kernels)
    rows = cases.tallies(folder, found)
    print(f"\n{'operator':<29}{'types':<18} passed     of untested  first that fails")
    for (operator, types), tally in rows.items():
        print(f"{operator:<29}{types:<18}{tally.passed:7}{tally.total:7}"
              f"{tally.untested or '':9}  {tally.why or ''}".rstrip())
    known = [t for t in rows.values() if t.taken or cases.NO_KERNEL not in (t.why or "")]
    taken = [t for t in rows.values() if t.taken]
    print()
    print_sum("op cases", rows.values())
    print_sum("of operators with a kernel", known)
    print_sum("of operators and types that are taken", taken)
    for (operator, types), tally in rows.items():
        if tally.taken and tally.passed == tally.untested:
            print(f"  {operator} {types}: "
                  + ("none passes" if tally.passed == 0 else "passes, but untested"))
    return sum(tally.taken and tally.passed == 0 for tally in rows.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--berth", default=str(ROOT / "build/release/berth"))
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--kernels", default="opt")
    parser.add_argument("--poison", action="store_true")
    parser.add_argument("--op-cases")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    wrong, _ = run_models(options)
    if options.op_cases:
        wrong += run_operators(options)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
