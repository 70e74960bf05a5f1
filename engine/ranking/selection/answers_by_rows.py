"""Long tables are answered by their rows.

A table of more than `max_table_words` words is no right-sized answer to a question (`questions`): its rows take its
place in the list, one after another, each with the score of the table (`rows_of_tables` has their order). So do, of a
table for which a word budget has no room, the rows that fit.

A table stays whole where answers are asked for by tag, may overlap, or are limited in number for each article, and
where another table lies in it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.arrays import ArrayRecord, FloatArray, Mask, Rows, is_among, places_of
from engine.index.reader import IndexReader
from engine.planning.plan import AnswerScope, Plan
from engine.ranking.selection.rows_of_tables import RowsOfTables, fitting_rows, needs_no_match
from engine.ranking.selection.selection import Selected
from engine.records import dataclass


@dataclass(frozen=True, eq=False, repr=False)
class AnsweredByRows(ArrayRecord):
    """Answers of which long tables are replaced by their rows.

    origins: the place of each answer, or of the table that it is a row of, among the answers before.
    are_rows: which answers are rows. cut: the rows of these tables for which the list has no room.
    within_budget: the places of the tables for whose rows alone a word budget has room. unaffordable: the rows for
    which it has none.
    own_scores: of rows, by which those of one table are ordered; 0 for other answers.
    """

    selected: Selected
    origins: Rows
    are_rows: Mask
    cut: Rows
    within_budget: Rows
    unaffordable: Rows
    own_scores: FloatArray

    def __len__(self) -> int:
        return len(self.selected)

    def __repr__(self) -> str:
        return f"AnsweredByRows({len(self)}, rows={int(self.are_rows.sum())})"


def answered_by_rows(
    index: IndexReader, plan: Plan, selected: Selected, found: RowsOfTables | None
) -> AnsweredByRows | None:
    """Return the answers with rows in the place of tables, at most `max_answers`; None where there are none.

    Args:
        found: the rows of tables; None where these stay whole.
    """
    if found is None:
        return None
    elements, places = index.elements, places_of(found.are_tables(selected.rows, selected.sentences))
    if not places.size:
        return None
    granted, words = selected.words.take(places), elements.n_words(selected.rows.take(places))
    are_long, are_within_budget = words > found.longest, granted < words
    if not are_within_budget.all() and are_long.any():
        are_long &= needs_no_match(index, replace(plan, scope=AnswerScope()))
    is_asked = are_long | are_within_budget
    places, granted, are_within_budget = (each.compress(is_asked) for each in (places, granted, are_within_budget))
    tables, unaffordable = found.of(selected.rows.take(places)), [places[:0]]
    for number in places_of(are_within_budget).tolist():
        table = tables[number]
        fits = fitting_rows(table.words, int(granted[number]))
        tables[number] = table.at(fits)
        unaffordable.append(np.setdiff1d(table.rows.compress(table.words > 0), tables[number].rows))
    counts = np.array([len(each.rows) for each in tables], np.int64)
    if not counts.any():
        return None
    n_each = np.ones(len(selected), np.int64)
    n_each[places] = np.maximum(counts, 1)
    origins = np.arange(len(selected)).repeat(n_each)
    are_rows = is_among(origins, places.compress(counts > 0))
    rows, own_scores = selected.rows.take(origins), np.zeros(len(origins))
    rows[are_rows] = np.concatenate([each.rows for each in tables])
    own_scores[are_rows] = np.concatenate([each.scores for each in tables])
    n_answers = plan.settings.max_answers
    cut = rows[n_answers:].compress(are_rows[n_answers:])
    origins, are_rows, rows = origins[:n_answers], are_rows[:n_answers], rows[:n_answers]
    words = np.where(are_rows, elements.n_words(rows), selected.words.take(origins))
    answers = replace(selected.at(origins), rows=rows, words=words)
    of_budget = places.compress(are_within_budget), np.concatenate(unaffordable)
    return AnsweredByRows(answers, origins, are_rows, cut, *of_budget, own_scores[:n_answers])
