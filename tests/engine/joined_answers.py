"""Answers of the engine with their index: rows, paths and spans, as tests compare them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from engine.answers.answer_columns import AnswerColumns
from engine.index.reader import IndexReader
from foxir.results.answers import Answer, Answers
from foxir.searching.opened_folder import Generation


class JoinedAnswers:
    """The columns of answers, joined with the index that they are from."""

    def __init__(self, index: IndexReader, columns: AnswerColumns) -> None:
        self.index = self.reader = index
        self.columns = columns
        self.plan = columns.plan
        self.notices = columns.plan.all_notices
        self.documents = columns.documents
        self.elements = columns.elements
        self.rsv = columns.rsv
        self.scores = columns.scores

    @cached_property
    def rows(self) -> Answers:
        """The answers as the public API has them."""
        return Answers(self.columns.query.text, self.columns, Generation.of(self.index), self.index)

    @property
    def document_ids(self) -> list[str]:
        """Document ids, answer by answer."""
        return list(self.rows.documents)

    @property
    def paths(self) -> list[str]:
        """Paths, answer by answer."""
        return list(self.rows.paths)

    @property
    def spans(self) -> NDArray[np.int64]:
        """Start and end of every answer in its document's text."""
        return self.rows.spans

    def __len__(self) -> int:
        return len(self.columns)

    @overload
    def __getitem__(self, place: int) -> Answer: ...
    @overload
    def __getitem__(self, place: slice) -> list[Answer]: ...
    def __getitem__(self, place: int | slice) -> Answer | list[Answer]:
        return list(self.rows[place]) if isinstance(place, slice) else self.rows[place]

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.rows)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.columns, name)
