"""Former names of settings, which are refused with a message that gives the present name."""

from __future__ import annotations

RENAMED = {
    "articles": "max_articles",
    "per_article": "max_per_article",
    "matches": "max_matches",
    "best_leaves": "max_leaves",
    "sentences": "max_sentences",
    "shortest": "min_words",
    "longest": "max_words",
    "shortest_passage": "min_passage_words",
    "block": "block_words",
    "match": "operator",
    "rank": "rank_by",
    "scoring": "element_similarity",
    "lambda_article": "article_weight",
    "lambda_parent": "parent_weight",
    "density": "min_density",
    "group": "group_by_article",
}
