"""The one table of measure families; a family is one function and one line of decoration.

::

    @measure(
        "hixeval",
        line="precision and recall of highlighted characters",
        formula="P@r = 1/r sum rval(e_i)/size(e_i) ...",
        source="Pehcevski & Thom, HiXEval, INEX 2005",
        options={"alpha": "how much of ..."},
    )
    def hixeval(ranking, judgements, geometry, *, alpha: float = 1.0) -> Scores: ...

The function gets one topic of one run beside the judgements of that topic and returns the value of each measure by its
name; None where a value is not defined, and for every measure of a topic that has no relevance. Options are its
keyword-only arguments: their annotation gives kind and choices, their default the default.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, Protocol, TypeAlias

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.assessments import Judgements
from eval.geometry import Geometry
from eval.measures.options import Option, Value, read_options

Scores: TypeAlias = Mapping[str, float | None]

Need: TypeAlias = Literal["elements", "sizes", "offsets"]
"""What scoring sees to before it calls a family, with the help of an index if need be.

``elements``: the judgements hold judged elements (passages are expanded to the elements that meet them).
``sizes``: judged elements, if there are any, have sizes and rsizes.
``offsets``: results and passages have character offsets (results placed nowhere, and documents without any text
    highlighted, keep -1).
"""


class Function(Protocol):
    """What computes a family: one topic of one run."""

    def __call__(
        self, ranking: Ranking, judgements: Judgements, geometry: Geometry | None, /, **options: Value
    ) -> Scores:
        """Return the value of each measure of the family."""


Caution: TypeAlias = Callable[[Ranking, Judgements, Geometry | None], Mapping[str, int]]
"""What to tell the user about a topic, counted; the counts of all topics of a run are added and told once."""


@dataclass(frozen=True)
class Family:
    """A family of measures that are computed together.

    ``needs`` tells what judgements and results must hold under some options.
    ``detail`` is how the names of those measures begin that terminal tables leave out unless asked (long curves).
    """

    name: str
    line: str
    formula: str
    source: str
    options: tuple[Option, ...]
    function: Function
    needs: Callable[[Mapping[str, Value]], tuple[Need, ...]]
    detail: tuple[str, ...] = ()
    caution: Caution | None = None

    def settings(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """Return every option with the value given or its default; options of other families are skipped."""
        return {o.name: o.check(given[o.name]) if o.name in given else o.default for o in self.options}


FAMILIES: dict[str, Family] = {}


def measure(
    name: str,
    *,
    line: str,
    formula: str,
    source: str,
    options: Mapping[str, str],
    needs: tuple[Need, ...] | Callable[[Mapping[str, Value]], tuple[Need, ...]] = (),
    detail: tuple[str, ...] = (),
    caution: Caution | None = None,
) -> Callable[[Callable[..., Scores]], Callable[..., Scores]]:
    """Return the decorator that enters a function into the table as family ``name``.

    ``options`` documents each keyword-only argument. ``needs`` may be a function of the option values.
    """

    def enter(function: Callable[..., Scores]) -> Callable[..., Scores]:
        if name in FAMILIES:
            raise ValueError(f"measure family {name!r} is registered twice")
        declared = read_options(function, options)
        needed = needs if callable(needs) else lambda _: needs
        FAMILIES[name] = Family(name, line, formula, source, declared, function, needed, detail, caution)
        return function

    return enter


def family(name: str) -> Family:
    """Return the family of a name (case ignored); MeasureError names the nearest and lists those there are."""
    found = FAMILIES.get(name.lower())
    if found is None:
        raise MeasureError(
            f"there is no measure family {name!r}{nearest(name, FAMILIES)} choose among: {', '.join(sorted(FAMILIES))}."
        )
    return found


def nearest(name: str, known: Iterable[str]) -> str:
    """Return what stands between an unknown name and the known ones: whether the nearest was meant, if one is near.

    >>> nearest("els", ["esl", "quant"]), nearest("xyz", ["esl"])
    (": did you mean 'esl'?", ';')
    """
    near = get_close_matches(name.lower(), list(known), 1)
    return f": did you mean {near[0]!r}?" if near else ";"
