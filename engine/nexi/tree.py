"""The tree of a NEXI query; ``str`` of any part gives its NEXI back.

Nexi         Step+                              //article[about(., jedi)]//sec[about(.//p, force)]
Step         / or //, names, Condition*         //(sec|p)[...]   //*   //@id
Condition    About | Comparison | And | Or | Not
About        RelativePath, Term+                about(.//p, +jedi "the force" -sith src:/images/yoda.jpg)
Comparison   RelativePath, operator, value      .//yr >= 1998   ./au//snm != "kohonen"
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Sign = Literal["", "+", "-"]
Axis = Literal["/", "//"]
Operator = Literal["=", "!=", "<", ">", "<=", ">="]


@dataclass(frozen=True)
class Word:
    """A word as it was typed; an analyser makes one term, several or none of it."""

    text: str
    sign: Sign = ""

    def __str__(self) -> str:
        return f"{self.sign}{self.text}"


@dataclass(frozen=True)
class Phrase:
    """Words that were typed between quotes."""

    words: tuple[str, ...]
    sign: Sign = ""

    def __str__(self) -> str:
        return f'{self.sign}"{" ".join(self.words)}"'


@dataclass(frozen=True)
class Reference:
    """An example image of a multimedia topic, ``src:/images/x.jpg``; ``source`` is what follows ``src:``."""

    source: str
    sign: Sign = ""

    def __str__(self) -> str:
        return f"{self.sign}src:{self.source}"


Term = Word | Phrase | Reference


@dataclass(frozen=True)
class RelativePath:
    """A path from the element that a condition is about; without steps it is this element, ``.``."""

    steps: tuple["Step", ...] = ()

    def __str__(self) -> str:
        return "." + "".join(map(str, self.steps))


@dataclass(frozen=True)
class About:
    """``about(path, terms)``: the elements at the path, or below it, are about the terms."""

    path: RelativePath
    terms: tuple[Term, ...]

    @property
    def is_of_attribute(self) -> bool:
        """Whether the terms are looked for in the values of an attribute, not in text."""
        return bool(self.path.steps) and self.path.steps[-1].is_attribute

    def __str__(self) -> str:
        return f"about({self.path}, {' '.join(map(str, self.terms))})"


@dataclass(frozen=True)
class Comparison:
    """The text at the path compared with a number or a string."""

    path: RelativePath
    operator: Operator
    value: float | str

    def __str__(self) -> str:
        if isinstance(self.value, float):
            value = format(Decimal(repr(self.value)), "f").removesuffix(".0")
        else:
            quote = "'" if '"' in self.value else '"'
            value = f"{quote}{self.value}{quote}"
        return f"{self.path} {self.operator} {value}"


@dataclass(frozen=True)
class And:
    """All of the parts hold; there are at least two."""

    parts: tuple["Condition", ...]

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Or:
    """At least one of the parts holds; there are at least two."""

    parts: tuple["Condition", ...]

    def __str__(self) -> str:
        return " or ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Not:
    """The part does not hold."""

    part: "Condition"

    def __str__(self) -> str:
        return f"not({self.part})"


Condition = About | Comparison | And | Or | Not


@dataclass(frozen=True)
class Step:
    """One step of a path: ``/`` to children, ``//`` to all below, then names of which one must fit.

    No name means any, ``*``. A step to an attribute is the last of its path and has no conditions.
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
    """A path query. The last step is the target, those before it are the support."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.steps))

    def abouts(self) -> Iterator[About]:
        """Yield every about() in the order of the text, but for those under a ``not``: nobody asks for their words."""
        return (about for about, _ in self.asked())

    def asked(self) -> Iterator[tuple[About, bool]]:
        """Yield the same, and whether each must hold: those under an ``or`` need not."""
        for step in self.steps:
            for condition in step.conditions:
                yield from _asked(condition, must_hold=True)


def _asked(condition: Condition, *, must_hold: bool) -> Iterator[tuple[About, bool]]:
    if isinstance(condition, About):
        yield condition, must_hold
    elif isinstance(condition, And | Or):
        for part in condition.parts:
            yield from _asked(part, must_hold=must_hold and isinstance(condition, And))
