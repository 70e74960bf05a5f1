"""Builds element paths, `/article[1]/bdy[1]/sec[2]`: local names, each with its ordinal. No other code builds them."""

from __future__ import annotations

from collections.abc import Sequence


def paths(parents: Sequence[int], tags: Sequence[int], ordinals: Sequence[int], names: Sequence[str]) -> list[str]:
    """Return the path of every element of a set that contains the parents of all: `/article[1]/bdy[1]/sec[2]`.

    Args:
        parents, tags, ordinals: columns of the elements, in document order; a parent is an index into the columns, that
            of a root is the root itself. names: local names; tags are indices into them.
    """
    found: list[str] = []
    for place, (parent, tag, ordinal) in enumerate(zip(parents, tags, ordinals, strict=True)):
        above = found[parent] if parent != place else ""
        found.append(f"{above}/{names[tag]}[{ordinal}]")
    return found
