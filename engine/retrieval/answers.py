"""Answers joined with the index: paths, texts and snippets are computed on first use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct, places_of, read_only
from engine.images.matching import matching_blocks
from engine.index.containment import WithAncestors
from engine.index.element_paths import element_paths
from engine.index.passage_offsets import passage_offsets
from engine.index.reader import IndexReader
from engine.index.wrong_numbers import reads_columns
from engine.query.query import Query
from engine.retrieval.answer_columns import AnswerColumns
from engine.retrieval.answer_snippets import answer_snippets
from engine.retrieval.articles import RankedArticles
from engine.retrieval.breadcrumbs import breadcrumbs
from engine.retrieval.inline_elements import n_words
from engine.retrieval.plan import Plan
from engine.retrieval.readable_text import readable_text
from engine.retrieval.scoring.passages import WHOLE, words_of_passage
from engine.retrieval.snippets import Snippet
from engine.settings import Settings


@dataclass(frozen=True, repr=False)
class RankedAnswers:
    """Ranked answers, best first, joined with the index, which gives their texts, paths and snippets."""

    index: IndexReader
    columns: AnswerColumns

    def __repr__(self) -> str:
        return f"RankedAnswers({len(self)} to {self.query.text!r})"

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
    def notices(self) -> tuple[str, ...]:
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
    def rsv(self) -> NDArray[np.float64]:
        """Retrieval status values."""
        return self.columns.rsv

    @property
    def scores(self) -> NDArray[np.float64] | None:
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

    @overload
    def __getitem__(self, place: int) -> RankedAnswer: ...
    @overload
    def __getitem__(self, place: slice) -> list[RankedAnswer]: ...
    def __getitem__(self, place: int | slice) -> RankedAnswer | list[RankedAnswer]:
        if isinstance(place, slice):
            return [RankedAnswer(self, each) for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(f"answer {place} of {len(self)}")
        return RankedAnswer(self, place % len(self))

    def __iter__(self) -> Iterator[RankedAnswer]:
        return (RankedAnswer(self, place) for place in range(len(self)))

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


class RankedAnswer:
    """One answer, a view of its place in the columns."""

    def __init__(self, answers: RankedAnswers, place: int) -> None:
        self._answers = answers
        self.place = place

    @property
    def answers(self) -> RankedAnswers:
        """All answers of the search, joined with the index."""
        return self._answers

    @property
    def _columns(self) -> AnswerColumns:
        return self.answers.columns

    @property
    def rank(self) -> int:
        """Rank, from 1."""
        return self.place + 1

    @property
    def rsv(self) -> float:
        """Retrieval status value."""
        return float(self._columns.rsv[self.place])

    @property
    def score(self) -> float | None:
        """Score of the element or passage; None where elements have none."""
        return None if self._columns.scores is None else float(self._columns.scores[self.place])

    @property
    def sentences(self) -> tuple[int, int] | None:
        """First and last sentence of a passage, counted from 0 in its element; None for whole elements."""
        if self._columns.sentences is None:
            return None
        first, last = self._columns.sentences[self.place].tolist()
        return None if first == WHOLE else (first, last)

    @property
    @reads_columns
    def words(self) -> int:
        """Number of words, stop words included."""
        return self.answers.words_at(self._places)[0]

    @property
    def _places(self) -> NDArray[np.int64]:
        """Its place alone, as `answers` takes places."""
        return np.array([self.place])

    @property
    def image(self) -> str | None:
        """Path of the best image in the answer, relative to the folder of its source; None without example image."""
        number = self._image_number
        return None if number is None else self.answers.index.images.key(number)

    @property
    def _image_number(self) -> int | None:
        """The number of the best image in the answer; None where there is none."""
        images = self._columns.images
        number = -1 if images is None else int(images[self.place])
        return None if number < 0 else number

    @property
    @reads_columns
    def shown_image(self) -> str | None:
        """Path of the best image in the answer, or, without example image, of the first one; None for none."""
        images = self.answers.index.images
        if self._image_number is not None or not images.n_images:
            return self.image
        rows, numbers = images.references
        row = self.answers.elements[self.place : self.place + 1]
        first, end = np.searchsorted(rows, [row[0], self.answers.index.elements.end(row)[0]]).tolist()
        return images.key(int(numbers[first])) if end > first else None

    @property
    def image_score(self) -> float | None:
        """Score of that image for the example images, from 0 to 1."""
        scores = self._columns.image_scores
        return None if self._image_number is None or scores is None else float(scores[self.place])

    @property
    @reads_columns
    def image_blocks(self) -> NDArray[np.float64] | None:
        """How far that image matches the example in each of 16 x 16 blocks, from 0 to 1; the mean of several ones.

        None without an example.
        """
        number, examples = self._image_number, self._columns.image_groups
        if number is None or not examples:
            return None
        features = self.answers.index.images.features(number)
        found: NDArray[np.float64] = np.mean([matching_blocks(groups, features) for groups in examples], axis=0)
        return found

    @property
    def document(self) -> str:
        """Document id."""
        return self.answers.index.ids[int(self.answers.documents[self.place])]

    @cached_property
    @reads_columns
    def path(self) -> str:
        """Path of the element, or of the element that contains the passage: `/article[1]/bdy[1]/sec[2]`."""
        return element_paths(self.answers.index, self.answers.elements[self.place : self.place + 1])[0]

    @cached_property
    @reads_columns
    def _span(self) -> tuple[int, int]:
        start, end = self.answers.spans_at(self._places)[0].tolist()
        return start, end

    @property
    def start(self) -> int:
        """First character (code point) in the document's text."""
        return self._span[0]

    @property
    def end(self) -> int:
        """One past the last character in the document's text."""
        return self._span[1]

    @property
    def size(self) -> int:
        """Number of characters."""
        return self.end - self.start

    @property
    def article_rank(self) -> int:
        """Rank of the article among the ranked articles, from 1."""
        return int(self._columns.article[self.place]) + 1

    @property
    def article_score(self) -> float:
        """Similarity of the article; 0 in the native approach, which does not rank articles."""
        return float(self._columns.ranked.scores[self.article_rank - 1])

    @property
    @reads_columns
    def text(self) -> str:
        """Text of the answer, white space as in the document: the characters from `start` to `end`."""
        return self.answers.index.text(int(self.answers.documents[self.place]))[self.start : self.end]

    @property
    @reads_columns
    def readable_text(self) -> str:
        """Text for readers and models: `text` with white space where blocks or cells border each other without any."""
        document, row = (int(column[self.place]) for column in (self.answers.documents, self.answers.elements))
        return readable_text(self.answers.index, document, row, self.start, self.end)

    @cached_property
    @reads_columns
    def snippet(self) -> Snippet:
        """About 240 characters with the most query terms: `text`, `marks` (their spans) and `marked("<b>", "</b>")`."""
        return self.answers.snippets_at(self._places)[0]

    @cached_property
    @reads_columns
    def breadcrumb(self) -> list[str]:
        """Titles of the document and of the sections down to the element."""
        return self.answers.breadcrumbs_at(self._places)[0]

    def to_dict(self, *, text: bool = False) -> dict[str, Any]:
        """Return the answer as `foxir search --json` prints it.

        Args:
            text: whether it has its text.
        """
        row: dict[str, Any] = {
            "rank": self.rank,
            "rsv": self.rsv,
            "score": self.score,
            "document": self.document,
            "path": self.path,
            "start": self.start,
            "end": self.end,
            "size": self.size,
            "words": self.words,
            "sentences": self.sentences,
            "article_rank": self.article_rank,
            "article_score": self.article_score,
            "breadcrumb": self.breadcrumb,
            "snippet": self.snippet.marked(),
        }
        if self._columns.plan.images is not None:
            row |= {"image": self.image, "image_score": self.image_score}
        return {**row, "text": self.text} if text else row
