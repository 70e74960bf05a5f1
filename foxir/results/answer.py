"""One answer of a search: where it is, its scores, and its text, read from the index on first use.

`engine.answers.answer` has its form in JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from engine.answers.answer import RankedAnswer
from engine.answers.answer_columns import AnswerColumns
from engine.answers.answers import RankedAnswers
from engine.errors import ClosedIndexError, FoxirError
from engine.wording.printable import printable
from foxir import arguments
from foxir.results.elements import Element
from foxir.results.selected_answers import SelectedAnswers
from foxir.synonyms import OF_ANSWER, no_attribute

# What a repr says in place of what cannot be read.
UNREADABLE = "of a closed index"


class Answer(RankedAnswer):
    """One answer: an element, a passage or a whole article, at its rank.

    Answers are equal if rank, document, path, span and score are.
    """

    # The selection that has the answer, and its place there: one attribute, so that both are replaced at once.
    _where: tuple[SelectedAnswers, int]

    def __init__(self, among: SelectedAnswers, place: int) -> None:
        if not isinstance(among, SelectedAnswers):
            raise arguments.refuse_type("among", among, "what a search selects (Index.search returns answers)")
        place = arguments.count("place", place, lowest=0, highest=len(among) - 1)
        self.__dict__.update(place=int(among.places[place]), _where=(among, place))
        if among.kept is not None:
            among.kept.add(self)

    @property
    def answers(self) -> RankedAnswers:
        """All answers of the search, joined with the index, which is opened again where they were pickled."""
        return self._where[0].joined

    @property
    def _columns(self) -> AnswerColumns:
        return self._where[0].columns

    @property
    def score(self) -> float:
        """Score of the element or passage; of an article, its similarity; of elements ranked by structure, the rsv."""
        return float(self._columns.shown_scores[self.place])

    @property
    def document(self) -> str:
        """Document id."""
        among, place = self._where
        return among.documents[place]

    @property
    def path(self) -> str:
        """Path of the element, or of the element that contains the passage: `/article[1]/bdy[1]/sec[2]`."""
        among, place = self._where
        paths = among.known_paths
        return super().path if paths is None else paths[place]

    @property
    def _span(self) -> tuple[int, int]:
        among, place = self._where
        spans = among.known_spans
        if spans is None:
            return super()._span
        start, end = spans[place].tolist()
        return start, end

    @property
    def element(self) -> Element:
        """The element, or the one that contains the passage: from it its neighbours in the tree are reached."""
        return Element(self.answers.index, int(self.answers.elements[self.place]))

    @property
    def _key(self) -> tuple[object, ...]:
        return self.rank, self.document, self.path, self.start, self.end, self.score

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Answer) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.rank, self.document, self.score))

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"Answer cannot be changed: '{name}'")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Answer cannot be changed: '{name}'")

    def __repr__(self) -> str:
        try:
            return printable(f"Answer({self.rank}, {self.document!r}, {self.path!r}, score={self.score:.4f})")
        except FoxirError:  # a repr is for tracebacks, too
            return f"Answer({self.rank}, score={self.score:.4f}, {UNREADABLE})"

    @property
    def _n_answers(self) -> int:
        return 1

    def _keep(self) -> None:
        if not self._where[0].is_kept:
            alone = self._alone
            alone.keep()
            self.__dict__["_where"] = (alone, 0)

    @property
    def _alone(self) -> SelectedAnswers:
        among, place = self._where
        return among.at(np.array([place]))

    def to_dict(self, *, text: bool = False) -> dict[str, Any]:
        """Return the answer as `foxir search --json` prints it; `marks` are the words between the snippet's brackets.

        Args:
            text: whether it has its text. Without it, an answer of a closed index has None for what was not read
                before.
        """
        return super().to_dict(text=arguments.flag("text", text))

    def _read(self, name: str) -> Any:
        """Return an attribute that is read from the index; None if that was closed before."""
        try:
            return super()._read(name)
        except ClosedIndexError:
            return None

    def __reduce__(self) -> tuple[object, tuple[SelectedAnswers, int]]:
        """Reduce to a selection of this one, so the paths and spans of the others are not pickled."""
        return Answer, (self._alone, 0)

    if not TYPE_CHECKING:  # a type checker would take every name for an attribute

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute("'Answer' object", name, OF_ANSWER)
