#!/usr/bin/env python3
"""Makes the example page and the measured table of README.md anew.

  bench/readme.py [--berth BIN] [--corpus DIR]

Page: a bundled model, so that everyone can have it. Rows of the table: models of the corpus that people know. Summary: every file of the corpus,
by bench/corpus.py. Lists of buffers: those of others, by bench/plan.py. Times are left out on purpose: they
belong to a machine.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from corpus import ROOT, models, row_of
from plan import CAPACITY, above, fit_rows, instances, known_peers, plan_rows

PAGE = "examples/models/vww96_int8.tflite --budget 76K"
SHOWN = [
    ("MLPerf Tiny VWW, int8", "mlcommons-tiny/vww_96_int8.tflite"),
    ("MLPerf Tiny keyword spotting, int8", "mlcommons-tiny/kws_ref_model.tflite"),
    ("MLPerf Tiny ResNet, int8", "mlcommons-tiny/pretrainedResnet_quant.tflite"),
    ("micro-wake-word okay_nabu", "micro-wake-word/okay_nabu.tflite"),
    ("MobileNet v1 0.25 224, uint8", "tflite-support/mobilenet_v1_0.25_224_quant.tflite"),
    ("MCUNet 320 KB, int8", "mcunet/mcunet-320kb-1mb_imagenet.tflite"),
    ("MoveNet Lightning, int8", "coral-test-data/movenet_single_pose_lightning_ptq.tflite"),
    ("BlazeFace short range, float16", "mediapipe-npm/face_detection_short_range.tflite"),
    ("Pose landmark lite, float16", "mediapipe-npm/pose_landmark_lite.tflite"),
    ("SSD MobileNet v1, uint8",
     "tflite-support/coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite"),
    ("DeepLab v3, float32", "tflite-support/deeplabv3.tflite"),
    ("Conformer, float32", "litert/torchaudio_conformer.tflite"),
]


def cell(value):
    return "-" if value is None else f"{value:,}"


def saved(row):
    peers = [peak for peak in (row["tflite"], row["tflm"]) if peak is not None]
    return f"{100 * (1 - row['best'] / min(peers)):.0f} %" if peers else "-"


def table(rows):
    by_model = {row["model"]: row for row in rows}
    lines = ["| model | LiteRT | TFLM | berth | | less than the better peer |",
             "| --- | ---: | ---: | ---: | --- | ---: |"]
    for title, model in SHOWN:
        row = by_model[model]
        proof = "proven least" if row["best"] == row["bound"] else f"bound {row['bound']:,}"
        lines.append(f"| {title} | {cell(row['tflite'])} | {cell(row['tflm'])} | "
                     f"{cell(row['best'])} | {proof} | {saved(row)} |")
    return lines


def summary(rows):
    solved = [row for row in rows if row["best"] is not None]
    proven = [row for row in solved if row["best"] == row["bound"]]
    return ["", f"Of {len(rows)} files, {len(solved)} have a number (the others have tensors whose "
                "size depends on values,", f"or are damaged); {len(proven)} of those plans are "
                "proven least, and both judges pass all of them."]


def page(berth):
    done = subprocess.run([berth, "report", *PAGE.split()], cwd=ROOT, check=True, text=True,
                          capture_output=True, env={**os.environ, "NO_COLOR": "1"})
    return ["```", f"$ berth report {PAGE}", done.stdout.rstrip("\n"), "```"]


def plans(bench, corpus):
    """Lists of buffers of others, and what their own planners make of them."""
    known = known_peers()
    lists = instances(corpus)
    fits = fit_rows(bench, lists)
    rows = plan_rows(bench, [path for path in lists if "idealloc" in path])
    lines = ["| list of buffers | buffers | load | best greedy | idealloc | berth | |",
             "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    for row in rows:
        greedy = min(int(row[name]) for name in row if "-" in name or name == "online")
        proof = "proven least" if row["proven"] == "1" else above(row["best"], row["bound"])
        lines.append(f"| {Path(row['instance']).stem} | {int(row['buffers']):,} | "
                     f"{int(row['bound']):,} | {above(greedy, row['bound'])} | "
                     f"+{known[row['instance']]['idealloc_gap']} % | {int(row['best']):,} | "
                     f"{proof} |")
    fitting = sum(int(row["best"]) <= CAPACITY for row in fits)
    return lines + ["", f"Of MiniMalloc's {len(fits)} lists (A to K), which are to fit into "
                    f"{CAPACITY:,} bytes, {fitting} do."]


def put(text, part, lines):
    start, end = (f"<!-- bench/readme.py: {part} {word} -->" for word in ("start", "end"))
    before, rest = text.split(start)
    return before + "\n".join([start, *lines, end]) + rest.split(end)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--berth", default=ROOT / "build" / "release" / "berth")
    parser.add_argument("--corpus", type=Path,
                        default=os.environ.get("BERTH_CORPUS") or ROOT.parent / "shared")
    given = parser.parse_args()
    files = models(given.corpus)
    if not files:
        print(f"no models in {given.corpus} (BERTH_CORPUS)", file=sys.stderr)
        return 1
    rows = [row_of(given.berth, given.corpus, path, 1) for path in files]
    readme = ROOT / "README.md"
    text = put(readme.read_text(), "page", page(given.berth))
    text = put(text, "plans", plans(Path(given.berth).parent / "bench", given.corpus))
    readme.write_text(put(text, "table", table(rows) + summary(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
