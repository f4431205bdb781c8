"""The strategies tflite and tflm against a second, plain reading of the two
runtimes' planners: offset by offset on random problems.

The re-implementations below work as the runtimes do: lists of placed blocks in
order of offset, closed intervals of nodes, quadratic and without any of berth's
ideas. BERTH_SEED chooses other problems.
"""

import os
import random
import subprocess
from pathlib import Path

import pytest

from support import ROOT

TOOL = Path(os.environ.get("BERTH_BUILD") or ROOT / "build" / "debug") / "tests" / "plan_tool"
SEED = int(os.environ.get("BERTH_SEED", "1"))
NEVER = 2**31 - 1


def up(value, align):
    return (value + align - 1) // align * align


def closed(buffer, steps):
    """First and last node; what is dead at the last step is never given back."""
    born, dead, _, _ = buffer
    return born, NEVER if dead == steps else dead - 1


def meet(a, b):
    return a[0] <= b[1] and b[0] <= a[1]


def plan_tflite(steps, align, buffers):
    lives = [closed(b, steps) for b in buffers]

    def key(i):
        if lives[i] == (0, NEVER):
            return (0, i, 0, 0)
        return (1, -buffers[i][2], lives[i][0], i)

    placed = []  # (offset, size, life), by offset; equal ones as they came
    offsets = [0] * len(buffers)
    for i in sorted(range(len(buffers)), key=key):
        size = buffers[i][2]
        if size == 0:
            continue
        current, best, best_fit = 0, None, float("inf")
        for offset, length, life in placed:
            if not meet(life, lives[i]):
                continue
            aligned = up(current, align)
            if aligned + size <= offset and offset - aligned < best_fit:
                best, best_fit = aligned, offset - current
            current = max(current, offset + length)
        offsets[i] = up(current, align) if best is None else best
        at = 0
        while at < len(placed) and placed[at][0] <= offsets[i]:
            at += 1
        placed.insert(at, (offsets[i], size, lives[i]))
    return offsets


def plan_tflm(steps, align, buffers):
    del align  # rounding the sizes does it
    lives = [(born, dead - 1) for born, dead, _, _ in buffers]
    sizes = [up(size, 16) for _, _, size, _ in buffers]
    planned = [i for i in range(len(buffers)) if sizes[i] > 0]
    offline = [i for i in planned if buffers[i][3] >= 0]
    # A stable bubble sort over the reversed list: larger ones first.
    online = [i for i in reversed(planned) if buffers[i][3] < 0]
    online.sort(key=lambda i: -sizes[i])
    placed = []
    offsets = [0] * len(buffers)
    for i in offline + online:
        candidate = 0
        if buffers[i][3] >= 0:
            candidate = buffers[i][3]
        elif placed:
            for other in placed:
                if not meet(lives[other], lives[i]):
                    continue
                if offsets[other] - candidate >= sizes[i]:
                    break
                candidate = max(candidate, offsets[other] + sizes[other])
        offsets[i] = candidate
        at = 0
        while at < len(placed) and offsets[placed[at]] <= candidate:
            at += 1
        placed.insert(at, i)
    return offsets


def random_problem(rng, align, with_fixed):
    steps = rng.randint(2, 40)
    buffers = []
    for _ in range(rng.randint(1, 60)):
        born = rng.choice([0, 0, rng.randrange(steps), rng.randrange(steps)])
        dead = rng.choice([steps, min(steps, born + rng.randint(1, 4)),
                           rng.randint(born + 1, steps)])
        size = rng.choice([0, 1, 4, 64, 100, 128, rng.randint(1, 200),
                           rng.randint(1, 5000), 16 * rng.randint(1, 40)])
        buffers.append((born, dead, size, -1))
    if with_fixed:
        # Offline buffers one above the other, so that no two collide.
        at = 0
        for i in rng.sample(range(len(buffers)), min(3, len(buffers))):
            at += 16 * rng.randint(0, 20)
            born, dead, size, _ = buffers[i]
            buffers[i] = (born, dead, size, at)
            at += up(size, 16)
    return steps, align, buffers


def solve(strategy, problems):
    lines = []
    for steps, align, buffers in problems:
        lines.append(f"problem {steps} {align}")
        lines += [" ".join(map(str, buffer)) for buffer in buffers]
        lines.append("end")
    done = subprocess.run([str(TOOL), strategy], input="\n".join(lines) + "\n",
                          capture_output=True, text=True, timeout=300, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("strategy, plan, align, with_fixed", [
    ("tflite", plan_tflite, 64, False),
    ("tflite", plan_tflite, 4, False),
    ("tflm", plan_tflm, 16, False),
    ("tflm", plan_tflm, 16, True),
])
def test_offsets_equal(strategy, plan, align, with_fixed):
    rng = random.Random(SEED)
    problems = [random_problem(rng, align, with_fixed) for _ in range(1500)]
    answers = solve(strategy, problems)
    assert len(answers) == len(problems)
    for problem, answer in zip(problems, answers):
        expected = plan(*problem)
        peak, bound, *offsets = map(int, answer.split())
        # A block of no bytes is not placed by either runtime.
        for buffer, mine, theirs in zip(problem[2], offsets, expected):
            assert buffer[2] == 0 or mine == theirs, (SEED, problem)
        assert peak == max((o + b[2] for o, b in zip(expected, problem[2]) if b[2]), default=0)
        assert bound <= peak


def test_best_is_never_above_a_peer():
    rng = random.Random(SEED + 1)
    for align, strategy, plan in [(64, "tflite", plan_tflite), (16, "tflm", plan_tflm)]:
        problems = [random_problem(rng, align, False) for _ in range(150)]
        for problem, answer in zip(problems, solve("best", problems)):
            peers = plan(*problem)
            theirs = max((o + b[2] for o, b in zip(peers, problem[2]) if b[2]), default=0)
            assert int(answer.split()[0]) <= theirs, (SEED, strategy, problem)
