"""The headings of an element: what names it, its section and so on.

    headings(e) = weight of the distinct query words in the headings whose scope e is in, see `index.elements.headings`

Headings of the root are in the score of the article. An element that the query names, by its own title, counts up to
twice:

    headings(e) x (1 + asked(t) x said(e)^NAMED)     t: the title of e, where said(e) >= LEAST_SAID
    asked(t)    share of the words of t that are query words
    said(e)     headings(e) divided by the weight of the whole query; 0 where that has one word

Source: fields that count more, Robertson, Zaragoza & Taylor, CIKM 2004.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.arrays import FloatArray, Numbers, Rows, distinct, is_among, mask_of, places_of
from engine.index.elements.headings import Scopes
from engine.kernels.table import compiled, native
from engine.ranking.parts.coverage import times_coverage
from engine.ranking.parts.part import ArticleEvidence, ElementEvidence, ExplainedElements, Explanation, InnerPart
from engine.ranking.scoring.term_weights import TermWeights
from engine.similarity.values import Pairs, ratio

NAMED, LEAST_SAID = 4, 0.5


class HeadingsPart(InnerPart):
    """The part of the headings that speak of an element."""

    name = "headings"
    setting = "heading_weight"
    tried = (0, 0.25, 0.5, 1, 2, 4)
    needs_surroundings = True
    formula = (
        "headings(e) x covered(e) ^ `coverage`: weight of the query words in the headings of e, of the elements above "
        "it, and before these, up to twice for its own title; 0 for the root"
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
        value, factors = weight * score, ""
        weights = explained.scorer.term_weights(units)
        of_document = weights.of_terms[:, 0 if weights.group is None else weights.group[place]]
        alone = float(of_document[found].sum())
        times = float(explained.scores.evidence.of_headings[place]) / alone
        if times > 1 + 1e-9:
            facts["named"] = times
            factors = f" × {times:.3f} as its title says what the query does"
        if explained.order.coverage:
            facts["coverage"] = factor = explained.scores.evidence.coverage_of(place)
            factors += f" × coverage {factor:.3f}"
        description = f"{weight:g} × {alone:.6f}{factors}, {source} with {', '.join(terms)}"
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


def with_named(of_headings: FloatArray, weights: TermWeights, pairs: Pairs, scopes: Scopes, words: Rows) -> FloatArray:
    """Return the weight of the query in headings, of elements that the query names by their own title up to twice.

    Args:
        of_headings: as `heading_scores` returns it. words: of each element.
    """
    own = places_of(scopes.first < scopes.headings)
    titles, entitled = scopes.headings.take(own), scopes.first.take(own)
    groups = entitled * 0 if weights.group is None else weights.group.take(entitled)
    said = _said(of_headings.take(entitled), weights, groups)
    chosen = places_of(said >= LEAST_SAID)
    if not chosen.size:
        return of_headings
    titles, entitled, said = titles.take(chosen), entitled.take(chosen), said.take(chosen)
    is_in_title = mask_of(titles, len(of_headings)).take(pairs.unit)
    unit, tf = pairs.unit.compress(is_in_title), pairs.tf.compress(is_in_title)
    n_asked = np.bincount(titles.searchsorted(unit), tf, len(titles))
    named = np.zeros(len(of_headings))
    np.maximum.at(named, entitled, np.minimum(n_asked / np.maximum(words.take(titles), 1), 1.0) * said**NAMED)
    return of_headings * (1 + named)


def most_with_named(of_headings: FloatArray, weights: TermWeights) -> FloatArray:
    """Return the most that headings count in articles, given the weight of the query in these."""
    groups = np.zeros(len(of_headings), np.int64) if weights.group is None else weights.group
    return of_headings * (1 + np.clip(_said(of_headings, weights, groups), 0.0, 1.0) ** NAMED)


def _said(of_headings: FloatArray, weights: TermWeights, groups: Numbers) -> FloatArray:
    """Return the share of the query that headings say; 0 for a query of one word.

    Args:
        groups: of each unit, the number of its weights.
    """
    of_query, highest = np.broadcast_arrays(weights.of_query, weights.of_terms.max(axis=0, initial=0.0))
    return ratio(of_headings, of_query.take(groups)) * (highest < of_query).take(groups)


def heading_terms(place: int, pairs: Pairs, scopes: Scopes) -> Rows:
    """Return the terms in the headings whose scope an element is in, ascending."""
    headings = scopes.headings.compress((scopes.first <= place) & (place < scopes.end))
    return distinct(pairs.term.compress(is_among(pairs.unit, headings)))


HEADINGS = HeadingsPart()
