"""The explanation of a score: the element or passage, its context and its article."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.explain.explanation import Explanation, left_to_right, scaled
from engine.explain.similarity_parts import SimilarityParts
from engine.explain.traced_search import TracedSearch
from engine.index.elements.element_paths import element_paths
from engine.index.texts.passage_offsets import leaves_of_sentences
from engine.planning.plan import ByScore
from engine.ranking.eligibility.whole_elements import whole_shares
from engine.ranking.scoring.context_scores import ScoredElements
from engine.ranking.scoring.focus import Focus
from engine.ranking.scoring.headings_and_neighbours import heading_terms
from engine.ranking.scoring.passages import sentence_range
from engine.wording.wording import counted

# Elements above one whose contexts are explained one by one: a tree of details must not be deeper than what reads it.
MOST_LEVELS = 50


class ScoreExplainer:
    """Explains the scores of elements and passages of one search that scores elements."""

    def __init__(self, traced: TracedSearch, order: ByScore, scored: ScoredElements) -> None:
        self._traced, self._order, self._scored = traced, order, scored
        self._index, self._query = traced.index, traced.plan.query
        self._similarity = traced.plan.settings.element_similarity
        self._similarity_parts = SimilarityParts(traced, order)
        self._parameters = order.resolved_parameters(traced.index.statistics.block_words)

    def element(self, row: int) -> Explanation | None:
        """Return the score of an element, None where it was not scored.

        score = element + context + article + meaning; context is what the elements above, headings and neighbours add.
        The value equals that of the search bit for bit.
        """
        place = self._place(row)
        if place is None:
            return None
        article = self._article(row)
        score = float(self._scored.context_scores[place]) + self._order.article_weight * self._traced.article_score(row)
        around = (*self._inherited(place), *self._headings(place), *self._neighbour(place))
        meaning = self._meaning(self._traced.semantic_place(row))
        details = (self._local(row, place), *around, article, *meaning)
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
        own = float(scorer.windows(leaves[:1], np.array([begin]), np.array([end]))[0])
        described = f"{self._similarity}, {counted(end - begin, 'word')}"
        passage = self._similarity_parts.of_window(int(leaves[0]), begin, end, own, described)
        leaf = self._scored.context_scores[self._scored.places(leaves)].max()
        weight = self._order.leaf_weight
        details: tuple[Explanation, ...] = (
            passage,
            Explanation("leaf", weight * float(leaf), f"{weight:g} × {leaf:.6f}, score of the leaf in its context"),
            self._article(row),
        )
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
        inside = float(self._scored.context_scores[self._scored.places(scored.rows[[place]])[0]])
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
        weight, score = self._order.article_weight, self._traced.article_score(row)
        return Explanation("article_part", weight * score, f"{weight:g} × {score:.6f}, score of the article")

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

    def _local(self, row: int, place: int) -> Explanation:
        """Return the element's own part: its similarity to the query."""
        score, words = float(self._scored.element_scores[place]), int(self._scored.words[place])
        facts = {"path": self._path(row), "words": words}
        block = self._parameters.get("block")
        short = f", scored as {float(block):.1f} (block_words)" if block is not None and words < float(block) else ""
        covered = ""
        if self._order.coverage:
            facts["coverage"] = factor = self._traced.scorer.coverage_of(row)
            covered = f" × coverage {factor:.3f}"
        description = f"{self._similarity}{covered}, {counted(words, 'word')}{short}"
        found = self._similarity_parts.of("element_score", row, score, description)
        if not (score or found.details):
            facts |= {"coverage": 0.0} if self._order.coverage else {}
            description = f"nothing of the query by {self._similarity}, {counted(words, 'word')}"
            return Explanation("element_score", score, description, facts=facts)
        return replace(found, facts={**facts, **found.facts})

    def _inherited(self, place: int, distance: int = 1) -> list[Explanation]:
        """Return what an element inherits from the one above it, which inherits in turn; the root passes nothing down.

        inherited = parent_weight x (score of the parent alone + what the parent inherits)
        What comes from more than `MOST_LEVELS` above is one number, without details.
        """
        share, above = self._order.parent_weight, self._parent(place)
        if not share or above is None:
            return []
        path = self._path(int(self._scored.rows[above]))
        facts = {"path": path, "weight": share**distance, "factor": share}
        if distance > MOST_LEVELS:
            value = self._with_inherited(above)
            return [Explanation("context", share * value, f"{share:g} × {value:.6f}, {path} and all above", (), facts)]
        alone, further = self._alone(above), self._inherited(above, distance + 1)
        parts = (Explanation("alone", alone, f"{path} alone", facts={"path": path}), *further)
        described = f"{path} with what it inherits"
        total = Explanation("inherited", left_to_right(parts), described, parts, {"path": path}, sums=True)
        value = share * (total.value or 0.0)
        description = f"{share:g} × {total.value:.6f}, {path}"
        return [Explanation("context", value, description, (total,) if further else (), facts)]

    def _parent(self, place: int) -> int | None:
        """Return the element above one, by places; None for the root and its children."""
        context = self._scored.context
        above = int(context.parents[place])
        return None if above == place or context.is_root[above] else above

    def _with_inherited(self, place: int) -> float:
        """Return the score of an element alone with what it inherits."""
        chain = [place]
        while (above := self._parent(chain[-1])) is not None:
            chain.append(above)
        value = self._alone(chain.pop())
        while chain:
            value = self._alone(chain.pop()) + self._order.parent_weight * value
        return value

    def _alone(self, place: int) -> float:
        """Return the score of an element without its context."""
        return float(self._scored.element_scores[place])

    def _headings(self, place: int) -> list[Explanation]:
        """Return what the headings of the element and of those above it contribute."""
        weight, score = self._order.heading_weight, float(self._scored.of_headings[place])
        if not score:
            return []
        context, (pairs, weights) = self._scored.context, self._traced.scorer.last_terms()
        found = heading_terms(place, pairs, context.scopes)
        source = "headings and first rows of tables" if self._has_header_row(place) else "headings"
        terms = [self._traced.scorer.terms[term] for term in found.tolist()]
        facts: dict[str, Any] = {"terms": terms, "weight": weight}
        covered = ""
        if self._order.coverage:
            facts["coverage"] = factor = self._traced.scorer.coverage_of(int(self._scored.rows[place]))
            of_document = weights.of_terms[:, 0 if weights.group is None else weights.group[place]]
            score, covered = float(of_document[found].sum()), f" × coverage {factor:.3f}"
        description = f"{weight:g} × {score:.6f}{covered}, {source} with {', '.join(terms)}"
        return [Explanation("headings", weight * float(self._scored.of_headings[place]), description, facts=facts)]

    def _has_header_row(self, place: int) -> bool:
        """Return whether a first row of a table is among the headings of an element."""
        context, scopes = self._scored.context, self._scored.context.scopes
        headings = scopes.headings[(scopes.first <= place) & (place < scopes.end)]
        of_tables = self._index.header_rows.of(self._index.elements.document(context.rows[place : place + 1])).rows
        return self._order.header_rows and bool(np.isin(context.rows[headings], of_tables).any())

    def _neighbour(self, place: int) -> list[Explanation]:
        """Return what the better one of the elements beside contributes."""
        other = int(self._scored.neighbours[place])
        if other < 0 or not self._order.neighbour_weight:
            return []
        weight, score = self._order.neighbour_weight, float(self._scored.of_neighbours[place])
        path = self._path(int(self._scored.rows[other]))
        facts = {"path": path, "weight": weight}
        return [Explanation("neighbour", weight * score, f"{weight:g} × {score:.6f}, beside {path}", facts=facts)]

    def _path(self, row: int) -> str:
        return element_paths(self._index, np.array([row]))[0]
