"""The names of modules in an installed foxir: one package, with the checkout's `engine` and `eval` in it.

A checkout has three packages side by side, and its sources say `from engine.errors import ...`. Installed, that is
`from foxir.engine.errors import ...`: a wheel contains such sources (hatch_build.py), an editable installation makes
them of the checkout's as they are imported. Lines keep their numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Packages that are in `foxir` where it is installed.
INNER = ("engine", "eval")
# `from engine.errors import ...`, also in an example of a docstring.
_IMPORT = re.compile(r"^([ \t]*(?:(?:>>>|\.\.\.) )?from )((?:engine|eval)(?:\.\w+)* import\b)", re.MULTILINE)
# A string that is a dotted name.
_NAME = re.compile(r"""(?<![\w"'\\])(["'])((?:engine|eval)(?:\.\w+)+)\1(?!["'])""")


def installed_name(module: str) -> str:
    """Return the name of a module of the checkout where foxir is installed."""
    return f"foxir.{module}" if module.partition(".")[0] in INNER else module


def installed_source(source: str, is_module: Callable[[str], bool] | None = None) -> str:
    """Return a source as it is where foxir is installed: imports, and strings that are the name of a module.

    `is_module` says whether a dotted name is that of a module; else the checkout does.
    """
    is_known = is_module or is_module_of_checkout
    source = _IMPORT.sub(r"\1foxir.\2", source)
    return _NAME.sub(lambda found: f"{found[1]}foxir.{found[2]}{found[1]}" if is_known(found[2]) else found[0], source)


def is_module_of_checkout(name: str) -> bool:
    """Return whether a dotted name is that of a module or package in the checkout."""
    place = ROOT.joinpath(*name.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def names_outside(source: str) -> list[tuple[int, str]]:
    """Return line and text of everything in an installed source that still names a module of a checkout.

    These are imports of `engine` or `eval`, in code or in the code of a string, and strings that are such a name.
    """
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, f"import {name.name}") for name in node.names if _is_inner(name.name)]
        elif isinstance(node, ast.ImportFrom) and not node.level and _is_inner(node.module or ""):
            found.append((node.lineno, f"from {node.module} import"))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            value = node.value
            if re.fullmatch(r"(engine|eval)(\.\w+)*\.\w*", value) or re.search(
                r"\b(from|import)[ \t]+(engine|eval)\b(\.|[ \t]+import\b|$)", value, re.MULTILINE
            ):
                found.append((node.lineno, value))
    return found


def _is_inner(module: str) -> bool:
    return module.partition(".")[0] in INNER
