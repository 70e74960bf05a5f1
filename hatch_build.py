"""Compiles the kernels of engine/kernels for a wheel, or in place for an editable installation.

Where there is no compiler, a wheel of Python alone is built, and foxir computes the same by NumPy. One wheel serves all
Pythons from 3.11 on, as the kernels use the limited API only.
"""

from __future__ import annotations

import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "engine/kernels"
# Operations on floating-point numbers are those of NumPy, bit by bit: no fused multiplication and addition.
FLAGS = ["-O2", "-g0", "-std=c11", "-ffp-contract=off", "-fvisibility=hidden"]


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the compiled module to a wheel, if there is one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the module; `version` is "editable" where foxir is used from the checkout."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        if version == "editable":
            for old in (root / FOLDER).glob("_native.*.so"):
                old.unlink()
            compiled(root, root)
            return
        self._folder = tempfile.TemporaryDirectory()
        made = compiled(root, Path(self._folder.name))
        if made is not None:
            build_data["force_include"][str(made)] = f"{FOLDER}/{made.name}"
            build_data["pure_python"] = False
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"cp311-abi3-{platform}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled for a wheel."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def compiled(root: Path, folder: Path) -> Path | None:
    """Return the compiled module, in its package below a folder; None where it cannot be compiled, which is printed."""
    try:
        from setuptools import Distribution, Extension  # noqa: PLC0415 - it may not be there
        from setuptools.command.build_ext import build_ext  # noqa: PLC0415
    except ImportError:
        print("foxir: without setuptools its kernels are not compiled; it will compute by NumPy.")
        return None
    sources = sorted(str(source) for source in (root / FOLDER).glob("*.c"))
    headers = sorted(str(header) for header in (root / FOLDER).glob("*.h"))
    name = f"{FOLDER.replace('/', '.')}._native"
    extension = Extension(name, sources, depends=headers, extra_compile_args=FLAGS, py_limited_api=True, optional=True)
    command = build_ext(Distribution({"name": "foxir", "ext_modules": [extension]}))
    with tempfile.TemporaryDirectory() as objects:
        command.build_lib, command.build_temp, command.inplace = str(folder), objects, False
        command.ensure_finalized()
        command.run()
    made = folder / command.get_ext_filename(name)
    if made.exists():
        return made
    print("foxir: its kernels were not compiled (is there a C compiler?); it will compute by NumPy.")
    return None
