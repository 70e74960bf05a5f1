"""Removes example images (`src:...`) from path queries, as images are not searched."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.query.nexi.tree import About, And, Condition, Nexi, Not, Or, Reference


def without_images(query: Nexi) -> Nexi:
    """Return the query without each about() that has an example image but no wanted word.

    >>> from engine.query.nexi import parse_nexi
    >>> str(without_images(parse_nexi("//fig[about(., src:x.png)]//p[about(., lamp src:x.png)]")))
    '//fig//p[about(., lamp src:x.png)]'
    """
    return Nexi(tuple(replace(step, conditions=tuple(_remaining(step.conditions))) for step in query.steps))


def _remaining(conditions: Iterable[Condition]) -> Iterable[Condition]:
    """Yield the conditions that remain without images."""
    for condition in conditions:
        match condition:
            case About(_, terms):
                words = [term for term in terms if not isinstance(term, Reference) and term.sign != "-"]
                if words or not any(isinstance(term, Reference) for term in terms):
                    yield condition
            case And(parts) | Or(parts):
                left = tuple(_remaining(parts))
                if left:
                    yield left[0] if len(left) == 1 else type(condition)(left)
            case Not(part):
                yield from map(Not, _remaining((part,)))
            case _:
                yield condition
