"""Element paths ``/article[1]/bdy[1]/sec[2]`` as judgements and runs write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def ancestors(path: str) -> Iterator[str]:
    """Yield the paths of an element's ancestors, its parent first.

    >>> list(ancestors("/article[1]/bdy[1]/sec[2]"))
    ['/article[1]/bdy[1]', '/article[1]']
    """
    cut = path.rfind("/")
    while cut > 0:
        path = path[:cut]
        yield path
        cut = path.rfind("/")


def root(path: str) -> str:
    """Return the path of the document's root element.

    >>> root("/article[1]/bdy[1]/sec[2]")
    '/article[1]'
    """
    return "/" + path.split("/", 2)[1]


class DisjointPaths:
    """Elements of one document, none of which contains another."""

    def __init__(self) -> None:
        self._paths: set[str] = set()
        self._ancestors: set[str] = set()

    def add(self, path: str) -> bool:
        """Add an element unless it equals, contains or is contained in one of those; return whether it was added."""
        above = set(ancestors(path))
        if path in self._paths or path in self._ancestors or above & self._paths:
            return False
        self._paths.add(path)
        self._ancestors |= above
        return True


def topmost(paths: Sequence[str]) -> list[int]:
    """Return the rows of the paths that lie inside none of the others; equal paths count once."""
    known = set(paths)
    rows: dict[str, int] = {}
    for row, path in enumerate(paths):
        if not any(ancestor in known for ancestor in ancestors(path)):
            rows.setdefault(path, row)
    return list(rows.values())
