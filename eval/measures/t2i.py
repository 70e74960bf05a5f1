"""Tolerance to irrelevance (T2I): precision of reading an article up to a number of non-relevant characters.

Source: Arvola, Geva, Kamps, Schenkel, Trotman & Vainio, Overview of the INEX 2010 Ad Hoc Track (T2I(300)), after
de Vries, Kazai & Lalmas, Tolerance to Irrelevance, RIAO 2004.
"""

from __future__ import annotations

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.arrays import FloatArray, IntArray
from eval.judgements import Judgements
from eval.text.element_locator import ElementLocator, require
from eval.text.highlighted_text import document_highlights
from eval.text.intervals import HighlightedIntervals, union
from eval.text.retrieved_text import RetrievedText


def t2i_scores(
    ranking: Ranking, found: RetrievedText, judgements: Judgements, locator: ElementLocator | None, tolerance: int
) -> FloatArray:
    """Return the precision of the text read in every article, shape (n_articles,); 0 for articles not judged.

    The reader reads the retrieved text in document order, then the rest of the article from its beginning, and stops
    at the ``tolerance``-th non-relevant character, or at the end.
    """
    if tolerance < 1:
        raise MeasureError(f"t2i={tolerance}: expected a number of non-relevant characters, 1 or more.")
    scores = np.zeros(len(found.rows))
    for article, row in enumerate(found.rows.tolist()):
        if row >= 0:
            here = (found.articles == article) & (ranking.starts >= 0)
            starts = ranking.starts[here]
            text = document_highlights(judgements, row)
            if text.total:
                length = document_length(judgements, row, locator)
                begins, ends = reading_order(starts, starts + ranking.lengths[here], length)
                scores[article] = precision_read(begins, ends, text, tolerance)
    return scores


def document_length(judgements: Judgements, row: int, locator: ElementLocator | None) -> int:
    """Return the characters of a judged document, from the judgements or the index."""
    if judgements.lengths[row] >= 0:
        return int(judgements.lengths[row])
    document = judgements.documents[row]
    length = require(locator, f"{judgements.source}: judgements give no length of {document!r}").length(document)
    if length is None:
        raise MeasureError(f"{judgements.source}: document {document!r} is not in the index; its length is not known.")
    return length


def reading_order(starts: IntArray, ends: IntArray, length: int) -> tuple[IntArray, IntArray]:
    """Return starts and ends of the parts of a document in reading order: the retrieved text, then the gaps."""
    starts, ends = union(starts, ends)
    gap_starts, gap_ends = np.concatenate(([0], ends)), np.concatenate((starts, [length]))
    gaps = gap_ends > gap_starts
    return np.concatenate((starts, gap_starts[gaps])), np.concatenate((ends, gap_ends[gaps]))


def precision_read(starts: IntArray, ends: IntArray, text: HighlightedIntervals, tolerance: int) -> float:
    """Return relevant/read characters for intervals read in order up to ``tolerance`` non-relevant characters."""
    relevant = text.count_within(starts, ends)
    others = np.cumsum(ends - starts - relevant)
    last = int(np.searchsorted(others, tolerance))
    if last == len(others):
        return float(relevant.sum() / (ends - starts).sum())
    before = int(relevant[:last].sum())
    still = tolerance - int(others[last - 1] if last else 0)
    hits = before + relevant_before(int(starts[last]), still, text)
    return hits / (hits + tolerance)


def relevant_before(start: int, others: int, text: HighlightedIntervals) -> int:
    """Return the number of relevant characters from ``start`` up to the ``others``-th non-relevant character."""
    row = int(np.searchsorted(text.ends, start, side="right"))
    at, hits = start, 0
    for begin, end in zip(text.starts[row:].tolist(), text.ends[row:].tolist(), strict=True):
        gap = max(begin - at, 0)
        if gap >= others:
            break
        others -= gap
        hits += end - at - gap
        at = end
    return hits
