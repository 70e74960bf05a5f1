"""The neighbours of an answer as plain values: the elements around it, inside it and beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from foxir import arguments
from foxir.elements import Element
from foxir.neighbour_names import NeighbourName


def neighbours_of(element: Element, names: Sequence[str], *, text: bool = False) -> dict[str, Any]:
    """Return the neighbours of an element by name: a dictionary each (`Element.to_dict`), None where there is none.

    `children` are a list.

    Args:
        names: some of parent, children, previous, next.
        text: whether each has its text.

    Raises: ArgumentError for another name.
    """
    found: dict[str, Any] = {}
    for name in arguments.texts("neighbours", names):
        value = getattr(element, arguments.choice("neighbours", name, get_args(NeighbourName)))
        if name == "children":
            found[name] = [child.to_dict(text=text) for child in value]
        else:
            found[name] = None if value is None else value.to_dict(text=text)
    return found
