"""The ends of each type through one-operator models: NaN, infinities, denormals, the
least and the greatest integers. LiteRT's reference kernels are the oracle: NaN at the
same places, integers bit-equal."""

import numpy as np
import pytest

from support import litert, need_corpus, run

# Sums of many terms are left out, where the order decides what overflows, and
# QUANTIZE and SUM, where the oracle is broken (docs/arithmetic.md).
OPERATORS = """ABS ADD ADD_N ARG_MAX AVERAGE_POOL_2D CAST CONCATENATION
    DEPTHWISE_CONV_2D DEQUANTIZE DIV EQUAL EXP FULLY_CONNECTED GREATER HARD_SWISH
    L2_NORMALIZATION LEAKY_RELU LESS LOGISTIC LOG_SOFTMAX MAXIMUM MAX_POOL_2D MINIMUM
    MUL NEG PAD PRELU REDUCE_MAX RELU RELU6 RSQRT SQRT SQUARED_DIFFERENCE SUB TANH
    TRANSPOSE""".split()
SUMS = {"AVERAGE_POOL_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"}
FLOATS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-40, 3.4e38, -3.4e38, 1.0,
          -0.5, 2.5, 100.0, -104.0, 1e30, -1e-30, 2147483648.0]
CASES = 4


def extremes(rng, usual):
    if usual.dtype == np.float32:
        return rng.choice(np.array(FLOATS, np.float32), size=usual.shape)
    if usual.dtype in (np.int8, np.uint8, np.int16):
        ends = np.iinfo(usual.dtype)
        few = np.array([ends.min, ends.min + 1, 0, ends.max - 1, ends.max], usual.dtype)
        return rng.choice(few, size=usual.shape)
    return usual  # sizes, axes, indexes


def agree(got, want):
    if want.dtype.kind != "f":
        return np.array_equal(got, want)
    nan = np.isnan(want)
    return (np.array_equal(np.isnan(got), nan)
            and np.allclose(got[~nan], want[~nan], rtol=1e-5, atol=1e-5))


@pytest.mark.parametrize("operator", OPERATORS)
def test_ends_of_types(operator, tmp_path):
    rng = np.random.default_rng(len(operator))
    compared = 0
    for model in sorted(need_corpus(f"goldens/ops/{operator}").glob("*.tflite")):
        inputs = sorted(model.parent.glob(f"{model.stem}.in*.npy"))
        usual = [np.load(path) for path in inputs]
        if not usual or (operator in SUMS and usual[0].dtype == np.float32):
            continue
        interpreter = litert(model)
        interpreter.allocate_tensors()
        words = ["run", model]
        for i, details in enumerate(interpreter.get_input_details()):
            value = extremes(rng, usual[i])
            interpreter.set_tensor(details["index"], value)
            np.save(tmp_path / f"{i}.npy", value)
            words += ["--input", tmp_path / f"{i}.npy"]
        done = run(*words, "-o", tmp_path / "out.npy")
        if done.returncode in (3, 5):  # a division by zero; not supported
            continue
        assert done.returncode == 0, done.stderr
        interpreter.invoke()
        want = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
        assert agree(np.load(tmp_path / "out.npy"), want), model.name
        compared += 1
        if compared == CASES:
            break
    assert compared > 0
