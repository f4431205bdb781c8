#!/usr/bin/env python3
"""Makes the measured table of README.md anew, between its two markers.

  bench/readme.py [--berth BIN] [--corpus DIR]

Rows: models of the corpus that people know. Summary: every file of the corpus,
by bench/corpus.py. Times are left out on purpose: they belong to a machine.
"""

import argparse
import os
import sys
from pathlib import Path

from corpus import ROOT, models, row_of

START = "<!-- bench/readme.py: start -->"
END = "<!-- bench/readme.py: end -->"
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
    before, rest = readme.read_text().split(START)
    after = rest.split(END)[1]
    made = "\n".join([START, *table(rows), *summary(rows), END])
    readme.write_text(before + made + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
