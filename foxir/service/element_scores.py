"""The scores of all elements of one document for a query, as a search computes them: what the heat map shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.index.reader import IndexReader
from engine.query.limits import limited
from engine.retrieval.articles import rank_articles
from engine.retrieval.batches import batch_of
from engine.retrieval.candidates import score_context
from engine.retrieval.plan import ByScore
from engine.retrieval.scoring.element_scorer import ElementScorer
from engine.retrieval.scoring.focus import focused
from engine.retrieval.search import plan_query, search, structured_matches
from engine.settings import Settings

Rows = NDArray[np.int64]


def element_scores(reader: IndexReader, query: str, settings: Settings, document: int) -> dict[int, float]:
    """Return row -> score of the elements of a document that contain a match, or may be answers.

    Where structure ranks, and for whole articles, the rsv of the answers in the document. Empty for a document that is
    not among the ranked articles.

    Raises: QueryError, SettingsError.
    """
    with limited(settings.max_query_memory, settings.max_seconds):
        return _scores(reader, query, settings, document)


def _scores(reader: IndexReader, query: str, settings: Settings, document: int) -> dict[int, float]:
    plan = plan_query(reader, query, settings)
    if not isinstance(plan.order, ByScore):
        found = search(reader, query, settings).columns
        here = found.documents == document
        return dict(zip(found.elements[here].tolist(), found.rsv[here].tolist(), strict=True))
    ranked = rank_articles(reader, plan)
    plan = focused(reader, plan, ranked)
    place = np.flatnonzero(ranked.documents == document)
    if not len(place) or not isinstance(plan.order, ByScore):
        return {}
    batch = batch_of(ranked, int(place[0]), 1)
    matches = structured_matches(reader, plan, batch, None)
    if not len(matches.rows) and matches.targets is None:
        return {}
    scorer = ElementScorer(reader, plan.query, plan.order, batch.documents, matches)
    scored = score_context(reader, plan, plan.order, scorer, matches, everything=True)
    scores = scored.context_scores + plan.order.article_weight * float(ranked.scores[place[0]])
    return dict(zip(scored.rows.tolist(), scores.tolist(), strict=True))
