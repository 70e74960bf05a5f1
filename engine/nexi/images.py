"""A path query without its example images: nothing here can look at an image yet."""

from collections.abc import Iterable
from dataclasses import replace

from engine.nexi.tree import About, And, Condition, Nexi, Not, Or, Reference


def without_images(query: Nexi) -> Nexi:
    """Return a query without every about() that asks for an image and for no word, as if it were not there.

    >>> from engine.nexi import parse_nexi
    >>> str(without_images(parse_nexi("//fig[about(., src:x.png)]//p[about(., lamp src:x.png)]")))
    '//fig//p[about(., lamp src:x.png)]'
    """
    return Nexi(tuple(replace(step, conditions=tuple(_left(step.conditions))) for step in query.steps))


def _left(conditions: Iterable[Condition]) -> Iterable[Condition]:
    """Yield what is left of some conditions."""
    for condition in conditions:
        match condition:
            case About(_, terms):
                words = [term for term in terms if not isinstance(term, Reference) and term.sign != "-"]
                if words or not any(isinstance(term, Reference) for term in terms):
                    yield condition
            case And(parts) | Or(parts):
                left = tuple(_left(parts))
                if left:
                    yield left[0] if len(left) == 1 else type(condition)(left)
            case Not(part):
                yield from map(Not, _left((part,)))
            case _:
                yield condition
