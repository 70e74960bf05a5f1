"""The explanation of a score: the element or passage, its context and its article; of structure, the counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from engine.explain.traced_search import TracedSearch
from engine.index.locator import element_paths
from engine.planning.plan import ByScore
from engine.query.query_terms import QueryTerm
from engine.ranking.eligibility.whole_elements import whole_shares
from engine.ranking.expressions.expression_parts import WITH_ADDEND, UnitParts, expression_parts, fused_shares
from engine.ranking.expressions.expression_scores import score_elements
from engine.ranking.matches import term_occurrences
from engine.ranking.parts.article import ARTICLE
from engine.ranking.parts.catalogue import explained
from engine.ranking.parts.leaf import explained_leaf
from engine.ranking.parts.part import ElementScores, ExplainedElements, Explanation, left_to_right, scaled
from engine.ranking.parts.sequence import SEQUENCE, sequence_of_windows
from engine.ranking.scoring.focus import Focus
from engine.ranking.scoring.passages import sentence_range
from engine.similarity.expression import Calculated, Fused, Propagated
from engine.similarity.own_function import OwnFunction
from engine.similarity.propagation_and_fusion import propagate
from engine.similarity.registry import LEAVES
from engine.thesis import heuristics
from engine.wording import counted, shortened

# Leaves of a propagated score that are listed one by one, the best first; the others are listed as one sum.
MOST_LEAVES = 20


class SimilarityParts:
    """The parts of the similarities of elements to the query of one search, by its Q-expression."""

    def __init__(self, traced: TracedSearch, order: ByScore) -> None:
        self._traced, self._expression = traced, order.expression
        self._index, self._query = traced.index, traced.plan.query
        self._parameters = order.resolved_parameters(traced.index.statistics.least_block_words)

    def of(self, name: str, row: int, own: float, description: str) -> Explanation:
        """Return a similarity, `own`, with its parts: terms, leaves whose scores are propagated, or fused scores."""
        expression = self._expression
        if isinstance(expression, Propagated):
            return Explanation(name, own, description, self._leaves(expression, row), sums=True)
        if isinstance(expression, Fused):
            return Explanation(name, own, description, self._fused(expression, row), sums=True)
        parts = self._traced.scorer.parts(row)
        document = np.array([self._traced.document(row)])
        if parts is None:
            taken = expression_parts(
                self._index, expression, self._query.word_counts, document[0], row=row, parameters=self._parameters
            )
            parts = UnitParts(())
            if taken is not None:
                terms = tuple((term, 0, part) for term, part in taken.unscaled.items())
                parts = UnitParts(terms, taken.factor, taken.addend or 0.0)
        found = [self._term(expression, row, term, part) for term, _, part in parts.terms]
        return self._with_parts(Explanation(name, own, description), found, parts, "element")

    def of_window(self, leaf: int, begin: int, end: int, own: float, description: str) -> Explanation:
        """Return the similarity of a window of a leaf's words, `own`, with its parts."""
        parts = self._traced.scorer.window_parts(leaf, begin, end)
        found = [
            Explanation("term", part, f"{term}: {counted(tf, 'occurrence')}", facts={"term": term, "tf": tf})
            for term, tf, part in parts.terms
        ]
        return self._with_parts(Explanation("passage", own, description), found, parts, "passage")

    def _with_parts(self, whole: Explanation, terms: Sequence[Explanation], parts: UnitParts, unit: str) -> Explanation:
        """Return a similarity with its details, each sum and each product in the order of the search."""
        inner = replace(whole, value=left_to_right(terms), details=tuple(terms), sums=True)
        if not terms:
            return replace(inner, value=whole.value)
        if isinstance(self._expression, OwnFunction):
            inner = _of_function(self._expression, whole, terms, parts)
        if parts.factor != 1:
            inner = scaled(whole, parts.factor, replace(inner, name="terms", description="sum of the terms"))
        if isinstance(self._expression, Calculated) and self._expression.combining in WITH_ADDEND:
            length = Explanation("length", parts.addend, f"length of the {unit}")
            if inner.sums:
                inner = replace(inner, details=(*inner.details, length))
            else:
                described = f"{parts.factor:g} × the sum of the terms"
                inner = replace(inner, name="scaled_terms", description=described)
                inner = replace(whole, details=(inner, length), sums=True)
            inner = replace(inner, value=left_to_right(inner.details))
        if parts.coverage != 1:
            inner = scaled(
                whole, parts.coverage, replace(inner, name="similarity", description="similarity before coverage")
            )
        return replace(inner, value=whole.value)

    def _term(self, expression: Calculated, row: int, name: str, part: float) -> Explanation:
        terms = {str(term): term for term in self._query.wanted}
        found = term_occurrences(
            self._index.elements, terms.get(name, QueryTerm((name,))), np.array([self._traced.document(row)])
        )
        inside = (found.rows >= row) & (found.rows < self._index.elements.end(np.array([row]))[0])
        if expression.context == LEAVES:
            inside &= found.rows == row
        tf = int(found.tf[inside].sum())
        return Explanation(
            "term", part, f"{shortened(name)}: {counted(tf, 'occurrence')}", facts={"term": name, "tf": tf}
        )

    def _fused(self, expression: Fused, row: int) -> tuple[Explanation, ...]:
        documents = self._traced.matches.documents
        shares = fused_shares(self._index, expression, self._query.word_counts, documents, row, self._parameters)
        return tuple(
            Explanation(f"fused_{name}", share.part, f"{share.weight:g} × {share.score:.6f} / {share.best:.6f}, {name}")
            for name, share in zip(("document", "element"), shares or (), strict=False)
        )

    def _leaves(self, expression: Propagated, row: int) -> tuple[Explanation, ...]:
        """Return the part of each leaf in or below an element in its score, the best first."""
        index, here = self._index, np.array([row])
        document = np.array([self._traced.document(row)])
        found = score_elements(index, expression.leaves, self._query.word_counts, document, parameters=self._parameters)
        inside = np.flatnonzero((found.rows >= row) & (found.rows < index.elements.end(here)[0]))
        units = index.statistics.units
        n_leaves = units.leaves_below(here)
        parts = []
        for place, path in zip(inside.tolist(), element_paths(index, found.rows[inside]), strict=True):
            leaf, score = found.rows[[place]], found.scores[[place]]
            [part] = propagate(
                expression.function, leaf, score, here, n_leaves, units.parent_element, self._parameters
            ).tolist()
            facts = {"path": path, "score": float(score[0])}
            parts.append(Explanation("leaf", part, f"from {path}, which scores {score[0]:.6f}", facts=facts))
        parts.sort(key=lambda leaf: -(leaf.value or 0.0))
        if len(parts) > MOST_LEAVES:
            rest = sum(leaf.value or 0.0 for leaf in parts[MOST_LEAVES:])
            n_rest = len(parts) - MOST_LEAVES
            description = f"from {counted(n_rest, 'more leaf', 'more leaves')}"
            parts[MOST_LEAVES:] = [Explanation("leaves", rest, description, facts={"leaves": n_rest})]
        return tuple(parts)


