"""Plans are the same on machines of 32 and of 64 bits: `best`, search and all,
built for both, on random problems. Needs a compiler that knows -m32."""

import os
import random
import subprocess

import pytest

from support import ROOT

CC = os.environ.get("CC", "gcc")
SEED = int(os.environ.get("BERTH_SEED", "1"))


def build(folder, bits):
    tool = folder / f"plan_tool_{bits}"
    sources = [*sorted((ROOT / "core" / "plan").glob("*.c")),
               *sorted((ROOT / "core" / "base").glob("*.c")),
               ROOT / "tests" / "tools" / "plan_tool.c"]
    made = subprocess.run([CC, f"-m{bits}", "-std=c11", "-O1", f"-I{ROOT}/include",
                           f"-I{ROOT}/core", "-o", tool, *sources],
                          capture_output=True, text=True)
    return tool if made.returncode == 0 else None


def problems(count):
    dice = random.Random(SEED)
    for _ in range(count):
        steps = dice.randint(4, 24)
        align = dice.choice((1, 4, 16))
        yield f"problem {steps} {align}"
        for _ in range(dice.randint(5, 60)):
            born = dice.randrange(steps)
            dead = min(steps, born + dice.randint(1, 8))
            size = dice.choice((1, 3, 16, 40, 64, 100)) * dice.randint(1, 9)
            yield f"{born} {dead} {size} -1"
        yield "end"


def test_both_word_sizes_plan_alike(tmp_path):
    tools = [build(tmp_path, bits) for bits in (32, 64)]
    if tools[1] is not None and tools[0] is None:
        pytest.skip(f"{CC} -m32 does not link here")
    assert all(tools)
    text = "\n".join(problems(40)) + "\n"
    lines = [subprocess.run([tool, "best"], input=text, capture_output=True, text=True,
                            check=True).stdout.splitlines() for tool in tools]
    assert len(lines[0]) == 40
    assert lines[0] == lines[1]
