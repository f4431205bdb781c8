#!/usr/bin/env python3
"""How long a map takes: berth map, and the page in headless Chromium.

  bench/map.py [--berth BIN] [--corpus DIR] [MODEL|CSV...]

Columns: rectangles to draw, berth map in milliseconds, bytes of the page, from
opening it until it has drawn (load) and of that its own script, and a frame
while zooming. Without arguments: a model of 20,000 operators, and the largest
of the corpus. Needs chromium and chromium-driver (tools/setup dev).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "py"))

from browser import Browser  # noqa: E402
from long_model import long_model  # noqa: E402

FRAMES = """
return new Promise((done) => {
  const began = performance.now(); let left = 20;
  const next = () => {
    if (left-- === 0) return done((performance.now() - began) / 20);
    document.getElementById(left % 2 ? 'in' : 'out').click(); requestAnimationFrame(next); };
  next(); })"""
LIVES = """
const d = JSON.parse(document.getElementById('data').textContent);
return d.spans.reduce((sum, spans) => sum + spans.length / 2, 0)"""


def measure(berth, browser, path, page):
    began = time.monotonic()
    done = subprocess.run([berth, "map", path, "-o", page], capture_output=True, text=True)
    made = 1000 * (time.monotonic() - began)
    if not page.exists():
        print(f"{path.name}: {done.stderr.strip()}")
        return
    began = time.monotonic()
    script = browser.open(page)
    load = 1000 * (time.monotonic() - began)
    print(f"{path.name[:44]:44} {browser.run(LIVES):>9,} {made:>8.0f} {page.stat().st_size:>11,} "
          f"{load:>7.0f} {script:>7} {browser.run(FRAMES):>8.1f}", flush=True)
    page.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--berth", default=ROOT / "build/release/berth", type=Path)
    parser.add_argument("--corpus", type=Path,
                        default=os.environ.get("BERTH_CORPUS") or ROOT.parent / "shared")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        page = Path(folder) / "map.html"
        files = options.files
        if not files:
            made = Path(folder) / "20,000 operators.tflite"
            made.write_bytes(long_model(20000))
            files = [made, ROOT / "examples/models/vww96_int8.tflite",
                     options.corpus / "litert/torchaudio_conformer.tflite",
                     *sorted((options.corpus / "dsa").glob("*/*.csv"))]
            files = [path for path in files if path.exists()]
        print(f"{'file':44} {'lives':>9} {'map ms':>8} {'page bytes':>11} {'load ms':>7} "
              f"{'script':>7} {'frame ms':>8}")
        for path in files:
            measure(options.berth, browser, path, page)


if __name__ == "__main__":
    main()
