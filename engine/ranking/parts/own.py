"""Parts of the score from outside: functions of the user, or of other packages, each with a weight.

A part is named `module:function`, or by an entry point of the group `foxir.parts`. It takes the columns of elements and
returns a number for each. Where the function has an attribute `highest`, the most that it returns, articles that cannot
have an answer are still left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Rows
from engine.errors import ArgumentError, FunctionError, SettingsError
from engine.imported_function import column_of, imported_function
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore
from engine.ranking.parts.part import ArticleEvidence, ElementEvidence, ExplainedElements, Explanation, InnerPart
from engine.ranking.scoring.context import Context
from engine.threads import cached_property
from engine.wording import did_you_mean, shown

GROUP = "foxir.parts"


class PartColumns:
    """The columns that a part of the score reads: n elements that are scored for a query.

    query: as typed. lengths: words of each element, float64, shape (n,). n_elements: n.
    """

    def __init__(self, index: IndexReader, query: str, context: Context, documents: Rows) -> None:
        self._index, self._context, self._documents = index, context, documents
        self.query, self.n_elements = query, len(context.rows)
        self.lengths = context.words.astype(np.float64)

    @cached_property
    def documents(self) -> NDArray[np.object_]:
        """The id of the document of each element, shape (n,)."""
        ids = np.array([self._index.ids[number] for number in self._documents.tolist()], object)
        found: NDArray[np.object_] = ids[self._context.document]
        return found

    @cached_property
    def tags(self) -> NDArray[np.object_]:
        """The tag of each element, shape (n,)."""
        found: NDArray[np.object_] = np.array(list(self._index.elements.tags), object)[self._context.tags]
        return found

    @cached_property
    def depths(self) -> FloatArray:
        """Steps of the path of each element, 1 of a root, shape (n,)."""
        return self._index.elements.depth(self._context.rows).astype(np.float64)

    @cached_property
    def starts(self) -> FloatArray:
        """Share of its document that precedes each element, 0 to 1, in words, shape (n,)."""
        elements, roots = self._index.elements, self._index.elements.root(self._documents)
        before = elements.first_word(self._context.rows) - elements.first_word(roots)[self._context.document]
        return before / np.maximum(elements.n_words(roots), 1)[self._context.document]

    def __repr__(self) -> str:
        return f"PartColumns({self.query!r}, elements={self.n_elements})"


class OwnPart(InnerPart):
    """The part of a function, whose column is computed once a search.

    Args:
        name: of the function.
    """

    def __init__(self, name: str, function: Callable[..., Any], highest: float | None) -> None:
        self.name, self.function, self.highest = f"part {name}", function, highest
        self.own_name, self.formula = name, f"{name}(e)"

    def weight(self, order: ByScore) -> float:
        """Return the weight of the part."""
        return dict(order.own_parts).get(self.own_name, 0.0)

    def computed(self, columns: PartColumns) -> FloatArray:
        """Return the part of each element. Raises: FunctionError."""
        found = column_of(self.function, self.name, columns.query, columns, columns.n_elements)
        if self.highest is not None and found.max(initial=-math.inf) > self.highest:
            raise FunctionError(
                f"query {shown(columns.query)}: {self.name} returned {found.max()}: expected {self.highest:g} at most, "
                "its highest."
            )
        return found

    def column(self, evidence: ElementEvidence) -> FloatArray:
        """Return what the function returned."""
        return evidence.of_own_parts[self.own_name]

    def has_bound(self, order: ByScore) -> bool:
        """Return whether the function says what it returns at most."""
        return self.highest is not None

    def bound(self, articles: ArticleEvidence) -> FloatArray:
        """Return the most that the function returns."""
        return np.full(len(articles.alone), math.inf if self.highest is None else self.highest)

    def explain(self, explained: ExplainedElements, place: int) -> list[Explanation]:
        """Return the addend of the function."""
        weight, value = self.weight(explained.order), explained.value(self, place)
        facts = {"function": self.own_name, "weight": weight}
        return [Explanation("own_part", weight * value, f"{weight:g} × {value:.6f}, {self.own_name}", facts=facts)]


def own_parts(order: ByScore) -> list[OwnPart]:
    """Return the parts from outside that count, in the order of their names. Raises: SettingsError."""
    return [_loaded(name) for name, weight in order.own_parts if weight]


def columns_of_own_parts(
    index: IndexReader, query: str, order: ByScore, context: Context, documents: Rows
) -> dict[str, FloatArray]:
    """Return the column of each part from outside, by name.

    Args:
        documents: of the matches, ascending.
    """
    found = own_parts(order)
    if not found:
        return {}
    columns = PartColumns(index, query, context, documents)
    return {part.own_name: part.computed(columns) for part in found}


def _loaded(name: str) -> OwnPart:
    function = _of_module(name) if ":" in name else _of_entry_point(name)
    highest = getattr(function, "highest", None)
    if highest is not None and not (isinstance(highest, int | float) and math.isfinite(highest)):
        raise SettingsError(f"part {name}: its attribute highest is {shown(highest)}: expected a number.")
    return OwnPart(name, function, None if highest is None else float(highest))


def _of_module(name: str) -> Callable[..., Any]:
    try:
        return imported_function(name, "part")
    except ArgumentError as error:
        raise SettingsError(str(error)) from None


@lru_cache(64)
def _of_entry_point(name: str) -> Callable[..., Any]:
    from importlib.metadata import entry_points  # noqa: PLC0415  (slow to import, and rarely needed)

    known = {each.name: each for each in entry_points(group=GROUP)}
    if name not in known:
        listed = f"installed are {', '.join(sorted(known))}" if known else "none is installed"
        raise SettingsError(
            f"part {name}: {did_you_mean(name, known)}expected module:function, or an entry point of {GROUP}: {listed}."
        )
    try:
        function = known[name].load()
    except Exception as error:  # a package may raise anything
        raise SettingsError(f"part {name}: {known[name].value}: {type(error).__name__}: {error}.") from None
    if not callable(function):
        raise SettingsError(f"part {name}: {known[name].value} is {shown(function)}: expected a function.")
    found: Callable[..., Any] = function
    return found
