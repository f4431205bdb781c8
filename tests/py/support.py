"""What the tests from outside share: the tool, the corpus, the oracle.

The environment is set by CMakeLists.txt; the defaults serve a run by hand:

  BERTH_BIN     the tool          default build/debug/berth
  BERTH_CORPUS  shared models     default ../shared beside the repository
"""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BERTH = Path(os.environ.get("BERTH_BIN") or ROOT / "build" / "debug" / "berth")
CORPUS = Path(os.environ.get("BERTH_CORPUS") or ROOT.parent / "shared")
MODELS = ROOT / "examples" / "models"


def run(*arguments, stdin=None, binary=False, environment=None, timeout=120):
    """Runs berth and waits; never raises for an exit code. Colour and width are
    fixed unless the test asks otherwise."""
    given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
    return subprocess.run(
        [str(BERTH), *map(str, arguments)], capture_output=True, text=not binary,
        timeout=timeout, **given,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8",
             **(environment or {})})


def need_corpus(relative=""):
    """Path of something in the corpus; skips the test, by name, where it is not."""
    path = CORPUS / relative
    if not path.exists():
        pytest.skip(f"{relative or 'the corpus'} is not in {CORPUS} (BERTH_CORPUS)")
    return path


def bundled_models():
    return sorted(MODELS.glob("*.tflite"))


def litert(path_or_bytes, **options):
    """An interpreter of LiteRT's reference kernels, one thread, not yet allocated."""
    from ai_edge_litert import interpreter
    source = ({"model_content": path_or_bytes} if isinstance(path_or_bytes, bytes)
              else {"model_path": str(path_or_bytes)})
    return interpreter.Interpreter(
        **source, num_threads=1,
        experimental_op_resolver_type=interpreter.OpResolverType.BUILTIN_REF, **options)
