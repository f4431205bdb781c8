#!/usr/bin/env python3
"""Makes the bundled models of examples/models/.

  build/venv/bin/python tools/make_models.py [FOLDER] [NAME...]

The nets are here for their graphs and their memory; none was trained. Every
number comes from a seeded integer generator, so that the same bytes come out on
every machine: tests/py/test_models.py compares them with what is committed.
Quantised nets get their scales by arithmetic: weights are spread so that an
activation fills its range, and LiteRT runs them without saturating.
"""

import math
import sys
import zlib
from pathlib import Path

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from flatbuffers import flexbuffers

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "models"

INT8, INT16, INT32, FLOAT32, BOOL, RESOURCE = (
    schema.TensorType.INT8, schema.TensorType.INT16, schema.TensorType.INT32,
    schema.TensorType.FLOAT32, schema.TensorType.BOOL, schema.TensorType.RESOURCE)
NUMPY = {INT8: np.int8, INT16: np.int16, INT32: np.int32, FLOAT32: np.float32,
         BOOL: np.bool_}
NONE, RELU, RELU6, TANH = (
    schema.ActivationFunctionType.NONE, schema.ActivationFunctionType.RELU,
    schema.ActivationFunctionType.RELU6, schema.ActivationFunctionType.TANH)

# --- the file ------------------------------------------------------------------


class AlignedBuffer(schema.BufferT):
    """A buffer whose bytes start at a multiple of 16, as the schema asks."""

    def Pack(self, builder):
        vector = None
        if self.data is not None:
            builder.StartVector(1, len(self.data), 16)
            builder.head -= len(self.data)
            builder.Bytes[builder.head:builder.head + len(self.data)] = self.data
            vector = builder.EndVector()
        schema.BufferStart(builder)
        if vector is not None:
            schema.BufferAddData(builder, vector)
        return schema.BufferEnd(builder)


class Model:
    def __init__(self, name, description):
        self.random = np.random.RandomState(zlib.crc32(name.encode()))
        self.file = schema.ModelT()
        self.file.version = 3
        self.file.description = description
        self.file.operatorCodes = []
        self.file.subgraphs = []
        self.file.buffers = [AlignedBuffer()]  # 0 is the empty one
        self.file.signatureDefs = []
        self.file.metadata = []

    def graph(self, name):
        graph = Graph(self, name)
        self.file.subgraphs.append(graph.graph)
        return graph

    def buffer(self, data):
        buffer = AlignedBuffer()
        buffer.data = data
        self.file.buffers.append(buffer)
        return len(self.file.buffers) - 1

    def metadata(self, name, data):
        entry = schema.MetadataT()
        entry.name = name
        entry.buffer = self.buffer(data)
        self.file.metadata.append(entry)

    def signature(self, key, graph, inputs, outputs):
        entry = schema.SignatureDefT()
        entry.signatureKey = key
        entry.subgraphIndex = self.file.subgraphs.index(graph.graph)
        entry.inputs = [tensor_map(*pair) for pair in inputs.items()]
        entry.outputs = [tensor_map(*pair) for pair in outputs.items()]
        self.file.signatureDefs.append(entry)

    def code(self, name, version, custom):
        """Index of the operator code, made when first used."""
        builtin = getattr(schema.BuiltinOperator, name)
        for index, code in enumerate(self.file.operatorCodes):
            if (code.builtinCode, code.version, code.customCode) == (builtin, version, custom):
                return index
        code = schema.OperatorCodeT()
        code.builtinCode = builtin
        code.deprecatedBuiltinCode = min(builtin, 127)
        code.version = version
        code.customCode = custom
        self.file.operatorCodes.append(code)
        return len(self.file.operatorCodes) - 1

    def bytes(self):
        self.metadata("min_runtime_version", b"2.3.0".ljust(16, b"\0"))
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.file.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def tensor_map(name, tensor):
    entry = schema.TensorMapT()
    entry.name = name
    entry.tensorIndex = tensor.index
    return entry


