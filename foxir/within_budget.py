"""Answers within a word budget: elements or, where even the shortest is too long, passages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from engine.errors import SettingsError, WordBudgetError
from engine.retrieval.answer_columns import AnswerColumns
from engine.settings import Settings


class WithinBudget(NamedTuple):
    """The answers to a query, and whether any is short enough for the word budget; a notice says so if none is."""

    columns: AnswerColumns
    has_room: bool


def within_budget(search: Callable[[Settings], AnswerColumns], settings: Settings) -> WithinBudget:
    """Return the answers of a search; passages if every element is longer than the word budget, none if these are, too.

    A notice says which.

    Args:
        search: answers one query under settings.
    Raises: what the search raises, but no WordBudgetError.
    """
    try:
        return WithinBudget(search(settings), True)
    except WordBudgetError as error:
        budget, too_long = f"word_budget = {error.budget}", f"the shortest answer has {error.shortest} words"
    if not settings.passages:
        try:
            passages = search(replace(settings, passages=True))
        except (WordBudgetError, SettingsError):  # these are too long, too, or the other settings exclude them
            pass
        else:
            return WithinBudget(_with_notice(passages, f"{budget}: {too_long}, so passages are returned."), True)
    unbounded = search(replace(settings, word_budget=None, max_answers=1))
    plan = unbounded.plan
    asked = replace(plan.settings, word_budget=settings.word_budget, max_answers=settings.max_answers)
    none = replace(unbounded.first(0), plan=replace(plan, settings=asked))
    return WithinBudget(_with_notice(none, f"no answer fits {budget}: {too_long}, allow as many."), False)


def _with_notice(columns: AnswerColumns, notice: str) -> AnswerColumns:
    """Return answers with one more notice."""
    plan = columns.plan
    return replace(columns, plan=replace(plan, notices=(*plan.notices, notice)))
