"""Collects judgements while they are read, document by document, and builds the columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from engine.errors import AssessmentError
from eval.judgements.judgements import UNKNOWN, JudgedElements, Judgements, Passages, Scale


@dataclass
class JudgementsBuilder:
    """The judgements of one topic being read."""

    topic: str
    scale: Scale
    source: str
    _documents: dict[str, str] = field(default_factory=dict)  # document -> where it was judged
    _document_columns: list[tuple[int, int, int]] = field(default_factory=list)  # length, highlighted, entry point
    _entry_paths: list[str | None] = field(default_factory=list)
    _elements: list[tuple[int, str, int, float, int, int]] = field(default_factory=list)
    _passages: list[tuple[int, int, int]] = field(default_factory=list)
    _pointers: list[tuple[str, str] | None] = field(default_factory=list)

    def document(
        self,
        document: str,
        where: str,
        *,
        length: int = UNKNOWN,
        highlighted: int = UNKNOWN,
        entry_point: int = UNKNOWN,
        entry_path: str | None = None,
    ) -> None:
        """Begin a judged document; elements and passages that follow belong to it."""
        if document in self._documents:
            raise AssessmentError(
                f"{where}: document {document!r} is judged again for topic {self.topic!r} "
                f"(first: {self._documents[document]}). Keep one of the two."
            )
        self._documents[document] = where
        self._document_columns.append((length, highlighted, entry_point))
        self._entry_paths.append(entry_path)

    def element(self, path: str, exhaustivity: int, specificity: float, size: int, rsize: int) -> None:
        """Add a judged element of the current document."""
        self._elements.append((len(self._documents) - 1, path, exhaustivity, specificity, size, rsize))

    def passage(self, start: int, length: int, pointers: tuple[str, str] | None = None) -> None:
        """Add a highlighted passage of the current document."""
        self._passages.append((len(self._documents) - 1, start, length))
        self._pointers.append(pointers)

    def passages(self, numbers: Iterable[int], count: int) -> None:
        """Add many passages of the current document: ``count`` pairs of offset and length."""
        row = len(self._documents) - 1
        numbers = iter(numbers)
        self._passages.extend((row, start, length) for start, length in zip(numbers, numbers, strict=True))
        self._pointers.extend([None] * count)

    def build(self) -> Judgements:
        """Return the judgements read so far as columns."""
        rows, paths, exhaustivity, specificity, sizes, rsizes = (
            zip(*self._elements, strict=True) if self._elements else ((),) * 6
        )
        documents = np.array(self._document_columns, dtype=np.int64).reshape(-1, 3)
        passages = np.array(self._passages, dtype=np.int64).reshape(-1, 3)
        return Judgements(
            topic=self.topic,
            scale=self.scale,
            source=self.source,
            documents=tuple(self._documents),
            lengths=documents[:, 0].copy(),
            highlighted=documents[:, 1].copy(),
            entry_points=documents[:, 2].copy(),
            entry_paths=tuple(self._entry_paths),
            elements=JudgedElements(
                document_rows=np.array(rows, dtype=np.int64),
                paths=paths,
                exhaustivity=np.array(exhaustivity, dtype=np.int8),
                specificity=np.array(specificity, dtype=np.float64),
                sizes=np.array(sizes, dtype=np.int64),
                rsizes=np.array(rsizes, dtype=np.int64),
            ),
            passages=Passages(
                document_rows=passages[:, 0].copy(),
                starts=passages[:, 1].copy(),
                lengths=passages[:, 2].copy(),
                pointers=tuple(self._pointers),
            ),
        )
