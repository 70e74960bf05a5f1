"""The first answers of a search, for which the others need not be ranked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.answers.answer_columns import AnswerColumns
from engine.planning.plan import ExampleImage
from engine.query.nexi.terms import SOURCE
from engine.settings import Settings
from foxir.searching.word_budget_fallback import search_within_budget


def search_first(
    search: Callable[[Settings], AnswerColumns], settings: Settings, n_first: int | None, *, has_images: bool
) -> AnswerColumns:
    """Return the first answers of a search, as a slice of all would have them; all where `n_first` is None.

    What fits a word budget, and how images and text are combined by rank, depends on all answers: these are ranked.

    Args:
        search: answers one query under settings.
        has_images: whether the query has example images, its own or beside it.
    Raises: as `search_within_budget`.
    """
    if n_first is None or n_first >= settings.max_answers:
        return search_within_budget(search, settings)
    if settings.word_budget is not None or has_images:
        return search_within_budget(search, settings).first(n_first)
    return search(settings.with_max_answers(n_first)).as_first_of(settings.max_answers)


def names_images(query: str, images: Sequence[ExampleImage] = ()) -> bool:
    """Return whether there are example images beside a query, or it may name one."""
    return bool(images) or SOURCE in query


def total_relation(n_answers: int, n_ranked: int) -> str:
    """Return "exact" where all answers are counted, "at_least" where as many as were ranked, so that there may be more.

    Args:
        n_ranked: the most answers that the search ranks.
    """
    return "at_least" if n_answers >= n_ranked else "exact"
