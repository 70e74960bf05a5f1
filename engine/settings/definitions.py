"""All settings: names and the kind of value of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from engine.settings import choices
from engine.settings.number_types import AutomaticNumber, Count, LengthKind, MemorySizeKind, Number
from engine.settings.selector_types import AnswersKind, PatternKind, TagsKind
from engine.settings.similarity_kind import SimilarityKind, check_article_similarity, check_element_similarity
from engine.settings.value_types import Choice, EncoderKind, Flag, Kind

# Settings of every search.
SEARCH: Mapping[str, Kind] = {
    "approach": Choice(get_args(choices.Approach)),
    "rank_by": Choice(get_args(choices.RankBy)),
    "similarity": SimilarityKind(check_article_similarity),
    "operator": Choice(get_args(choices.Operator)),
    "max_matches": Count(may_be_unbounded=True),
    "answers": AnswersKind(get_args(choices.AnswerKind)),
    "heuristic": Choice(get_args(choices.Heuristic)),
    "max_per_article": Count(may_be_unbounded=True),
    "max_articles": Count(may_be_unbounded=True),
    "max_answers": Count(),
    "overlap": Choice(get_args(choices.Overlap)),
    "function_words": Choice(get_args(choices.FunctionWords)),
    "reading": Choice(get_args(choices.Reading)),
    "syntax": Choice(get_args(choices.Syntax)),
    "tags": Choice(get_args(choices.TagComparison)),
    "inside": TagsKind("all"),
    "outside": TagsKind("none"),
    "documents": PatternKind(),
    "max_terms": Count(may_be_unbounded=True),
    "max_query_memory": MemorySizeKind(),
    "max_seconds": Number(0.001, 1e6, may_be_unbounded=True),
}
# Settings of scored elements (`rank_by = "score"`).
SCORING: Mapping[str, Kind] = {
    "element_similarity": SimilarityKind(check_element_similarity),
    "article_weight": Number(0.0, 1e6),
    "parent_weight": Number(0.0, 1.0),
    "heading_weight": Number(0.0, 1e6),
    "exact_title_weight": Number(0.0, 1e6),
    "neighbour_weight": Number(0.0, 1e6),
    "coverage": Number(0.0, 100.0),
    "focus": AutomaticNumber(0.0, 1.0),
    "min_density": Number(0.0, 1e6),
    "block_words": LengthKind(),
    "min_words": LengthKind(),
    "max_words": LengthKind(may_be_unbounded=True),
    "min_leaf_words": LengthKind(),
    "max_title_share": Number(0.0, 1.0),
    "max_leaves": Count(may_be_unbounded=True),
    "passages": Flag(),
    "max_sentences": Count(highest=1000),
    "min_passage_words": LengthKind(),
    "across_elements": Flag(),
    "whole_weight": Number(0.0, 1.0),
    "group_by_article": Flag(),
    "word_budget": Count(may_be_unbounded=True),
}
# Settings of queries with example images.
IMAGES: Mapping[str, Kind] = {"image_weight": Number(0.0, 1.0)}
# Settings of the order by meaning (`semantic`).
SEMANTIC: Mapping[str, Kind] = {
    "semantic": EncoderKind(),
    "semantic_weight": Number(0.0, 1e6),
    "semantic_answers": Count(highest=10_000),
    "semantic_failures": Choice(get_args(choices.SemanticFailures)),
}
KINDS: Mapping[str, Kind] = {**SEARCH, **IMAGES, **SCORING, **SEMANTIC}
PRESET = Choice(get_args(choices.Preset))
# Prefix of the parameters of the element similarity, which the article similarity may have too: `element_k1`.
PREFIX = "element_"
