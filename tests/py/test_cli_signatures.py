"""Signatures whose names are of no help: empty, absent, or given twice."""

import copy
import json

import flatbuffers
import pytest
from ai_edge_litert import schema_py_generated as schema

from support import ROOT, run

NAMES = ["a", "a", "", None, "#0"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Subgraph 0 is whole, subgraph 1 its first two operators; signature 0 is of
    the one, all others are of the other."""
    data = (ROOT / "examples/models/vww96_int8.tflite").read_bytes()
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0))
    short = copy.deepcopy(model.subgraphs[0])
    short.operators = short.operators[:2]
    short.outputs = [int(short.operators[-1].outputs[0])]
    model.subgraphs.append(short)
    model.signatureDefs = []
    for i, name in enumerate(NAMES):
        signature = schema.SignatureDefT()
        signature.signatureKey = name
        signature.subgraphIndex = min(i, 1)
        signature.inputs = signature.outputs = []
        model.signatureDefs.append(signature)
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(model.Pack(builder), b"TFL3")
    path = tmp_path_factory.mktemp("signatures") / "names.tflite"
    path.write_bytes(builder.Output())
    return path


def subgraph_of(*arguments):
    done = run(*arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["model"]["subgraph"]


def test_each_of_all_signatures_is_of_its_own_subgraph(path):
    done = run(path, "--all-signatures", "--format", "json")
    assert done.returncode == 0
    found = [r["model"] for r in json.loads(done.stdout)["signatures"]]
    assert [m["subgraph"] for m in found] == [0, 1, 1, 1, 1]
    assert [m["signature"] for m in found] == ["a", "a", "", "", "#0"]


def test_a_number_always_works(path):
    assert subgraph_of(path, "--signature", "a") == 0
    for i in range(len(NAMES)):
        assert subgraph_of(path, "--signature", f"#{i}") == min(i, 1)


def test_there_is_no_number_past_the_last(path):
    for name in ("#5", "#", "#-1", "#0x1", "#4294967296", "#18446744073709551616"):
        done = run(path, "--signature", name)
        assert done.returncode == 2 and "no signature" in done.stderr
