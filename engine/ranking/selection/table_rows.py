"""Long tables are answered by their rows.

A table of more than `max_table_words` words is no right-sized answer to a question (`questions`): its rows take its
place in the list, one after another, each with the score of the table. Those that say most of the question come first,
by their element scores; ties are in document order. Header rows name what the other rows contain, and are in the
breadcrumbs of these: those that are marked as such are no answers, others come last.

A table stays whole where answers are asked for by tag, may overlap, or are limited in number for each article, and
where another table lies in it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.arrays import ArrayRecord, FloatArray, Mask, Rows, distinct, is_among, places_of
from engine.index.elements.header_rows import HEADS
from engine.index.reader import IndexReader
from engine.planning.plan import AnswerScope, ByScore, Plan
from engine.ranking.eligibility.question import needs_no_match
from engine.ranking.matches import Matches, occurrences_of_each
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.ranking.scoring.passages import WHOLE
from engine.ranking.selection.answer_scope import is_in_scope
from engine.ranking.selection.selection import Selected
from engine.records import dataclass
from engine.structure.inline_elements import NONE

# A table of fewer rows beside its header rows stays whole.
FEWEST_ROWS = 2


@dataclass(frozen=True, eq=False, repr=False)
class AnsweredByRows(ArrayRecord):
    """Answers of which long tables are replaced by their rows.

    origins: the place of each answer, or of the table that it is a row of, among the answers before.
    are_rows: which answers are rows. cut: the rows of these tables for which the list has no room.
    own_scores: of rows, by which those of one table are ordered; 0 for other answers.
    """

    selected: Selected
    origins: Rows
    are_rows: Mask
    cut: Rows
    own_scores: FloatArray

    def __len__(self) -> int:
        return len(self.selected)

    def __repr__(self) -> str:
        return f"AnsweredByRows({len(self)}, rows={int(self.are_rows.sum())})"


def answered_by_rows(index: IndexReader, plan: Plan, documents: Rows, selected: Selected) -> AnsweredByRows | None:
    """Return the answers with rows in the place of long tables, at most `max_answers`; None where there are none.

    Args:
        documents: of the ranked articles.
    """
    if not isinstance(plan.order, ByScore) or not _may_be_rows(index, plan):
        return None
    tables = _long_tables(index, plan.order, selected)
    if not tables.size or not needs_no_match(index, replace(plan, scope=AnswerScope())):
        return None
    of_tables = documents.take(selected.articles.take(tables))
    rows, counts = _rows_of(index, plan, selected.rows.take(tables), of_tables)
    is_split = counts >= FEWEST_ROWS
    if not is_split.any():
        return None
    tables, rows, counts = tables.compress(is_split), rows.compress(is_split.repeat(counts)), counts.compress(is_split)
    distinct_documents = distinct(of_tables)
    scores = _element_scores(index.alone(), plan, plan.order, distinct_documents, rows)
    headers = index.header_rows.of(distinct_documents)
    are_titles = headers.where(headers.are_titles).include(rows)
    by_score = np.lexsort((rows, -scores, are_titles, np.arange(len(tables)).repeat(counts)))
    n_each = np.ones(len(selected), np.int64)
    n_each[tables] = counts
    origins = np.arange(len(selected)).repeat(n_each)
    are_rows = is_among(origins, tables)
    found, own_scores = selected.rows.take(origins), np.zeros(len(origins))
    found[are_rows], own_scores[are_rows] = rows.take(by_score), scores.take(by_score)
    n_answers = plan.selection.max_answers
    cut = found[n_answers:].compress(are_rows[n_answers:])
    origins, are_rows, found = origins[:n_answers], are_rows[:n_answers], found[:n_answers]
    answers = replace(selected.at(origins), rows=found)
    if answers.words is not None:
        answers = replace(answers, words=np.where(are_rows, index.elements.n_words(found), answers.words))
    return AnsweredByRows(answers, origins, are_rows, cut, own_scores[:n_answers])


def _may_be_rows(index: IndexReader, plan: Plan) -> bool:
    """Return whether answers are elements of any kind, without overlap, in any number for an article."""
    rule, selection = plan.answers, plan.selection
    return (
        not index.header_rows.is_empty
        and rule.tags is None
        and not rule.is_target
        and selection.removes_overlap
        and not selection.groups_by_article
        and selection.max_per_article is None
    )


def _long_tables(index: IndexReader, order: ByScore, selected: Selected) -> Rows:
    """Return the places of the answers that are whole tables of more than `max_table_words` words."""
    if order.max_table_words is None:
        return np.empty(0, np.int64)
    elements = index.elements
    is_table = elements.is_tag(index.profile.table_tags).take(elements.tag(selected.rows))
    if selected.sentences is not None:
        is_table &= selected.sentences[:, 0] == WHOLE
    places = places_of(is_table)
    if not places.size:
        return places
    longest = order.max_table_words.resolve(index.statistics.block_words)
    return places.compress(elements.n_words(selected.rows.take(places)) > longest)


def _rows_of(index: IndexReader, plan: Plan, tables: Rows, documents: Rows) -> tuple[Rows, Rows]:
    """Return the rows of tables that can be answers, table by table, and how many each has; none of layout."""
    elements, profile = index.elements, index.profile
    distinct_documents = distinct(documents)
    rows, all_tables = (
        elements.with_tags(places_of(elements.is_tag(tags)).tolist(), distinct_documents)
        for tags in (profile.row_tags, profile.table_tags)
    )
    is_answer = (elements.n_words(rows) > 0) & ~elements.is_inline(rows)
    headers = index.header_rows.of(distinct_documents)
    is_answer &= ~headers.where(headers.are_marked).include(rows)
    is_head = elements.is_tag(HEADS)
    is_answer &= ~(is_head.take(elements.tag(rows)) | is_head.take(elements.tag(elements.parent(rows))))
    rows = rows.compress(is_answer)
    rows = rows.compress(rows >= np.append(0, np.maximum.accumulate(elements.end(rows)))[:-1])  # not in other rows
    if plan.scope.restricts_elements:
        rows = rows.compress(is_in_scope(index, plan, rows, distinct_documents))
    ends = elements.end(tables)
    is_layout = all_tables.searchsorted(ends) > all_tables.searchsorted(tables, "right")
    begins, behind = rows.searchsorted(tables), rows.searchsorted(ends)
    behind[is_layout] = begins[is_layout]
    found = [rows[first:end] for first, end in zip(begins.tolist(), behind.tolist(), strict=True)]
    return np.concatenate([rows[:0], *found]), behind - begins


def _element_scores(index: IndexReader, plan: Plan, order: ByScore, documents: Rows, rows: Rows) -> FloatArray:
    """Return the element scores of rows of some documents (ascending), shape (n,)."""
    elements = index.elements
    occurrences = occurrences_of_each(elements, plan.query.wanted, documents)
    matches = Matches(documents, occurrences, rows[:0])
    by_row = rows.argsort()
    ascending = rows.take(by_row)
    places = documents.searchsorted(elements.document(ascending))
    words = elements.n_words(ascending)
    scorer = ElementScorer(index, plan.query, order, documents, matches)
    scores = np.empty(len(rows))
    scores[by_row] = scorer.elements(ascending, elements.end(ascending), places, words, NONE).covered
    return scores
