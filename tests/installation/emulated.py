"""Use foxir on emulated systems: `python -m tests.installation.emulated`.

These are Linux on ARM, by QEMU and Debian's Python, and Windows, by Wine and the Python that Panda3D's wheel has for
applications. On each the kernels are compiled with warnings as errors, the demo makes the runs that it makes here, and
the tests of kernels pass. A system whose programs are missing is skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hatch_build import FLAGS
from tests.installation.__main__ import run, timed
from tests.installation.adapters import PYTEST
from tests.installation.distributions import build
from tests.installation.interpreters import ROOT
from tests.installation.test_compilers import FOLDERS, windows_headers

# That of Debian bookworm, and the lowest, whose oldest packages call nothing that Wine lacks.
VERSION = "3.11"
STRICT = (*FLAGS, "-Wall", "-Wextra", "-Werror", "-shared")
KERNELS = Path("engine", "kernels")
LAUNCHER = "int Py_Main(int, wchar_t **); int wmain(int n, wchar_t **values) { return Py_Main(n, values); }"


class Emulated(NamedTuple):
    """A Python of another system: its command, the folder of its packages, how kernels are compiled for it."""

    python: Path
    packages: Path
    compiler: tuple[str | Path, ...]
    headers: Path
    libraries: tuple[Path, ...] = ()


class System(NamedTuple):
    """A system: what makes its Python in a folder, programs and Debian's packages of them, options of uv, the module;
    a dependency that has no wheel for it."""

    make: Callable[[Path], Emulated]
    needs: dict[str, str]
    install: tuple[str, ...]
    module: str
    without: str = ""


def main() -> int:
    """Use foxir on each system; a step that fails ends the program with its output."""
    os.environ["PATH"] += f"{os.pathsep}/usr/lib/wine"  # where Debian has it
    missing = {title: absent(system.needs) for title, system in SYSTEMS.items()}
    for title, needed in missing.items():
        if needed:
            print(f"{title}: skipped, as it needs {', '.join(needed)}")
    with tempfile.TemporaryDirectory(prefix="foxir-") as name:
        folder = Path(name)
        if not all(missing.values()):
            wheel = build(folder / "dist", variables={"FOXIR_PURE": "1"}).wheel
            expected = runs_of(Path(sys.executable), folder / "here")
        for title, system in SYSTEMS.items():
            if not missing[title]:
                with timed(f"{title}: demo, tests of kernels"):
                    check(system, wheel, folder / title.split()[-1], expected)
    return 0


def absent(needs: dict[str, str]) -> list[str]:
    """Return the packages whose programs are not there, and Python where its version is not."""
    packages = [f"Debian's {package}" for program, package in needs.items() if not shutil.which(program)]
    here = "{}.{}".format(*sys.version_info[:2])
    return packages + ([] if here == VERSION else [f"Python {VERSION} in the place of {here}"])


def check(system: System, wheel: Path, folder: Path, expected: dict[str, str]) -> None:
    """Install a wheel of Python alone and its kernels on a system, and use both."""
    source = folder / "source"
    for name in FOLDERS:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copy(ROOT / "pyproject.toml", source)
    emulated = system.make(folder)
    uv = (Path(sys.executable).with_name("uv"), "pip", "install", "--quiet", "--python-version", VERSION)
    (folder / "without").write_text(f"{system.without}; sys_platform == ''\n" if system.without else "", "utf-8")
    options = ("--only-binary", ":all:", "--override", folder / "without", "--target", emulated.packages)
    install = (*uv, *options, *system.install)
    run([*install, "--requirements", ROOT / "pyproject.toml", *PYTEST], folder)
    run([*install, "--no-deps", wheel], folder)
    module = source / KERNELS / system.module
    sources = sorted((source / KERNELS).glob("*.c"))
    compiler = (*emulated.compiler, *STRICT, "-I", emulated.headers)
    run([*compiler, *sources, *emulated.libraries, "-o", module], folder)
    shutil.copy(module, emulated.packages / "foxir" / KERNELS)
    if runs_of(emulated.python, folder / "demo") != expected:
        raise SystemExit(f"{folder.name}: the demo makes other runs than here")
    run([emulated.python, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/engine/kernels"], source)


def runs_of(python: Path, folder: Path) -> dict[str, str]:
    """Return the runs that the demo makes, without the checksum of the index."""
    folder.mkdir()
    run([python, "-c", "from foxir.engine.kernels.table import has_kernels; assert has_kernels()"], folder)
    run([python, "-m", "foxir", "demo"], folder)
    return {
        path.name: re.sub(r"checksum = \w+", "", path.read_text("utf-8")) for path in sorted(folder.glob("runs/*.xml"))
    }


def on_arm(folder: Path) -> Emulated:
    """Return Debian's Python, which QEMU runs."""
    root, python = folder / "root", folder / "python"
    run(
        ["mmdebstrap", "--variant=extract", "--architectures=arm64", "--include=python3,libstdc++6", "bookworm", root],
        folder,
    )
    start(
        python,
        f"qemu-aarch64-static -L '{root}' -0 '{python}' '{root}/usr/bin/python{VERSION}'",
        PYTHONHOME=root / "usr",
    )
    packages = root / "usr" / "lib" / "python3" / "dist-packages"
    return Emulated(python, packages, ("aarch64-linux-gnu-gcc", "-fPIC"), Path(sysconfig.get_path("include")))


