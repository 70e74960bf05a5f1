"""The headings of an element: what names it, its section and so on.

    headings(e) = weight of the distinct query words in the headings whose scope e is in, see `index.elements.headings`

Headings of the root are in the score of the article. It is at most the weight of the whole query.

Source: fields that count more, Robertson, Zaragoza & Taylor, CIKM 2004.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.arrays import FloatArray, Rows, distinct, is_among, places_of
from engine.index.elements.headings import Scopes
from engine.kernels.table import compiled, native
from engine.ranking.parts.coverage import times_coverage
from engine.ranking.parts.explanation import Explanation
from engine.ranking.parts.part import ArticleEvidence, ElementEvidence, ExplainedElements, InnerPart
from engine.ranking.scoring.term_weights import TermWeights
from engine.similarity.values import Pairs


class HeadingsPart(InnerPart):
    """The part of the headings that speak of an element."""

    name = "headings"
    setting = "heading_weight"
    tried = (0, 0.25, 0.5, 1, 2, 4)
    needs_surroundings = True
    formula = (
        "headings(e) x covered(e) ^ `coverage`: weight of the query words in the headings of e, of the elements above "
        "it, and before these; 0 for the root"
    )
    source = "Robertson, Zaragoza & Taylor, CIKM 2004"

    def column(self, evidence: ElementEvidence) -> FloatArray:
        """Return the weight of the query in headings times coverage."""
        return times_coverage(evidence.of_headings, evidence.factors)

    def bound(self, articles: ArticleEvidence) -> FloatArray:
        """Return the weight of the query words that headings of each article can have."""
        return articles.of_headings

    def explain(self, explained: ExplainedElements, place: int) -> list[Explanation]:
        """Return the addend of the headings of an element and of those above it."""
        weight, score = self.weight(explained.order), explained.value(self, place)
        context, units = explained.scores.context, explained.scores.evidence.units
        if not score or units is None:
            return []
        found = heading_terms(place, units.pairs, context.scopes)
        source = "headings and first rows of tables" if _has_header_row(explained, place) else "headings"
        terms = [explained.scorer.terms[term] for term in found.tolist()]
        facts: dict[str, Any] = {"terms": terms, "weight": weight}
        value, covered = weight * score, ""
        if explained.order.coverage:
            facts["coverage"] = factor = explained.scorer.coverage_of(explained.row(place))
            weights = explained.scorer.term_weights(units)
            of_document = weights.of_terms[:, 0 if weights.group is None else weights.group[place]]
            score, covered = float(of_document[found].sum()), f" × coverage {factor:.3f}"
        description = f"{weight:g} × {score:.6f}{covered}, {source} with {', '.join(terms)}"
        return [Explanation(self.name, value, description, facts=facts)]


def _has_header_row(explained: ExplainedElements, place: int) -> bool:
    """Return whether a first row of a table is among the headings of an element."""
    index, context = explained.index, explained.scores.context
    scopes = context.scopes
    headings = scopes.headings[(scopes.first <= place) & (place < scopes.end)]
    of_tables = index.header_rows.of(index.elements.document(context.rows[place : place + 1])).rows
    return explained.order.header_rows and bool(np.isin(context.rows[headings], of_tables).any())


def _heading_scores_in_numpy(pairs: Pairs, weights: TermWeights, scopes: Scopes, n: int) -> FloatArray:
    """Return the scores by intervals of rows: between two borders of scopes all elements are in the same ones."""
    number = np.full(n, -1)
    number[scopes.headings] = np.arange(len(scopes.headings))
    heading = number.take(pairs.unit)
    is_in_one = heading >= 0
    heading, term = heading.compress(is_in_one), pairs.term.compress(is_in_one)
    if not len(heading):
        return np.zeros(n)
    first, end = scopes.first.take(heading), scopes.end.take(heading)
    borders = distinct(np.concatenate([first, end]))
    shape = len(weights.of_terms), len(borders)
    of_term = term * len(borders)
    begun, ended = (
        np.bincount(of_term + borders.searchsorted(each), minlength=shape[0] * shape[1]) for each in (first, end)
    )
    in_scope = places_of((begun - ended).reshape(shape).cumsum(axis=1).ravel() > 0)
    terms, places = np.divmod(in_scope, len(borders))
    group = 0 if weights.group is None else weights.group.take(borders.take(places))
    found = np.bincount(places, weights.of_terms[terms, group], len(borders))
    lengths = np.empty(len(borders) + 1, np.int64)
    lengths[0], lengths[-1] = borders[0], n - borders[-1]
    np.subtract(borders[1:], borders[:-1], out=lengths[1:-1])
    return np.append(0.0, found).repeat(lengths)


@compiled(_heading_scores_in_numpy)
def heading_scores(pairs: Pairs, weights: TermWeights, scopes: Scopes, n: int) -> FloatArray:
    """Return for each of n elements the weight of the distinct terms in the headings whose scope it is in.

    Args:
        pairs: terms in elements.
    """
    of_terms, group = weights.of_terms, weights.group
    found = native.heading_scores(pairs.term, pairs.unit, *scopes, group, of_terms, of_terms.shape[1], n)
    return np.frombuffer(found, np.float64)


def heading_terms(place: int, pairs: Pairs, scopes: Scopes) -> Rows:
    """Return the terms in the headings whose scope an element is in, ascending."""
    headings = scopes.headings.compress((scopes.first <= place) & (place < scopes.end))
    return distinct(pairs.term.compress(is_among(pairs.unit, headings)))


HEADINGS = HeadingsPart()
