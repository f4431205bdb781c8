"""Loops run in the bytes that their lives leave them: a variable is dead behind its last
reader, whatever number of turns; LiteRT computes the same."""

import numpy as np
import pytest

from support import litert, need_corpus, run


@pytest.mark.parametrize("turns", [0, 1, 2, 5])
def test_a_loop_is_run_in_its_bytes(turns, tmp_path):
    path = need_corpus("models/generated/while_if_nested_float32.tflite")
    model = litert(path)
    model.allocate_tensors()
    words = []
    for number, given in enumerate(model.get_input_details()):
        value = (np.full(given["shape"], turns, given["dtype"]) if given["dtype"] == np.int32 else
                 np.random.default_rng(turns).normal(size=given["shape"]).astype(given["dtype"]))
        np.save(tmp_path / f"{number}.npy", value)
        model.set_tensor(given["index"], value)
        words += ["--input", tmp_path / f"{number}.npy"]
    model.invoke()
    np.save(tmp_path / "want.npy", model.get_tensor(model.get_output_details()[0]["index"]))
    done = run("run", path, *words, "--poison", "--expect", tmp_path / "want.npy",
               "--tolerance", "1e-5")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no output depends on a dead byte" in done.stdout
