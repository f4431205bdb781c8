"""What dump_model prints, told by the schema classes of ai_edge_litert.

The fields of the option tables are read out of the generated code itself, so
that neither berth's options.def nor a list in here decides what is compared.
"""
import inspect
import re
import struct

from ai_edge_litert import schema_py_generated as schema

SOURCE = inspect.getsource(schema)


def snake(camel):
    """strideW to stride_w, as the schema file spells it."""
    return re.sub("[A-Z]", lambda m: "_" + m[0].lower(),
                  camel[0].lower() + camel[1:])


def class_source(name):
    start = SOURCE.index(f"\nclass {name}(object):")
    return SOURCE[start:SOURCE.find("\nclass ", start + 1)]


class Field:
    """A field of an option table: slot, kind, default."""

    VECTORS = {"1": "bytes", "2": "bytes", "4": "ints", "8": "bytes"}

    def __init__(self, table, camel, param, prepend, slot, default):
        self.camel = camel
        self.name = snake(camel)
        self.attribute = param
        self.slot = int(slot)
        self.default = default
        self.item = None
        if prepend == "UOffsetTRelative":
            start = re.search(
                rf"def {table}Start{camel}Vector\(builder, numElems.*\n"
                r"\s+return builder.StartVector\((\d), ", SOURCE)
            self.kind = "string" if start is None else "vector"
            self.item = None if start is None else int(start[1])
            self.shown = "bytes" if start is None else self.VECTORS[start[1]]
            packs = re.search(rf"builder\.Prepend(\w+)\(self\.{param}\[i\]\)",
                              class_source(table + "T"))
            self.element = None if packs is None else packs[1]
        else:
            self.kind = prepend
            self.shown = "bits" if prepend == "Float32" else "int"


def fields_of(table):
    found = re.findall(
        rf"^def {table}Add(\w+)\(builder, (\w+)\):\n"
        r"\s+builder.Prepend(\w+)Slot\((\d+), .*, ([^)]+)\)$",
        SOURCE, re.MULTILINE)
    return sorted((Field(table, *row) for row in found),
                  key=lambda field: field.slot)


def tables_of(union):
    return {tag: name for name, tag in vars(union).items()
            if isinstance(tag, int) and tag > 0}


UNIONS = [tables_of(schema.BuiltinOptions), tables_of(schema.BuiltinOptions2)]
FIELDS = {name: fields_of(name) for union in UNIONS for name in union.values()}


def text(data):
    return "" if data is None else bytes(data).hex()


def ints(values):
    return ",".join(str(int(value)) for value in values)


def floats(values):
    return ",".join(str(struct.unpack("<I", struct.pack("<f", value))[0])
                    for value in values)


def items(obj, name):
    """All elements of a vector of the read interface."""
    element = getattr(obj, name)
    return [element(i) for i in range(getattr(obj, name + "Length")())]


def vector_place(table, slot):
    """Where a vector's elements begin, and their count."""
    at = table._tab.Offset(4 + 2 * slot)
    if at == 0:
        return 0, 0
    return table._tab.Vector(at), table._tab.VectorLen(at)


def place(inside, offset, size):
    at, count = inside
    if count == 0 and offset > 1:
        at, count = offset, size
    return f"{at if count else 0}+{count}"


def buffer_place(model, index):
    if index >= model.BuffersLength():
        return "0+0"
    buffer = model.Buffers(index)
    return place(vector_place(buffer, 0), buffer.Offset(), buffer.Size())


def option_line(table_name, table, field):
    """table: the flatbuffers Table of the options, or None."""
    at = 0 if table is None else table.Offset(4 + 2 * field.slot)
    line = f"option {table_name}.{field.name} present={int(at != 0)} "
    default = {"False": 0, "True": 1}.get(field.default, field.default)
    if field.shown == "int":
        value = int(default)
        if at:
            value = int(table.Get(getattr(schema.flatbuffers.number_types,
                                          field.kind + "Flags"), table.Pos + at))
        return f"{line}int={value}"
    if field.shown == "bits":
        raw = (table.Bytes[table.Pos + at:table.Pos + at + 4] if at
               else struct.pack("<f", float(default)))
        return f"{line}bits={struct.unpack('<I', raw)[0]}"
    start = table.Vector(at) if at else 0
    count = table.VectorLen(at) if at else 0
    raw = bytes(table.Bytes[start:start + count * (field.item or 1)]) if at else b""
    if field.shown == "ints":
        return f"{line}ints={ints(struct.unpack(f'<{count}i', raw))}"
    return f"{line}bytes={raw.hex()}"


def quantization_line(key, quant):
    details = quant.Details()
    blocks = (-1, -1, 0)
    custom = None
    if details is not None and quant.DetailsType() == 1:
        obj = schema.CustomQuantization()
        obj.Init(details.Bytes, details.Pos)
        at, count = vector_place(obj, 0)
        custom = details.Bytes[at:at + count]
    elif details is not None and quant.DetailsType() in (2, 3):
        obj = schema.BlockwiseQuantization()
        obj.Init(details.Bytes, details.Pos)
        has_zeros = details.Offset(6) != 0
        blocks = (obj.Scales(), obj.ZeroPoints() if has_zeros else -1,
                  obj.BlockSize())
    return (f"quantization {key} axis={quant.QuantizedDimension()}"
            f" details={quant.DetailsType()} min={quant.MinLength()}"
            f" max={quant.MaxLength()} scales={floats(items(quant, 'Scale'))}"
            f" zeros={ints(items(quant, 'ZeroPoint'))}"
            f" blocks={ints(blocks)} custom={text(custom)}")


