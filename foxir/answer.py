"""One answer of a search: where it is, its scores, and its text, read from the index on first use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.printable import printable
from engine.retrieval.answers import RankedAnswer
from engine.retrieval.snippets import Snippet
from foxir.elements import Element
from foxir.selected_answers import SelectedAnswers


class Answer:
    """One answer: an element, a passage or a whole article, at its rank.

    Answers are equal if rank, document, path, span and score are.
    """

    __slots__ = ("_among", "_joined", "_place")

    def __init__(self, among: SelectedAnswers, place: int) -> None:
        self._among = among
        self._place = place
        self._joined: RankedAnswer | None = None

    @property
    def rank(self) -> int:
        """Rank in the result of the search, from 1."""
        return int(self._among.places[self._place]) + 1

    @property
    def score(self) -> float:
        """Score of the element or passage; of an article, its similarity; of elements ranked by structure, the rsv."""
        return float(self._among.columns.shown_scores[self.rank - 1])

    @property
    def rsv(self) -> float:
        """Retrieval status value, as run files contain it; it falls with the rank."""
        return float(self._among.columns.rsv[self.rank - 1])

    @property
    def document(self) -> str:
        """Document id."""
        return self._among.documents[self._place]

    @property
    def path(self) -> str:
        """Path of the element, or of the element that contains the passage: `/article[1]/bdy[1]/sec[2]`."""
        paths = self._among.known_paths
        return self._engine.path if paths is None else paths[self._place]

    @property
    def start(self) -> int:
        """First character (code point) in the document's text."""
        spans = self._among.known_spans
        return self._engine.start if spans is None else int(spans[self._place, 0])

    @property
    def end(self) -> int:
        """One past the last character in the document's text."""
        spans = self._among.known_spans
        return self._engine.end if spans is None else int(spans[self._place, 1])

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
        """First and last sentence of a passage, counted from 0 in its element; None for whole elements."""
        return self._engine.sentences

    @property
    def article_rank(self) -> int:
        """Rank of the article among the ranked articles, from 1."""
        return int(self._among.columns.article[self.rank - 1]) + 1

    @property
    def article_score(self) -> float:
        """Similarity of the article; 0 in the native approach, which does not rank articles."""
        return float(self._among.columns.ranked.scores[self.article_rank - 1])

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
    def image_blocks(self) -> NDArray[np.float64] | None:
        """How far that image matches the example in each of 16 x 16 blocks, from 0 to 1; None without one."""
        return self._engine.image_blocks

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
        answers = self._among.joined
        return Element(answers.index, int(answers.elements[self.rank - 1]))

    @property
    def _engine(self) -> RankedAnswer:
        if self._joined is None:
            self._joined = RankedAnswer(self._among.joined, self.rank - 1)
        return self._joined

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
        if self._among.columns.plan.images is not None:
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

    def __reduce__(self) -> tuple[object, tuple[SelectedAnswers, int]]:
        """Reduce to a selection of this one, so the paths and spans of the others are not pickled."""
        return Answer, (self._among.at(np.array([self.rank - 1])), 0)