class Tensor:
    """What the layers below need to know of a tensor that was added."""

    def __init__(self, index, shape, scale, zero):
        self.index, self.shape, self.scale, self.zero = index, shape, scale, zero


class Graph:
    def __init__(self, model, name):
        self.model = model
        self.random = model.random
        self.graph = schema.SubGraphT()
        self.graph.name = name
        self.graph.tensors = []
        self.graph.operators = []
        self.graph.inputs = []
        self.graph.outputs = []

    def tensor(self, name, shape, type=FLOAT32, scale=None, zero=0, data=None,
               variable=False, signature=None, axis=0):
        """scale: None, a number, or one per slice along `axis`."""
        tensor = schema.TensorT()
        tensor.name = name
        tensor.shape = list(shape)
        tensor.shapeSignature = signature
        tensor.hasRank = True
        tensor.type = type
        tensor.isVariable = variable
        if data is not None:
            data = np.asarray(data, NUMPY[type])
            assert list(data.shape) == list(shape), (name, data.shape, shape)
            tensor.buffer = self.model.buffer(data.tobytes())
        if scale is not None:
            scales = np.atleast_1d(np.asarray(scale, np.float32))
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = scales
            tensor.quantization.zeroPoint = np.full(scales.shape, zero, np.int64)
            tensor.quantization.quantizedDimension = axis
        self.graph.tensors.append(tensor)
        return Tensor(len(self.graph.tensors) - 1, list(shape), scale, zero)

    def ints(self, name, values):
        values = np.asarray(values, np.int32)
        return self.tensor(name, values.shape, INT32, data=values)

    def input(self, *arguments, **named):
        tensor = self.tensor(*arguments, **named)
        self.graph.inputs.append(tensor.index)
        return tensor

    def outputs(self, *tensors):
        self.graph.outputs = [tensor.index for tensor in tensors]

    def op(self, name, inputs, outputs, version=1, options=None, custom=None,
           custom_options=None, **fields):
        """options: name of the schema's option table, its fields by keyword."""
        op = schema.OperatorT()
        op.opcodeIndex = self.model.code(name, version, custom)
        op.inputs = [-1 if tensor is None else tensor.index for tensor in inputs]
        op.outputs = [tensor.index for tensor in outputs]
        op.customOptions = custom_options
        if options:
            op.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            op.builtinOptions = getattr(schema, options + "T")()
            for field, value in fields.items():
                assert hasattr(op.builtinOptions, field), (options, field)
                setattr(op.builtinOptions, field, value)
        self.graph.operators.append(op)
        return outputs[0] if outputs else None


# --- layers --------------------------------------------------------------------

# A quantised activation after RELU6 spans [0, 6], a linear one [-8, 8]. SPREAD is
# the standard deviation that a layer aims at, MOMENT the mean square that a RELU6
# of such a value (mean 1) leaves for the next layer, UNIFORM the deviation of a
# whole number drawn from [-127, 127].
RANGE6 = (6 / 255, -128)
LINEAR = (16 / 255, 0)
SPREAD, MOMENT, UNIFORM = 2.0, 3.5, 73.3
PICTURE = (1 / 255, -128)
PICTURE_MOMENT = 0.33


