"""The bundled models: made by the script that is beside them, and real.

"Real" means that LiteRT, with its reference kernels, loads and runs each, that the
answer depends on the input, and that quantised activations are not saturated.
"""

import sys

import numpy as np
import pytest
from support import MODELS, ROOT, bundled_models, litert

sys.path.insert(0, str(ROOT / "tools"))
import make_models  # noqa: E402

NAMES = [maker.__name__ for maker in make_models.MODELS]


def path_of(name):
    return MODELS / f"{name}.tflite"


def some_input(detail, random):
    if detail["dtype"] == np.int8:
        return random.randint(-128, 128, detail["shape"]).astype(np.int8)
    return random.uniform(0, 1, detail["shape"]).astype(np.float32)


def feed(interpreter, seed):
    random = np.random.RandomState(seed)
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], some_input(detail, random))
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]).copy()
            for detail in interpreter.get_output_details()]


def test_every_committed_model_has_a_recipe_and_all_are_small():
    assert sorted(path.stem for path in bundled_models()) == sorted(NAMES)
    assert sum(path.stat().st_size for path in bundled_models()) <= 2_000_000


@pytest.mark.parametrize("maker", make_models.MODELS, ids=NAMES)
def test_the_script_makes_the_committed_bytes(maker):
    assert make_models.make(maker) == path_of(maker.__name__).read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_litert_runs_it_and_the_answer_depends_on_the_input(name):
    interpreter = litert(path_of(name))
    interpreter.allocate_tensors()
    answers = [feed(interpreter, seed) for seed in range(3)]
    for outputs in answers:
        assert all(np.isfinite(output).all() for output in outputs)
    assert any(not np.array_equal(first, last)
               for first, last in zip(answers[0], answers[-1]))


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("int8")])
def test_no_activation_is_flat_or_saturated(name):
    interpreter = litert(path_of(name), experimental_preserve_all_tensors=True)
    interpreter.allocate_tensors()
    feed(interpreter, 1)
    seen = 0
    constant = {"/w", "/b", "/features", "/shape", "/zeros"}
    for detail in interpreter.get_tensor_details():
        tail = detail["name"][detail["name"].rfind("/"):]
        if detail["dtype"] != np.int8 or tail in constant or detail["name"] == "":
            continue
        values = interpreter.get_tensor(detail["index"])
        if values.size < 32 or detail["name"].endswith("/old"):
            continue
        seen += 1
        assert values.std() > 3, detail["name"]
        # after RELU6 the lower end is common, the upper one must stay rare
        assert (values == 127).mean() < 0.25, detail["name"]
        assert (values == -128).mean() < 0.9, detail["name"]
    assert seen > 3


def test_the_vww_net_has_the_tensors_that_make_greedy_planners_lose():
    interpreter = litert(path_of("vww96_int8"))
    interpreter.allocate_tensors()
    sizes = [int(np.prod(detail["shape"])) for detail in interpreter.get_tensor_details()
             if detail["name"] in ("picture", "conv0", "dw1", "pw1", "dw2", "pw2")]
    assert sizes == [27648, 18432, 18432, 36864, 9216, 18432]


def test_the_open_shape_follows_the_input():
    interpreter = litert(path_of("any_picture_float32"))
    detail = interpreter.get_input_details()[0]
    assert list(detail["shape_signature"]) == [-1, -1, -1, 3]
    interpreter.resize_tensor_input(detail["index"], [2, 64, 24, 3], strict=True)
    interpreter.allocate_tensors()
    kind, mask = feed(interpreter, 1)
    assert kind.shape == (2, 4)
    assert mask.shape == (2, 64, 24, 1)


def test_the_stream_remembers_and_is_cleared_by_its_other_signature():
    interpreter = litert(path_of("stream_int8"))
    interpreter.allocate_tensors()
    step = interpreter.get_signature_runner("step")
    clear = interpreter.get_signature_runner("clear")
    frame = np.random.RandomState(5).randint(-128, 128, [1, 2, 1, 40]).astype(np.int8)
    first = step(frame=frame)["word"]
    second = step(frame=frame)["word"]
    assert not np.array_equal(first, second)
    clear()
    assert np.array_equal(step(frame=frame)["word"], first)


def test_the_hotword_net_remembers_in_variable_tensors():
    interpreter = litert(path_of("hotword_svdf_int8"))
    interpreter.allocate_tensors()
    first, second = feed(interpreter, 1), feed(interpreter, 1)
    assert not np.array_equal(first[0], second[0])
    interpreter.reset_all_variables()
    assert np.array_equal(feed(interpreter, 1)[0], first[0])


def test_the_loop_gives_what_its_equations_give():
    interpreter = litert(path_of("loop_float32"))
    interpreter.allocate_tensors()
    rows = np.random.RandomState(3).uniform(0, 1, [16, 8]).astype(np.float32)
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], rows)
    interpreter.invoke()
    answer = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])

    from ai_edge_litert import schema_py_generated as schema
    model = schema.ModelT.InitFromPackedBuf(path_of("loop_float32").read_bytes(), 0)

    def constant(name):
        for graph in model.subgraphs:
            for tensor in graph.tensors:
                if tensor.name.decode() == name:
                    data = bytes(bytearray(model.buffers[tensor.buffer].data))
                    return np.frombuffer(data, np.float32).reshape(tensor.shape)
        raise KeyError(name)

    h = before = np.zeros([1, 24], np.float32)
    for row in rows:
        joined = np.concatenate([row[None], h, before], 1)
        h, before = np.tanh(joined @ constant("mixed/w").T + constant("mixed/b")), h
    logits = (h + before) @ constant("logits/w").T + constant("logits/b")
    expected = np.exp(logits) / np.exp(logits).sum()
    assert np.allclose(answer, expected, atol=1e-5)
