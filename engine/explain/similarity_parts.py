"""The explanation of an element's similarity to the query: what each term, leaf or fused score adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.explain.traced_search import TracedSearch
from engine.index.locator import element_paths
from engine.planning.plan import ByScore
from engine.query.query_terms import QueryTerm
from engine.ranking.expressions.expression_parts import WITH_ADDEND, expression_parts, fused_shares
from engine.ranking.expressions.expression_scores import score_elements
from engine.ranking.expressions.unit_parts import UnitParts
from engine.ranking.matches import term_occurrences
from engine.ranking.parts.explanation import Explanation, left_to_right, scaled
from engine.similarity.expression import Calculated, Fused, Propagated
from engine.similarity.propagation_and_fusion import propagate
from engine.similarity.registry import LEAVES
from engine.wording import counted

# Leaves of a propagated score that are listed one by one, the best first; the others are listed as one sum.
MOST_LEAVES = 20


class SimilarityParts:
    """The parts of the similarities of elements to the query of one search, by its Q-expression."""

    def __init__(self, traced: TracedSearch, order: ByScore) -> None:
        self._traced, self._expression = traced, order.expression
        self._index, self._query = traced.index, traced.plan.query
        self._parameters = order.resolved_parameters(traced.index.statistics.block_words)

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
        """Return the similarity of some words of a leaf, `own`, with its parts."""
        parts = self._traced.scorer.window_parts(leaf, begin, end)
        found = [
            Explanation("term", part, f"{term}: tf {tf}", facts={"term": term, "tf": tf})
            for term, tf, part in parts.terms
        ]
        return self._with_parts(Explanation("passage", own, description), found, parts, "passage")

    def _with_parts(self, whole: Explanation, terms: Sequence[Explanation], parts: UnitParts, unit: str) -> Explanation:
        """Return a similarity with its details, each sum and each product in the order of the search."""
        inner = replace(whole, value=left_to_right(terms), details=tuple(terms), sums=True)
        if not terms:
            return replace(inner, value=whole.value)
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
            inner = scaled(whole, parts.coverage, replace(inner, name="similarity", description="before coverage"))
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
        return Explanation("term", part, f"{name}: tf {tf}", facts={"term": name, "tf": tf})

    def _fused(self, expression: Fused, row: int) -> tuple[Explanation, ...]:
        documents = self._traced.matches.documents
        shares = fused_shares(self._index, expression, self._query.word_counts, documents, row, self._parameters)
        return tuple(
            Explanation(f"fused_{name}", share.part, f"{share.weight:g} × {share.score:.6f} / {share.best:.6f}, {name}")
            for name, share in zip(("document", "element"), shares or (), strict=False)
        )

    def _leaves(self, expression: Propagated, row: int) -> tuple[Explanation, ...]:
        """Return what each leaf in or below an element adds to its score, the best first."""
        index, here = self._index, np.array([row])
        document = np.array([self._traced.document(row)])
        found = score_elements(index, expression.leaves, self._query.word_counts, document, parameters=self._parameters)
        inside = np.flatnonzero((found.rows >= row) & (found.rows < index.elements.end(here)[0]))
        units = index.statistics.units
        n_leaves = units.leaves_below(here)
        parts = []
        for place, path in zip(inside.tolist(), element_paths(index, found.rows[inside]), strict=True):
            leaf, score = found.rows[[place]], found.scores[[place]]
            arguments = expression.function, leaf, score, here, n_leaves, units.parent_element, self._parameters
            part = float(propagate(*arguments)[0])
            facts = {"path": path, "score": float(score[0])}
            parts.append(Explanation("leaf", part, f"from {path}, which scores {score[0]:.6f}", facts=facts))
        parts.sort(key=lambda leaf: -(leaf.value or 0.0))
        if len(parts) > MOST_LEAVES:
            rest = sum(leaf.value or 0.0 for leaf in parts[MOST_LEAVES:])
            n_rest = len(parts) - MOST_LEAVES
            description = f"from {counted(n_rest, 'more leaf', 'more leaves')}"
            parts[MOST_LEAVES:] = [Explanation("leaves", rest, description, facts={"leaves": n_rest})]
        return tuple(parts)
