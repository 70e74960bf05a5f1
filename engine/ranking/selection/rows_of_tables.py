"""The rows of tables that can take the place of their table among the answers, the best first.

They are in the order of their element scores; ties are in document order. Header rows name what the other rows contain,
and are in the breadcrumbs of these: those that are marked as such are no answers, others come last.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import islice

import numpy as np

from engine.arrays import FloatArray, Mask, Rows, distinct, places_of
from engine.index.elements.header_rows import HEADS
from engine.index.reader import IndexReader
from engine.planning.plan import AnswerScope, ByScore, Plan
from engine.query.query import FEWEST_OF_QUESTION, Query
from engine.ranking.matches import Matches, occurrences_of_each
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.ranking.scoring.passages import WHOLE
from engine.ranking.selection.answer_scope import is_in_scope
from engine.records import NamedTuple, with_values
from engine.structure.inline_elements import NONE
from engine.text.characters import UNSPACED, kind_of

# A table of fewer rows beside its header rows stays whole.
FEWEST_ROWS = 2
# Tables whose rows are found together, as a budget asks for one after the other.
AT_ONCE = 8


class RowsOfTable(NamedTuple):
    """The rows of one table, the best first, with their element scores; none of a table that stays whole.

    words: of each row; 0 for headers and rows without a query term, which a word budget leaves out.
    """

    rows: Rows
    scores: FloatArray
    words: Rows

    def at(self, places: Rows) -> RowsOfTable:
        """Return the rows at some places."""
        return RowsOfTable(self.rows.take(places), self.scores.take(places), self.words.take(places))


def fitting_rows(words: Rows, budget: int) -> Rows:
    """Return the places of the rows that fit a budget, each taken if there is room for its words; none of 0 words."""
    taken = []
    for place, size in enumerate(words.tolist()):
        if 0 < size <= budget:
            taken.append(place)
            budget -= size
    return np.array(taken, np.int64)


class RowsOfTables:
    """The rows of the tables of one search, which ranks by score; those of a table are found once.

    Args:
        longest: words of a table that can be an answer to a question (`max_table_words`).
    """

    def __init__(self, index: IndexReader, plan: Plan, order: ByScore, longest: float) -> None:
        self._index, self._plan, self._order, self.longest = index, plan, order, longest
        self._known: dict[int, RowsOfTable] = {}

    def are_tables(self, rows: Rows, sentences: Rows | None) -> Mask:
        """Return which elements, or passages of elements, are whole tables."""
        elements = self._index.elements
        is_table = elements.is_tag(self._index.profile.table_tags).take(elements.tag(rows))
        return is_table if sentences is None else is_table & (sentences[:, 0] == WHOLE)

    def of(self, tables: Rows) -> list[RowsOfTable]:
        """Return the rows of each of some tables."""
        unknown = [table for table in tables.tolist() if table not in self._known]
        if unknown:
            self._known.update(zip(unknown, self._found(np.array(unknown, np.int64)), strict=True))
        return [self._known[table] for table in tables.tolist()]

    def _found(self, tables: Rows) -> list[RowsOfTable]:
        index, elements = self._index, self._index.elements
        documents = distinct(elements.document(tables))
        rows, counts = self._in_document_order(tables, documents)
        is_split = counts >= FEWEST_ROWS
        rows, counts = rows.compress(is_split.repeat(counts)), np.where(is_split, counts, 0)
        scores = self._element_scores(documents, rows)
        headers = index.header_rows.of(documents)
        are_titles = headers.where(headers.are_titles).include(rows)
        by_score = np.lexsort((rows, -scores, are_titles, np.arange(len(tables)).repeat(counts)))
        words = np.where((scores > 0) & ~are_titles, elements.n_words(rows), 0)
        rows, scores, words = rows.take(by_score), scores.take(by_score), words.take(by_score)
        ends = counts.cumsum()
        parts = map(slice, (ends - counts).tolist(), ends.tolist())
        return [RowsOfTable(rows[each], scores[each], words[each]) for each in parts]

    def _in_document_order(self, tables: Rows, documents: Rows) -> tuple[Rows, Rows]:
        """Return the rows that can be answers, table by table, and how many each has; none of layout."""
        index, elements, profile = self._index, self._index.elements, self._index.profile
        rows, all_tables = (
            elements.with_tags(places_of(elements.is_tag(tags)).tolist(), documents)
            for tags in (profile.row_tags, profile.table_tags)
        )
        is_answer = (elements.n_words(rows) > 0) & ~elements.is_inline(rows)
        headers = index.header_rows.of(documents)
        is_answer &= ~headers.where(headers.are_marked).include(rows)
        is_head = elements.is_tag(HEADS)
        is_answer &= ~(is_head.take(elements.tag(rows)) | is_head.take(elements.tag(elements.parent(rows))))
        rows = rows.compress(is_answer)
        rows = rows.compress(rows >= np.append(0, np.maximum.accumulate(elements.end(rows)))[:-1])  # not in other rows
        if self._plan.scope.restricts_elements:
            rows = rows.compress(is_in_scope(index, self._plan, rows, documents))
        ends = elements.end(tables)
        is_layout = all_tables.searchsorted(ends) > all_tables.searchsorted(tables, "right")
        begins, behind = rows.searchsorted(tables), rows.searchsorted(ends)
        behind[is_layout] = begins[is_layout]
        found = [rows[first:end] for first, end in zip(begins.tolist(), behind.tolist(), strict=True)]
        return np.concatenate([rows[:0], *found]), behind - begins

    def _element_scores(self, documents: Rows, rows: Rows) -> FloatArray:
        """Return the element scores of rows of some documents (ascending), shape (n,)."""
        index, elements, plan = self._index.alone(), self._index.elements, self._plan
        occurrences = occurrences_of_each(elements, plan.query.wanted, documents)
        matches = Matches(documents, occurrences, rows[:0])
        by_row = rows.argsort()
        ascending = rows.take(by_row)
        places = documents.searchsorted(elements.document(ascending))
        words = elements.n_words(ascending)
        scorer = ElementScorer(index, plan.query, self._order, documents, matches)
        scores = np.empty(len(rows))
        scores[by_row] = scorer.elements(ascending, elements.end(ascending), places, words, NONE).covered
        return scores

    @property
    def room(self) -> tuple[int, bool]:
        """The words that a budget has to have left for rows, and whether rows are taken where no candidate fits.

        An element that is an answer has as many words. Where no element fits, passages are taken, with rows among them.
        """
        least = self._order.min_words.resolve(self._index.statistics.block_words)
        return max(1, math.ceil(least)), self._order.passages

    def in_order(self, rows: Rows, sentences: Rows | None) -> TablesInOrder:
        """Return the tables among candidates, best first; the rows of each are found when they are asked for."""

        are_tables = self.are_tables(rows, sentences)
        tables = places_of(are_tables)

        def words_of(place: int) -> Rows:
            if int(rows[place]) not in self._known:
                first = int(tables.searchsorted(place))
                self.of(rows.take(tables[first : first + AT_ONCE]))
            return self._known[int(rows[place])].words

        return TablesInOrder(are_tables, words_of, *self.room)


class TablesInOrder(NamedTuple):
    """The tables among candidates, best first; words_of returns the `words` of one, by its place among the candidates.

    least, suffice: see `RowsOfTables.room`.
    """

    are_tables: Mask
    words_of: Callable[[int], Rows]
    least: int
    suffice: bool

    def words_within(self, place: int, left: int) -> int:
        """Return how many words the rows of a candidate have that fit what is left of a budget, 0 if none does."""
        if left < self.least or not self.are_tables[place]:
            return 0
        words = self.words_of(place)
        return int(words[fitting_rows(words, left)].sum())

    def shortest(self, budget: int, of_candidates: int) -> int:
        """Return a number of words below which nothing fits: the least one if that is more than the budget.

        Args:
            of_candidates: words of the shortest candidate.
        """
        if not self.are_tables.any() or (of_candidates > budget and not self.suffice):
            return of_candidates
        if of_candidates > budget:
            words = (self.words_of(place) for place in places_of(self.are_tables).tolist())
            of_rows = min((int(each[each > 0].min(initial=of_candidates)) for each in words), default=of_candidates)
            return min(of_candidates, max(of_rows, self.least))
        return min(of_candidates, self.least)


def rows_of_tables(index: IndexReader, plan: Plan) -> RowsOfTables | None:
    """Return the rows of tables of a search; None where tables stay whole.

    Rows can be answers where these are elements of any kind, without overlap, in any number for an article, and where
    the query does not require, exclude or combine terms, which a row of its table may not meet.
    """
    rule, selection, order = plan.answers, plan.selection, plan.order
    if not isinstance(order, ByScore) or order.max_table_words is None:
        return None
    may_be_answers = (
        not index.header_rows.is_empty
        and rule.tags is None
        and not rule.is_target
        and selection.removes_overlap
        and not selection.joins_siblings
        and not selection.groups_by_article
        and selection.max_per_article is None
        and plan.query.path is None
        and asks_for_no_match(with_values(plan, scope=AnswerScope()))
    )
    longest = order.max_table_words.resolve(index.statistics.block_words)
    return RowsOfTables(index, plan, order, longest) if may_be_answers else None


_TYPED = re.compile(r"\S+")
_LETTERS_OF_WORD = 2


def needs_no_match(index: IndexReader, plan: Plan) -> bool:
    """Return whether elements without a match can be answers, too, by their context: where the query is a question.

    Whoever types a few words, requires or excludes one, quotes a phrase or asks for all words, wants elements with and
    without these. A question has FEWEST_OF_QUESTION words, as typed and of the collection; two letters of a script
    without spaces count as a word.
    """
    return plan.query.may_be_question and asks_for_no_match(plan) and _is_question(index, plan.query)


def asks_for_no_match(plan: Plan) -> bool:
    """Return whether answers are elements of any or of certain tags, and nothing of the query asks for a match."""
    query = plan.query
    return (
        isinstance(plan.order, ByScore)
        and not (query.required or query.unwanted or plan.images)
        and not plan.matching.needs_all
        and plan.matching.n_first is None
        and plan.answers.from_matches is None
        and not plan.scope.restricts_elements
    )


def _is_question(index: IndexReader, query: Query) -> bool:
    """Return whether a query has enough words, in no phrase, of the collection and as typed."""
    words = {word for term in query.wanted if not term.is_phrase for word in term.words}
    known = (word for word in words if index.statistics.term(word).document_frequency)
    return len(list(islice(known, FEWEST_OF_QUESTION))) == FEWEST_OF_QUESTION and _is_long(query.text)


def _is_long(text: str) -> bool:
    n_words = 0
    for typed in _TYPED.finditer(text):
        unspaced = 0 if typed[0].isascii() else sum(kind_of(character) == UNSPACED for character in typed[0])
        n_words += max(unspaced // _LETTERS_OF_WORD, 1)
        if n_words >= FEWEST_OF_QUESTION:
            return True
    return False
