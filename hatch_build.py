"""Makes the one package of a wheel, and compiles its kernels, for an editable installation in place.

Installed, foxir contains what the checkout has beside it as `engine` and `eval`; editable/foxir/names.py rewrites the
imports, and nothing is built where a module of a checkout would still be named. Type checkers do not see what an
editable installation rewrites when it is imported: they read the package in foxir-stubs, as it was at the installation.
Where there is no compiler, a wheel of Python alone is built, and foxir computes the same by NumPy. One wheel serves all
Pythons from 3.11 on, as the kernels use the limited API only.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from multiprocessing.pool import ThreadPool
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "engine/kernels"
# Files that have no use where foxir is installed.
ONLY_IN_CHECKOUT = ("checkout.py",)
# Operations on floating-point numbers are those of NumPy, bit by bit: no fused multiplication and addition.
FLAGS = ["-O2", "-g0", "-std=c11", "-ffp-contract=off", "-fvisibility=hidden"]
FLAGS_OF_MSVC = ["/O2", "/std:c11", "/fp:precise"]  # which contracts nothing unless it is told to


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the package to a wheel, with the compiled module if there is one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the package; `version` is "editable" where foxir is used from the checkout."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        self._folder = tempfile.TemporaryDirectory()
        package = one_package(root, Path(self._folder.name))
        if version == "editable":
            for old in (root / FOLDER).glob("_native.*.so"):
                old.unlink()
            compiled(root, root)
            build_data["force_include_editable"] |= stubs(package)
            return
        build_data["force_include"][str(package)] = package.name
        made = compiled(root, Path(self._folder.name))
        if made is not None:
            shutil.copy(made, package / FOLDER)
            build_data["pure_python"] = False
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"cp311-abi3-{platform}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made for a wheel."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def one_package(root: Path, folder: Path) -> Path:
    """Return the package `foxir` as it is installed, made in a folder.

    Raises: ValueError where a source names a module in a way that is not rewritten, with file and line.
    """
    names = _names(root)
    package = folder / "foxir"
    unknown = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.pyc", *ONLY_IN_CHECKOUT)
    shutil.copytree(root / "foxir", package, ignore=unknown)
    for inner in names.INNER:
        shutil.copytree(root / inner, package / inner, ignore=unknown)
    for data in ("collections", "topics"):
        shutil.copytree(root / data, package / "sample" / data)
    left = []
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.pyi")]):
        source = names.installed_source(path.read_text("utf-8"))
        path.write_text(source, "utf-8", newline="\n")
        left += [f"{path.relative_to(package)}:{line}: {found!r}" for line, found in names.names_outside(source)]
    if left:
        raise ValueError("names of a checkout's modules would be left in the wheel: " + "; ".join(left))
    return package


def stubs(package: Path) -> dict[str, str]:
    """Return the sources of the package, and where each is installed for type checkers."""
    sources = {path.relative_to(package).with_suffix(".pyi"): path for path in sorted(package.rglob("*.py*"))}
    return {str(path): f"foxir-stubs/{place.as_posix()}" for place, path in sources.items()}


def _names(root: Path) -> ModuleType:
    """Return the module that knows the names of an installed foxir."""
    spec = spec_from_file_location("names", root / "editable" / "foxir" / "names.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"{root} is no complete checkout of foxir.")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(root: Path, folder: Path) -> Path | None:
    """Return the compiled module, in its package below a folder; None where it cannot be compiled, which is printed."""
    if os.environ.get("FOXIR_PURE"):
        print("foxir: FOXIR_PURE is set, so its kernels are not compiled; it will compute by NumPy.")
        return None
    try:
        from setuptools import Distribution, Extension  # noqa: PLC0415 - it may not be there
        from setuptools.command.build_ext import build_ext  # noqa: PLC0415
    except ImportError:
        print("foxir: without setuptools its kernels are not compiled; it will compute by NumPy.")
        return None
    sources = sorted(str(source) for source in (root / FOLDER).glob("*.c"))
    headers = sorted(str(header) for header in (root / FOLDER).glob("*.h"))
    name = f"{FOLDER.replace('/', '.')}._native"
    extension = Extension(name, sources, depends=headers, py_limited_api=True, optional=True)

    class Build(build_ext):  # type: ignore[misc]
        """Compiles with the flags of the compiler that there is, several files at a time."""

        def build_extensions(self) -> None:
            is_msvc = self.compiler.compiler_type == "msvc"
            extension.extra_compile_args = FLAGS_OF_MSVC if is_msvc else FLAGS
            one_by_one = self.compiler.compile

            def side_by_side(sources: list[str], **options: Any) -> list[str]:
                with ThreadPool() as pool:
                    made = pool.map(lambda source: one_by_one([source], **options), sources)
                return [name for names in made for name in names]

            if not is_msvc:
                self.compiler.compile = side_by_side
            super().build_extensions()

    command = Build(Distribution({"name": "foxir", "ext_modules": [extension]}))
    with tempfile.TemporaryDirectory() as objects:
        command.build_lib, command.build_temp, command.inplace = str(folder), objects, False
        command.ensure_finalized()
        command.run()
    made = folder / command.get_ext_filename(name)
    if made.exists():
        return made
    print("foxir: its kernels were not compiled (is there a C compiler?); it will compute by NumPy.")
    return None
