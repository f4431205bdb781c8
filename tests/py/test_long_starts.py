"""Every model of the corpus of one operator: TFLM starts with it, or berth says why not."""

import pytest

from micro import exceptions
from starts import unlike
from support import need_corpus


def test_what_starts_and_what_does_not():
    pytest.importorskip("tflite_micro")
    folder = need_corpus("goldens/ops")
    wrong = unlike(sorted(folder.rglob("*.tflite")))
    assert {str(path.relative_to(folder)) for path in wrong} == exceptions("starts"), wrong
