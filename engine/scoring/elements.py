"""The score of an element in its context.

    own(e)     similarity of the element's text and the query, by a Q-expression (engine/similarity)
    inside(e)  own(e) fullness(e) + lambda_parent inside(parent of e); of a parent that is the root, nothing
    score(e)   inside(e) + lambda_article score of the article

What is said around an element counts for it, the less the farther away: a section about the query lifts its paragraphs,
a paragraph its sentences. What the whole article says is in the article's own score. Fullness tells running text from
tables and lists of short entries: the words an element of the subtree, in relation to those an element of the whole
collection, 1 at most.

Sources: the article inside the element's score, Sigurbjörnsson, Kamps & de Rijke, INEX 2003; contextualisation, Arvola,
Junkkari & Kekäläinen, CIKM 2005; text density, Kohlschütter & Nejdl, CIKM 2008.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.distinct import distinct
from engine.index.elements import Elements
from engine.index.index import Index
from engine.regions import ancestors, is_member, places_among
from engine.scoring.own import OwnScorer
from engine.scoring_settings import Scoring

Rows = NDArray[np.int64]
FloatArray = NDArray[np.float64]

NONE = np.empty(0, np.int64)


class Surroundings(NamedTuple):
    """Elements, ascending, with all elements above them that are not inline; columns of shape (n,).

    Roots may be left out, unless they are among the elements: what is below takes nothing over from them.
    """

    rows: Rows
    ends: Rows
    words: Rows
    document: Rows  # places among the documents at hand
    parents: Rows  # places; its own where there is none here
    is_root: NDArray[np.bool_]

    def places(self, rows: Rows) -> Rows:
        """Return the places of some of the rows."""
        return self.rows.searchsorted(rows)


class ScoredElements(NamedTuple):
    """The scores of elements; columns of shape (n,)."""

    around: Surroundings
    own: FloatArray
    fullness: FloatArray
    inside: FloatArray

    @property
    def rows(self) -> Rows:
        """The elements, ascending."""
        return self.around.rows

    @property
    def words(self) -> Rows:
        """How many words each of them holds."""
        return self.around.words

    def places(self, rows: Rows) -> Rows:
        """Return the places of some of the rows."""
        return self.around.places(rows)


def score_elements_around(index: Index, around: Surroundings, scorer: OwnScorer, scoring: Scoring) -> ScoredElements:
    """Return the scores of some elements and of all above them. An element without a term has an own score of 0."""
    own = scorer.elements(around)
    fullness = fullness_of(index, around, scoring.density)
    inside = in_context(around, own * fullness, scoring.lambda_parent)
    return ScoredElements(around, own, fullness, inside)


def surroundings(
    elements: Elements,
    held: Rows,
    documents: Rows,
    *,
    inline: Rows = NONE,
    shortest: float = 0,
    with_roots: bool = True,
) -> Surroundings:
    """Return some elements and all above them that are not inline, with what is known of them.

    Args:
        documents: those at hand, ascending; they hold all the elements.
        inline: those of the elements that are inline, ascending. They hold no word themselves; a path query may ask
            for them.
        shortest: elements of fewer words are left out, roots excepted; what is above them has as many words at least.
        with_roots: roots are among those above.
    """
    lowest = distinct(elements.lift(held) if len(inline) else held)
    above = ancestors(elements, lowest, with_roots=with_roots)
    rows = distinct(np.concatenate([lowest, inline, above.compress(~elements.is_inline(above))]))
    words, above = elements.n_words(rows), elements.parent(rows)
    if shortest > 0:
        is_long = (above == rows) | (words >= shortest)
        rows, words, above = rows.compress(is_long), words.compress(is_long), above.compress(is_long)
    roots = elements.root(documents)
    document = places_among(roots, rows, "right") - 1
    parents = rows.searchsorted(above)
    is_missing = rows.take(parents) != above
    below_root = is_missing & (above == roots.take(document))
    parents[below_root] = np.flatnonzero(below_root)
    below_inline = np.flatnonzero((is_missing & ~below_root) | is_member(above, inline))
    lifted = elements.lift(above[below_inline])
    place = rows.searchsorted(lifted)
    parents[below_inline] = np.where(rows.take(place) == lifted, place, below_inline)
    return Surroundings(rows, elements.end(rows), words, document, parents, above == rows)


def fullness_of(index: Index, around: Surroundings, density: float) -> FloatArray:
    """Return min(1, words an element of each subtree / (density x the collection's)); 1 where density is 0."""
    expected = density * index.mean_density
    if not expected:
        return np.ones(len(around.rows))
    return np.minimum(1.0, around.words / (around.ends - around.rows) / expected)


def in_context(around: Surroundings, local: FloatArray, share: float) -> FloatArray:
    """Return local(e) + share times the same of the nearest element above, the root excepted."""
    inside, parents = local.copy(), around.parents
    lower = np.flatnonzero((parents != np.arange(len(parents))) & ~around.is_root.take(parents))
    is_done = np.ones(len(parents), np.bool_)
    is_done[lower] = False
    while share and lower.size:
        above = parents.take(lower)
        is_next = is_done.take(above)
        level, above = lower.compress(is_next), above.compress(is_next)
        inside[level] += share * inside.take(above)
        lower = lower.compress(~is_next)
        is_done[level] = True
    return inside
