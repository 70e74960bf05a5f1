"""Tolerance to irrelevance: how precise reading an article is until a reader has had enough.

Source: Arvola, Geva, Kamps, Schenkel, Trotman & Vainio, Overview of the INEX 2010 Ad Hoc Track (T2I(300)), after
de Vries, Kazai & Lalmas, Tolerance to Irrelevance, RIAO 2004.
"""

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.assessments import Judgements
from eval.excerpts import Excerpts
from eval.geometry import FloatArray, Geometry, IntArray, require
from eval.intervals import Highlights, union
from eval.placing import highlights


def t2i_scores(
    ranking: Ranking, found: Excerpts, judgements: Judgements, geometry: Geometry | None, tolerance: int
) -> FloatArray:
    """Return the precision of what is read of every article, shape (n_articles,); 0 for articles not judged.

    The reader takes the returned text in its order in the article, then the rest from the beginning, and stops at the
    ``tolerance``-th character that is not relevant, or at the end.
    """
    if tolerance < 1:
        raise MeasureError(f"t2i={tolerance}: expected the characters that a reader puts up with, 1 or more.")
    scores = np.zeros(len(found.rows))
    for article, row in enumerate(found.rows.tolist()):
        if row >= 0:
            here = (found.articles == article) & (ranking.starts >= 0)
            starts = ranking.starts[here]
            text = highlights(judgements, row)
            if text.total:
                length = document_length(judgements, row, geometry)
                begins, ends = reading_order(starts, starts + ranking.lengths[here], length)
                scores[article] = precision_read(begins, ends, text, tolerance)
    return scores


def document_length(judgements: Judgements, row: int, geometry: Geometry | None) -> int:
    """Return the characters of a judged document, from the judgements or the index."""
    if judgements.lengths[row] >= 0:
        return int(judgements.lengths[row])
    document = judgements.documents[row]
    length = require(geometry, f"{judgements.source}: judgements give no length of {document!r}").length(document)
    if length is None:
        raise MeasureError(f"{judgements.source}: document {document!r} is not in the index; its length is not known.")
    return length


def reading_order(starts: IntArray, ends: IntArray, length: int) -> tuple[IntArray, IntArray]:
    """Return starts and ends of the stretches of a document in the order they are read: returned text, then gaps."""
    starts, ends = union(starts, ends)
    gap_starts, gap_ends = np.concatenate(([0], ends)), np.concatenate((starts, [length]))
    gaps = gap_ends > gap_starts
    return np.concatenate((starts, gap_starts[gaps])), np.concatenate((ends, gap_ends[gaps]))


def precision_read(starts: IntArray, ends: IntArray, text: Highlights, tolerance: int) -> float:
    """Return relevant/read characters of stretches read in order until ``tolerance`` of them were not relevant."""
    relevant = text.within(starts, ends)
    others = np.cumsum(ends - starts - relevant)
    last = int(np.searchsorted(others, tolerance))
    if last == len(others):
        return float(relevant.sum() / (ends - starts).sum())
    before = int(relevant[:last].sum())
    still = tolerance - int(others[last - 1] if last else 0)
    hits = before + relevant_before(int(starts[last]), still, text)
    return hits / (hits + tolerance)


def relevant_before(start: int, others: int, text: Highlights) -> int:
    """Return the relevant characters from ``start`` on before the character that is the ``others``-th not relevant."""
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
