"""Whether TFLM starts with a model: predicted, and tried. Models of one operator in all
their types; a sample, test_long_starts.py takes all."""

import pytest

from starts import unlike
from support import need_corpus

EVERY = 11  # prime, so that no pattern in their order is missed


def test_what_starts_and_what_does_not():
    pytest.importorskip("tflite_micro")
    paths = sorted(need_corpus("goldens/ops").rglob("*.tflite"))
    assert unlike(paths[::EVERY]) == {}
