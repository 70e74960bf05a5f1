"""All settings: names and the kind of value of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from engine.settings import choices
from engine.settings.kinds.number_types import Count, LengthKind, MemorySizeKind, Number
from engine.settings.kinds.selector_types import AnswersKind, PatternKind, TagsKind
from engine.settings.kinds.similarity_kind import SimilarityKind
from engine.settings.kinds.value_types import AUTOMATIC, UNBOUNDED, Choice, EncoderKind, Flag, Kind

# Settings of every search.
SEARCH: Mapping[str, Kind] = {
    "approach": Choice(get_args(choices.Approach)),
    "rank_by": Choice(get_args(choices.RankBy)),
    "similarity": SimilarityKind(scores_elements=False),
    "operator": Choice(get_args(choices.Operator)),
    "max_matches": Count(absent=UNBOUNDED),
    "answers": AnswersKind(get_args(choices.AnswerKind)),
    "heuristic": Choice(get_args(choices.Heuristic)),
    "max_per_article": Count(absent=UNBOUNDED),
    "max_articles": Count(absent=UNBOUNDED),
    "max_answers": Count(),
    "overlap": Choice(get_args(choices.Overlap)),
    "function_words": Choice(get_args(choices.FunctionWords)),
    "reading": Choice(get_args(choices.Reading)),
    "syntax": Choice(get_args(choices.Syntax)),
    "tags": Choice(get_args(choices.TagComparison)),
    "inside": TagsKind(absent=UNBOUNDED),
    "outside": TagsKind(absent="none"),
    "documents": PatternKind(absent=UNBOUNDED),
    "max_terms": Count(absent=UNBOUNDED),
    "max_query_memory": MemorySizeKind(absent=UNBOUNDED),
    "max_seconds": Number(0.001, 1e6, absent=UNBOUNDED),
}
# Settings of scored elements (`rank_by = "score"`).
SCORING: Mapping[str, Kind] = {
    "element_similarity": SimilarityKind(scores_elements=True),
    "article_weight": Number(0.0, 1e6),
    "opening_weight": Number(0.0, 1e6),
    "parent_weight": Number(0.0, 1.0),
    "heading_weight": Number(0.0, 1e6),
    "header_rows": Flag(),
    "neighbour_weight": Number(0.0, 1e6),
    "coverage": Number(0.0, 100.0),
    "focus": Number(0.0, 1.0, absent=AUTOMATIC),
    "block_words": LengthKind(),
    "min_words": LengthKind(),
    "max_words": LengthKind(absent=UNBOUNDED),
    "max_table_words": LengthKind(absent=UNBOUNDED),
    "min_leaf_words": LengthKind(),
    "passages": Flag(),
    "max_sentences": Count(highest=1000),
    "min_passage_words": LengthKind(),
    "across_elements": Flag(),
    "whole_weight": Number(0.0, 1.0),
    "passage_focus": Number(0.0, 1.0),
    "group_by_article": Flag(),
    "word_budget": Count(absent=UNBOUNDED),
}
# Settings of queries with example images.
IMAGES: Mapping[str, Kind] = {"image_weight": Number(0.0, 1.0)}
# Settings of the order by meaning (`semantic`).
SEMANTIC: Mapping[str, Kind] = {
    "semantic": EncoderKind(absent="none"),
    "semantic_weight": Number(0.0, 1e6),
    "semantic_answers": Count(highest=10_000),
    "semantic_failures": Choice(get_args(choices.SemanticFailures)),
}
KINDS: Mapping[str, Kind] = {**SEARCH, **IMAGES, **SCORING, **SEMANTIC}
PRESET = Choice(get_args(choices.Preset))
# Prefix of the parameters of the element similarity, which the article similarity may have too: `element_k1`.
PREFIX = "element_"
