"""LiteRT's own memory: both arenas of the primary subgraph as they lie in the live
interpreter, kernels' temporaries included. Python shows neither, so this reads the
interpreter's array of tensors (ai-edge-litert 2.3.0 on x86-64: TfLiteTensor is 112
bytes). A process of its own and a child for each model, since some crash it:

  litert_memory.py        reads paths, prints a JSON line [path, answer] for each

The answer is {"arena": bytes, "persistent": bytes}, or a string."""

import ctypes
import json
import os
import struct
import sys

TENSOR_BYTES = 112
TYPE, DATA, DIMS, CLASS, SIZE = 0, 8, 16, 32, 40
ARENA, PERSISTENT = 2, 3
TEMPORARIES_MOST = 400  # more than any model of the corpus has


class Memory:
    def __init__(self):
        self.ranges = []
        with open("/proc/self/maps") as lines:
            for line in lines:
                place, mode = line.split()[:2]
                if mode[0] == "r" and "[v" not in line:
                    self.ranges.append([int(word, 16) for word in place.split("-")])

    def holds(self, at, size):
        return any(first <= at and at + size <= last for first, last in self.ranges)

    def words(self, at, count):
        while count and not self.holds(at, 8 * count):
            count -= 1
        return struct.unpack(f"<{count}Q", ctypes.string_at(at, 8 * count))


def field(tensors, index, offset, code):
    raw = ctypes.string_at(tensors + TENSOR_BYTES * index + offset, struct.calcsize(code))
    return struct.unpack(code, raw)[0]


def tensors_at(memory, at, count):
    """TfLiteContext begins with a count, a function and the array of tensors."""
    words = memory.words(at, 3)
    if len(words) < 3 or not count <= words[0] < count + TEMPORARIES_MOST:
        return None
    found, function, tensors = words
    if tensors % 8 or not memory.holds(tensors, TENSOR_BYTES * found) \
            or not memory.holds(function, 1):
        return None
    for index in range(found):
        dims = field(tensors, index, DIMS, "<Q")
        if not (0 <= field(tensors, index, TYPE, "<i") < 30 and
                0 <= field(tensors, index, CLASS, "<i") < 8 and
                (index >= count or dims == 0 or memory.holds(dims, 4))):
            return None
    return tensors, found


def find_tensors(wrapper, count):
    """From the Python object down, breadth first."""
    memory = Memory()
    level, seen = [(memory.words(id(wrapper) + 16, 1)[0], 40)], set()
    for _ in range(4):
        below = []
        for at, length in level:
            for i, pointer in enumerate(memory.words(at, length)):
                found = tensors_at(memory, at + 8 * i, count)
                if found:
                    return found
                if pointer % 8 == 0 and pointer not in seen and memory.holds(pointer, 64):
                    seen.add(pointer)
                    below.append((pointer, 64))
        level = below
    raise LookupError("no tensors found")


def arenas(path):
    from ai_edge_litert import interpreter as litert
    live = litert.Interpreter(
        model_path=path, num_threads=1, experimental_op_resolver_type=(
            litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES))
    live.allocate_tensors()
    count = max(detail["index"] for detail in live.get_tensor_details()) + 1
    tensors, found = find_tensors(live._interpreter, count)

    def extent(which):
        blocks = [(field(tensors, i, DATA, "<Q"), field(tensors, i, SIZE, "<Q"))
                  for i in range(found) if field(tensors, i, CLASS, "<i") == which]
        blocks = [(at, size) for at, size in blocks if at and size]
        return (max(at + size for at, size in blocks) - min(at for at, _ in blocks)
                if blocks else 0)

    return {"arena": extent(ARENA), "persistent": extent(PERSISTENT)}


def main():
    for line in sys.stdin:
        path = line.rstrip("\n")
        child = os.fork()
        if child == 0:
            try:
                answer = arenas(path)
            except Exception as error:  # whatever LiteRT says of a bad model
                answer = f"refused: {error}"
            print(json.dumps([path, answer]), flush=True)
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