def on_windows(folder: Path) -> Emulated:
    """Return a Python of libraries that are in a wheel and modules that are here, which Wine runs."""
    home, python = folder / "Python", folder / "python"
    compiler = "x86_64-w64-mingw32-gcc"
    download = ("-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", folder)
    run([sys.executable, *download, "--platform", "win_amd64", "--python-version", VERSION, "panda3d"], folder)
    (wheel,) = folder.glob("panda3d-*.whl")
    unused = shutil.ignore_patterns("__pycache__", "site-packages", "lib-dynload", "test")
    shutil.copytree(sysconfig.get_path("stdlib"), home / "Lib", ignore=unused)
    (home / "DLLs").mkdir()
    with zipfile.ZipFile(wheel) as archive:
        for path in map(Path, archive.namelist()):
            if path.parent.name == "deploy_libs":
                place = home / "DLLs" if path.suffix == ".pyd" else home
                (place / path.name).write_bytes(archive.read(str(path)))
    (library,) = home.glob("python3*.dll")
    (folder / "launcher.c").write_text(f"#include <wchar.h>\n{LAUNCHER}\n", "utf-8")
    run([compiler, "-municode", folder / "launcher.c", library, "-o", home / "python.exe"], folder)
    start(python, f"wine64 '{home / 'python.exe'}'", WINEPREFIX=folder / "wine", WINEDEBUG="-all")
    return Emulated(
        python, home / "Lib" / "site-packages", (compiler, "-static-libgcc"), windows_headers(folder), (library,)
    )


def start(path: Path, command: str, **variables: str | Path) -> None:
    """Write the program that starts a Python, and ends one that hangs, as Wine's pipes between processes may."""
    settings = " ".join(f"{name}='{value}'" for name, value in variables.items())
    path.write_text(f'#!/bin/sh\n{settings} exec timeout 900 {command} "$@" </dev/null\n', "utf-8")
    path.chmod(0o755)


SYSTEMS = {
    "Linux on ARM": System(
        on_arm,
        {
            "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
            "qemu-aarch64-static": "qemu-user-static",
            "mmdebstrap": "mmdebstrap",
        },
        ("--python-platform", "aarch64-manylinux_2_28"),
        "_native.abi3.so",
        without="pytrec-eval-terrier",
    ),
    "Windows": System(
        on_windows,
        {"x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64", "wine64": "wine64"},
        ("--python-platform", "x86_64-pc-windows-msvc", "--resolution", "lowest-direct"),
        "_native.pyd",
    ),
}

if __name__ == "__main__":
    sys.exit(main())
