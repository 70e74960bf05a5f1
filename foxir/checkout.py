"""The names `foxir.engine` and `foxir.eval` in a checkout, where the two packages are beside `foxir`.

An installed foxir contains them and has no such file. In a checkout each name stands for the same module as the one
without `foxir.` before it, so that no class exists twice.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

PREFIXES = ("foxir.engine", "foxir.eval")


class SameModule:
    """Loads a module by the name that it has in a checkout."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python to make the module, whose place the other one takes."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of a checkout in the place of the new one."""
        sys.modules[module.__name__] = import_module(self.name)

    def get_code(self, name: str) -> CodeType | None:
        """Return the code of the module, for `python -m`."""
        from importlib.util import find_spec  # noqa: PLC0415

        spec = find_spec(self.name)
        code: CodeType | None = spec.loader.get_code(self.name) if spec and spec.loader else None  # type: ignore[attr-defined]
        return code


class CheckoutNames:
    """Finds `foxir.engine`, `foxir.eval` and the modules in them."""

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of the module that a name stands for; None for any other."""
        if not fullname.startswith(PREFIXES) or ".".join(fullname.split(".", 2)[:2]) not in PREFIXES:
            return None
        from importlib.util import find_spec  # noqa: PLC0415  (slow to import)

        name = fullname.removeprefix("foxir.")
        found = find_spec(name)
        loader: Any = SameModule(name)
        is_package = found is not None and found.submodule_search_locations is not None
        return found and ModuleSpec(fullname, loader, origin=found.origin, is_package=is_package)


def install_names() -> None:
    """Let Python find the names, before it looks below the path of `engine` or `eval` and loads a module again."""
    sys.meta_path.insert(0, CheckoutNames)
