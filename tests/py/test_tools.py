"""The tools that everything else leans on: do they say no when they should?"""

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
from support import ROOT


def load_tool(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


# --- run_tests: the closing line of counts ------------------------------------------

CMOCKA_GOOD = """[==========] Running 3 test(s).
[ RUN      ] one
[       OK ] one
[  PASSED  ] 3 test(s).
"""
CMOCKA_MIXED = """[==========] Running 4 test(s).
[  PASSED  ] 2 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] two
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] three

 1 FAILED TEST(S)
"""
PYTEST_MIXED = """..sF                 [100%]
SKIPPED [1] tests/py/test_x.py:12: models is not in ../shared
1 failed, 12 passed, 2 skipped in 0.31s
"""


def case(status, output):
    node = ElementTree.Element("testcase", name="x", status=status)
    ElementTree.SubElement(node, "system-out").text = output
    return node


@pytest.mark.parametrize("status, output, expected", [
    ("run", "", (1, 0, 0)),
    ("run", "anything\n", (1, 0, 0)),
    ("run", CMOCKA_GOOD, (3, 0, 0)),
    ("run", CMOCKA_GOOD + CMOCKA_GOOD, (6, 0, 0)),
    ("fail", CMOCKA_MIXED, (2, 1, 1)),
    ("run", "5 passed in 0.10s\n", (5, 0, 0)),
    ("run", "5 passed, 1 warning in 61.10s (0:01:01)\n", (5, 0, 0)),
    ("run", "3 skipped in 0.10s\n", (0, 0, 3)),
    ("fail", PYTEST_MIXED, (12, 1, 2)),
    ("fail", "1 error in 0.10s\n", (0, 1, 0)),
    ("fail", "no tests ran in 0.01s\n", (0, 1, 0)),
    ("fail", CMOCKA_GOOD, (3, 1, 0)),  # crashed after its tests
    ("fail", "", (0, 1, 0)),  # killed
    ("notrun", "", (0, 0, 1)),
])
def test_run_tests_counts_what_the_programs_printed(status, output, expected):
    *numbers, _ = load_tool("run_tests").count_case(case(status, output))
    assert tuple(numbers) == expected


def test_run_tests_names_what_was_skipped_and_why():
    *_, reasons = load_tool("run_tests").count_case(case("fail", PYTEST_MIXED))
    assert reasons == ["x: [1] tests/py/test_x.py:12: models is not in ../shared"]


# --- setup -----------------------------------------------------------------------


@pytest.fixture
def fake(tmp_path):
    """A copy of the tool on a machine where every command is a stand-in."""
    (tmp_path / "tools").mkdir()
    for name in ("setup", "packages.txt", "requirements.txt"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools" / name)
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in ("bash", "dirname", "cat", "awk", "sha256sum", "cut", "tr", "mkdir", "rm",
                 "tail", "env", "true"):
        (commands / name).symlink_to(shutil.which(name))

    class Machine:
        def command(self, name, script):
            (commands / name).write_text(f"#!{shutil.which('bash')}\n{script}\n")
            (commands / name).chmod(0o755)

        def setup(self, profile="demo"):
            return subprocess.run([str(tmp_path / "tools" / "setup"), profile], text=True,
                                  capture_output=True, env={"PATH": str(commands)})

        def log(self):
            path = tmp_path / "log"
            return path.read_text() if path.exists() else ""

    machine = Machine()
    machine.command("apt-get", f'echo "$@" >>{tmp_path}/log')
    machine.command("dpkg-query", 'case "$*" in *jansson*) exit 1;; esac; printf installed')
    machine.command("id", "echo 1000")
    return machine


def test_setup_tells_a_user_who_may_not_install_the_exact_command(fake):
    done = fake.setup()
    assert done.returncode == 1
    assert "sudo apt-get install --no-install-recommends libjansson-dev\n" in done.stderr
    assert fake.log() == ""
    assert fake.setup().returncode == 1  # and says so again, no stamp was left


def test_setup_installs_as_root_once(fake):
    fake.command("id", "echo 0")
    assert fake.setup().returncode == 0
    assert fake.log().count("libjansson-dev") == 1
    again = fake.setup()
    assert (again.returncode, again.stderr) == (0, "")
    assert fake.log().count("libjansson-dev") == 1


def test_setup_uses_sudo_where_it_asks_for_no_password(fake, tmp_path):
    # sudo hands no variable of its caller on
    fake.command("sudo", f'shift; exec env -i PATH={tmp_path}/bin "$@"')
    fake.command("apt-get", f'echo "$DEBIAN_FRONTEND: $@" >>{tmp_path}/log')
    assert fake.setup().returncode == 0
    assert fake.log().startswith("noninteractive: ")
    assert "libjansson-dev" in fake.log()


def test_setup_fetches_the_lists_only_when_the_install_fails_without(fake, tmp_path):
    fake.command("id", "echo 0")
    fake.command("apt-get", f'echo "$@" >>{tmp_path}/log\n'
                            f'case "$*" in *update*) echo >{tmp_path}/lists;; esac\n'
                            f'[ -e {tmp_path}/lists ]')
    assert fake.setup().returncode == 0
    words = [line.split() for line in fake.log().splitlines()]
    assert ["update" in line for line in words] == [False, True, False]


def test_setup_goes_on_when_only_a_foreign_source_fails(fake, tmp_path):
    fake.command("id", "echo 0")
    fake.command("apt-get", f'case "$*" in *update*) echo >{tmp_path}/lists; exit 100;; esac\n'
                            f'[ -e {tmp_path}/lists ]')
    assert fake.setup().returncode == 0


def test_setup_fails_when_apt_fails_and_shows_what_it_said(fake):
    fake.command("id", "echo 0")
    fake.command("apt-get", "echo no route; exit 100")
    done = fake.setup()
    assert done.returncode == 1
    assert "no route" in done.stderr


def test_setup_goes_on_where_there_is_no_dpkg(fake, tmp_path):
    (tmp_path / "bin" / "dpkg-query").unlink()
    done = fake.setup()
    assert done.returncode == 0
    assert "libjansson-dev" in done.stderr


def test_setup_refuses_an_unknown_profile(fake):
    assert fake.setup("everything").returncode == 2


# --- scripts and headers ------------------------------------------------------------


def test_shell_scripts_are_clean():
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed (tools/setup dev)")
    scripts = [path for path in [ROOT / ".ci" / "run", *(ROOT / "tools").iterdir()]
               if path.is_file() and b"bash" in path.read_bytes()[:40]]
    assert scripts
    done = subprocess.run(["shellcheck", *map(str, scripts)], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout


HEADERS = sorted((ROOT / "include").rglob("*.h"))


@pytest.mark.parametrize("language, standard", [("c", "c11"), ("c++", "c++11")])
@pytest.mark.parametrize("header", HEADERS,
                         ids=[str(path.relative_to(ROOT / "include")) for path in HEADERS])
def test_a_public_header_stands_alone(header, language, standard):
    name = header.relative_to(ROOT / "include")
    done = subprocess.run(
        ["clang", "-x", language, f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra",
         "-Wpedantic", "-Werror", "-I", str(ROOT / "include"), "-"],
        input=f'#include "{name}"\n#include "{name}"\n', text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


# --- install ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    build = os.environ.get("BERTH_BUILD")
    if not build:
        pytest.skip("not run by ctest: no build to install (BERTH_BUILD)")
    prefix = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", build, "--prefix", str(prefix)], check=True,
                   capture_output=True)
    return prefix


def test_install_brings_every_header(installed):
    for path in (ROOT / "include").rglob("*"):
        if path.is_file():
            assert (installed / "include" / path.relative_to(ROOT / "include")).exists()


def test_what_is_installed_can_be_built_against(installed, tmp_path):
    source = ROOT / "examples" / "inspect.c"
    if not source.exists():
        pytest.skip("examples/inspect.c is not there yet")
    packages = list(installed.rglob("pkgconfig"))
    flags = subprocess.run(
        ["pkg-config", "--static", "--cflags", "--libs", "berth"], check=True, text=True,
        capture_output=True, env={**os.environ, "PKG_CONFIG_PATH": str(packages[0])}).stdout
    sanitize = []
    if b"BERTH_SANITIZE:BOOL=ON" in (ROOT / os.environ["BERTH_BUILD"]
                                     / "CMakeCache.txt").read_bytes():
        sanitize = ["-fsanitize=address,undefined"]
    program = tmp_path / "inspect"
    subprocess.run(["cc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", *sanitize, str(source),
                    *flags.split(), "-o", str(program)], check=True)
    model = ROOT / "examples" / "models" / "vww96_int8.tflite"
    done = subprocess.run([str(program), str(model)], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "55296" in done.stdout.replace(",", "")