def tensor_lines(model, key, tensor):
    shape = items(tensor, "Shape")
    sparsity = tensor.Sparsity()
    yield (f"tensor {key} name={text(tensor.Name())} type={tensor.Type()}"
           f" rank={int(bool(shape) or tensor.HasRank())}"
           f" variable={int(tensor.IsVariable())}"
           f" sparse={int(sparsity is not None)}"
           f" variant={int(tensor.VariantTensorsLength() > 0)}"
           f" buffer={tensor.Buffer()} external={tensor.ExternalBuffer()}"
           f" shape={ints(shape)}"
           f" signature={ints(items(tensor, 'ShapeSignature'))}"
           f" data={buffer_place(model, tensor.Buffer())}")
    if sparsity is not None:
        yield (f"sparsity {key} order={ints(items(sparsity, 'TraversalOrder'))}"
               f" blocks={ints(items(sparsity, 'BlockMap'))}"
               f" dims={sparsity.DimMetadataLength()}")
    if tensor.Quantization() is not None:
        yield quantization_line(key, tensor.Quantization())


CALLS = {31: ("CallOptions", ["subgraph"]),
         118: ("IfOptions", ["then_subgraph_index", "else_subgraph_index"]),
         119: ("WhileOptions", ["cond_subgraph_index", "body_subgraph_index"]),
         129: ("CallOnceOptions", ["init_subgraph_index"]),
         200: ("StablehloWhileOptions",
               ["cond_subgraph_index", "body_subgraph_index"]),
         206: ("StableHLOCompositeOptions", ["decomposition_subgraph_index"]),
         209: ("StablehloCaseOptions", ["branch_subgraph_indices"])}


def operator_lines(model, key, op):
    code = model.OperatorCodes(op.OpcodeIndex())
    number = max(code.DeprecatedBuiltinCode(), code.BuiltinCode())
    tags = op.BuiltinOptionsType(), op.BuiltinOptions2Type()
    tables = op.BuiltinOptions(), op.BuiltinOptions2()
    options = []
    for union, tag, table in zip(UNIONS, tags, tables):
        name = union.get(tag)
        options += [option_line(name, table, field)
                    for field in FIELDS.get(name, [])]
    table_name, fields = CALLS.get(number, (None, []))
    calls = [line.rsplit("=", 1)[1] for field in fields for line in options
             if line.startswith(f"option {table_name}.{field} ")]
    inside = vector_place(op, 5)
    outside = op.LargeCustomOptionsOffset(), op.LargeCustomOptionsSize()
    custom = code.CustomCode() if number == 32 else None
    yield (f"operator {key} code={number} version={code.Version()}"
           f" custom={text(custom)}"
           f" inputs={ints(items(op, 'Inputs'))}"
           f" outputs={ints(items(op, 'Outputs'))}"
           f" intermediates={ints(items(op, 'Intermediates'))}"
           f" custom_options={place(inside, op.LargeCustomOptionsOffset(), op.LargeCustomOptionsSize())}"
           f" options={tags[0]},{tags[1]} debug={op.DebugMetadataIndex()}"
           f" calls={','.join(calls)}")
    yield from options


def signature_lines(index, signature):
    yield (f"signature {index} name={text(signature.SignatureKey())}"
           f" subgraph={signature.SubgraphIndex()}")
    for side in "Inputs", "Outputs":
        for entry in items(signature, side):
            yield (f"signature_{side[:-1].lower()} tensor={entry.TensorIndex()}"
                   f" name={text(entry.Name())}")


def model_lines(data):
    """The lines of dump_model after "file PATH"."""
    model = schema.Model.GetRootAsModel(data, 0)
    yield f"model description={text(model.Description())}"
    for i in range(model.BuffersLength()):
        yield f"buffer {i} data={buffer_place(model, i)}"
    for s, subgraph in enumerate(items(model, "Subgraphs")):
        yield (f"subgraph {s} name={text(subgraph.Name())}"
               f" tensors={subgraph.TensorsLength()}"
               f" operators={subgraph.OperatorsLength()}"
               f" inputs={ints(items(subgraph, 'Inputs'))}"
               f" outputs={ints(items(subgraph, 'Outputs'))}")
        for i, tensor in enumerate(items(subgraph, "Tensors")):
            yield from tensor_lines(model, f"{s}.{i}", tensor)
        for i, op in enumerate(items(subgraph, "Operators")):
            yield from operator_lines(model, f"{s}.{i}", op)
    for i, signature in enumerate(items(model, "SignatureDefs")):
        yield from signature_lines(i, signature)
    for i, entry in enumerate(items(model, "Metadata")):
        yield f"metadata {i} buffer={entry.Buffer()} name={text(entry.Name())}"
