"""foxir of an editable installation: the checkout's modules, under the names that they have in an installed foxir.

The installation puts the folder above this file on Python's path, not the checkout, whose `engine` and `eval` would be
importable beside `foxir` and clash with packages of other people. Importing this package makes `foxir` of the
checkout's files; it then takes the place of this one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from foxir.names import INNER, installed_source

ROOT = Path(__file__).resolve().parents[2]
# Bytecode of the same file under its names in a checkout is beside it.
_SUFFIX = ".installed.pyc"


class InstalledLoader(SourceFileLoader):
    """Loads a source of the checkout as it is where foxir is installed."""

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:  # type: ignore[override]
        """Return the code of a source with the installed names."""
        text = installed_source(bytes(data).decode("utf-8"))
        code: CodeType = super().source_to_code(text.encode("utf-8"), path, _optimize=_optimize)  # type: ignore[call-arg]
        return code

    def get_data(self, path: str) -> bytes:  # type: ignore[override]
        """Return the content of a file; of bytecode, that with the installed names."""
        return super().get_data(_own(path))

    def set_data(self, path: str, data: Any, **options: Any) -> None:
        """Write bytecode with the installed names."""
        super().set_data(_own(path), data, **options)


def _own(path: str) -> str:
    return path.removesuffix(".pyc") + _SUFFIX if path.endswith(".pyc") else path


@cache
def _finder(folder: str) -> FileFinder:
    return FileFinder(folder, (ExtensionFileLoader, EXTENSION_SUFFIXES), (InstalledLoader, [".py"]))


class CheckoutFinder:
    """Finds the modules of `foxir` in the checkout."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module below `foxir`."""
        if not name.startswith("foxir."):
            return None
        folders = [str(ROOT)] if name.removeprefix("foxir.") in INNER else path or ()
        return next(filter(None, (_finder(folder).find_spec(name) for folder in folders)), None)


def _take_the_place() -> None:
    del sys.modules["foxir.names"]
    sys.meta_path.insert(0, CheckoutFinder)  # type: ignore[arg-type]
    source = str(ROOT / "foxir" / "__init__.py")
    spec = spec_from_file_location("foxir", source, loader=InstalledLoader("foxir", source))
    if spec is None or spec.loader is None:
        raise ImportError(f"foxir's checkout is not at {ROOT}: install it again.")
    sys.modules["foxir"] = module = module_from_spec(spec)
    spec.loader.exec_module(module)


_take_the_place()
