"""Answers of a search: columns and rows, printable, comparable, picklable."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from engine.arrays import read_only
from engine.index.reader import IndexReader
from engine.printable import printable
from engine.retrieval.answers import AnswerColumns, RankedAnswer, RankedAnswers
from engine.retrieval.snippets import Snippet
from engine.runs.data_frame import data_frame
from engine.settings import Settings
from foxir.answer_table import html_table, text_table
from foxir.elements import Element
from foxir.index_generation import Generation

if TYPE_CHECKING:
    import pandas as pd


class Answers(Sequence["Answer"]):
    """Ranked answers, best first: a sequence of `Answer`, whose columns are attributes.

    >>> answers = index.search("fog signal range")                   # doctest: +SKIP
    >>> answers[0].path, answers[:10].documents, answers.scores[:2]   # doctest: +SKIP

    A slice is Answers too and keeps the ranks. Answers are equal if query, ranks, documents, paths, spans and scores
    are. Arrays are read-only. Columns can be pickled with the answers; texts, snippets and titles are read from the
    index, which pickled answers reopen when they are first asked for one.

    Attributes:
        query: the query as it was asked.
        settings: the settings as they answered it: `reading` and `answers` are resolved.
        seconds: how long the search took.
        generation: the generation of the index that answered.
    """

    def __init__(
        self,
        query: str,
        columns: AnswerColumns,
        generation: Generation,
        reader: IndexReader | None,
        places: NDArray[np.int64] | None = None,
    ) -> None:
        self.query = query
        self.generation = generation
        self._columns = columns
        self._reader = reader
        self._places = np.arange(len(columns)) if places is None else places

    @property
    def settings(self) -> Settings:
        """The settings as they answered the query."""
        return self._columns.plan.settings

    @property
    def notices(self) -> tuple[str, ...]:
        """What was not answered as asked, such as words beyond `max_terms`, or read as text; usually nothing."""
        return self._columns.plan.all_notices

    @property
    def interpretation(self) -> str:
        """How the query was read: CO, SS, SV, VS or VV."""
        return self._columns.plan.query.reading

    @property
    def seconds(self) -> float:
        """How long the search took."""
        return self._columns.seconds

    @property
    def shards(self) -> tuple[int, int] | None:
        """Of a search on a cluster, how many shards answered, and how many there are; else None."""
        return self._columns.shards

    @property
    def ranks(self) -> NDArray[np.int64]:
        """Ranks in the result of the search, from 1; int64, shape (n,)."""
        return read_only(self._places + 1)

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """Document ids."""
        ids = self._open.index.ids
        return tuple(ids[number] for number in self._columns.documents[self._places].tolist())

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Paths of the elements, or of the elements that contain the passages."""
        paths = self._open.paths
        return tuple(paths[place] for place in self._places.tolist())

    @cached_property
    def spans(self) -> NDArray[np.int64]:
        """Start and end (code points, end exclusive) in the documents' texts; int64, shape (n, 2)."""
        return read_only(self._open.spans[self._places])

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores of elements or passages; of articles, their similarity; of elements ranked by structure, the rsv.

        float64, shape (n,).
        """
        scores = self._columns.rsv if self._columns.scores is None else self._columns.scores
        return read_only(scores[self._places])

    @property
    def rsv(self) -> NDArray[np.float64]:
        """Retrieval status values, as run files contain them, falling with the rank; float64, shape (n,)."""
        return read_only(self._columns.rsv[self._places])

    @property
    def article_ranks(self) -> NDArray[np.int64]:
        """Rank of each answer's article among the ranked articles, from 1; int64, shape (n,)."""
        return read_only(self._columns.article[self._places] + 1)

    @property
    def article_scores(self) -> NDArray[np.float64]:
        """Similarity of each answer's article, 0 in the native approach; float64, shape (n,)."""
        return read_only(self._columns.ranked.scores[self._columns.article[self._places]])

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Answer: ...
    @overload
    def __getitem__(self, place: slice) -> Answers: ...
    def __getitem__(self, place: int | slice) -> Answer | Answers:
        if isinstance(place, slice):
            return self._selected(self._places[place])
        if isinstance(place, bool) or not hasattr(type(place), "__index__"):
            raise TypeError(f"answers are indexed by int or slice, got {type(place).__name__}.")
        number = place.__index__()
        if not -len(self) <= number < len(self):
            raise IndexError(f"answer {number} of {len(self)}")
        return Answer(self, number % len(self))

    def _selected(self, places: NDArray[np.int64]) -> Answers:
        return Answers(self.query, self._columns, self.generation, self._reader, places)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answers):
            return NotImplemented
        return (
            self.query == other.query
            and np.array_equal(self._places, other._places)
            and np.array_equal(self.scores, other.scores)
            and self.documents == other.documents
            and self.paths == other.paths
            and np.array_equal(self.spans, other.spans)
        )

    def __hash__(self) -> int:
        return hash((self.query, self._places.tobytes(), self.scores.tobytes()))

    def __repr__(self) -> str:
        return text_table(self._title, self)

    def _repr_html_(self) -> str:
        return html_table(self._title, self)

    @property
    def _title(self) -> str:
        return f"{len(self)} answer{'' if len(self) == 1 else 's'} to {self.query!r}"

    def to_dict(self, *, text: bool = False) -> dict[str, Any]:
        """Return the answers as `foxir search --json` prints them.

        Args:
            text: whether each answer has its text.
        """
        return {
            "query": self.query,
            "interpretation": self.interpretation,
            "notices": list(self.notices),
            "answers": [answer.to_dict(text=text) for answer in self],
            "seconds": round(self.seconds, 6),
        }

    def to_frame(self, *, text: bool = False) -> pd.DataFrame:
        """Return the answers as a data frame of pandas, a row each, best first.

        Args:
            text: whether it has a column of texts.

        Raises: MissingHostError, a FoxirError, without pandas.
        """
        columns: dict[str, Any] = {
            "rank": self.ranks.copy(),
            "document": self.documents,
            "path": self.paths,
            "start": self.spans[:, 0].copy(),
            "end": self.spans[:, 1].copy(),
            "words": [answer.words for answer in self],
            "score": self.scores.copy(),
            "article_rank": self.article_ranks.copy(),
        }
        if text:
            columns["text"] = [answer.text for answer in self]
        return data_frame(columns)

    @cached_property
    def _open(self) -> RankedAnswers:
        """The engine's answers over an open index: the one that answered, or its generation opened again."""
        reader = self.generation.open() if self._reader is None else self._reader
        return RankedAnswers(reader, self._columns)

    def _engine(self, place: int) -> RankedAnswer:
        return RankedAnswer(self._open, int(self._places[place]))

    def _path(self, place: int) -> str:
        """Return one path without computing those of all answers."""
        paths: tuple[str, ...] | None = self.__dict__.get("paths")
        return self._engine(place).path if paths is None else paths[place]

    def _span(self, place: int) -> tuple[int, int]:
        """Return the start and end of one answer without computing those of all answers."""
        spans: NDArray[np.int64] | None = self.__dict__.get("spans")
        if spans is not None:
            return int(spans[place, 0]), int(spans[place, 1])
        answer = self._engine(place)
        return answer.start, answer.end

    def __getstate__(self) -> dict[str, Any]:
        """Return all columns, without the index."""
        columns = {"documents": self.documents, "paths": self.paths, "spans": self.spans}
        return {**{name: value for name, value in self.__dict__.items() if name != "_open"}, **columns, "_reader": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        read_only(self.spans)  # a pickled array is writable again


class Answer:
    """One answer: an element, a passage or a whole article, at its rank.

    Answers are equal if rank, document, path, span and score are.
    """

    __slots__ = ("_answers", "_place")

    def __init__(self, answers: Answers, place: int) -> None:
        self._answers = answers
        self._place = place

    @property
    def rank(self) -> int:
        """Rank in the result of the search, from 1."""
        return int(self._answers._places[self._place]) + 1

    @property
    def score(self) -> float:
        """Score of the element or passage; of an article, its similarity; of elements ranked by structure, the rsv."""
        found = self._answers._columns
        return float((found.rsv if found.scores is None else found.scores)[self.rank - 1])

    @property
    def rsv(self) -> float:
        """Retrieval status value, as run files contain it; it falls with the rank."""
        return float(self._answers._columns.rsv[self.rank - 1])

    @property
    def document(self) -> str:
        """Document id."""
        return self._answers.documents[self._place]

    @property
    def path(self) -> str:
        """Path of the element, or of the element that contains the passage: `/article[1]/bdy[1]/sec[2]`."""
        return self._answers._path(self._place)

    @property
    def start(self) -> int:
        """First character (code point) in the document's text."""
        return self._answers._span(self._place)[0]

    @property
    def end(self) -> int:
        """One past the last character in the document's text."""
        return self._answers._span(self._place)[1]

    @property
    def size(self) -> int:
        """Number of characters."""
        return self.end - self.start

    @property
    def words(self) -> int:
        """Number of words, stop words included."""
        return self._engine.words

    @property
    def sentences(self) -> tuple[int, int] | None:
        """First and last sentence of a passage, counted from 0 in its element; None for elements."""
        sentences = self._answers._columns.sentences
        if sentences is None:
            return None
        first, last = sentences[self.rank - 1].tolist()
        return first, last

    @property
    def article_rank(self) -> int:
        """Rank of the article among the ranked articles, from 1."""
        return int(self._answers._columns.article[self.rank - 1]) + 1

    @property
    def article_score(self) -> float:
        """Similarity of the article; 0 in the native approach, which does not rank articles."""
        return float(self._answers._columns.ranked.scores[self.article_rank - 1])

    @property
    def image(self) -> str | None:
        """Path of the best image in the answer, relative to the folder of its source; None without example image."""
        return self._engine.image

    @property
    def shown_image(self) -> str | None:
        """Path of the best image in the answer, or, without example image, of the first one; None for none."""
        return self._engine.shown_image

    @property
    def image_score(self) -> float | None:
        """Score of that image for the example images, from 0 to 1."""
        return self._engine.image_score

    @property
    def text(self) -> str:
        """Text of the answer, white space as in the document: the characters from `start` to `end`."""
        return self._engine.text

    @property
    def readable_text(self) -> str:
        """Text for readers and models: `text` with white space where blocks or cells border each other without any."""
        return self._engine.readable_text

    @property
    def snippet(self) -> Snippet:
        """About 240 characters with the most query terms: `text`, `marks` (their spans) and `marked("<b>", "</b>")`."""
        return self._engine.snippet

    @property
    def breadcrumb(self) -> list[str]:
        """Titles of the document and of the sections down to the element."""
        return self._engine.breadcrumb

    @property
    def element(self) -> Element:
        """The element, or the one that contains the passage: from it its neighbours in the tree are reached."""
        answers = self._answers._open
        return Element(answers.index, int(answers.elements[self.rank - 1]))

    @property
    def _engine(self) -> RankedAnswer:
        return self._answers._engine(self._place)

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
        if self._answers._columns.plan.images is not None:
            row |= {"image": self.image, "image_score": self.image_score}
        return {**row, "text": self.text} if text else row

    @property
    def _key(self) -> tuple[object, ...]:
        return self.rank, self.document, self.path, self.start, self.end, self.score

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Answer) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.rank, self.document, self.score))

    def __repr__(self) -> str:
        return printable(f"Answer({self.rank}, {self.document!r}, {self.path!r}, score={self.score:.4f})")

    def __reduce__(self) -> tuple[object, tuple[Answers, int]]:
        """Reduce to answers that contain only this one, so the others are not pickled."""
        place = np.array([self.rank - 1])
        return Answer, (self._answers._selected(place), 0)
