"""The shapes of the bundled models, against LiteRT; the whole corpus has a test
of its own (test_corpus_shapes.py)."""

import pytest

from litert_shapes import berth_shapes, differences, litert_shapes
from support import bundled_models


@pytest.fixture(autouse=True)
def oracle():
    pytest.importorskip("ai_edge_litert")


def test_bundled_models_have_the_shapes_of_litert():
    ours = berth_shapes(bundled_models())
    assert ours
    for path, shapes in ours.items():
        assert not isinstance(shapes, str), (path, shapes)
        found, compared = differences(path, shapes)
        assert not found and compared, path


@pytest.mark.parametrize("batch", [1, 2, 7])
def test_open_axes_take_any_length(batch):
    """Models with a -1 in an input's signature, at several lengths."""
    cases = 0
    for path in bundled_models():
        overrides = {
            index: [batch if open_axis < 0 else dim
                    for dim, open_axis in zip(shape, signature)]
            for index, shape, signature in litert_shapes(path, what="inputs")
            if any(n < 0 for n in signature)}
        if overrides:
            shapes = berth_shapes([path], overrides)[str(path)]
            refused = isinstance(shapes, str)
            assert refused == isinstance(litert_shapes(path, overrides), dict), path
            if not refused:
                found, _ = differences(path, shapes, overrides)
                assert not found, path
            cases += 1
    assert cases > 0
