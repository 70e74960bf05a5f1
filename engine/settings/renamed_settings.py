"""Former names of settings, and settings that were removed: refused with a message that says what to write instead."""

from __future__ import annotations

RENAMED = {
    "articles": "max_articles",
    "per_article": "max_per_article",
    "matches": "max_matches",
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
    "group": "group_by_article",
}
# Removed settings -> the one that has a similar effect, None where there is none.
REMOVED = {
    **dict.fromkeys(("feedback", "full_articles", "root_weight", "max_title_share")),
    "exact_title_weight": "heading_weight",
    **dict.fromkeys(("min_density", "density"), "min_leaf_words"),
    **dict.fromkeys(("max_leaves", "best_leaves"), "max_per_article"),
}
