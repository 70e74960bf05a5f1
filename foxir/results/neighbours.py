"""The neighbours of an answer as plain values: the elements around it, inside it and beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from foxir import arguments

if TYPE_CHECKING:
    from foxir.results.elements import Element

NeighbourName = Literal["parent", "children", "previous", "next"]


def neighbours_of(
    element: Element, names: Sequence[str], *, text: bool = False, readable: bool = False
) -> dict[str, Any]:
    """Return the neighbours of an element by name: a dictionary each (`Element.to_dict`), None where there is none.

    `children` are a list.

    Args:
        names: some of parent, children, previous, next.
        text: whether each has its text; readable: whether that is the readable one.

    Raises: ArgumentError for another name.
    """
    found: dict[str, Any] = {}
    for name in arguments.texts("neighbours", names):
        value = getattr(element, arguments.choice("neighbours", name, get_args(NeighbourName)))
        if name == "children":
            found[name] = [_plain(child, text=text, readable=readable) for child in value]
        else:
            found[name] = None if value is None else _plain(value, text=text, readable=readable)
    return found


def _plain(element: Element, *, text: bool, readable: bool) -> dict[str, Any]:
    row = element.to_dict(text=text)
    return {**row, "text": element.readable_text} if text and readable else row
