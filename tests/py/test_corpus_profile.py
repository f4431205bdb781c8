"""berth run --profile tflm against TFLM itself: golden operators on which TFLM and
the reference differ, and every tenth of those on which they agree."""

import csv

import numpy as np
import pytest

from support import need_corpus, run

OPERATORS = set("""ADD SUB MUL DIV MAXIMUM MINIMUM SQUARED_DIFFERENCE ABS NEG EXP LOG SQRT RSQRT
SQUARE SIN COS FLOOR CEIL ROUND RELU RELU6 LEAKY_RELU PRELU ELU HARD_SWISH LOGISTIC TANH SOFTMAX
LOG_SOFTMAX L2_NORMALIZATION MEAN SUM REDUCE_MAX REDUCE_MIN ARG_MAX ARG_MIN GREATER GREATER_EQUAL
LESS LESS_EQUAL EQUAL NOT_EQUAL LOGICAL_AND LOGICAL_OR LOGICAL_NOT SELECT_V2 FLOOR_DIV FLOOR_MOD
ADD_N CUMSUM QUANTIZE DEQUANTIZE CAST""".split())

# Where TFLM's answer is nobody's arithmetic, or one that we do not follow.
EXCEPTIONS = {
    "CAST/145": "its floats beyond int32 are converted as the machine likes",
    "GREATER/015": "its int16 is compared with parameters that it never sets",
    "MUL/076": "it takes int16 without scale for scaled",
    "MUL/077": "as MUL/076",
    "MUL/078": "as MUL/076",
    "MUL/079": "as MUL/076",
    "RSQRT/017": "one element of 560 is one step off; why is not known",
}


def cases():
    index = need_corpus("goldens/ops/index.tsv")
    with open(index) as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t")
                if row["op"] in OPERATORS and row["tflm"][0] not in "E-"]
    differ = [row for row in rows if row["tflm"] != "equal"]
    agree = [row for row in rows if row["tflm"] == "equal"]
    return [(index.parent / row["op"] / row["case"], f"{row['op']}/{row['case']}")
            for row in differ + agree[::10]]


def of_tflm(runtime, model, inputs):
    interpreter = runtime.Interpreter.from_file(str(model), arena_size=1 << 20)
    for i, path in enumerate(inputs):
        interpreter.set_input(np.load(path), i)
    interpreter.invoke()
    return interpreter.get_output(0)


def test_the_profile_is_what_tflm_computes(tmp_path):
    runtime = pytest.importorskip("tflite_micro").runtime
    wrong = {}
    tried = cases()
    for stem, name in tried:
        model = stem.with_suffix(".tflite")
        inputs = sorted(stem.parent.glob(f"{stem.name}.in*.npy"),
                        key=lambda path: int(path.stem.rsplit("in")[-1]))
        want = of_tflm(runtime, model, inputs)
        out = tmp_path / "out.npy"
        words = [word for path in inputs for word in ("--input", path)]
        done = run("run", model, "--profile", "tflm", "--output", out, *words)
        assert done.returncode == 0, (name, done.stderr)
        got = np.load(out).reshape(want.shape)
        if got.dtype.kind == "f":
            same = np.allclose(got, want, rtol=1e-5, atol=1e-6, equal_nan=True)
        else:
            same = np.array_equal(got, want)
        if not same:
            wrong[name] = f"{np.sum(got != want)} of {got.size}"
    print(f"{len(tried)} cases, {len(wrong)} differ")
    assert set(wrong) == {name for _, name in tried} & set(EXCEPTIONS), wrong
