"""Answers within a word budget: elements or, where even the shortest is too long, passages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.errors import FoxirError, WordBudgetError
from engine.retrieval.answer_columns import AnswerColumns
from engine.settings import Settings


def within_budget(search: Callable[[Settings], AnswerColumns], settings: Settings) -> AnswerColumns:
    """Return the answers of a search; passages if every element is longer than the word budget, none if these are, too.

    A notice says which.

    Args:
        search: answers one query under settings.
    Raises: what the search raises, but no WordBudgetError.
    """
    try:
        return search(settings)
    except WordBudgetError as error:
        too_long = str(error).partition(":")[2].partition(":")[0].strip()  # the shortest answer has ... words
    budget = f"word_budget = {settings.word_budget}"
    if not settings.passages:
        try:
            return with_notice(
                search(replace(settings, passages=True)), f"{budget}: {too_long}, so passages are returned."
            )
        except FoxirError:  # passages are too long, too, or this query can have none
            pass
    unbounded = search(replace(settings, word_budget=None, max_answers=1))
    return with_notice(unbounded.first(0), f"no answer fits {budget}: {too_long}, allow as many.")


def with_notice(columns: AnswerColumns, notice: str) -> AnswerColumns:
    """Return answers with one more notice."""
    plan = columns.plan
    return replace(columns, plan=replace(plan, notices=(*plan.notices, notice)))
