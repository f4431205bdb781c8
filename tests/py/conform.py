"""The golden cases of single operators, and what may fail of them.

By hand, `python tests/py/conform.py TOOL FOLDER` writes
tests/golden/op_exceptions.tsv anew, from what TOOL (op_cases) finds now.
"""

import csv
import re
import subprocess
import sys
from pathlib import Path

EXCEPTIONS = (Path(__file__).resolve().parent.parent / "golden" /
              "op_exceptions.tsv")
LINE = re.compile(r"^  (\S+?)/(\d+) (.+?): (.*)$")
HEAD = """# Golden cases of operators that berth has a kernel for, which do not pass on the
# engine, and why. Written by tests/py/conform.py; held by test_corpus_conform.py.
# Operators without any kernel are not here: berth run names them.
"""


def failures(tool, folder, kernels):
    """(operator, case) -> (types, why) of what fails although there is a kernel;
    and the last line."""
    done = subprocess.run([tool, folder, "-v", "-n", "--engine", "--set", kernels],
                          capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    lines = done.stdout.splitlines()
    found = {}
    for line in lines:
        match = LINE.match(line)
        if match and "no kernel for this operator" not in match[4]:
            found[match[1], match[2]] = match[3], match[4]
    return found, lines[-1]


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
