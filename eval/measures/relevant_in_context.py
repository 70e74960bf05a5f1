"""Relevant in Context: a ranked list of articles, each scored by the text retrieved from it.

Sources: Kamps, Lalmas & Pehcevski, SIGIR 2007 (beta = 1); inex_eval 3.1 (beta = 0.25); Arvola, Geva, Kamps, Schenkel,
Trotman & Vainio, Overview of the INEX 2010 Ad Hoc Track (T2I(300)), after de Vries, Kazai & Lalmas, Tolerance to
Irrelevance, RIAO 2004: precision of reading an article up to a number of non-relevant characters.
"""

from __future__ import annotations

import numpy as np

from engine.errors import MeasureError
from engine.notices import Notice, about
from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.measures.generalised_precision import CUTOFFS, DETAIL, ArticleCurve, names
from eval.measures.registry import MeasureValues, measure
from eval.numbers import FloatArray, IntArray
from eval.text.element_locator import ElementLocator, require
from eval.text.highlighted_text import HighlightedIntervals, document_highlights, highlighted_text, union
from eval.text.retrieved_text import OverlapHandling, RetrievedText, count_unlocated_results, retrieved_text

SIZES = ("ret_size", "rel_size", "rel_ret_size")


@measure(
    "ric",
    line="Relevant in Context: generalised precision of articles scored by their retrieved text",
    formula="F(a) = (1 + beta^2) P R / (beta^2 P + R), P and R of the characters returned from article a; "
    "gP[r] = 1/r sum of F over the first r articles; gR[r] = share of the articles with relevance among them; "
    "AgP = sum of gP at articles with relevance / number of articles with relevance",
    source="Kamps, Lalmas & Pehcevski, SIGIR 2007; inex_eval 3.1 (beta = 0.25); Arvola et al., INEX 2010 (T2I)",
    options={
        "beta": "weight of recall in F: 0.25 as in 2009-2010, 1 as in 2006",
        "t2i": "score an article by its precision up to this number of non-relevant characters, reading first the "
        "retrieved text, in document order, then the rest; none: by F",
        "overlapping": "refuse: overlap and interleaved articles are errors; union: each character counts where it is "
        "returned first, each article at its first result",
        "legacy_float": "as inex_eval 3.1: 18 characters for a result without offsets",
        "at": "ranks of gP and gR",
    },
    requires=("offsets",),
    detail=(*DETAIL, *SIZES),
    count_warnings=count_unlocated_results,
)
def ric(
    ranking: Ranking,
    judgements: Judgements,
    locator: ElementLocator | None = None,
    *,
    beta: float = 0.25,
    t2i: int | None = None,
    overlapping: OverlapHandling = "refuse",
    legacy_float: bool = False,
    at: tuple[int, ...] = CUTOFFS,
) -> MeasureValues:
    """Return gP and gR at ranks, AgP and 11 interpolated points of one topic; all None if nothing is highlighted."""
    relevance = highlighted_text(judgements)
    if not relevance.total:
        return dict.fromkeys([*names(at), *SIZES])
    if beta < 0:
        raise MeasureError(f"beta={beta:g}: expected the weight of recall, 0 or more.")
    found = retrieved_text(ranking, judgements, overlapping, legacy_float)
    if overlapping == "refuse":
        refuse_interleaving(ranking, found.articles)
    highlighted = article_highlights(found, relevance.characters)
    scores = f_scores(found, highlighted, beta) if t2i is None else t2i_scores(ranking, found, judgements, locator, t2i)
    curve = ArticleCurve.of(scores, highlighted > 0, relevance.n_relevant)
    sizes = (found.sizes.sum(), relevance.total, found.rsizes.sum())
    return {**dict(curve.measures(at)), **dict(zip(SIZES, map(float, sizes), strict=True))}


def article_highlights(found: RetrievedText, characters: IntArray) -> IntArray:
    """Return the number of highlighted characters of every returned article, int64, shape (n_articles,)."""
    highlighted = np.zeros(len(found.rows), dtype=np.int64)
    judged = found.rows >= 0
    highlighted[judged] = characters[found.rows[judged]]
    return highlighted


def f_scores(found: RetrievedText, highlighted: IntArray, beta: float) -> FloatArray:
    """Return F(a) = (1 + beta^2) P R / (beta^2 P + R) of every article, 0 where nothing relevant was returned.

    With P = hits/returned and R = hits/highlighted this is (1 + beta^2) hits / (beta^2 highlighted + returned).
    """
    n = len(found.rows)
    returned = np.bincount(found.articles, weights=found.sizes, minlength=n)
    hits = np.bincount(found.articles, weights=found.rsizes, minlength=n)
    weight = beta * beta
    below = weight * highlighted + returned
    scores: FloatArray = np.divide((1 + weight) * hits, below, out=np.zeros(n), where=hits > 0)
    return scores


def refuse_interleaving(ranking: Ranking, articles: IntArray) -> None:
    """Raise MeasureError at the first result of an article that appears again after another one."""
    begins = np.flatnonzero(np.concatenate(([True], np.diff(articles) != 0))) if len(articles) else articles
    known: set[int] = set()
    for i in begins.tolist():
        if int(articles[i]) in known:
            interleaved = Notice("interleaved_documents", {"document": ranking.documents[i]})
            raise MeasureError(about(ranking.place(i), interleaved))
        known.add(int(articles[i]))


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
