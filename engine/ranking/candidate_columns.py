"""The candidates for answers as columns: elements, passages or whole articles, with what their order is made of."""

from __future__ import annotations

import numpy as np

from engine.arrays import ArrayRecord, FloatArray, Rows
from engine.query_limits import check_time
from engine.records import dataclass, with_values


@dataclass(frozen=True, eq=False, repr=False)
class Candidates(ArrayRecord):
    """Candidates by score, in no order; or, where `scores` is None, in order; columns of shape (n,).

    rows: elements; of passages, those that contain them. articles: the place of each article in the ranking.
    begins, ends: the intervals that tell overlap: of rows, of passages of words. words: lengths.
    sentences: of passages, the first and the last sentence in that element, WHOLE for all of it, shape (n, 2).
    """

    rows: Rows
    articles: Rows
    begins: Rows
    ends: Rows
    words: Rows
    scores: FloatArray | None = None
    sentences: Rows | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def known_scores(self) -> FloatArray:
        """The scores; raises TypeError for candidates that are in order without any."""
        if self.scores is None:
            raise TypeError("candidates without scores")
        return self.scores

    def at(self, places: Rows) -> Candidates:
        """Return the candidates at some places."""
        check_time()
        return with_values(
            self, **{name: None if each is None else each.take(places, axis=0) for name, each in vars(self).items()}
        )

    def joined(self, other: Candidates) -> Candidates:
        """Return these candidates and others."""
        check_time()
        pairs = {name: (each, getattr(other, name)) for name, each in vars(self).items()}
        absent = {name for name, (one, two) in pairs.items() if one is None or two is None}
        return with_values(self, **{n: None if n in absent else np.concatenate(pair) for n, pair in pairs.items()})

    def plus(self, added: FloatArray) -> Candidates:
        """Return the candidates with something added to their scores."""
        return with_values(self, scores=self.known_scores + added)

    def __repr__(self) -> str:
        best = "" if self.scores is None or not len(self) else f", best={self.scores.max():.4f}"
        return f"Candidates({len(self)}{best})"
