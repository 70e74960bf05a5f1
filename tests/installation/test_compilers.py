"""The kernels compile without a warning; Python gives each function a module that it need not use."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig

import pytest

from tests.installation.interpreters import ROOT

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fsyntax-only")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.long
def test_kernels_compile_without_a_warning(compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    sources = sorted(str(path) for path in (ROOT / "engine" / "kernels").glob("*.c"))
    python = ("-DPy_LIMITED_API=0x030b0000", "-I", sysconfig.get_path("include"))
    done = subprocess.run([compiler, *STRICT, *python, *sources], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
