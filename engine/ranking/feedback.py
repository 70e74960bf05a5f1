"""Feedback: the words of a question weigh more, the more of its best answers contain them.

    factor(t) = 1 + feedback · (1 - focus / HIGHEST_FOCUS) · n_t / n     where focus < HIGHEST_FOCUS, else 1
    n     best elements of a first search, at most N_ANSWERS
    n_t   those of them that contain the word t

Where no article stands out, only its own words make an element an answer, and not all words of a question say what it
is about: the best answers to "can a party terminate this contract without cause" contain `terminate` and `cause`, few
`can`. All words of a short query are wanted, so there is none for it (`Query.is_question`).

The first search ranks elements of all documents, also where passages, a scope or certain tags are asked for, so that
scores do not depend on what is returned. Counts are integers, so they do not depend on how the collection is divided.

Sources: the best answers taken as relevant, Croft & Harper, Journal of Documentation 35(4), 1979; words weighed by how
many relevant texts contain them, Robertson & Sparck Jones, JASIS 27(3), 1976. Unlike there, no word is added.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from engine.arrays import distinct
from engine.index.elements.containment import contains_any
from engine.index.reader import IndexReader
from engine.planning.plan import AnswerRule, AnswerScope, ByScore, Plan, Selection
from engine.ranking.selection.selection import Selected
from engine.records import dataclass
from engine.sharded_search.shard_merging import WordsInAnswers, words_of_best

N_ANSWERS = 10
HIGHEST_FOCUS = 0.5
SHOWN = 5  # words in a description


@dataclass(frozen=True, repr=False)
class Feedback:
    """The words of the best answers of a first search.

    n_answers: how many there are. containing: for each word of the query, sorted, how many of them contain it.
    factors: what its weight is multiplied by.
    """

    n_answers: int
    containing: tuple[tuple[str, int], ...]
    factors: tuple[tuple[str, float], ...]

    def __len__(self) -> int:
        return len(self.factors)

    @property
    def described(self) -> str:
        """The words that weigh most and their factors, in words."""
        best = sorted(self.factors, key=lambda each: -each[1])[:SHOWN]
        shown = ", ".join(f"{word} × {factor:.2f}" for word, factor in best if factor > 1)
        return f"feedback of {self.n_answers} answers ({shown or 'no word weighs more'})"

    def to_dict(self) -> dict[str, Any]:
        """Return the feedback as `foxir explain --json` prints it."""
        return {"answers": self.n_answers, "containing": dict(self.containing), "factors": dict(self.factors)}

    def __repr__(self) -> str:
        words = ", ".join(f"{word} {n}" for word, n in self.containing)
        return f"Feedback({self.n_answers} answers: {words})"


def uses_feedback(plan: Plan) -> bool:
    """Return whether the words of a query, whose focus is known, are weighed by a first search."""
    order = plan.order
    if not isinstance(order, ByScore) or not order.feedback or "focus" not in order.parameters:
        return False
    return plan.query.is_question and order.focus is not None and order.focus < HIGHEST_FOCUS


def first_search(plan: Plan) -> Plan:
    """Return the plan of the first search: the best elements of all documents."""
    if not isinstance(plan.order, ByScore):
        raise TypeError("only scored elements give feedback")
    return replace(
        plan,
        matching=replace(plan.matching, n_first=None, of_targets=False, finds_rows=True),
        answers=AnswerRule(),
        order=replace(plan.order, passages=False, max_leaves=None),
        selection=Selection(N_ANSWERS, None, removes_overlap=True, groups_by_article=False, word_budget=None),
        scope=AnswerScope(),
    )


def feedback_from(index: IndexReader, plan: Plan, selected: Selected) -> Feedback:
    """Return the feedback of the answers to the first search, of several shards of the best of all."""
    order, elements, words = plan.order, index.elements, list(plan.query.word_counts)
    if not isinstance(order, ByScore) or order.focus is None or selected.scores is None:
        raise TypeError("only scored elements of a query with a focus give feedback")
    ascending = selected.rows.argsort()
    rows = selected.rows.take(ascending)
    documents = distinct(elements.document(rows))
    contain = np.zeros((len(selected), len(words)), np.bool_)
    for number, occurrences in enumerate(elements.occurrences_of_each(words, documents)):
        contain[ascending, number] = contains_any(elements, rows, occurrences.rows)
    here = WordsInAnswers(selected.scores, selected.articles, contain, plan.selection.max_answers)
    found = words_of_best([here]) if index.exchange is None else index.exchange.combine(words_of_best, here)
    share = order.feedback * (1 - order.focus / HIGHEST_FOCUS) / max(found.n_answers, 1)
    containing = tuple(zip(words, found.containing.tolist(), strict=True))
    return Feedback(found.n_answers, containing, tuple((word, 1 + share * n) for word, n in containing))


def with_feedback(plan: Plan, feedback: Feedback) -> Plan:
    """Return the plan of the search itself, in which words have their factors."""
    if not isinstance(plan.order, ByScore):
        raise TypeError("only scored elements use feedback")
    return replace(plan, order=replace(plan.order, word_factors=feedback.factors))
