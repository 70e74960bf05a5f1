"""The score of an element in its context.

    element_score(e)  similarity of the text of e to the query, by a Q-expression, times the share of the query that e
                      contains to the power coverage
    inherited(e)      element_score(e) density(e) + parent_weight inherited(parent of e); 0 for a parent that is the
                      root
    context_score(e)  inherited(e) + heading_weight headings(e) + neighbour_weight neighbours(e), see
                      `headings_and_neighbours`, + exact_title_weight the weight of the query, if it is a title of the
                      document, see `exact_titles`
    score(e)          context_score(e) + article_weight score of the article

The text around an element raises its score, the less the farther away: a section about the query raises its paragraphs,
a paragraph its sentences. The text of the whole article is in the article's score. Text density separates running text
from tables and lists of short entries: words per element in the subtree, relative to the whole collection, at most 1.

Sources: the article inside the element's score, Sigurbjörnsson, Kamps & de Rijke, INEX 2003; contextualisation, Arvola,
Junkkari & Kekäläinen, CIKM 2005; text density, Kohlschütter & Nejdl, CIKM 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.collection.profile import Profile
from engine.index.containment import adjacent_siblings, insertion_places, is_member, with_ancestors
from engine.index.element_store import Elements
from engine.index.reader import IndexReader
from engine.query.limits import reserve
from engine.retrieval.heading_scopes import NO_SCOPES, Scopes, following_scopes, scopes_among
from engine.retrieval.inline_elements import NONE as NO_INLINE
from engine.retrieval.inline_elements import InlineElements
from engine.retrieval.plan import ByScore
from engine.retrieval.scoring.element_scorer import ElementScorer
from engine.retrieval.scoring.headings_and_neighbours import (
    NEIGHBOUR_BLOCKS,
    best_neighbours,
    heading_scores,
    is_heading,
)
from engine.retrieval.scoring.levels import Level, levels

Rows = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class Context(NamedTuple):
    """Elements, ascending, with their ancestors that are not inline; columns of shape (n,).

    Roots may be left out, unless they are among the elements: no score is inherited from them.
    """

    rows: Rows
    ends: Rows
    words: Rows
    tags: Rows  # numbers
    document: Rows  # places among the documents of the matches
    parents: Rows  # places; of the element itself where the parent is not here
    is_root: NDArray[np.bool_]
    levels: Sequence[Level]  # what inherits from its parent
    scopes: Scopes = NO_SCOPES  # of headings, as places
    inline: InlineElements = NO_INLINE
    # Where they are known: places of elements and of those directly after them; what is mostly titles (`title_text`).
    neighbours: tuple[Rows, Rows] | None = None
    is_mostly_titles: NDArray[np.bool_] | None = None

    def places(self, rows: Rows) -> Rows:
        """Return the places of some of the rows."""
        return self.rows.searchsorted(rows)


class ScoredElements(NamedTuple):
    """The scores of elements; columns of shape (n,).

    of_headings: weight of the query's words in the headings of an element and of those above it. of_exact_titles: the
    weight of the query where a title of the document is the whole query. of_neighbours: the better score of the
    neighbours, with the place of that one in neighbours, -1 if there is none.
    """

    context: Context
    element_scores: FloatArray
    densities: FloatArray
    context_scores: FloatArray
    of_headings: FloatArray
    of_exact_titles: FloatArray
    of_neighbours: FloatArray
    neighbours: Rows

    @property
    def rows(self) -> Rows:
        """The elements, ascending."""
        return self.context.rows

    @property
    def words(self) -> Rows:
        """Words in the subtree of each element."""
        return self.context.words

    def places(self, rows: Rows) -> Rows:
        """Return the places of some of the rows."""
        return self.context.places(rows)


def score_in_context(
    index: IndexReader, context: Context, scorer: ElementScorer, order: ByScore, *, with_surroundings: bool = True
) -> ScoredElements:
    """Return the scores of elements and of their ancestors; the element score of one without a query term is 0.

    Args:
        with_surroundings: whether headings and neighbours count; they need the context of all matches.
    """
    scores = scorer.elements(context.rows, context.ends, context.document, context.words, context.inline)
    of_headings = np.zeros(len(context.rows))
    if with_surroundings and order.heading_weight:
        pairs, weights = scorer.last_terms()
        of_headings = heading_scores(pairs, weights, context.scopes, len(context.rows))
    of_exact_titles = np.zeros(len(context.rows))
    if with_surroundings and order.exact_title_weight:
        of_exact_titles = scorer.exact_titles().take(context.document)
    evidence = scores, of_headings, of_exact_titles
    return in_context(index, context, *evidence, order, with_neighbours=with_surroundings)


def in_context(
    index: IndexReader,
    context: Context,
    scores: FloatArray,
    of_headings: FloatArray,
    of_exact_titles: FloatArray,
    order: ByScore,
    *,
    with_neighbours: bool,
) -> ScoredElements:
    """Return element scores with what the text around each element adds, shape (n,)."""
    densities = text_density(index, context, order.min_density)
    own = scores * densities
    inherited = with_inherited(context, own, order.parent_weight)
    of_neighbours, neighbours = np.zeros(len(scores)), np.full(len(scores), -1)
    if with_neighbours and order.neighbour_weight:
        of_neighbours, neighbours = best_neighbours(own, *neighbours_in(context, index.statistics.block_words))
    total = inherited + order.heading_weight * of_headings + order.neighbour_weight * of_neighbours
    total += order.exact_title_weight * of_exact_titles
    return ScoredElements(context, scores, densities, total, of_headings, of_exact_titles, of_neighbours, neighbours)


def neighbours_in(context: Context, block_words: float) -> tuple[Rows, Rows]:
    """Return the places of elements and of those directly after them, where both are long enough, shape (n_pairs,)."""
    if context.neighbours is not None:
        return context.neighbours
    is_long = (context.words >= NEIGHBOUR_BLOCKS * block_words) & ~context.is_root
    return adjacent_siblings(context.rows, context.ends, context.parents, is_long)


def context_of(
    elements: Elements,
    chosen: Rows,
    documents: Rows,
    *,
    inline: InlineElements = NO_INLINE,
    min_words: float = 0,
    with_roots: bool = True,
    profile: Profile | None = None,
) -> Context:
    """Return some elements with their ancestors that are not inline.

    Args:
        documents: the documents of the elements, ascending.
        inline: the inline elements that the query asks for by name; others are left out.
        min_words: elements with fewer words are dropped, roots and headings excepted; their ancestors have at least as
            many.
        with_roots: whether roots are among the ancestors.
        profile: says which elements are headings; None where these do not count.
    """
    if len(inline.rows):
        chosen = np.concatenate([elements.nearest_non_inline(chosen), inline.rows])
    lowest = distinct(chosen)
    rows, parents = with_ancestors(elements.parent, lowest)
    reserve(14 * len(rows))
    tags, ends = elements.tag(rows), elements.end(rows)
    words = elements.n_words(rows, ends)
    is_root, is_title = parents == np.arange(len(rows)), np.zeros(len(rows), np.bool_)
    if profile is not None:
        is_title = is_heading(elements, rows, profile.entitling, tags)
    is_kept = ~elements.is_inline(rows, tags)
    if not with_roots:
        is_kept &= ~is_root | is_member(rows, lowest)
    if min_words > 0:
        is_kept &= is_root | (words >= min_words) | is_title
    asked = rows.searchsorted(inline.rows)
    words[asked] += inline.last - inline.first
    is_kept[asked] = True
    parents, is_missing = _places_among_kept(parents, is_kept)
    columns = rows, ends, words, tags, is_root, is_title
    rows, ends, words, tags, is_root, is_title = (column.compress(is_kept) for column in columns)
    lifting = np.flatnonzero(
        is_missing | is_member(rows.take(parents), inline.rows) if len(inline.rows) else is_missing
    )
    lifted = elements.nearest_non_inline(elements.parent(rows.take(lifting)))
    place = rows.searchsorted(lifted)
    parents[lifting] = np.where(rows.take(place) == lifted, place, lifting)
    document = documents_of_rows(elements.root(documents), rows, is_root, with_roots=with_roots)
    depths = elements.depth(rows)
    headings = np.flatnonzero(is_title & ~is_root)
    following = NO_SCOPES if profile is None else following_scopes(elements, profile.headings, documents)
    scopes = scopes_among(rows, ends, parents, is_root, headings, following)
    return Context(
        rows=rows,
        ends=ends,
        words=words,
        tags=tags,
        document=document,
        parents=parents,
        is_root=is_root,
        levels=levels(parents, is_root, depths),
        scopes=scopes,
        inline=inline,
    )


def _places_among_kept(places: Rows, is_kept: NDArray[np.bool_]) -> tuple[Rows, NDArray[np.bool_]]:
    """Return where the places of kept elements lie among the kept elements, and which of these places are not kept."""
    places = places.compress(is_kept)
    return (is_kept.cumsum() - 1).take(places), ~is_kept.take(places)


def documents_of_rows(roots: Rows, rows: Rows, is_root: NDArray[np.bool_], *, with_roots: bool) -> Rows:
    """Return the place of the document of each row (ascending); with roots, the root of each document is a row."""
    if not with_roots:
        return insertion_places(roots, rows, "right") - 1
    number = is_root.cumsum() - 1
    found = rows.compress(is_root)
    return number if len(found) == len(roots) else roots.searchsorted(found).take(number)


def text_density(index: IndexReader, context: Context, min_density: float) -> FloatArray:
    """Return min(1, words per element of each subtree / (min_density x the collection's)); 1 for min_density 0."""
    expected = min_density * index.statistics.mean_density
    if not expected:
        return np.ones(len(context.rows))
    return np.minimum(1.0, context.words / (context.ends - context.rows) / expected)


def has_highest_in_context(share: float) -> bool:
    """Return whether what an element inherits has a limit."""
    return 0 <= share < 1


def highest_in_context(highest: FloatArray, share: float) -> FloatArray:
    """Return the most that an element can score with its ancestors if none of them scores more than `highest` alone.

    It is the limit of the sum over ever more ancestors. Raises: ValueError where there is no limit.
    """
    if not has_highest_in_context(share):
        raise ValueError(f"parent_weight = {share}: no bound")
    return highest / (1 - share)


def with_inherited(context: Context, scores: FloatArray, share: float) -> FloatArray:
    """Add to each score `share` times the total of the parent, from the top downwards; roots pass nothing down."""
    totals = scores.copy()
    if share:
        for level, above in context.levels:
            totals[level] += share * totals.take(above)
    return totals
