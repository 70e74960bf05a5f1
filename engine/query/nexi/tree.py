"""The tree of a path query; `str` of any node gives its NEXI text.

Nexi         Step+                              //article[about(., jedi)]//sec[about(.//p, force)]
Step         / or //, names, Condition*         //(sec|p)[...]   //*   //@id
Condition    About | Comparison | And | Or | Not
About        RelativePath, Term+                about(.//p, +jedi "the force" -sith src:/images/yoda.jpg)
Comparison   RelativePath, operator, value      .//yr >= 1998   ./au//snm != "kohonen"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from engine.records import dataclass

Sign = Literal["", "+", "-"]
Axis = Literal["/", "//"]
Operator = Literal["=", "!=", "<", ">", "<=", ">=", "exists"]


@dataclass(frozen=True)
class Word:
    """A word as typed; an analyser makes one term, several or none of it. is_exact: `=lens`, not as other forms."""

    text: str
    sign: Sign = ""
    is_exact: bool = False

    def __str__(self) -> str:
        return f"{self.sign}{'=' * self.is_exact}{self.text}"


@dataclass(frozen=True)
class Pattern:
    """A word in which `*` stands for any letters, `light*`: the words of the collection that fit it."""

    text: str
    sign: Sign = ""
    is_exact: bool = False

    def __str__(self) -> str:
        return f"{self.sign}{'=' * self.is_exact}{self.text}"


@dataclass(frozen=True)
class Fuzzy:
    """A word that may be misspelt, `bouy~1`: the words of the collection within so many edits, None for the usual."""

    text: str
    edits: int | None = None
    sign: Sign = ""
    is_exact: bool = False

    def __str__(self) -> str:
        return f"{self.sign}{'=' * self.is_exact}{self.text}~{'' if self.edits is None else self.edits}"


@dataclass(frozen=True)
class Phrase:
    """Words in quotes, as typed; `a|b` among them are alternatives, `a*` is a pattern.

    slop: further words that may be among them, `"fog signal"~5`; then their order is any. None: in their places.
    """

    words: tuple[str, ...]
    sign: Sign = ""
    slop: int | None = None

    def __str__(self) -> str:
        return f'{self.sign}"{" ".join(self.words)}"{"" if self.slop is None else f"~{self.slop}"}'


@dataclass(frozen=True)
class Either:
    """Alternatives that count as one term, `(lamp OR "oil lantern")` or `lamp|lantern`."""

    parts: tuple[Word | Pattern | Fuzzy | Phrase, ...]
    sign: Sign = ""

    def __str__(self) -> str:
        return f"{self.sign}({' | '.join(map(str, self.parts))})"


@dataclass(frozen=True)
class Reference:
    """An example image of a multimedia topic, `src:/images/x.jpg`; `source` is what follows `src:`."""

    source: str
    sign: Sign = ""

    def __str__(self) -> str:
        return f"{self.sign}src:{self.source}"


Term = Word | Pattern | Fuzzy | Phrase | Either | Reference


@dataclass(frozen=True)
class RelativePath:
    """A path relative to the element of the condition; without steps it is that element, `.`."""

    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return "." + "".join(map(str, self.steps))


@dataclass(frozen=True)
class About:
    """`about(path, terms)`: an element at the path, or below it, contains one of the terms.

    With the setting `operator = "and"`, it must contain all of them.
    """

    path: RelativePath
    terms: tuple[Term, ...]

    @property
    def is_of_attribute(self) -> bool:
        """Whether the terms are matched in attribute values rather than in text."""
        return bool(self.path.steps) and self.path.steps[-1].is_attribute

    def __str__(self) -> str:
        return f"about({self.path}, {' '.join(map(str, self.terms))})"


@dataclass(frozen=True)
class Comparison:
    """A comparison of the text at the path with a number or a string; `exists` is true for any attribute there."""

    path: RelativePath
    operator: Operator
    value: float | str

    def __str__(self) -> str:
        if self.operator == "exists":
            return str(self.path)
        if isinstance(self.value, float):
            from decimal import Decimal  # noqa: PLC0415  (only to print a number)

            value = format(Decimal(repr(self.value)), "f").removesuffix(".0")
        else:
            quote = "'" if '"' in self.value else '"'
            value = f"{quote}{self.value}{quote}"
        return f"{self.path} {self.operator} {value}"


@dataclass(frozen=True)
class And:
    """True if all of its parts, at least two, are true."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Or:
    """True if at least one of its parts, at least two, is true."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " or ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Not:
    """True if its part is false."""

    part: Condition

    def __str__(self) -> str:
        return f"not({self.part})"


Condition = About | Comparison | And | Or | Not


@dataclass(frozen=True)
class Step:
    """One step of a path: `/` to children or `//` to descendants, with the names of which one must match.

    No name means any, `*`. A step to an attribute is the last one of its path and has no conditions.
    """

    axis: Axis
    names: tuple[str, ...] = ()
    is_attribute: bool = False
    conditions: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        names = "|".join(self.names) or "*"
        test = f"({names})" if len(self.names) > 1 else names
        conditions = "".join(f"[{condition}]" for condition in self.conditions)
        return f"{self.axis}{'@' if self.is_attribute else ''}{test}{conditions}"


@dataclass(frozen=True)
class Nexi:
    """A path query. The last step selects target elements, the steps before it support elements."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.steps))

    def abouts(self) -> Iterator[About]:
        """Yield every about() in the order of the text, except under a `not`, whose terms are not query terms."""
        return (about for about, _ in self.abouts_and_necessity())

    def all_abouts(self) -> Iterator[About]:
        """Yield every about(), also under a `not`."""
        for step in self.steps:
            for condition in step.conditions:
                yield from _all_abouts(condition)

    def abouts_and_necessity(self) -> Iterator[tuple[About, bool]]:
        """Yield the results of `abouts`, with whether each must be true; those under an `or` need not be."""
        for step in self.steps:
            for condition in step.conditions:
                yield from _abouts(condition, must_hold=True)


def _abouts(condition: Condition, *, must_hold: bool) -> Iterator[tuple[About, bool]]:
    if isinstance(condition, About):
        yield condition, must_hold
    elif isinstance(condition, And | Or):
        for part in condition.parts:
            yield from _abouts(part, must_hold=must_hold and isinstance(condition, And))


def _all_abouts(condition: Condition) -> Iterator[About]:
    match condition:
        case About():
            yield condition
        case And(parts) | Or(parts):
            for part in parts:
                yield from _all_abouts(part)
        case Not(part):
            yield from _all_abouts(part)


def with_terms(nexi: Nexi, changed: Callable[[tuple[Term, ...]], tuple[Term, ...]]) -> Nexi:
    """Return the path query with other terms in its about() conditions."""

    def of_condition(condition: Condition) -> Condition:
        match condition:
            case About(path, terms):
                return About(path, changed(terms))
            case And(parts):
                return And(tuple(map(of_condition, parts)))
            case Or(parts):
                return Or(tuple(map(of_condition, parts)))
            case Not(part):
                return Not(of_condition(part))
            case _:
                return condition

    return Nexi(
        tuple(
            Step(step.axis, step.names, step.is_attribute, tuple(map(of_condition, step.conditions)))
            for step in nexi.steps
        )
    )
