"""The golden cases of single operators, and what may fail of them.

By hand, `python tests/py/conform.py TOOL FOLDER` writes
tests/golden/op_exceptions.tsv anew, from what TOOL (op_cases) finds now.
"""

import csv
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

EXCEPTIONS = (Path(__file__).resolve().parent.parent / "golden" /
              "op_exceptions.tsv")
LINE = re.compile(r"^  (\S+?)/(\d+) (.+?): (.*)$")
NO_KERNEL = "no kernel for this operator"
REFUSED = "engine: "  # while it was prepared
HEAD = """# Golden cases of operators that berth has a kernel for, which do not pass on the
# engine, and why. Written by tests/py/conform.py; held by test_corpus_conform.py.
# Operators without any kernel are not here: berth run names them.
"""


@dataclass
class Tally:
    passed: int = 0
    total: int = 0
    untested: int = 0
    taken: bool = False
    why: str | None = None


def all_failures(tool, folder, kernels):
    """(operator, case) -> (types, why) of every case that fails; the last line."""
    done = subprocess.run([tool, folder, "-v", "-n", "--engine", "--set", kernels],
                          capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    lines = done.stdout.splitlines()
    matches = (LINE.match(line) for line in lines)
    found = {(match[1], match[2]): (match[3], match[4]) for match in matches if match}
    return found, lines[-1]


def failures(tool, folder, kernels):
    """Those of operators that there is a kernel for."""
    found, total = all_failures(tool, folder, kernels)
    return {case: found[case] for case in found if NO_KERNEL not in found[case][1]}, total


def tallies(folder, found):
    """(operator, types) -> passed, total, untested, taken, first reason, of all golden
    cases, `found` being those that fail. Untested: passed, but all that comes out is
    one value. Taken: a case passed, or failed otherwise than by being refused before
    it ran."""
    rows = {}
    with (folder / "index.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            case = row["op"], row["case"]
            tally = rows.setdefault((row["op"], row["types"]), Tally())
            tally.total += 1
            why = found[case][1] if case in found else None
            tally.passed += why is None
            tally.untested += why is None and one_value(folder, *case)
            tally.taken |= why is None or not why.startswith(REFUSED)
            tally.why = tally.why or why
    return rows


def one_value(folder, operator, case):
    """Whether no output of a golden case tells one element from another. An output
    of one element is tested by that."""
    outputs = [np.load(path).reshape(-1)
               for path in (folder / operator).glob(f"{case}.*out*.npy")]
    return all(out.size != 1 and np.all(out == out[:1]) for out in outputs)


def allowed():
    with EXCEPTIONS.open() as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")),
                              delimiter="\t")
        return {(row["operator"], row["case"]): (row["types"], row["why"])
                for row in rows}


def main(tool, folder):
    found, total = failures(tool, folder, "opt")
    with EXCEPTIONS.open("w") as file:
        file.write(HEAD + "operator\tcase\ttypes\twhy\n")
        for (operator, case), (types, why) in sorted(found.items()):
            file.write(f"{operator}\t{case}\t{types}\t{why}\n")
    print(f"{len(found)} exceptions; {total}")


if __name__ == "__main__":
    main(*sys.argv[1:])
