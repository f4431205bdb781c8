"""Models for pictures: long ones, and ones with hostile names."""

import flatbuffers
from ai_edge_litert import schema_py_generated as schema


def tensor(name, shape, kind=schema.TensorType.INT8):
    made = schema.TensorT()
    made.name, made.shape, made.type, made.buffer = name, shape, kind, 0
    return made


def pack(tensors, operators, inputs, outputs, custom=None):
    """operators: (inputs, outputs) each; ADD, or a custom operator of that name."""
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.buffers = 3, [schema.BufferT()]
    code = schema.OperatorCodeT()
    code.builtinCode = schema.BuiltinOperator.CUSTOM if custom else schema.BuiltinOperator.ADD
    code.deprecatedBuiltinCode, code.customCode, code.version = min(code.builtinCode, 127), custom, 1
    model.operatorCodes, model.subgraphs = [code], [graph]
    graph.tensors, graph.inputs, graph.outputs, graph.operators = tensors, inputs, outputs, []
    for reads, writes in operators:
        made = schema.OperatorT()
        made.opcodeIndex, made.inputs, made.outputs = 0, reads, writes
        graph.operators.append(made)
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def long_model(count, widest=None):
    """`count` operators in a row with a skip of eight here and there, and one tensor in
    the middle that is larger than all others: `layer/peak`."""
    widest = count // 2 if widest is None else widest
    tensors = [tensor("input", [1, 64])]
    operators = []
    for i in range(count):
        name = "layer/peak" if i == widest else f"layer{i // 50}/unit{i % 50}/out"
        tensors.append(tensor(name, [1, 65536 if i == widest else 64 + (i * 7919) % 960]))
        operators.append(([i] + ([i - 8] if i % 5 == 0 and i > 8 else []), [i + 1]))
    return pack(tensors, operators, [0], [count], custom="CHAIN")


# What a page, a script, an attribute, JSON or a terminal might take for its own.
HOSTILE = [
    b"</script><script>document.title='owned'</script>", b"<!--<script>", b"-->",
    b"]]></style></title></textarea><h1>owned", b"\"><img src=x onerror=document.title='owned'>",
    b"' onmouseover='document.title=1", b"&lt;b&gt;&amp;&#60;", b"\\\"},{\\u003c", b"\\u003cscript\\u003e",
    "line\u2028para\u2029".encode(), b"\xff\xfe<\xc0\xbc/script>", b"cut\xe2\x82", b"nul\0<b>",
    "right\u202eleft\u202c".encode(), b"\x1b[31mred\x07\r\n", "\ufeff\ufffe\uffff".encode(),
    "\U0001f600".encode(), b"${document.title='owned'}`", b"javascript:alert(1)", b"", b"\xed\xa0\x80",
    b"__proto__", b"constructor", b"#3", b"@DATA@", b"@POLICY@",
]


def hostile_model():
    """A chain of tensors with these names, under an operator with one, too."""
    tensors = [tensor(name, [1, 16 + i]) for i, name in enumerate(HOSTILE)]
    operators = [([i], [i + 1]) for i in range(len(HOSTILE) - 1)]
    return pack(tensors, operators, [0], [len(HOSTILE) - 1],
                custom=b"</script><script>document.title='owned'</script>")
