"""The kernels compile without a warning, and read and write nothing but what is theirs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.installation.interpreters import ROOT

pytestmark = pytest.mark.long

COMPILERS = ("clang", "gcc")
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only")
SANITIZED = ("-std=c11", "-O1", "-g", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
HEADERS = sysconfig.get_path("include")
# The checkout, as far as the tests of kernels need it.
FOLDERS = ("engine", "eval", "foxir", "tests", "collections", "topics")

# pyconfig.h of Windows, as far as the limited API needs it.
NAMES = ("MS_WIN32", "MS_WIN64", "MS_WINDOWS", "HAVE_DECLSPEC_DLL", "Py_ENABLE_SHARED")
SIZES = {"SHORT": 2, "INT": 4, "LONG": 4, "LONG_LONG": 8, "SIZE_T": 8, "VOID_P": 8, "WCHAR_T": 2}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_kernels_compile_without_a_warning(compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")

    assert compiled(compiler, *STRICT, folder=ROOT) == ""


def test_kernels_compile_for_windows_without_a_warning(tmp_path: Path) -> None:
    compiler = "x86_64-w64-mingw32-gcc"
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")

    assert compiled(compiler, *STRICT, folder=ROOT, headers=windows_headers(tmp_path)) == ""


def test_the_tests_of_kernels_pass_with_sanitizers(tmp_path: Path) -> None:
    found = [compiler for compiler in COMPILERS if runtime(compiler) is not None]
    if not found:
        pytest.skip("neither clang nor gcc has its library of sanitizers here")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shared = ("-shared", "-fPIC", *(("-shared-libasan",) if found[0] == "clang" else ()))
    module = tmp_path / "engine" / "kernels" / "_native.abi3.so"
    assert compiled(found[0], *SANITIZED, *shared, "-o", str(module), folder=tmp_path) == ""

    # Python frees less than it takes, and does not matter here
    settings = {
        "FOXIR_THOROUGH": "",
        "LD_PRELOAD": str(runtime(found[0])),
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONPATH": str(tmp_path),
    }
    command = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/engine/kernels")
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def windows_headers(folder: Path) -> Path:
    """Return the folder of Python's headers for Windows, made in another one."""
    headers = folder / "headers"
    shutil.copytree(HEADERS, headers)
    lines = [*NAMES, *(f"SIZEOF_{name} {size}" for name, size in SIZES.items())]
    (headers / "pyconfig.h").write_text("".join(f"#define {line}\n" for line in lines), "utf-8")
    return headers


def compiled(compiler: str, *options: str, folder: Path, headers: str | Path = HEADERS) -> str:
    """Return what a compiler says of the kernels of a checkout."""
    sources = sorted(str(path) for path in (folder / "engine" / "kernels").glob("*.c"))
    command = [compiler, *options, "-I", str(headers), *sources]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def runtime(compiler: str) -> Path | None:
    """Return the library of a compiler that finds wrong accesses to memory, or None."""
    if shutil.which(compiler) is None:
        return None
    name = {"clang": f"libclang_rt.asan-{os.uname().machine}.so", "gcc": "libasan.so"}[compiler]
    found = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout
    path = Path(found.strip())
    return path if path.is_absolute() else None  # a name alone where there is none
