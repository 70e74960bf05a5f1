"""The error for a name that is not a setting: a former or a removed one, a name in other programs, or misspelt."""

from __future__ import annotations

from engine.errors import SettingsError
from engine.settings.rows import KINDS
from engine.similarity.parameters import PARAMETERS
from engine.wording import did_you_mean, shown_text

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


_COUNT = ("max_answers", ", or a slice of the answers, such as answers[:10]")
_MEANING = ("semantic", ", whose encoder ranks the best answers again by meaning")
# Names of other programs -> setting, and what else does it.
NAMES_IN_OTHER_PROGRAMS = {
    **dict.fromkeys(("top", "top_k", "topk", "k", "n", "size", "count", "limit", "num_results", "max_results"), _COUNT),
    **dict.fromkeys(("skip", "offset", "start", "from_"), ("a slice of the answers", ", such as answers[10:20]")),
    **{"in_": ("inside", ""), "within": ("inside", ""), "not_in": ("outside", "")},  # --in, --not-in of the commands
    "images": ("image", ", the argument of search, for a file or several"),
    **dict.fromkeys(("budget", "max_tokens"), ("word_budget", "")),
    **dict.fromkeys(("rerank", "reranker", "reranking", "embedding", "embeddings", "embedder", "encoder"), _MEANING),
}


def unknown_setting(name: str) -> SettingsError:
    """Return the error for a name that is not a setting, with the setting that was probably meant."""
    if name in NAMES_IN_OTHER_PROGRAMS:
        meant, how = NAMES_IN_OTHER_PROGRAMS[name]
        return SettingsError(f"setting '{name}' is unknown: use {meant}{how}.")
    if name in RENAMED:
        return SettingsError(f"setting '{name}' is now called '{RENAMED[name]}'.")
    if name in REMOVED:
        instead = REMOVED[name]
        return SettingsError(f"setting '{name}' was removed: leave it out{f', or use {instead}' if instead else ''}.")
    known = sorted({*KINDS, *PARAMETERS, "preset"})
    hint = did_you_mean(name, known, cutoff=0.7) or f"known are {', '.join(known)}."
    return SettingsError(f"setting {shown_text(name)} is unknown: {hint.rstrip()}")
