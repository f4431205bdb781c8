"""The sketches of docs/tflm.md compile with the files that berth bakes, against
stand-ins for the frameworks' headers (tests/docs/stubs)."""

import re
import shlex
import shutil
import subprocess

import pytest

from support import BERTH, ROOT

TEXT = (ROOT / "docs" / "tflm.md").read_text()
STUBS = ROOT / "tests" / "docs" / "stubs"
SKETCHES = re.findall(r"```cpp\n// (\S+)\n(.*?)```", TEXT, re.S)


@pytest.fixture(scope="module")
def baked(tmp_path_factory):
    """The command of the page, as it stands there."""
    folder = tmp_path_factory.mktemp("tflm")
    shutil.copy(ROOT / "examples/models/vww96_int8.tflite", folder / "person.tflite")
    command = re.search(r"```sh\n(.*?)```", TEXT, re.S)[1].replace("\\\n", " ")
    words = shlex.split(command)
    assert words[0] == "berth"
    subprocess.run([str(BERTH.resolve()), *words[1:]], cwd=folder, check=True)
    return folder


def test_there_are_three():
    assert [name for name, _ in SKETCHES] == ["person.ino", "main/main.cc", "src/main.cc"]


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("name, code", SKETCHES, ids=["arduino", "esp-idf", "zephyr"])
def test_it_compiles_and_links(name, code, compiler, baked, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    source = tmp_path / "sketch.cc"
    main = {"person.ino": "\nint main() { setup(); loop(); }\n",
            "main/main.cc": "\nint main() { app_main(); }\n"}.get(name, "")
    head = "#include <Arduino.h>\n" if name.endswith(".ino") else ""
    source.write_text(head + code + main)
    model = tmp_path / "model.o"
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-c",
                    str(baked / "person_baked.c"), "-o", str(model)], check=True)
    subprocess.run([compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", str(STUBS),
                    "-I", str(baked), str(source), str(model), "-o", str(tmp_path / "sketch")],
                   check=True)
    subprocess.run([str(tmp_path / "sketch")], timeout=60)


def test_what_the_page_names_is_in_the_header(baked):
    header = (baked / "person_baked.h").read_text()
    for name in re.findall(r"`?(BERTH_PERSON_BAKED_[A-Z0-9_]+)", TEXT):
        assert name in header, name
