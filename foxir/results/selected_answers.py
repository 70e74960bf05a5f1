"""Some of the ranked answers of a search: columns, joined with the index on first use; they can be pickled."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.answers.answer_columns import AnswerColumns
from engine.answers.answers import RankedAnswers
from engine.arrays import read_only
from engine.columns.wrong_numbers import reads_columns
from engine.index.elements.containment import WithAncestors, chains
from engine.index.elements.element_paths import element_paths
from engine.index.reader import IndexReader
from engine.presentation.snippets import Snippet
from foxir.searching.index_generation import Generation
from foxir.searching.kept_answers import KeptAnswers

# Answers whose paths are computed together.
FEW = 100
# What is kept when the index is closed, and pickled.
KEPT = ("documents", "paths", "spans")


class SelectedAnswers:
    """Answers at some places of the columns of a search, which `Answers` and `Answer` are views of.

    Attributes:
        columns: all answers of the search.
        generation: the generation of the index that answered.
        places: the answers that are selected, from 0; int64, shape (n,).
        kept: the answers that the index, on closing, lets read what they need; None where it is not open.
    """

    def __init__(
        self,
        columns: AnswerColumns,
        generation: Generation,
        reader: IndexReader | None,
        places: NDArray[np.int64] | None = None,
        kept: KeptAnswers | None = None,
    ) -> None:
        self.columns = columns
        self.generation = generation
        self.places = np.arange(len(columns)) if places is None else places
        self.kept = kept
        self._reader = reader

    def __len__(self) -> int:
        return len(self.places)

    def at(self, chosen: NDArray[np.int64] | slice) -> SelectedAnswers:
        """Return some of these answers, counted from 0, with what is known of them."""
        places = self.places[chosen]
        some = SelectedAnswers(self.columns, self.generation, self._reader, places, self.kept)
        for name in KEPT:
            if (known := self.__dict__.get(name)) is not None:
                some.__dict__[name] = _chosen(known, chosen)
        return some

    def keep(self) -> None:
        """Read documents, paths and spans, unless they are known."""
        _ = self.documents, self.paths, self.spans

    @property
    def is_kept(self) -> bool:
        """Whether documents, paths and spans are known."""
        return self.__dict__.keys() >= {*KEPT}

    @cached_property
    @reads_columns
    def documents(self) -> tuple[str, ...]:
        """Document ids."""
        ids = self.joined.index.ids
        return tuple(ids[number] for number in self.columns.documents[self.places].tolist())

    @cached_property
    @reads_columns
    def paths(self) -> tuple[str, ...]:
        """Paths of the elements, or of the elements that contain the passages."""
        return tuple(element_paths(self.joined.index, self.columns.elements[self.places], self._above))

    @cached_property
    def spans(self) -> NDArray[np.int64]:
        """Start and end (code points, end exclusive) in the documents' texts; int64, shape (n, 2), read-only."""
        return read_only(self.joined.spans_at(self.places))

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """Numbers of words, stop words included; int64, shape (n,), read-only."""
        return read_only(np.array(self.joined.words_at(self.places), np.int64))

    @cached_property
    def snippets(self) -> tuple[Snippet, ...]:
        """The best lines of each answer."""
        return tuple(self.joined.snippets_at(self.places, self.spans))

    @cached_property
    def breadcrumbs(self) -> tuple[list[str], ...]:
        """The titles above each answer."""
        return tuple(self.joined.breadcrumbs_at(self.places, self._above))

    @cached_property
    @reads_columns
    def _above(self) -> WithAncestors:
        """The elements of the answers, and those around them."""
        return chains(self.joined.index.elements, self.columns.elements[self.places])

    @cached_property
    def joined(self) -> RankedAnswers:
        """All answers over an open index: the one that answered, or its generation opened again."""
        reader = self.generation.open() if self._reader is None else self._reader
        return RankedAnswers(reader, self.columns)

    @property
    def known_paths(self) -> tuple[str, ...] | None:
        """The paths, where they are known already or few, so that together they cost little more than one."""
        return self.paths if len(self) <= FEW else self.__dict__.get("paths")

    @property
    def known_spans(self) -> NDArray[np.int64] | None:
        """The spans, where they are known already."""
        return self.__dict__.get("spans")

    def __getstate__(self) -> dict[str, Any]:
        """Return all columns, without the index."""
        self.keep()
        state = {name: value for name, value in self.__dict__.items() if name not in ("joined", "_above")}
        return {**state, "_reader": None, "kept": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        read_only(self.spans)  # a pickled array is writable again


def _chosen(column: Any, chosen: NDArray[np.int64] | slice) -> Any:
    """Return some values of a column, which is an array or a tuple."""
    if isinstance(column, np.ndarray):
        return read_only(column[chosen])
    return column[chosen] if isinstance(chosen, slice) else tuple(column[place] for place in chosen.tolist())
