"""Profile tflm: the integers of convolutions, matrix products and pools are those
that TFLM itself makes of the golden cases."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from support import BERTH, need_corpus

TOOL = Path(os.environ.get("BERTH_BUILD") or BERTH.parent) / "tests" / "run_case"
OPERATORS = ["CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED",
             "BATCH_MATMUL", "AVERAGE_POOL_2D", "MAX_POOL_2D"]
# TFLM reads an int32 bias of a transposed convolution of int16 as int64.
NOT_IMITATED = {("TRANSPOSE_CONV", "i16,i8,i32")}


def cases(operator):
    folder = need_corpus("goldens/ops")
    for line in (folder / "index.tsv").read_text().splitlines()[1:]:
        name, number, types, _, _, steps, _, _, _, tflm, *_ = line.split("\t")
        if (name == operator and steps == "1" and not types.startswith("f32")
                and not tflm.startswith("E") and (name, types) not in NOT_IMITATED):
            yield folder / name / number


def by_tflm(stem, inputs):
    from tflite_micro import runtime
    interpreter = runtime.Interpreter.from_file(f"{stem}.tflite", arena_size=1 << 20)
    for i, array in enumerate(inputs):
        interpreter.set_input(array, i)
    interpreter.invoke()
    return interpreter.get_output(0).tobytes()


@pytest.mark.parametrize("operator", OPERATORS)
def test_integers_are_those_of_tflm(operator, tmp_path):
    seen = 0
    for stem in cases(operator):
        inputs = [np.load(path) for path in sorted(stem.parent.glob(f"{stem.name}.in*.npy"))]
        words = []
        for i, array in enumerate(inputs):
            words.append(tmp_path / f"in{i}")
            words[-1].write_bytes(array.tobytes())
        want = by_tflm(stem, inputs)
        for kernels in ("ref", "opt"):
            subprocess.run([TOOL, f"{stem}.tflite", kernels, "tflm", tmp_path / "out", *words],
                           check=True)
            assert (tmp_path / "out0").read_bytes() == want, f"{stem} {kernels}"
        seen += 1
    assert seen >= 5
