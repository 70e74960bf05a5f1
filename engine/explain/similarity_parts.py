"""The explanation of an element's similarity to the query: what each term, leaf or fused score adds."""

from __future__ import annotations

import numpy as np

from engine.explain.explanation import Explanation
from engine.explain.traced_search import TracedSearch
from engine.index.element_paths import element_paths
from engine.query.query_terms import QueryTerm
from engine.retrieval.matches import term_occurrences
from engine.retrieval.plan import ByScore
from engine.retrieval.scoring.expression_parts import WITH_ADDEND, expression_parts, fused_shares
from engine.retrieval.scoring.expression_scores import score_elements
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

    def of(self, row: int, own: float) -> tuple[Explanation, ...]:
        """Return the parts of a similarity: terms, leaves whose scores are propagated, or fused scores."""
        expression = self._expression
        if isinstance(expression, Propagated):
            return self._leaves(expression, row)
        if isinstance(expression, Fused):
            return self._fused(expression, row)
        parts = self._traced.scorer.parts(row)
        document = np.array([self._traced.document(row)])
        if parts is None:
            taken = expression_parts(
                self._index, expression, self._query.word_counts, document[0], row=row, parameters=self._parameters
            )
            parts = dict(taken.terms) if taken else {}
        found = [self._term(expression, row, name, part) for name, part in parts.items()]
        if expression.combining in WITH_ADDEND:
            found.append(Explanation("length", own - sum(parts.values()), "length of the element"))
        return tuple(found)

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
