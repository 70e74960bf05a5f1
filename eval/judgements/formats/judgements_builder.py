"""Judgements while they are read, document by document; numbers in the fields of their files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.errors import AssessmentError
from engine.query_limits import check_time, reserve
from engine.runs.columns import is_natural, is_score
from eval.judgements.judgements import UNKNOWN, JudgedElements, Judgements, Passages, Scale

# What a judged document, element or passage takes while it is read, in numbers (`engine.query_limits`).
DOCUMENT, ELEMENT, PASSAGE = 64, 48, 24
# Largest accepted number of characters; sums of larger ones would not fit into 64 bits.
MOST_CHARACTERS = 2**39


def character_count(value: str, where: str, what: str) -> int:
    """Return a count of characters; thousands commas are accepted (``13,556``), as printed with INEX 2005."""
    text = (value.replace(",", "") if "," in value else value).strip()
    if not is_natural(text) or int(text) > MOST_CHARACTERS:
        raise AssessmentError(f"{where}: {what} {quoted(value)} is not a number of characters, 0 to 2^39.")
    return int(text)


def grade_value(value: str, where: str, what: str, highest: int) -> int:
    """Return a relevance grade from 0 to ``highest``."""
    if is_natural(value.strip()) and int(value) <= highest:
        return int(value)
    raise AssessmentError(f"{where}: {what} {quoted(value)} is not a grade from 0 to {highest}.")


def share(value: str, where: str, what: str) -> float:
    """Return a share from 0 to 1."""
    if not is_score(value) or not 0.0 <= float(value) <= 1.0:
        raise AssessmentError(f"{where}: {what} {quoted(value)} is not a share from 0 to 1.")
    return float(value)


def quoted(value: str) -> str:
    """Return a value for a message: quoted, and truncated if it is long."""
    return repr(value if len(value) <= 80 else f"{value[:80]}...")


@dataclass
class JudgementsBuilder:
    """The judgements of one topic being read."""

    topic: str
    scale: Scale
    source: str
    pooled: set[str] = field(default_factory=set)
    _documents: dict[str, str] = field(default_factory=dict)  # document -> where it was judged
    _lengths: list[int] = field(default_factory=list)
    _highlighted: list[int] = field(default_factory=list)
    _entry_points: list[int] = field(default_factory=list)
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
        check_time()
        reserve(DOCUMENT)
        self._judged(document, where)
        self._lengths.append(length)
        self._highlighted.append(highlighted)
        self._entry_points.append(entry_point)
        self._entry_paths.append(entry_path)

    def documents(self, documents: Sequence[str], places: Sequence[str], highlighted: Sequence[int]) -> None:
        """Add judged documents without lengths, entry points, elements and passages."""
        check_time()
        reserve(len(documents) * DOCUMENT)
        for document, where in zip(documents, places, strict=True):
            self._judged(document, where)
        unknown = [UNKNOWN] * len(documents)
        self._lengths.extend(unknown)
        self._highlighted.extend(highlighted)
        self._entry_points.extend(unknown)
        self._entry_paths.extend([None] * len(documents))

    def _judged(self, document: str, where: str) -> None:
        if document in self._documents:
            raise AssessmentError(
                f"{where}: document {document!r} is judged again for topic {self.topic!r} "
                f"(first: {self._documents[document]}). Keep one of the two."
            )
        self._documents[document] = where

    def element(self, path: str, exhaustivity: int, specificity: float, size: int, rsize: int) -> None:
        """Add a judged element of the current document."""
        reserve(ELEMENT)
        self._elements.append((len(self._documents) - 1, path, exhaustivity, specificity, size, rsize))

    def passage(self, start: int, length: int, pointers: tuple[str, str] | None = None) -> None:
        """Add a highlighted passage of the current document."""
        reserve(PASSAGE)
        self._passages.append((len(self._documents) - 1, start, length))
        self._pointers.append(pointers)

    def passages(self, numbers: Iterable[int], count: int) -> None:
        """Add many passages of the current document: ``count`` pairs of offset and length."""
        reserve(count * PASSAGE)
        row = len(self._documents) - 1
        numbers = iter(numbers)
        self._passages.extend((row, start, length) for start, length in zip(numbers, numbers, strict=True))
        self._pointers.extend([None] * count)

    def build(self) -> Judgements:
        """Return the judgements read so far as columns."""
        rows, paths, exhaustivity, specificity, sizes, rsizes = (
            zip(*self._elements, strict=True) if self._elements else ((),) * 6
        )
        passages = np.array(self._passages, dtype=np.int64).reshape(-1, 3)
        return Judgements(
            topic=self.topic,
            scale=self.scale,
            source=self.source,
            documents=tuple(self._documents),
            lengths=np.array(self._lengths, dtype=np.int64),
            highlighted=np.array(self._highlighted, dtype=np.int64),
            entry_points=np.array(self._entry_points, dtype=np.int64),
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
            pooled=frozenset(self.pooled),
        )