def out_size(size, kernel, stride, same):
    return -(-size // stride) if same else -(-(size - kernel + 1) // stride)


def int8_weights(graph, name, shape, fan_in, moment, channels, axis, centred):
    """Weights and their scales, one per channel (channels = 0: one for all)."""
    values = graph.random.randint(-127, 128, shape).astype(np.int32)
    if centred:  # no channel drifts away with the mean of its input
        rest = tuple(i for i in range(len(shape)) if i != axis)
        count = math.prod(shape) // shape[axis]
        mean = values.sum(axis=rest, keepdims=True) // count
        values = np.clip(values - mean, -127, 127)
    scale = SPREAD / math.sqrt(fan_in * moment) / UNIFORM
    scales = scale
    if channels:
        scales = [scale * int(n) / 64 for n in graph.random.randint(48, 81, channels)]
    return graph.tensor(name, shape, INT8, scales, data=values, axis=axis), scales


def int8_bias(graph, name, count, scale_in, scales, mean):
    each = scales if isinstance(scales, list) else [scales] * count
    shift = graph.random.randint(-32, 33, count)
    values = [round((mean + int(n) / 64) / (scale_in * s)) for n, s in zip(shift, each)]
    scale = [scale_in * s for s in each] if isinstance(scales, list) else scale_in * scales
    return graph.tensor(name, [count], INT32, scale, data=values)


def float_weights(graph, name, shape, fan_in):
    """Few different values, so that the file packs well."""
    unit = math.sqrt(2 / fan_in) / 4
    return graph.tensor(name, shape, data=graph.random.randint(-7, 8, shape) * unit)


def conv(graph, name, x, channels, kernel, stride=1, same=True, activation=RELU6,
         quantised=True, moment=MOMENT, signature=None, version=None):
    """kernel and stride: a number or (height, width)."""
    kh, kw = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    sh, sw = stride if isinstance(stride, tuple) else (stride, stride)
    batch, height, width, depth = x.shape
    shape = [channels, kh, kw, depth]
    out = [batch, out_size(height, kh, sh, same), out_size(width, kw, sw, same), channels]
    if quantised:
        w, scales = int8_weights(graph, name + "/w", shape, kh * kw * depth, moment,
                                 channels, 0, centred=True)
        bias = int8_bias(graph, name + "/b", channels, x.scale, scales,
                         1.0 if activation == RELU6 else 0.0)
        y = graph.tensor(name, out, INT8, *(RANGE6 if activation == RELU6 else LINEAR))
    else:
        w = float_weights(graph, name + "/w", shape, kh * kw * depth)
        bias = graph.tensor(name + "/b", [channels],
                            data=graph.random.randint(-8, 9, channels) / 64)
        y = graph.tensor(name, out, signature=signature)
    return graph.op("CONV_2D", [x, w, bias], [y], 3 if quantised else 1, "Conv2DOptions",
                    padding=0 if same else 1, strideH=sh, strideW=sw, dilationHFactor=1,
                    dilationWFactor=1, fusedActivationFunction=activation)


def depthwise(graph, name, x, kernel=3, stride=1, same=True, activation=RELU6):
    batch, height, width, depth = x.shape
    w, scales = int8_weights(graph, name + "/w", [1, kernel, kernel, depth],
                             kernel * kernel, MOMENT, depth, 3, centred=False)
    bias = int8_bias(graph, name + "/b", depth, x.scale, scales, 1.0)
    y = graph.tensor(name, [batch, out_size(height, kernel, stride, same),
                            out_size(width, kernel, stride, same), depth], INT8, *RANGE6)
    return graph.op("DEPTHWISE_CONV_2D", [x, w, bias], [y], 3, "DepthwiseConv2DOptions",
                    padding=0 if same else 1, strideH=stride, strideW=stride,
                    depthMultiplier=1, dilationHFactor=1, dilationWFactor=1,
                    fusedActivationFunction=activation)


def dense(graph, name, x, count, quantised=True, keep=False, activation=NONE,
          signature=None, moment=MOMENT):
    depth = x.shape[-1] if keep else math.prod(x.shape[1:])
    out = (x.shape[:-1] if keep else x.shape[:1]) + [count]
    if quantised:
        w, scale = int8_weights(graph, name + "/w", [count, depth], depth, moment, 0, 0,
                                centred=True)
        bias = int8_bias(graph, name + "/b", count, x.scale, scale, 0.0)
        y = graph.tensor(name, out, INT8, *(RANGE6 if activation == RELU6 else LINEAR))
    else:
        w = float_weights(graph, name + "/w", [count, depth], depth)
        bias = graph.tensor(name + "/b", [count], data=graph.random.randint(-8, 9, count) / 64)
        y = graph.tensor(name, out, signature=signature)
    return graph.op("FULLY_CONNECTED", [x, w, bias], [y],
                    4 if quantised else 5 if keep else 1, "FullyConnectedOptions",
                    fusedActivationFunction=activation, keepNumDims=keep)


def average_all(graph, name, x):
    batch, height, width, depth = x.shape
    y = graph.tensor(name, [batch, 1, 1, depth], INT8, x.scale, x.zero)
    return graph.op("AVERAGE_POOL_2D", [x], [y], 2, "Pool2DOptions", padding=1, strideH=1,
                    strideW=1, filterHeight=height, filterWidth=width)


def reshape(graph, name, x, shape, type=INT8):
    y = graph.tensor(name, shape, type, x.scale, x.zero)
    return graph.op("RESHAPE", [x, graph.ints(name + "/shape", shape)], [y], 1,
                    "ReshapeOptions", newShape=list(shape))


def softmax(graph, name, x, quantised=True):
    if quantised:
        y = graph.tensor(name, x.shape, INT8, 1 / 256, -128)
    else:
        y = graph.tensor(name, x.shape)
    return graph.op("SOFTMAX", [x], [y], 2 if quantised else 1, "SoftmaxOptions", beta=1.0)


def add(graph, name, a, b, quantised=True):
    if quantised:
        y = graph.tensor(name, a.shape, INT8, *LINEAR)
    else:
        y = graph.tensor(name, a.shape)
    return graph.op("ADD", [a, b], [y], 2 if quantised else 1, "AddOptions")


def concat(graph, name, tensors, axis, type=INT8, signature=None):
    shape = list(tensors[0].shape)
    shape[axis] = sum(tensor.shape[axis] for tensor in tensors)
    y = graph.tensor(name, shape, type, tensors[0].scale, tensors[0].zero)
    return graph.op("CONCATENATION", tensors, [y], 2 if type == INT8 else 1,
                    "ConcatenationOptions", axis=axis)


def unary(graph, kind, name, x, options=None, signature=None, **fields):
    y = graph.tensor(name, x.shape, signature=signature)
    return graph.op(kind, [x], [y], 1, options, **fields)


# --- the models ----------------------------------------------------------------


def vww96_int8(model):
    """MobileNet v1, width 0.25, 96x96: a chain in which a greedy planner that sorts
    by size takes a third more than need be."""
    graph = model.graph("main")
    x = graph.input("picture", [1, 96, 96, 3], INT8, *PICTURE)
    y = conv(graph, "conv0", x, 8, 3, 2, moment=PICTURE_MOMENT)
    plan = [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (128, 1),
            (128, 1), (128, 1), (128, 1), (256, 2), (256, 1)]
    for number, (channels, stride) in enumerate(plan, 1):
        y = depthwise(graph, f"dw{number}", y, stride=stride)
        y = conv(graph, f"pw{number}", y, channels, 1)
    y = average_all(graph, "pool", y)
    y = reshape(graph, "flat", y, [1, 256])
    y = softmax(graph, "person", dense(graph, "logits", y, 2))
    graph.outputs(y)
    model.signature("serving_default", graph, {"picture": x}, {"person": y})


def kws_dscnn_int8(model):
    """A depthwise separable net of keyword spotting: 49 frames of 10 features."""
    graph = model.graph("main")
    x = graph.input("features", [1, 49, 10, 1], INT8, 8 / 127, 0)
    y = conv(graph, "conv0", x, 64, (10, 4), (2, 2), moment=4.0)
    for number in range(1, 5):
        y = depthwise(graph, f"dw{number}", y)
        y = conv(graph, f"pw{number}", y, 64, 1)
    y = average_all(graph, "pool", y)
    y = reshape(graph, "flat", y, [1, 64])
    graph.outputs(softmax(graph, "word", dense(graph, "logits", y, 12)))


def bottleneck(graph, name, x, channels, stride=1):
    """An inverted residual block; the sum where shapes allow it."""
    wide = conv(graph, name + "/expand", x, 4 * x.shape[3], 1, moment=MOMENT)
    deep = depthwise(graph, name + "/dw", wide, stride=stride)
    thin = conv(graph, name + "/project", deep, channels, 1, activation=NONE)
    if stride == 1 and channels == x.shape[3]:
        return add(graph, name + "/sum", x, thin)
    return thin


def anchors(sides):
    """(y, x, height, width) for each cell of each square map, in [0, 1]."""
    rows = []
    for side, sizes in sides:
        for cell in range(side * side):
            for size in sizes:
                rows.append([(cell // side + 0.5) / side, (cell % side + 0.5) / side,
                             size, size])
    return np.asarray(rows, np.float32)


def detector_int8(model):
    """An SSD of two maps with inverted residual blocks, a concatenation of branches
    and the detection post-processing as a custom operator."""
    graph = model.graph("main")
    x = graph.input("picture", [1, 128, 128, 3], INT8, *PICTURE)
    y = conv(graph, "conv0", x, 16, 3, 2, moment=PICTURE_MOMENT)
    y = bottleneck(graph, "block1", y, 16, 2)
    y = bottleneck(graph, "block2", y, 16)
    y = bottleneck(graph, "block3", y, 24, 2)
    y = bottleneck(graph, "block4", y, 24)
    near = conv(graph, "branch1", y, 24, 1)
    wide = conv(graph, "branch3", y, 24, 3)
    fine = concat(graph, "branches", [near, wide], 3)
    y = bottleneck(graph, "block5", fine, 48, 2)
    coarse = bottleneck(graph, "block6", y, 48)

    classes, sides = 4, [(16, (0.1, 0.2, 0.3)), (8, (0.3, 0.5, 0.7))]
    boxes, scores = [], []
    for name, level, (side, sizes) in zip(("fine", "coarse"), (fine, coarse), sides):
        count = side * side * len(sizes)
        box = conv(graph, f"{name}/box", level, 4 * len(sizes), 1, activation=NONE)
        boxes.append(reshape(graph, f"{name}/boxes", box, [1, count, 4]))
        score = conv(graph, f"{name}/score", level, (classes + 1) * len(sizes), 1,
                     activation=NONE)
        scores.append(reshape(graph, f"{name}/scores", score, [1, count, classes + 1]))
    box = concat(graph, "boxes", boxes, 1)
    score = concat(graph, "scores", scores, 1)
    likely = graph.tensor("likely", score.shape, INT8, 1 / 256, -128)
    graph.op("LOGISTIC", [score], [likely], 2)
    box_float = graph.op("DEQUANTIZE", [box], [graph.tensor("boxes/float", box.shape)], 2,
                         "DequantizeOptions")
    likely_float = graph.op("DEQUANTIZE", [likely],
                            [graph.tensor("likely/float", likely.shape)], 2,
                            "DequantizeOptions")
    rows = anchors(sides)
    most = 10
    out = [graph.tensor("detection/boxes", [1, most, 4]),
           graph.tensor("detection/classes", [1, most]),
           graph.tensor("detection/scores", [1, most]),
           graph.tensor("detection/count", [1])]
    graph.op("CUSTOM", [box_float, likely_float, graph.tensor("anchors", rows.shape, data=rows)],
             out, 1, custom="TFLite_Detection_PostProcess",
             custom_options=flexbuffers.Dumps({
                 "max_detections": most, "max_classes_per_detection": 1,
                 "detections_per_class": 100, "num_classes": classes,
                 "nms_score_threshold": 0.5, "nms_iou_threshold": 0.5,
                 "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
                 "use_regular_nms": False}))
    graph.outputs(*out)


def slice_of(graph, name, x, begin, end, shrink):
    shape = [] if shrink else [end - begin]
    y = graph.tensor(name, shape, INT32)
    return graph.op("STRIDED_SLICE", [x, graph.ints(name + "/begin", [begin]),
                                      graph.ints(name + "/end", [end]),
                                      graph.ints(name + "/step", [1])], [y], 1,
                    "StridedSliceOptions", shrinkAxisMask=1 if shrink else 0)


def any_picture_float32(model):
    """Pictures of any number, height and width: a class for each and a mask of the
    same size. The shapes of both heads are computed from the input's."""
    graph = model.graph("main")
    x = graph.input("pictures", [1, 40, 56, 3], signature=[-1, -1, -1, 3])
    y = conv(graph, "conv1", x, 8, 3, 2, activation=RELU, quantised=False,
             signature=[-1, -1, -1, 8])
    y = conv(graph, "conv2", y, 16, 3, 2, activation=RELU, quantised=False,
             signature=[-1, -1, -1, 16])

    shape = graph.op("SHAPE", [y], [graph.tensor("shape", [4], INT32)], 1, "ShapeOptions",
                     outType=INT32)
    batch = slice_of(graph, "batch", shape, 0, 1, shrink=True)
    height = slice_of(graph, "height", shape, 1, 2, shrink=True)
    width = slice_of(graph, "width", shape, 2, 3, shrink=True)
    cells = graph.op("MUL", [height, width], [graph.tensor("cells", [], INT32)], 1,
                     "MulOptions")
    packed = graph.op("PACK", [batch, cells, graph.ints("depth", 16)],
                      [graph.tensor("packed", [3], INT32)], 1, "PackOptions", valuesCount=3)
    rows = graph.tensor("rows", [1, 140, 16], signature=[-1, -1, 16])
    graph.op("RESHAPE", [y, packed], [rows], 1, "ReshapeOptions")
    mixed = dense(graph, "mixed", rows, 16, quantised=False, keep=True, activation=RELU,
                  signature=[-1, -1, 16])
    mean = graph.tensor("mean", [1, 16], signature=[-1, 16])
    graph.op("MEAN", [mixed, graph.ints("mean/axis", [1])], [mean], 1, "ReducerOptions")
    logits = dense(graph, "logits", mean, 4, quantised=False, signature=[-1, 4])
    kind = graph.tensor("kind", [1, 4], signature=[-1, 4])
    graph.op("SOFTMAX", [logits], [kind], 1, "SoftmaxOptions", beta=1.0)

    mask = conv(graph, "mask/small", y, 1, 1, activation=NONE, quantised=False,
                signature=[-1, -1, -1, 1])
    whole = graph.op("SHAPE", [x], [graph.tensor("whole", [4], INT32)], 1, "ShapeOptions",
                     outType=INT32)
    size = slice_of(graph, "size", whole, 1, 3, shrink=False)
    large = graph.tensor("mask/large", [1, 40, 56, 1], signature=[-1, -1, -1, 1])
    graph.op("RESIZE_BILINEAR", [mask, size], [large], 3, "ResizeBilinearOptions",
             halfPixelCenters=True)
    mask = unary(graph, "LOGISTIC", "mask", large, signature=[-1, -1, -1, 1])
    graph.outputs(kind, mask)
    model.signature("serving_default", graph, {"pictures": x}, {"kind": kind, "mask": mask})


class Window:
    """A variable that holds the last rows of a stream."""

    def __init__(self, name, rows, depth, scale, zero):
        self.name, self.shape = name, [1, rows, 1, depth]
        self.scale, self.zero = scale, zero

    def handle(self, graph):
        handle = graph.tensor(self.name + "/handle", [], RESOURCE)
        return graph.op("VAR_HANDLE", [], [handle], 1, "VarHandleOptions", container="",
                        sharedName=self.name)

    def clear(self, graph):
        zeros = graph.tensor(self.name + "/zeros", self.shape, INT8, self.scale, self.zero,
                             data=np.full(self.shape, self.zero))
        graph.op("ASSIGN_VARIABLE", [self.handle(graph), zeros], [], 1,
                 "AssignVariableOptions")

    def push(self, graph, rows):
        """The window with the new rows at its end; keeps its last rows."""
        handle = self.handle(graph)
        old = graph.tensor(self.name + "/old", self.shape, INT8, self.scale, self.zero)
        graph.op("READ_VARIABLE", [handle], [old], 1, "ReadVariableOptions")
        joined = concat(graph, self.name + "/joined", [old, rows], 1)
        new = graph.tensor(self.name + "/new", self.shape, INT8, self.scale, self.zero)
        start = rows.shape[1]
        graph.op("STRIDED_SLICE", [
            joined, graph.ints(self.name + "/begin", [0, start, 0, 0]),
            graph.ints(self.name + "/end", [1, start + self.shape[1], 1, self.shape[3]]),
            graph.ints(self.name + "/step", [1, 1, 1, 1])], [new], 2, "StridedSliceOptions")
        graph.op("ASSIGN_VARIABLE", [handle, new], [], 1, "AssignVariableOptions")
        return joined


def stream_int8(model):
    """A streaming net: two windows kept in variables, cleared by a subgraph that
    CALL_ONCE runs and that is a signature of its own too."""
    windows = [Window("sound", 8, 40, 8 / 127, 0), Window("parts", 4, 32, *RANGE6)]
    step = model.graph("step")
    clear = model.graph("clear")
    for window in windows:
        window.clear(clear)

    frame = step.input("frame", [1, 2, 1, 40], INT8, 8 / 127, 0)
    step.op("CALL_ONCE", [], [], 1, "CallOnceOptions", initSubgraphIndex=1)
    y = windows[0].push(step, frame)
    y = conv(step, "conv1", y, 32, (9, 1), same=False, moment=4.0)
    y = windows[1].push(step, y)
    y = conv(step, "conv2", y, 48, (5, 1), same=False)
    y = average_all(step, "pool", y)
    y = reshape(step, "flat", y, [1, 48])
    word = softmax(step, "word", dense(step, "logits", y, 8))
    step.outputs(word)
    model.signature("step", step, {"frame": frame}, {"word": word})
    model.signature("clear", clear, {}, {})


def svdf(graph, name, x, units, memory):
    """Rank 1; its state is a variable tensor of 16-bit values."""
    features = x.shape[1]
    scale_features = SPREAD / math.sqrt(features * MOMENT) / UNIFORM
    state_scale = 16 / 32767
    scale_time = 1 / math.sqrt(memory) / (32767 * 0.577)
    w = graph.tensor(name + "/features", [units, features], INT8, scale_features,
                     data=graph.random.randint(-127, 128, [units, features]))
    t = graph.tensor(name + "/time", [units, memory], INT16, scale_time,
                     data=graph.random.randint(-32767, 32768, [units, memory]))
    scale_bias = state_scale * scale_time
    bias = graph.tensor(name + "/b", [units], INT32, scale_bias,
                        data=[round(1.0 / scale_bias)] * units)
    state = graph.tensor(name + "/state", [1, units * memory], INT16, state_scale,
                         variable=True)
    y = graph.tensor(name, [1, units], INT8, *RANGE6)
    return graph.op("SVDF", [x, w, t, bias, state], [y], 3, "SVDFOptions", rank=1,
                    fusedActivationFunction=RELU)


def hotword_svdf_int8(model):
    """State in variable tensors: three layers that remember."""
    graph = model.graph("main")
    y = graph.input("features", [1, 40], INT8, 8 / 127, 0)
    for number, (units, memory) in enumerate([(48, 8), (48, 12), (32, 16)], 1):
        y = svdf(graph, f"svdf{number}", y, units, memory)
    graph.outputs(softmax(graph, "word", dense(graph, "logits", y, 3)))


def loop_float32(model):
    """A recurrence over 16 rows as WHILE: one loop variable is never changed, one
    takes the other's old value."""
    rows, depth, width = 16, 8, 24
    main = model.graph("main")
    cond = model.graph("cond")
    body = model.graph("body")

    def loop_inputs(graph):
        return [graph.input("i", [1], INT32), graph.input("x", [rows, depth]),
                graph.input("before", [1, width]), graph.input("h", [1, width])]

    i, *_ = loop_inputs(cond)
    cond.outputs(cond.op("LESS", [i, cond.ints("rows", [rows])],
                         [cond.tensor("more", [1], BOOL)], 1, "LessOptions"))

    i, x, before, h = loop_inputs(body)
    row = body.op("GATHER", [x, i], [body.tensor("row", [1, depth])], 1, "GatherOptions",
                  axis=0)
    joined = concat(body, "joined", [row, h, before], 1, FLOAT32)
    mixed = dense(body, "mixed", joined, width, quantised=False)
    h_next = unary(body, "TANH", "h_next", mixed)
    i_next = body.op("ADD", [i, body.ints("one", [1])],
                     [body.tensor("i_next", [1], INT32)], 1, "AddOptions")
    # In this order the answer is the same for runtimes that move loop variables one
    # after the other, as LiteRT does, and for those that move them all at once.
    body.outputs(i_next, x, h, h_next)

    x = main.input("rows", [rows, depth])
    start = main.ints("start", [0])
    zeros = main.tensor("zeros", [1, width], data=np.zeros([1, width]))
    out = [main.tensor("i_end", [1], INT32), main.tensor("x_end", [rows, depth]),
           main.tensor("before_end", [1, width]), main.tensor("h_end", [1, width])]
    main.op("WHILE", [start, x, zeros, zeros], out, 1, "WhileOptions", condSubgraphIndex=1,
            bodySubgraphIndex=2)
    both = add(main, "both", out[2], out[3], quantised=False)
    kind = softmax(main, "kind", dense(main, "logits", both, 6, quantised=False), False)
    main.outputs(kind)
    model.signature("serving_default", main, {"rows": x}, {"kind": kind})


def residual_float32(model):
    """Residual blocks with activations of their own: most steps could run in the
    bytes of their input."""
    graph = model.graph("main")
    x = graph.input("picture", [1, 32, 32, 3])
    y = conv(graph, "conv0", x, 16, 3, activation=RELU, quantised=False)
    for number in range(1, 4):
        name = f"block{number}"
        z = conv(graph, name + "/conv1", y, 16, 3, activation=NONE, quantised=False)
        gate = unary(graph, "LOGISTIC", name + "/gate", z)
        z = graph.op("MUL", [z, gate], [graph.tensor(name + "/swish", z.shape)], 1,
                     "MulOptions")
        z = conv(graph, name + "/conv2", z, 16, 3, activation=NONE, quantised=False)
        half = graph.tensor(name + "/half", [], data=0.5)
        z = graph.op("MUL", [z, half], [graph.tensor(name + "/scaled", z.shape)], 1,
                     "MulOptions")
        z = add(graph, name + "/sum", y, z, quantised=False)
        y = unary(graph, "RELU", name + "/relu", z)
    mean = graph.op("MEAN", [y, graph.ints("mean/axis", [1, 2])],
                    [graph.tensor("mean", [1, 16])], 1, "ReducerOptions")
    graph.outputs(softmax(graph, "kind", dense(graph, "logits", mean, 10, quantised=False),
                          False))


MODELS = [vww96_int8, kws_dscnn_int8, detector_int8, any_picture_float32, stream_int8,
          hotword_svdf_int8, loop_float32, residual_float32]


def make(maker):
    """The bytes of one model."""
    name = maker.__name__
    model = Model(name, " ".join(maker.__doc__.split()))
    maker(model)
    return model.bytes()


def main(arguments):
    folder = Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for maker in MODELS:
        if not arguments[1:] or maker.__name__ in arguments[1:]:
            data = make(maker)
            path = folder / f"{maker.__name__}.tflite"
            path.write_bytes(data)
            print(f"{len(data):8,} {path.name}: {' '.join(maker.__doc__.split())}")


if __name__ == "__main__":
    main(sys.argv[1:])
