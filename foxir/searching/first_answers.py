"""The first answers of a search, and the fallback of a word budget.

Passages where every element is too long, no answer where these are, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.answers.answer_columns import AnswerColumns
from engine.errors import SettingsError, WordBudgetError
from engine.notices import Notice
from engine.planning.plan import ExampleImage, Plan
from engine.query.nexi.terms import SOURCE
from engine.settings import Settings

if TYPE_CHECKING:  # most programs search
    from engine.explain.element_explanation import ElementExplanation

# The code of the notice of a search whose answers are all longer than the word budget.
ALL_TOO_LONG = "all_too_long"


def search_within_budget(search: Callable[[Settings], AnswerColumns], settings: Settings) -> AnswerColumns:
    """Return the answers of a search; passages if every element is longer than the word budget, none if these are, too.

    A notice says which.

    Args:
        search: answers one query under settings.
    Raises: what the search raises, but no WordBudgetError.
    """
    try:
        return search(settings)
    except WordBudgetError as error:
        fields = _fields(error)
    if _has_passages(settings):
        try:
            passages = search(replace(settings, unit="sentence"))
        except WordBudgetError as error:  # these are too long, too
            fields["shortest"] = min(fields["shortest"], _fields(error)["shortest"])
        except SettingsError:  # the other settings exclude them
            pass
        else:
            return passages.with_notices(Notice("passages_instead", fields))
    unbounded = search(replace(settings, word_budget=None, max_answers=1))
    plan = unbounded.plan
    asked = replace(plan.settings, word_budget=settings.word_budget, max_answers=settings.max_answers)
    none = replace(unbounded.first(0), plan=replace(plan, settings=asked))
    return none.with_notices(Notice(ALL_TOO_LONG, fields))


def explain_within_budget(explain: Callable[[Settings], ElementExplanation], settings: Settings) -> ElementExplanation:
    """Return an explanation, of the passages that a search returns if every element is longer than the word budget.

    Args:
        explain: explains one element under settings.
    Raises: what the explanation raises; WordBudgetError where passages are too long, too, or excluded.
    """
    try:
        return explain(settings)
    except WordBudgetError as error:
        if not _has_passages(settings):
            raise
        try:
            return explain(replace(settings, unit="sentence"))
        except SettingsError:  # the other settings exclude them
            raise error from None


def _has_passages(settings: Settings) -> bool:
    """Return whether passages can be returned in place of elements: not in place of those of some tags."""
    return settings.answers in ("auto", "target") and settings.unit != "sentence"


def is_any_short_enough(plan: Plan) -> bool:
    """Return whether any answer is short enough for the word budget, also where there is none."""
    return not any(notice.code == ALL_TOO_LONG for notice in plan.notices)


def _fields(error: WordBudgetError) -> dict[str, int]:
    """Return the words of the budget, and of the shortest answer."""
    return dict(error.notice.fields) if error.notice else {}


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
