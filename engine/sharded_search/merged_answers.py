"""The answers of all shards merged into those of one index, numbered through all of its documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.answers.answer_columns import AnswerColumns, status_values
from engine.arrays import ArrayRecord
from engine.planning.plan import ByHeuristic, Plan, WholeArticles
from engine.ranking.articles import RankedArticles
from engine.sharded_search.shard_merging import merged_order


@dataclass(frozen=True, eq=False)
class ShardAnswers(ArrayRecord):
    """The answers of one shard, and the numbers of its first document, row and image among those of all shards."""

    columns: AnswerColumns
    first_document: int
    first_row: int
    first_image: int

    @property
    def images(self) -> Any:
        """The best image in each answer, numbered through all shards; -1 for none."""
        local = self.columns.images
        return None if local is None else np.where(local < 0, -1, local + self.first_image)


def merged_answers(found: Sequence[ShardAnswers], seconds: float) -> AnswerColumns:
    """Return the answers of one index with all documents, numbered through all shards."""
    parts = [each.columns for each in found]
    plan, scores = parts[0].plan, _joined([part.scores for part in parts])
    article = np.concatenate([part.article for part in parts])
    follows_articles = isinstance(plan.order, ByHeuristic | WholeArticles) and plan.images is None
    key = None if follows_articles else scores
    order = merged_order(key, article, groups_by_article=plan.selection.groups_by_article)
    order = order[: plan.selection.max_answers]
    documents = np.concatenate([each.columns.documents + each.first_document for each in found])[order]
    sentences, image_scores = (
        _joined([getattr(part, name) for part in parts]) for name in ("sentences", "image_scores")
    )
    images = None if image_scores is None else np.concatenate([each.images for each in found])
    ranked = _ranked(found)
    return AnswerColumns(
        plan=plan,
        ranked=ranked,
        documents=documents,
        elements=np.concatenate([each.columns.elements + each.first_row for each in found])[order],
        article=article[order],
        rsv=_rsv(plan, ranked, article[order], None if scores is None else scores[order]),
        scores=None if scores is None else scores[order],
        sentences=None if sentences is None else sentences[order],
        images=None if images is None else images[order],
        image_scores=None if image_scores is None else image_scores[order],
        image_groups=parts[0].image_groups,
        seconds=seconds,
    )


def _rsv(plan: Plan, ranked: RankedArticles, article: Any, scores: Any) -> Any:
    if isinstance(plan.order, WholeArticles):
        return ranked.scores[article] if scores is None else scores
    return status_values(len(article), plan.selection.max_answers)


def _ranked(found: Sequence[ShardAnswers]) -> RankedArticles:
    """Return the ranked articles of all shards; each shard knows the numbers of its own."""
    documents = np.full(len(found[0].columns.ranked), -1)
    for each in found:
        local = each.columns.ranked.documents
        documents = np.where(local >= 0, local + each.first_document, documents)
    return RankedArticles(documents, found[0].columns.ranked.scores)


def _joined(columns: Sequence[Any]) -> Any:
    return None if columns[0] is None else np.concatenate(columns)
