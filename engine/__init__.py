"""foxir's engine: finds the right-sized elements of XML documents for a query.

>>> from engine import open_index
>>> index = open_index("wiki.foxir")                                    # doctest: +SKIP
>>> index.search("jedi force", answers="oCRE", heuristic="TPF")[0].path   # doctest: +SKIP
'/article[1]/sec[2]/p[1]'
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.index.builder import build_index
    from engine.index.index import Index, open_index

__all__ = ["Index", "build_index", "open_index"]

_HOMES = {"build_index": "engine.index.builder", "Index": "engine.index.index", "open_index": "engine.index.index"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: searching needs no XML parser, and the parts of engine no index."""
    if name not in _HOMES:
        raise AttributeError(f"module 'engine' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415  (only needed here)

    return getattr(import_module(_HOMES[name]), name)
