"""Every model of the goldens on both kernel sets."""

import pytest

from support import CORPUS, need_corpus
from test_corpus_conform import check, models


@pytest.mark.parametrize("kernels", ["opt", "ref"])
def test_all_models(kernels):
    need_corpus("goldens/models/index.tsv")
    index = models.read_index(CORPUS)
    check(sorted(index), index, kernels)
