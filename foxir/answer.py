"""One answer of a search: where it is, its scores, and its text, read from the index on first use.

`engine.retrieval.answer` has its form in JSON.
"""

from __future__ import annotations

from engine.printable import printable
from engine.retrieval.answer import RankedAnswer
from engine.retrieval.answer_columns import AnswerColumns
from engine.retrieval.answers import RankedAnswers
from foxir.elements import Element
from foxir.selected_answers import SelectedAnswers


class Answer(RankedAnswer):
    """One answer: an element, a passage or a whole article, at its rank.

    Answers are equal if rank, document, path, span and score are.
    """

    def __init__(self, among: SelectedAnswers, place: int) -> None:
        self._among = among
        self._place = place
        self.place = int(among.places[place])

    @property
    def answers(self) -> RankedAnswers:
        """All answers of the search, joined with the index, which is opened again where they were pickled."""
        return self._among.joined

    @property
    def _columns(self) -> AnswerColumns:
        return self._among.columns

    @property
    def score(self) -> float:
        """Score of the element or passage; of an article, its similarity; of elements ranked by structure, the rsv."""
        return float(self._columns.shown_scores[self.place])

    @property
    def document(self) -> str:
        """Document id."""
        return self._among.documents[self._place]

    @property
    def path(self) -> str:
        """Path of the element, or of the element that contains the passage: `/article[1]/bdy[1]/sec[2]`."""
        paths = self._among.known_paths
        return super().path if paths is None else paths[self._place]

    @property
    def _span(self) -> tuple[int, int]:
        spans = self._among.known_spans
        if spans is None:
            return super()._span
        start, end = spans[self._place].tolist()
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

    def __repr__(self) -> str:
        return printable(f"Answer({self.rank}, {self.document!r}, {self.path!r}, score={self.score:.4f})")

    def __reduce__(self) -> tuple[object, tuple[SelectedAnswers, int]]:
        """Reduce to a selection of this one, so the paths and spans of the others are not pickled."""
        return Answer, (self._among.at(self._places), 0)
