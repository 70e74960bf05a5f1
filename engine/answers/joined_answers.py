"""Columns of answers joined with the index: paths, texts and snippets are computed on first use."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.answers.answer_columns import AnswerColumns
from engine.array_types import FloatArray
from engine.arrays import distinct, places_of, read_only
from engine.columns.wrong_numbers import reads_columns
from engine.index.elements.containment import WithAncestors
from engine.index.elements.element_paths import element_paths
from engine.index.reader import IndexReader
from engine.index.texts.passage_offsets import passage_offsets
from engine.notices import Notice
from engine.planning.plan import Plan
from engine.presentation.answer_snippets import answer_snippets
from engine.presentation.breadcrumbs import breadcrumbs
from engine.presentation.snippets import Snippet
from engine.query.query import Query
from engine.ranking.articles import RankedArticles
from engine.ranking.scoring.passages import WHOLE, words_of_passage
from engine.records import dataclass
from engine.settings import Settings
from engine.structure.inline_elements import n_words


@dataclass(frozen=True, repr=False)
class JoinedAnswers:
    """Ranked answers, best first, with the index that gives their texts, paths and snippets."""

    index: IndexReader
    columns: AnswerColumns

    @property
    def plan(self) -> Plan:
        """How the query was answered."""
        return self.columns.plan

    @property
    def query(self) -> Query:
        """The parsed query."""
        return self.columns.plan.query

    @property
    def settings(self) -> Settings:
        """The settings, with `reading` and `answers` resolved."""
        return self.columns.plan.settings

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was not answered as asked, such as words beyond `max_terms`, or read as text; usually nothing."""
        return self.columns.plan.all_notices

    @property
    def interpretation(self) -> str:
        """How the query was read: CO, SS, SV, VS or VV."""
        return self.query.reading

    @property
    def ranked(self) -> RankedArticles:
        """The ranked articles."""
        return self.columns.ranked

    @property
    def documents(self) -> NDArray[np.int64]:
        """Document numbers."""
        return self.columns.documents

    @property
    def elements(self) -> NDArray[np.int64]:
        """Rows of the element store."""
        return self.columns.elements

    @property
    def article(self) -> NDArray[np.int64]:
        """The place of each answer's article among `ranked`."""
        return self.columns.article

    @property
    def rsv(self) -> FloatArray:
        """Retrieval status values."""
        return self.columns.rsv

    @property
    def scores(self) -> FloatArray | None:
        """Scores of scored elements and passages, else None."""
        return self.columns.scores

    @property
    def sentences(self) -> NDArray[np.int64] | None:
        """Of passages, the first and the last sentence of the element, WHOLE for all of it, shape (n, 2), else None."""
        return self.columns.sentences

    @property
    def seconds(self) -> float:
        """How long the search took."""
        return self.columns.seconds

    def __len__(self) -> int:
        return len(self.columns)

    @cached_property
    @reads_columns
    def document_ids(self) -> list[str]:
        """Document ids, answer by answer."""
        return [self.index.ids[document] for document in self.documents.tolist()]

    @cached_property
    @reads_columns
    def paths(self) -> list[str]:
        """Paths, answer by answer."""
        return element_paths(self.index, self.elements)

    @cached_property
    @reads_columns
    def spans(self) -> NDArray[np.int64]:
        """Start and end (code points, end exclusive) of every answer in its document's text; read-only, (n, 2)."""
        return read_only(self.spans_at(np.arange(len(self))))

    @reads_columns
    def spans_at(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the spans of the answers at some places, shape (n, 2)."""
        if self.sentences is None:
            return self.index.spans_of(self.elements.take(places))
        spans = np.empty((len(places), 2), np.int64)
        is_whole = self.sentences[places, 0] == WHOLE
        spans[is_whole] = self.index.spans_of(self.elements.take(places[is_whole]))
        documents = self.documents.take(places)
        for document in distinct(documents[~is_whole]).tolist():
            chosen = ~is_whole & (documents == document)
            first, last = self.sentences[places[chosen]].T
            spans[chosen] = passage_offsets(self.index, document, self.elements[places[chosen]], first, last)
        return spans

    @reads_columns
    def words_at(self, places: NDArray[np.int64]) -> list[int]:
        """Return the number of words, stop words included, of the answers at some places."""
        counts = n_words(self.index, self.elements.take(places)).tolist()
        if self.sentences is not None:
            for at in places_of(self.sentences[places, 0] != WHOLE).tolist():
                first, end = self.word_numbers(int(places[at]))
                counts[at] = end - first
        found: list[int] = counts
        return found

    def word_numbers(self, place: int) -> tuple[int, int]:
        """Return the number of the first word of an answer, and of the one after its last."""
        row = self.elements[place : place + 1]
        first, last = (WHOLE, WHOLE) if self.sentences is None else self.sentences[place].tolist()
        if first != WHOLE:
            return words_of_passage(self.index.elements, int(row[0]), first, last)
        first_word = int(self.index.elements.first_word(row)[0])
        return first_word, first_word + int(self.index.elements.n_words(row)[0])

    @reads_columns
    def snippets_at(self, places: NDArray[np.int64], spans: NDArray[np.int64] | None = None) -> list[Snippet]:
        """Return the best lines of the answers at some places, with the places of query terms in them.

        Args:
            spans: as `spans_at` returns them, where they are known.
        """
        known = self.spans_at(places) if spans is None else spans
        columns = (self.documents.take(places), self.elements.take(places), known)
        return answer_snippets(self.index, self.query, *columns, lambda at: self.word_numbers(int(places[at])))

    @reads_columns
    def breadcrumbs_at(self, places: NDArray[np.int64], above: WithAncestors | None = None) -> list[list[str]]:
        """Return the titles of document and sections above the answers at some places.

        Args:
            above: the ancestors of these answers, where they are known.
        """
        return breadcrumbs(self.index, self.documents.take(places), self.elements.take(places), above)
