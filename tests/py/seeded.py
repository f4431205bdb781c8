"""Inputs that depend on a key, a type and a shape, and on nothing else: the
generator of ../shared/goldens/README.md."""

import numpy as np

KINDS = {np.dtype(kind): bits for kind, bits in
         (("int8", 8), ("uint8", 8), ("int16", 16), ("uint16", 16))}


def fnv1a(text):
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % (1 << 64)
    return value


def draws(key, count):
    """Outputs of splitmix64 started at the hash of the key."""
    with np.errstate(over="ignore"):
        s = np.uint64(fnv1a(key)) + np.uint64(0x9e3779b97f4a7c15) * np.arange(
            1, count + 1, dtype=np.uint64)
        z = (s ^ (s >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
        return z ^ (z >> np.uint64(31))


def values(key, dtype, shape):
    dtype, count = np.dtype(dtype), int(np.prod(shape, dtype=np.int64))
    r = draws(key, count)
    if dtype in KINDS:
        bits = KINDS[dtype]
        unsigned = np.dtype(f"uint{bits}")
        out = (r >> np.uint64(64 - bits)).astype(unsigned).view(dtype)
    elif dtype in (np.float32, np.float64):
        out = ((r >> np.uint64(40)).astype(np.float64) * 2.0 ** -23 - 1).astype(dtype)
    elif dtype == np.float16:
        out = ((r >> np.uint64(53)).astype(np.float64) * 2.0 ** -10 - 1).astype(dtype)
    elif dtype == np.bool_:
        out = (r & np.uint64(1)).astype(dtype)
    else:
        out = (r >> np.uint64(61)).astype(dtype)
    return out.reshape(shape)
