"""Example images (`src:...`) in path queries: where they are, and the query without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from engine.query.nexi.tree import About, And, Condition, Nexi, Not, Or, Reference, Step
from engine.records import dataclass


@dataclass(frozen=True)
class ImageReference:
    """An example image of a query, and the elements that it is about.

    source: what follows `src:`. names: tags of the elements in which images are compared, at the path of the about();
    () for any. step_names: tags of the step that has the about(). is_support: whether that step is not the last one.
    """

    source: str
    names: tuple[str, ...] = ()
    step_names: tuple[str, ...] = ()
    is_support: bool = False


def without_images(query: Nexi) -> Nexi:
    """Return the query without each about() that has an example image but no wanted word.

    >>> from engine.query.nexi.parser import parse_nexi
    >>> str(without_images(parse_nexi("//fig[about(., src:x.png)]//p[about(., lamp src:x.png)]")))
    '//fig//p[about(., lamp src:x.png)]'
    """
    return _with_conditions(query, lambda _: False)


def with_known_images(query: Nexi, sources: frozenset[str]) -> Nexi:
    """Return the query with only those example images whose sources are given, and no condition on others alone.

    >>> from engine.query.nexi.parser import parse_nexi
    >>> query = parse_nexi("//fig[about(., src:x.png)]//p[about(., lamp src:y.png)]")
    >>> str(with_known_images(query, frozenset(["x.png"])))
    '//fig[about(., src:x.png)]//p[about(., lamp)]'
    """
    return _with_conditions(query, lambda reference: reference.source in sources, drops_references=True)


def image_references(query: Nexi) -> Iterator[ImageReference]:
    """Yield the wanted example images of a path query, in the order of the text, except under a `not`."""
    for number, step in enumerate(query.steps):
        for about in Nexi((step,)).abouts():
            names = about.path.steps[-1].names if about.path.steps else step.names
            for term in about.terms:
                if isinstance(term, Reference) and term.sign != "-":
                    yield ImageReference(term.source, names, step.names, number < len(query.steps) - 1)


def _with_conditions(query: Nexi, is_known: Callable[[Reference], bool], *, drops_references: bool = False) -> Nexi:
    def remaining(step: Step) -> Step:
        return replace(step, conditions=tuple(_remaining(step.conditions, is_known, drops=drops_references)))

    return Nexi(tuple(map(remaining, query.steps)))


def _remaining(
    conditions: Iterable[Condition], is_known: Callable[[Reference], bool], *, drops: bool
) -> Iterator[Condition]:
    """Yield the conditions that remain without images that are not known; `drops`: their references, too."""
    for condition in conditions:
        match condition:
            case About(path, terms):
                references = [term for term in terms if isinstance(term, Reference)]
                known = [term for term in references if term.sign != "-" and is_known(term)]
                words = [term for term in terms if not isinstance(term, Reference) and term.sign != "-"]
                if words or known or not references:
                    kept = tuple(term for term in terms if not isinstance(term, Reference) or term in known)
                    yield About(path, kept) if drops else condition
            case And(parts) | Or(parts):
                left = tuple(_remaining(parts, is_known, drops=drops))
                if left:
                    yield left[0] if len(left) == 1 else type(condition)(left)
            case Not(part):
                yield from map(Not, _remaining((part,), is_known, drops=drops))
            case _:
                yield condition
