"""The explanation of a score: the element or passage, its context and its article."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.explain.similarity_parts import SimilarityParts
from engine.explain.traced_search import TracedSearch
from engine.index.locator import element_paths
from engine.index.texts.passage_offsets import leaves_of_sentences
from engine.planning.plan import ByScore
from engine.ranking.eligibility.whole_elements import whole_shares
from engine.ranking.parts.article import ARTICLE
from engine.ranking.parts.catalogue import explained
from engine.ranking.parts.explanation import Explanation, scaled
from engine.ranking.parts.leaf import explained_leaf
from engine.ranking.parts.part import ExplainedUnits, ScoredUnits
from engine.ranking.scoring.focus import Focus
from engine.ranking.scoring.passages import sentence_range
from engine.wording import counted


class ScoreExplainer:
    """Explains the scores of elements and passages of one search that scores elements."""

    def __init__(self, traced: TracedSearch, order: ByScore, scored: ScoredUnits) -> None:
        self._traced, self._order, self._scored = traced, order, scored
        self._index, self._query = traced.index, traced.plan.query
        self._similarity = traced.plan.settings.element_similarity
        self._similarity_parts = SimilarityParts(traced, order)
        self._units = ExplainedUnits(
            traced.index, scored, traced.scorer, self._similarity, self._similarity_parts.of, traced.article_score
        )

    def element(self, row: int) -> Explanation | None:
        """Return the score of an element, None where it was not scored.

        score = the parts of `engine.ranking.parts` + meaning.
        The value equals that of the search bit for bit.
        """
        place = self._place(row)
        if place is None:
            return None
        meaning = self._meaning(self._traced.semantic_place(row))
        details = (*explained(self._units, place), *meaning)
        score = float(self._scored.scores[place]) + (self._article(row).value or 0.0)
        score += sum(part.value or 0.0 for part in meaning)
        description = f"score: element + context + article{' + meaning' if meaning else ''}{self._weighing}"
        return Explanation("score", score, description, details, self._weighing_facts, sums=True)

    def row_of(self, row: int, place: int) -> Explanation:
        """Return the score of a row of a long table, which is that of the table.

        Args:
            place: of the table among the scored candidates.
        """
        scored = self._traced.scored
        whole = self.element(int(scored.rows[place])) if scored.sentences is None else self.whole(place)
        path = element_paths(self._index, scored.rows[[place]])[0]
        if whole is None:
            raise TypeError(f"{path}: an answer without a score")
        own = self._traced.score_in_table(row)
        described = f"score of {path}, whose row this is; its rows are ordered by their own scores, here {own:.6f}"
        return scaled(Explanation("row", None, described, facts={"own_score": own}), 1.0, whole)

    def passage(self, place: int) -> Explanation:
        """Return the score of a passage, by its place among the scored candidates.

        score = passage + leaf + article + meaning; the value equals that of the search bit for bit.
        """
        scored, scorer = self._traced.scored, self._traced.scorer
        row, begin, end = int(scored.rows[place]), int(scored.begins[place]), int(scored.ends[place])  # type: ignore[index]
        first, last = scored.sentences[place].tolist()  # type: ignore[index]
        leaves = self._spanned_leaves(row, first, last)
        own = float(scorer.windows(leaves[:1], np.array([begin]), np.array([end])).covered[0])
        described = f"{self._similarity}, {counted(end - begin, 'word')}"
        passage = self._similarity_parts.of_window(int(leaves[0]), begin, end, own, described)
        inside = float(self._scored.scores[self._scored.places(leaves)].max())
        details: tuple[Explanation, ...] = (passage, explained_leaf(self._order, inside), self._article(row))
        meaning = self._meaning(place)
        score = float(scored.scores[place]) + sum(part.value or 0.0 for part in meaning)  # type: ignore[index]
        details = (*details, *meaning)
        added = " + meaning" if meaning else ""
        description = f"score of {sentence_range(first, last)}: passage + leaf + article{added}{self._weighing}"
        return Explanation("score", score, description, details, self._weighing_facts, sums=True)

    def whole(self, place: int) -> Explanation:
        """Return the score of a passage that is a whole element, by its place among the scored candidates.

        score = share x element in its context + article + meaning; the value equals that of the search bit for bit.
        """
        scored = self._traced.scored
        row = int(scored.rows[place])
        share = float(whole_shares(self._index, self._order, scored.rows[[place]])[0])
        inside = float(self._scored.scores[self._scored.places(scored.rows[[place]])[0]])
        usual = "fragments" if share == 1 else "sentences"
        description = f"{share:g} × {inside:.6f}, score of the element in its context; its tag usually contains {usual}"
        meaning = self._meaning(place)
        details = (Explanation("whole", share * inside, description), self._article(row), *meaning)
        score = float(scored.scores[place]) + sum(part.value or 0.0 for part in meaning)  # type: ignore[index]
        added = " + meaning" if meaning else ""
        description = f"score of the whole element: element + article{added}{self._weighing}"
        return Explanation("score", score, description, details, self._weighing_facts, sums=True)

    def _spanned_leaves(self, row: int, first: int, last: int) -> NDArray[np.int64]:
        """Return the leaves with some sentences of an element."""
        numbers = np.arange(first, last + 1)
        return leaves_of_sentences(self._index.elements, np.full(len(numbers), row), numbers)[0]

    @property
    def _weighing_facts(self) -> dict[str, Any]:
        """What the weights of the query are computed from: its focus, where the search estimated it."""
        return {} if self._focus is None else {"focus": asdict(self._focus)}

    @property
    def _focus(self) -> Focus | None:
        found = self._traced.value("focus")
        return found if isinstance(found, Focus) and self._traced.plan.settings.focus is None else None

    @property
    def _weighing(self) -> str:
        """The focus in words, for descriptions."""
        focus = self._focus
        if focus is None:
            return ""
        return f"; focus {focus.value:.3f} (best article {focus.best:.3f}, words {focus.words})"

    def _place(self, row: int) -> int | None:
        place = int(self._scored.places(np.array([row]))[0])
        is_scored = place < len(self._scored.rows) and self._scored.rows[place] == row
        return place if is_scored else None

    def _article(self, row: int) -> Explanation:
        return ARTICLE.of(self._order, self._traced.article_score(row))

    def _meaning(self, place: int | None) -> tuple[Explanation, ...]:
        """Return what the cosine of the query and of an answer adds; nothing where the answer was not encoded."""
        found = self._traced.semantic
        at = None if found is None or place is None else found.at(place)
        if found is None or at is None:
            return ()
        cosine, part = float(found.cosines[at]), float(found.parts[at])
        name = self._traced.plan.settings.semantic
        floor = "" if cosine >= 0 else ", which counts as 0"
        description = (
            f"{found.weight:g} × {found.best:.6f} × {cosine:.6f}, weight × best score × cosine by {name}{floor}"
        )
        facts = {"encoder": name, "weight": found.weight, "best_score": found.best, "cosine": cosine}
        return (Explanation("semantic", part, description, facts=facts),)
