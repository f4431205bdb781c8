"""Every option table and every other table of the schema, against the schema
classes of ai_edge_litert: names, slots, kinds, defaults and values."""

import os
import re
import struct
import subprocess
from pathlib import Path

import flatbuffers
import pytest

import schema_lines
from schema_lines import FIELDS, UNIONS, schema
from support import ROOT

BUILD = Path(os.environ.get("BERTH_BUILD") or ROOT / "build" / "debug")
DUMP = BUILD / "tests" / "dump_model"

TABLES = [(which, tag, name) for which, union in enumerate(UNIONS)
          for tag, name in union.items()]

# Of each kind: what options.def calls it, for scalars.
KIND_NAMES = {"Bool": "BOOL", "Int8": "I8", "Int32": "I32", "Uint32": "U32",
              "Int64": "I64", "Float32": "F32", "string": "STRING"}
VECTOR_KINDS = {"Uint8": "U8_VEC", "Bool": "BOOL_VEC", "Int32": "I32_VEC",
                "Uint32": "U32_VEC", "Float32": "F32_VEC", "Int64": "I64_VEC"}
VECTOR_FORMATS = {"Uint8": "B", "Bool": "?", "Int32": "i", "Uint32": "I",
                  "Float32": "f", "Int64": "q"}
SCALAR_BYTES = {"Bool": 1, "Int8": 1, "Uint8": 1, "Int32": 4, "Uint32": 4,
                "Int64": 8, "Uint64": 8, "Float32": 4}


def dump(tmp_path, data):
    path = tmp_path / "model.tflite"
    path.write_bytes(data)
    out = subprocess.run([str(DUMP), str(path)], capture_output=True, text=True,
                         check=True, timeout=60).stdout
    return out.splitlines()[1:]


def distinct(field, number):
    """A value that no other field of the table has, and its printed form."""
    if field.kind == "Bool":
        value = field.default in ("False", "0")
        return value, f"int={int(value)}"
    if field.kind == "Float32":
        value = 0.5 + number
        return value, f"bits={struct.unpack('<I', struct.pack('<f', value))[0]}"
    if field.kind == "Int64":
        value = -(2 ** 40) - number
        return value, f"int={value}"
    if field.kind == "Int8":
        return -100 + number, f"int={-100 + number}"
    if "subgraph" in field.name and field.kind != "vector":
        # These are verified; there are subgraphs enough below.
        return 1 + number, f"int={1 + number}"
    if field.kind == "Uint32":
        return 2 ** 31 + number, f"int={2 ** 31 + number}"
    if field.kind == "Int32":
        return -70000 - number, f"int={-70000 - number}"
    if field.kind == "string":
        return f"text{number}", f"bytes={f'text{number}'.encode().hex()}"
    values = [1 + number, 2, 3]
    if field.element == "Bool":
        values = [True, False, True]
    packed = struct.pack("<3" + VECTOR_FORMATS[field.element], *values)
    if field.item == 4:
        return values, f"ints={','.join(map(str, struct.unpack('<3i', packed)))}"
    return values, f"bytes={packed.hex()}"


def code_for(table):
    """Where a table means something to the verifier, its own operator."""
    return {"CallOptions": 31, "IfOptions": 118, "WhileOptions": 119,
            "CallOnceOptions": 129, "StablehloWhileOptions": 200,
            "StableHLOCompositeOptions": 206, "StablehloCaseOptions": 209,
            "StablehloReduceOptions": 174, "StablehloScatterOptions": 190,
            "StablehloReduceWindowOptions": 198,
            "StablehloSortOptions": 199}.get(table, 150)