def _of_function(
    function: OwnFunction, whole: Explanation, terms: Sequence[Explanation], parts: UnitParts
) -> Explanation:
    """Return a similarity by a function of the user: one part, with the frequencies that it was given."""
    tf = {str(term.facts["term"]): term.facts["tf"] for term in terms}
    listed = ", ".join(f"{shortened(term)} {n}" for term, n in tf.items())
    facts = {"function": function.function, "tf": tf}
    part = Explanation("function", parts.addend, f"{function.function} (occurrences: {listed})", facts=facts)
    return replace(whole, value=left_to_right((part,)), details=(part,), sums=True)


class ScoreExplainer:
    """Explains the scores of elements and passages of one search that scores elements."""

    def __init__(self, traced: TracedSearch, order: ByScore, scores: ElementScores) -> None:
        self._traced, self._order, self._scores = traced, order, scores
        self._index, self._query = traced.index, traced.plan.query
        self._similarity = traced.plan.settings.element_similarity
        self._similarity_parts = SimilarityParts(traced, order)
        self._elements = ExplainedElements(
            traced.index, scores, traced.scorer, self._similarity, self._similarity_parts.of, traced.article_score
        )

    def element(self, row: int) -> Explanation | None:
        """Return the score of an element, None where it was not scored.

        score = the parts of `engine.ranking.parts` + meaning.
        The value equals that of the search bit for bit.
        """
        compared = self._traced.compared_place(row)
        if compared is not None and self._traced.is_by_meaning_alone(compared):
            return self._by_meaning_alone(compared)
        place = self._place(row)
        if place is None:
            return None
        meaning = self._meaning(compared)
        details = (*explained(self._elements, place), *meaning)
        score = float(self._scores.values[place]) + (self._article(row).value or 0.0)
        score = left_to_right((Explanation("words", score, "by words"), *meaning))
        description = f"score: element + context + article{' + meaning' if meaning else ''}{self._weighing}"
        return Explanation("score", score, description, details, self._weighing_facts, sums=True)

    def row_of(self, row: int, place: int) -> Explanation:
        """Return the score of a row of a long table, which is that of the table.

        Args:
            place: of the table among the candidates.
        """
        found = self._traced.candidates
        whole = self.element(int(found.rows[place])) if found.sentences is None else self.whole(place)
        path = element_paths(self._index, found.rows[[place]])[0]
        if whole is None:
            raise TypeError(f"{path}: an answer without a score")
        own = self._traced.score_in_table(row)
        described = f"score of {path}, whose row this is; its rows are ordered by their own scores, here {own:.6f}"
        return scaled(Explanation("row", None, described, facts={"own_score": own}), 1.0, whole)

    def passage(self, place: int) -> Explanation:
        """Return the score of a passage, by its place among the candidates.

        score = passage + leaf + article + meaning; the value equals that of the search bit for bit.
        """
        found, scorer = self._traced.candidates, self._traced.scorer
        row, begin, end = int(found.rows[place]), int(found.begins[place]), int(found.ends[place])
        first, last = found.sentences[place].tolist()  # type: ignore[index]
        own = float(scorer.windows(np.array([row]), np.array([begin]), np.array([end])).covered[0])
        described = f"its text: {self._similarity} similarity, {counted(end - begin, 'word')}"
        passage = self._similarity_parts.of_window(row, begin, end, own, described)
        at = self._scores.places(np.array([row]))
        inside = float(self._scores.values[at[0]])
        of_leaf = self._scores.evidence.of_sequence.take(at)
        windows = found.begins[[place]], found.ends[[place]]
        of_window = sequence_of_windows(self._index, self._order, scorer.documents, of_leaf, *windows)
        sequence = SEQUENCE.of(self._order, float(of_leaf[0])) if of_window[0] else []
        details = (passage, *sequence, explained_leaf(self._order, inside), self._article(row))
        meaning = self._meaning(place)
        score = left_to_right((Explanation("words", float(found.known_scores[place]), "by words"), *meaning))
        details = (*details, *meaning)
        added = " + meaning" if meaning else ""
        description = f"score of {sentence_range(first, last)}: passage + leaf + article{added}{self._weighing}"
        return Explanation("score", score, description, details, self._weighing_facts, sums=True)

    def whole(self, place: int) -> Explanation:
        """Return the score of a passage that is a whole element, by its place among the candidates.

        score = share x element in its context + article + meaning; the value equals that of the search bit for bit.
        """
        if self._traced.is_by_meaning_alone(place):
            return self._by_meaning_alone(place)
        found = self._traced.candidates
        row = int(found.rows[place])
        share = float(whole_shares(self._index, self._order, found.rows[[place]])[0])
        inside = float(self._scores.values[self._scores.places(found.rows[[place]])[0]])
        usual = "fragments" if share == 1 else "sentences"
        description = f"{share:g} × {inside:.6f}, score of the element in its context; its tag usually contains {usual}"
        meaning = self._meaning(place)
        details = (Explanation("whole", share * inside, description), self._article(row), *meaning)
        score = left_to_right((Explanation("words", float(found.known_scores[place]), "by words"), *meaning))
        added = " + meaning" if meaning else ""
        description = f"score of the whole element: element + article{added}{self._weighing}"
        return Explanation("score", score, description, details, self._weighing_facts, sums=True)

    @property
    def _weighing_facts(self) -> dict[str, Any]:
        """The source of the query's weights: its focus, where the search estimated it."""
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
        return f"; focus {focus.value:.3f} (1: one article has the whole answer)"

    def _place(self, row: int) -> int | None:
        place = int(self._scores.places(np.array([row]))[0])
        is_scored = place < len(self._scores.rows) and self._scores.rows[place] == row
        return place if is_scored else None

    def _article(self, row: int) -> Explanation:
        return ARTICLE.of(self._order, self._traced.article_score(row))

    def _meaning(self, place: int | None) -> tuple[Explanation, ...]:
        """Return what an encoder and a reranker add to an answer; nothing where they did not compare it."""
        explained = []
        for found, at in self._traced.added_to(place):
            share, by, what = float(found.shares[at]), *MEANINGS[found.name]
            floor = "" if share >= 0 else ", which counts as 0"
            description = (
                f"{found.weight:g} × {found.best:.6f} × {share:.6f}, weight × best score × {what} by {found.by}{floor}"
            )
            facts = {by: found.by, "weight": found.weight, "best_score": found.best, what: share}
            explained.append(Explanation(found.name, float(found.parts[at]), description, facts=facts))
        return tuple(explained)

    def _by_meaning_alone(self, place: int) -> Explanation:
        """Return the score of an answer of the nearest blocks: article + meaning."""
        details = self._article(int(self._traced.candidates.rows[place])), *self._meaning(place)
        score = left_to_right(details)
        description = f"score: article + meaning; found by its meaning, not by its words{self._weighing}"
        return Explanation("score", score, description, details, self._weighing_facts, sums=True)


