"""Every shape that berth computes, against LiteRT, over the whole corpus."""

import numpy as np
import pytest

from litert_shapes import berth_shapes, differences, litert_all, litert_shapes
from support import need_corpus

# Tensors that LiteRT plans although their size is not fixed: what goes into a
# loop is prepared with the shape of its first round, and resized when it runs.
# The scalar of WHERE_005 is what its kernel refuses to run.
PLANNED_BUT_NOT_FIXED = {
    "models/generated/gru_while_dynrange.tflite": {(1, 2)},
    "models/generated/gru_while_float32.tflite": {(1, 2)},
    "models/generated/gru_bidirectional_float32.tflite": {(1, 2)},
    "goldens/ops/WHILE/015.tflite": {(1, 1), (2, 4)},
    "goldens/ops/WHILE/017.tflite": {(1, 1), (2, 4)},
    "goldens/ops/refused/WHERE_005.tflite": {(0, 1)},
}

# LiteRT stops at the Flex operator and cannot run the model: what comes after it
# still has the file's shapes there.
NOT_PREPARED = {"models/tensorflow-examples/planestrike_tf_agents.tflite": {(0, 23)}}

# Inputs that a callee does not read, and results of a loop that its body
# hands on and nobody reads: LiteRT drops them, and they keep the file's shape.
DROPPED = {
    "models/generated/while_steps_float32.tflite": {(0, 9), (1, 4)},
    "models/generated/while_if_nested_float32.tflite": {(0, 7), (3, 2), (3, 4), (5, 1)},
}

# The resized models of goldens/README.md: {input position: shape}.
RESIZED = {
    "models/litert/simple_add_dynamic_shape.tflite": {0: (3, 128, 4), 1: (3, 128, 4)},
    "models/litert-bin/multi_signatures.bin": {0: (4,)},
    "models/generated/any_batch_float32.tflite": {0: (3, 28, 28, 1)},
    "models/generated/any_batch_int8.tflite": {0: (3, 28, 28, 1)},
    "models/generated/any_picture_float32.tflite": {0: (1, 40, 56, 3)},
    "models/generated/any_picture_int8.tflite": {0: (1, 40, 56, 3)},
    "models/generated/bert_any_float32.tflite": {0: (1, 24), 1: (1, 24), 2: (1, 24)},
}


def model_files(*folders):
    files = []
    for folder in folders:
        for path in sorted(need_corpus(folder).rglob("*")):
            if path.suffix in (".tflite", ".bin", ".lite"):
                files.append(path)
    return files


def relative(path):
    return str(path).replace(str(need_corpus()) + "/", "")


@pytest.fixture(scope="module")
def ours():
    pytest.importorskip("ai_edge_litert")
    return berth_shapes(model_files("models", "goldens/ops"))


def test_static_shapes_are_those_of_litert(ours):
    wrong, files, tensors = {}, 0, 0
    theirs = litert_all(ours)
    for path, shapes in ours.items():
        if isinstance(shapes, str):
            continue
        found, compared = differences(path, shapes, allocated=theirs[path])
        files += compared is not None
        tensors += compared or 0
        found = [one for one in found
                 if one[0] not in NOT_PREPARED.get(relative(path), ())]
        if found:
            wrong[relative(path)] = found
    print(f"{files} files, {tensors} tensors")
    assert not wrong
    assert files > 3000 and tensors > 50000


def test_what_litert_plans_is_not_dynamic(ours):
    wrong = {}
    dynamics = {path: [key for key, one in shapes.items() if one.state == "dynamic"]
                for path, shapes in ours.items() if not isinstance(shapes, str)}
    dynamics = {path: keys for path, keys in dynamics.items() if keys}
    theirs = litert_all(dynamics, what="held")
    for path, dynamic in dynamics.items():
        shapes = ours[path]
        assert all(shapes[key].culprit != "-" for key in dynamic), path
        held = theirs[path]
        if isinstance(held, dict):
            continue
        planned = {key for key in dynamic if held[key[0]][key[1]] is not None}
        planned -= PLANNED_BUT_NOT_FIXED.get(relative(path), set())
        if planned:
            wrong[relative(path)] = planned
    assert not wrong


def resized_cases():
    """(path, {input tensor: shape}) of goldens/README.md and ops/DYNAMIC."""
    for name, by_position in RESIZED.items():
        path = need_corpus() / name
        if path.exists():
            yield path, by_position
    for path in model_files("goldens/ops/DYNAMIC"):
        arrays = sorted(path.parent.glob(path.stem + ".in*.npy"))
        yield path, {i: np.load(array).shape for i, array in enumerate(arrays)}


def test_resized_inputs_give_the_shapes_of_litert():
    pytest.importorskip("ai_edge_litert")
    wrong, cases = {}, 0
    for path, by_position in resized_cases():
        inputs = litert_shapes(path, what="inputs")
        overrides = {inputs[i][0]: list(shape) for i, shape in by_position.items()}
        shapes = berth_shapes([path], overrides)[str(path)]
        assert not isinstance(shapes, str), (path, shapes)
        found, compared = differences(path, shapes, overrides)
        assert compared is not None, path
        cases += 1
        if found:
            wrong[relative(path)] = found
    assert not wrong
    assert cases >= 20


def doubled(inputs):
    """Twice the first axis, where the signature lets it change."""
    return {index: [shape[0] * 2] + shape[1:] for index, shape, signature in inputs
            if len(shape) >= 2 and (all(n >= 0 for n in signature) or signature[0] == -1)}


def test_twice_the_batch_is_taken_or_refused_as_by_litert():
    """Neither accepts what the other cannot: also shapes that nobody meant."""
    pytest.importorskip("ai_edge_litert")
    wrong, verdicts = {}, {}
    for path in model_files("models"):
        inputs = litert_shapes(path, what="inputs")
        overrides = doubled(inputs) if isinstance(inputs, list) else {}
        if not overrides:
            continue
        shapes = berth_shapes([path], overrides)[str(path)]
        refused = isinstance(shapes, str)
        theirs = litert_shapes(path, overrides)
        verdict = refused, isinstance(theirs, dict)
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
        if relative(path) in NOT_PREPARED:
            continue
        if refused != isinstance(theirs, dict):
            wrong[relative(path)] = shapes if refused else theirs
        elif not refused:
            found, _ = differences(path, shapes, overrides)
            found = [one for one in found
                     if one[0] not in DROPPED.get(relative(path), ())]
            if found:
                wrong[relative(path)] = found
    print(verdicts)
    assert not wrong
    assert verdicts.get((False, False), 0) > 80 and verdicts.get((True, True), 0) > 40