def pack(which, tag, options, code):
    """A model of one operator, after 32 empty subgraphs that it may name."""
    model = schema.ModelT()
    model.version = 3
    operator_code = schema.OperatorCodeT()
    operator_code.builtinCode = code
    operator_code.deprecatedBuiltinCode = min(code, 127)
    operator_code.version = 7
    model.operatorCodes = [operator_code]
    op = schema.OperatorT()
    if which == 0:
        op.builtinOptionsType, op.builtinOptions = tag, options
    else:
        op.builtinOptions2Type, op.builtinOptions2 = tag, options
    main = schema.SubGraphT()
    main.operators = [op]
    model.subgraphs = [schema.SubGraphT() for _ in range(32)] + [main]
    model.buffers = [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def options_of(lines):
    return [line for line in lines if line.startswith("option ")]


@pytest.mark.parametrize("which,tag,table", TABLES)
def test_each_field_set_to_a_distinct_value_is_read_back(tmp_path, which, tag, table):
    options = getattr(schema, table + "T")()
    expected = []
    for number, field in enumerate(FIELDS[table]):
        value, printed = distinct(field, number)
        assert hasattr(options, field.attribute)
        setattr(options, field.attribute, value)
        expected.append(f"option {table}.{field.name} present=1 {printed}")
    data = pack(which, tag, options, code_for(table))
    lines = dump(tmp_path, data)
    assert options_of(lines) == expected
    assert lines == list(schema_lines.model_lines(data))


@pytest.mark.parametrize("which,tag,table", TABLES)
def test_each_absent_field_has_the_default_of_the_schema(tmp_path, which, tag, table):
    data = pack(which, tag, getattr(schema, table + "T")(), code_for(table))
    lines = dump(tmp_path, data)
    assert [line.split()[1] for line in options_of(lines)] == [
        f"{table}.{field.name}" for field in FIELDS[table]]
    assert all(" present=0 " in line for line in options_of(lines))
    assert lines == list(schema_lines.model_lines(data))


@pytest.mark.parametrize("which,tag,table", TABLES)
def test_a_tag_without_its_table_gives_defaults(tmp_path, which, tag, table):
    data = pack(which, tag, None, 150)
    lines = dump(tmp_path, data)
    assert len(options_of(lines)) == len(FIELDS[table])
    assert lines == list(schema_lines.model_lines(data))


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("above", [1, 50])
def test_a_tag_of_a_newer_schema_is_passed_over(tmp_path, which, above):
    options = schema.PadOptionsT()
    tag = max(UNIONS[which]) + above
    lines = dump(tmp_path, pack(which, tag, options, 150))
    assert options_of(lines) == []
    assert any(f" options={','.join(str(t) for t in ((tag, 0), (0, tag))[which])} "
               in line for line in lines)


def pack_newer():
    """A model as a later schema may write it: more slots than are known here, in
    the model, the subgraph, the operator and its options."""
    builder = flatbuffers.Builder(1024)
    later = builder.CreateString("of a later schema")

    def table(slots, *known):
        builder.StartObject(slots)
        for slot, kind, value, default in known:
            getattr(builder, f"Prepend{kind}Slot")(slot, value, default)
        builder.PrependUOffsetTRelativeSlot(slots - 1, later, 0)
        builder.PrependInt64Slot(slots - 2, -1, 0)
        return builder.EndObject()

    def vector(*tables):
        builder.StartVector(4, len(tables), 4)
        for one in reversed(tables):
            builder.PrependUOffsetTRelative(one)
        return builder.EndVector()

    options = table(30, (1, "Int32", 5, 0))
    op = table(30, (3, "Uint8", 1, 0), (4, "UOffsetTRelative", options, 0))
    subgraph = table(30, (3, "UOffsetTRelative", vector(op), 0))
    code = table(30, (0, "Int8", 3, 0), (3, "Int32", 3, 0))
    model = table(40, (0, "Uint32", 3, 0),
                  (1, "UOffsetTRelative", vector(code), 0),
                  (2, "UOffsetTRelative", vector(subgraph), 0))
    builder.Finish(model, b"TFL3")
    return bytes(builder.Output())


def test_fields_of_a_newer_schema_are_passed_over(tmp_path):
    data = pack_newer()
    lines = dump(tmp_path, data)
    assert "option Conv2DOptions.stride_w present=1 int=5" in lines
    assert lines == list(schema_lines.model_lines(data))


def rows(path, macro):
    text = (ROOT / path).read_text()
    # The comment on top shows the macro's form, too.
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return [tuple(part.strip() for part in row.split(","))
            for row in re.findall(rf"^{macro}\((.*)\)$", text, re.MULTILINE)]


def kind_of(field):
    if field.kind == "vector":
        return VECTOR_KINDS[field.element]
    return KIND_NAMES[field.kind]


def number(text):
    return float({"False": 0, "True": 1}.get(text, text))


def test_options_def_has_every_table_in_the_order_of_the_tags():
    assert rows("include/berth/options.def", "BERTH_OPTION_TABLE") == [
        (name, str(tag), str(which + 1)) for which, tag, name in TABLES]


def test_options_def_has_every_field_with_slot_kind_and_default():
    told = rows("include/berth/options.def", "BERTH_OPTION_FIELD")
    known = [(name, field) for _, _, name in TABLES for field in FIELDS[name]]
    assert len(told) == len(known)
    for (table, name, slot, kind, init), (owner, field) in zip(told, known):
        assert (table, name, int(slot)) == (owner, field.name, field.slot)
        assert kind == kind_of(field)
        assert number(init) == number(field.default)


def test_schema_def_has_every_field_of_every_other_table():
    told = rows("core/model/schema.def", "SCHEMA_FIELD")
    for table in {row[0] for row in told}:
        mine = [row[1:] for row in told if row[0] == table]
        theirs = schema_lines.fields_of(table)
        assert [int(slot) for _, slot, _, _ in mine] == [f.slot for f in theirs], table
        for (name, _, kind, arg), field in zip(mine, theirs):
            assert name.replace("_", "") == field.name.replace("_", ""), table
            if kind == "SCALAR":
                assert int(arg) == SCALAR_BYTES[field.kind], (table, name)
            elif kind == "STRING":
                assert field.kind == "string", (table, name)
            elif kind in ("VECTOR", "INDEXES"):
                assert field.item == int(arg), (table, name)
            elif kind == "TABLES":
                assert field.item == 4, (table, name)
            else:
                assert field.kind == "string", (table, name)  # any offset