# Matches that are listed one by one; all are counted.
MOST_MATCHES = 20
# Part of the order by meaning -> what computes it, and its share of the best score.
MEANINGS = {"semantic": ("encoder", "cosine"), "reranker": ("reranker", "share")}


def explain_counts(traced: TracedSearch, row: int) -> Explanation:
    """Return the counts of an element that heuristics compare: M, T, F, P and B; see `engine.thesis.heuristics`."""
    elements, matches, here = traced.index.elements, traced.matches, np.array([row])
    end = int(elements.end(here)[0])
    inside = matches.rows[(matches.rows >= row) & (matches.rows < end)]
    details = []
    for term, found in zip(traced.plan.query.wanted, matches.occurrences, strict=True):
        within = (found.rows >= row) & (found.rows < end)
        n_elements, tf = int(within.sum()), int(found.tf[within].sum())
        facts = {"term": str(term), "tf": tf, "elements": n_elements}
        details.append(Explanation("term", float(tf), f"{term}: in {counted(n_elements, 'element')}", facts=facts))
    details += [
        Explanation("match", None, f"match {path}") for path in element_paths(traced.index, inside[:MOST_MATCHES])
    ]
    if len(inside) > MOST_MATCHES:
        details.append(Explanation("matches", None, f"and {len(inside) - MOST_MATCHES:,} more matches"))
    counts: dict[str, int] = {
        "M": len(inside),
        "T": sum(detail.name == "term" and bool(detail.value) for detail in details),
        "F": int(sum(detail.value or 0 for detail in details if detail.name == "term")),
        "P": int(elements.depth(here)[0]),
    }
    ordinals = heuristics.ordinals(elements, here)[0].tolist()
    position, n_candidates = _position(traced, row)
    heuristic = traced.plan.settings.heuristic
    units = {"M": ("match", "matches"), "T": ("term", "terms"), "F": ("occurrence", ""), "P": ("step", "")}
    described = [f"{letter} {counted(counts[letter], *words)}" for letter, words in units.items()]
    description = ", ".join([*described, f"B {'.'.join(map(str, ordinals))}"])
    if position is not None:
        description += f"; number {position:,} of {n_candidates:,} in its article by {heuristic}"
    facts = {**counts, "B": ordinals, "place_in_article": position, "candidates_in_article": n_candidates}
    return Explanation("counts", None, description, tuple(details), facts)


def _position(traced: TracedSearch, row: int) -> tuple[int | None, int]:
    """Return the position of an element among the candidates of its article, from 1, and their number."""
    found, places = traced.candidates, traced.places(row)
    document = traced.index.elements.document(np.array([row]))[0]
    article = int(np.flatnonzero(traced.answers.ranked.documents == document)[0])
    of_article = np.flatnonzero(found.articles == article)
    if not places:
        return None, len(of_article)
    return int(np.flatnonzero(of_article == places[0])[0]) + 1, len(of_article)
