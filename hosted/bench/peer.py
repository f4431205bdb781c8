"""The other runtime, as a child of berth bench: python3 -c THIS KIND MODEL SEED

Prints "ready PREPARE_NS FIRST_NS", then for each line "COUNT" on standard input
runs so often and prints the times in nanoseconds on one line. Whatever goes
wrong is one line "error WHY". Inputs come from the seed as those of berth do.
"""
import sys
import time


def seeded(key, dtype, shape):
    import numpy as np
    hash_ = 0xcbf29ce484222325
    for byte in key.encode():
        hash_ = (hash_ ^ byte) * 0x100000001b3 % 2**64
    count = int(np.prod(shape, dtype=np.int64))
    with np.errstate(over="ignore"):
        z = np.uint64(hash_) + np.uint64(0x9e3779b97f4a7c15) * np.arange(
            1, count + 1, dtype=np.uint64)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94d049bb133111eb)
        r = z ^ z >> np.uint64(31)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        values = (r >> np.uint64(40)).astype(np.float64) * 2.0**-23 - 1
    elif dtype.kind == "b":
        values = r & np.uint64(1)
    elif dtype.itemsize <= 2:
        values = (r >> np.uint64(64 - 8 * dtype.itemsize)).astype(
            "u%d" % dtype.itemsize).view(dtype)
    else:
        values = r >> np.uint64(61)
    return values.astype(dtype).reshape(shape)


def tflm(path, seed):
    import numpy as np
    from tflite_micro import runtime
    began = time.perf_counter_ns()
    interpreter = runtime.Interpreter.from_file(path, arena_size=64 << 20)
    took = time.perf_counter_ns() - began
    inputs = []
    while True:
        try:
            details = interpreter.get_input_details(len(inputs))
        except Exception:
            break
        inputs.append(seeded("%s#%d#0#0" % (seed, len(inputs)),
                             details["dtype"], tuple(details["shape"])))
    def run():
        for i, value in enumerate(inputs):
            interpreter.set_input(value, i)
        began = time.perf_counter_ns()
        interpreter.invoke()
        return time.perf_counter_ns() - began
    return took, run


def litert(path, seed, kind):
    from ai_edge_litert import interpreter as module
    kinds = module.OpResolverType
    resolver = {"litert": kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
                "litert-ref": kinds.BUILTIN_REF,
                "litert-xnnpack": kinds.BUILTIN}[kind]
    began = time.perf_counter_ns()
    interpreter = module.Interpreter(
        path, experimental_op_resolver_type=resolver, num_threads=1)
    interpreter.allocate_tensors()
    took = time.perf_counter_ns() - began
    inputs = [(details["index"], seeded("%s#%d#0#0" % (seed, i),
                                        details["dtype"],
                                        tuple(details["shape"])))
              for i, details in enumerate(interpreter.get_input_details())]
    def run():
        for index, value in inputs:
            interpreter.set_tensor(index, value)
        began = time.perf_counter_ns()
        interpreter.invoke()
        return time.perf_counter_ns() - began
    return took, run


def main(kind, path, seed):
    took, run = (tflm(path, seed) if kind == "tflm"
                 else litert(path, seed, kind))
    print("ready", took, run(), flush=True)
    for line in sys.stdin:
        print(*(run() for _ in range(int(line))), flush=True)


try:
    main(*sys.argv[1:4])
except BaseException as error:
    print("error", type(error).__name__, " ".join(str(error).split()),
          flush=True)
