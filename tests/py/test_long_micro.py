"""Every model of the corpus that TFLM runs: the predicted arena works, 16 bytes less
does not. Two processes a model."""

import pytest

from micro import promise_holds, table
from support import need_corpus


def models():
    need_corpus("goldens/tflm_arena.tsv")
    return sorted({row["model"] for row in table("tflm_arena.tsv")
                   if row["config"] == "x64" and row["status"] == "ok"})


def test_every_promise_holds():
    pytest.importorskip("tflite_micro")
    broken, kept, refused = {}, 0, []
    for model in models():
        said = promise_holds(need_corpus(f"models/{model}"))
        if said is None:
            refused.append(model)
        elif said == "kept":
            kept += 1
        else:
            broken[model] = said
    print(f"{kept} kept, the package runs these in no arena: {refused}")
    assert not broken
    assert kept >= 60
