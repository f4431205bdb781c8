"""Every model of the corpus that TFLM runs, of any size: the copy takes what was predicted
and says the same. One run may take as long as it likes up to a bound; then only its sizes
are compared. test_corpus_bake.py takes the small ones."""

import pytest

from baking import corpus_models, row
from support import need_corpus

SECONDS = 60


def test_every_copy_is_as_predicted(tmp_path):
    pytest.importorskip("tflite_micro")
    need_corpus("models")
    ran, wrong = 0, {}
    for path, key in corpus_models():
        found = row(path, key, tmp_path, timeout=SECONDS)
        if found["verdict"] == "differs":
            wrong[key] = "the outputs differ"
        elif found["verdict"] in ("equal", "late", "cannot profit"):
            ran += 1
            if (found["stock"]["head"], found["baked"]["head"]) != \
                    (found["before"]["head_bytes"], found["after"]["head_bytes"]):
                wrong[key] = found
    print(f"{ran} models run")
    assert wrong == {}
    assert ran >= 100
