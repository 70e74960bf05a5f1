"""One answer: where it is, its scores, and its text, which is read from the index on first use."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.answers.answer_columns import AnswerColumns
from engine.answers.joined_answers import JoinedAnswers
from engine.array_types import FloatArray
from engine.columns.wrong_numbers import reads_columns
from engine.index.elements.element_paths import element_paths
from engine.presentation.readable_text import readable_text
from engine.presentation.snippets import Snippet
from engine.ranking.scoring.passages import WHOLE


class RankedAnswer:
    """One answer, a view of its place in the columns."""

    def __init__(self, answers: JoinedAnswers, place: int) -> None:
        self._answers = answers
        self.place = place

    @property
    def answers(self) -> JoinedAnswers:
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
    def image_blocks(self) -> FloatArray | None:
        """How far that image matches the example in each of 16 x 16 blocks, from 0 to 1; the mean of several ones.

        None without an example.
        """
        number, examples = self._image_number, self._columns.image_groups
        if number is None or not examples:
            return None
        from engine.images.matching import matching_blocks  # noqa: PLC0415  (most searches have no image)

        features = self.answers.index.images.features(number)
        found: FloatArray = np.mean([matching_blocks(groups, features) for groups in examples], axis=0)
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
        """Text for readers and models: in lines, white space collapsed; a row of a table is one: `Cause | Remedy`."""
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
        """Return the answer as `foxir search --json` prints it; `marks` are the words between the snippet's brackets.

        Args:
            text: whether it has its text.
        """
        snippet = self._read("snippet")
        row: dict[str, Any] = {
            "rank": self.rank,
            "rsv": self.rsv,
            "score": self.score,
            "document": self.document,
            "path": self.path,
            "start": self.start,
            "end": self.end,
            "size": self.size,
            "words": self._read("words"),
            "sentences": self.sentences,
            "article_rank": self.article_rank,
            "article_score": self.article_score,
            "breadcrumb": self._read("breadcrumb"),
            "snippet": snippet and snippet.marked(),
            "marks": snippet and [[start + 2 * n + 1, end + 2 * n + 1] for n, (start, end) in enumerate(snippet.marks)],
        }
        if self._columns.plan.images is not None:
            row |= {"image": self._read("image"), "image_score": self.image_score}
        return {**row, "text": self.text} if text else row

    def _read(self, name: str) -> Any:
        """Return an attribute that is read from the index."""
        return getattr(self, name)
