"""Builds element paths, `/article[1]/bdy[1]/sec[2]`: local names, each with its ordinal. No other code builds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def paths(rows: Sequence[int], parent: Any, tag: Any, ordinal: Any, tags: Sequence[str]) -> list[str]:
    """Return the path of every row: `/article[1]/bdy[1]/sec[2]`.

    Args:
        parent, tag, ordinal: columns, indexed by row; the parent of a root is the root itself.
        tags: local names; `tag` indexes them.
    """
    known: dict[int, str] = {}
    for row in rows:
        chain = []
        while row not in known:
            chain.append(row)
            above = int(parent[row])
            if above == row:
                known[row] = ""
                break
            row = above  # noqa: PLW2901
        for below in reversed(chain):
            known[below] = f"{known[int(parent[below])]}/{tags[int(tag[below])]}[{int(ordinal[below])}]"
    return [known[row] for row in rows]
