"""Answers of a search: columns and rows, printable, comparable, picklable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from engine.answers.answer_columns import AnswerColumns
from engine.array_types import FloatArray
from engine.arrays import read_only
from engine.errors import FoxirError
from engine.notices import Notice
from engine.presentation.snippets import Snippet
from engine.runs.data_frame import data_frame
from engine.settings import Settings
from engine.wording.preview_table import html_cell
from engine.wording.printable import printable
from engine.wording.shown_values import shown
from engine.wording.wording import counted
from foxir.arguments import flag, refuse_type, text
from foxir.results.answer import UNREADABLE, Answer
from foxir.results.answer_table import html_table, text_table
from foxir.results.selected_answers import SelectedAnswers
from foxir.searching.index_generation import Generation
from foxir.searching.word_budget_fallback import is_any_short_enough
from foxir.synonyms import OF_ANSWERS, no_attribute

if TYPE_CHECKING:
    import pandas as pd


class Answers(Sequence[Answer]):
    """Ranked answers, best first: a sequence of `Answer`, whose columns are attributes.

    >>> answers = index.search("fog signal range")                   # doctest: +SKIP
    >>> answers[0].path, answers[:10].documents, answers.scores[:2]   # doctest: +SKIP

    A slice is Answers too and keeps the ranks. Answers are equal if query, ranks, documents, paths, spans and scores
    are. Arrays are read-only. Columns can be pickled with the answers; texts, snippets and titles are read from the
    index, which pickled answers reopen when they are first asked for one. After the index is closed, texts, snippets,
    titles and counts of words raise ClosedIndexError; everything else is readable.

    Attributes:
        query: the query as it was asked.
        settings: the settings as they answered it: `reading` and `answers` are resolved.
        seconds: how long the search took.
        generation: the generation of the index that answered.
    """

    query: str
    _selected: SelectedAnswers

    def __init__(self, query: str, selected: SelectedAnswers) -> None:
        if not isinstance(selected, SelectedAnswers):
            raise refuse_type("selected", selected, "what a search selects (Index.search returns Answers)")
        self.__dict__.update(query=text("query", query), _selected=selected)
        if selected.kept is not None:
            selected.kept.add(self)

    @property
    def generation(self) -> Generation:
        """The generation of the index that answered."""
        return self._selected.generation

    @property
    def settings(self) -> Settings:
        """The settings as they answered the query."""
        return self._columns.plan.settings

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was not answered as asked, such as words beyond `max_terms`, or read as text; usually nothing."""
        return self._columns.plan.all_notices

    def why_empty(self) -> str:
        """Why there is no answer, and settings that may find some; "" where there is one, or a notice says why."""
        return "" if (reason := self.reason) is None else str(reason)

    @property
    def reason(self) -> Notice | None:
        """The notice that says why there is no answer; None where there is one, or another notice says why."""
        if len(self._columns) or not is_any_short_enough(self._columns):
            return None
        from foxir.searching.no_answer import why_empty  # noqa: PLC0415  (rarely needed)

        return why_empty(self._selected.joined)

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

    @property
    def documents(self) -> tuple[str, ...]:
        """Document ids."""
        return self._selected.documents

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the elements, or of the elements that contain the passages."""
        return self._selected.paths

    @property
    def spans(self) -> NDArray[np.int64]:
        """Start and end (code points, end exclusive) in the documents' texts; int64, shape (n, 2)."""
        return self._selected.spans

    @property
    def scores(self) -> FloatArray:
        """Scores of elements or passages; of articles, their similarity; of elements ranked by structure, the rsv.

        float64, shape (n,).
        """
        return read_only(self._columns.shown_scores[self._places])

    @property
    def rsv(self) -> FloatArray:
        """Retrieval status values, as run files contain them, falling with the rank; float64, shape (n,)."""
        return read_only(self._columns.rsv[self._places])

    @property
    def article_ranks(self) -> NDArray[np.int64]:
        """Rank of each answer's article among the ranked articles, from 1; int64, shape (n,)."""
        return read_only(self._columns.article[self._places] + 1)

    @property
    def article_scores(self) -> FloatArray:
        """Similarity of each answer's article, 0 in the native approach; float64, shape (n,)."""
        return read_only(self._columns.ranked.scores[self._columns.article[self._places]])

    @property
    def words(self) -> NDArray[np.int64]:
        """Numbers of words, stop words included; int64, shape (n,)."""
        return self._selected.words

    @property
    def snippets(self) -> tuple[Snippet, ...]:
        """The snippet of each answer (`Answer.snippet`); of several answers, faster than one by one."""
        return self._selected.snippets

    @property
    def breadcrumbs(self) -> tuple[list[str], ...]:
        """The titles above each answer (`Answer.breadcrumb`); of several answers, faster than one by one."""
        return self._selected.breadcrumbs

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Answer: ...
    @overload
    def __getitem__(self, place: slice) -> Answers: ...
    def __getitem__(self, place: int | slice) -> Answer | Answers:
        if isinstance(place, slice):
            return Answers(self.query, self._selected.at(place))
        return Answer(self._selected, self._place(place))

    def at(self, places: Sequence[int] | NDArray[np.int64]) -> Answers:
        """Return the answers at some places, from 0; they keep their ranks.

        Raises: TypeError for what is not a sequence of int, IndexError for a place without an answer.
        """
        if isinstance(places, str | bytes) or not isinstance(places, Sequence | np.ndarray):
            raise refuse_type("places", places, "a sequence of int")
        chosen = np.array([self._place(place) for place in places], np.int64)
        return Answers(self.query, self._selected.at(chosen))

    def _place(self, place: SupportsIndex) -> int:
        """Return the place of an answer, from 0, of one from 0 or, if negative, from the end."""
        if isinstance(place, bool | np.bool_) or not hasattr(type(place), "__index__"):
            raise TypeError(f"answers are indexed by int or slice, got {type(place).__name__}.")
        number = place.__index__()
        if not -len(self) <= number < len(self):
            raise IndexError(f"answer {number} of {len(self)}")
        return number % len(self)

    def __iter__(self) -> Iterator[Answer]:
        return (Answer(self._selected, place) for place in range(len(self)))

    @property
    def _columns(self) -> AnswerColumns:
        return self._selected.columns

    @property
    def _places(self) -> NDArray[np.int64]:
        return self._selected.places

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

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"Answers cannot be changed: '{name}'")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Answers cannot be changed: '{name}'")

    def __repr__(self) -> str:
        try:
            return text_table(self._title, self)
        except FoxirError:  # a repr is for tracebacks, too
            return f"{printable(self._title)}, {UNREADABLE}"

    def _repr_html_(self) -> str:
        try:
            return html_table(self._title, self)
        except FoxirError:
            return f"<p>{html_cell(self._title)}, {UNREADABLE}</p>"

    @property
    def _n_answers(self) -> int:
        return len(self)

    def _keep(self) -> None:
        self._selected.keep()

    @property
    def _title(self) -> str:
        return f"{counted(len(self), 'answer')} to {shown(self.query)}"

    def to_dict(self, *, text: bool = False) -> dict[str, Any]:
        """Return the answers as `foxir search --json` prints them.

        Args:
            text: whether each answer has its text. Without it, answers of a closed index have None for what was not
                read before.
        """
        with_text = flag("text", text)
        return {
            "query": self.query,
            "interpretation": self.interpretation,
            "notices": list(map(str, self.notices)),
            "answers": [answer.to_dict(text=with_text) for answer in self],
            "seconds": round(self.seconds, 6),
        }

    def to_frame(self, *, text: bool = False) -> pd.DataFrame:
        """Return the answers as a data frame of pandas, a row each, best first.

        Args:
            text: whether it has a column of texts.

        Raises: MissingHostError, a FoxirError, without pandas.
        """
        with_text = flag("text", text)
        columns: dict[str, Any] = {
            "rank": self.ranks.copy(),
            "document": self.documents,
            "path": self.paths,
            "start": self.spans[:, 0].copy(),
            "end": self.spans[:, 1].copy(),
            "words": self.words.copy(),
            "score": self.scores.copy(),
            "article_rank": self.article_ranks.copy(),
        }
        if with_text:
            columns["text"] = [answer.text for answer in self]
        return data_frame(columns)

    if not TYPE_CHECKING:  # a type checker would take every name for an attribute

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute("'Answers' object", name, OF_ANSWERS)
