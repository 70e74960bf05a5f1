"""The keywords of a search, typed for `Unpack`: settings, parameters of the similarities, and a preset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from engine.settings.choices import (
    AnswerSelection,
    Approach,
    FunctionWords,
    Heuristic,
    Operator,
    Overlap,
    Preset,
    RankBy,
    Reading,
    SemanticFailures,
    Syntax,
    TagComparison,
)
from engine.settings.kinds.length import Length
from engine.settings.kinds.tag_selector import TagSelector
from engine.similarity.parameters import GivenParameters, ParameterValue

Bound = int | Literal["all"] | None
LengthOption = Length | int | str


class SettingOptions(GivenParameters, total=False):
    """The keywords of `Settings.from_options`; see `Settings` for the settings, `engine.similarity` for parameters."""

    approach: Approach
    rank_by: RankBy
    similarity: str
    operator: Operator
    max_matches: Bound
    answers: AnswerSelection
    heuristic: Heuristic
    max_per_article: Bound
    max_articles: Bound
    max_answers: int
    overlap: Overlap
    function_words: FunctionWords
    reading: Reading
    syntax: Syntax
    tags: TagComparison
    inside: TagSelector | str | None
    outside: TagSelector | str | None
    documents: str | None
    max_terms: Bound
    max_query_memory: int | str | None
    max_seconds: float | None
    image_weight: float
    element_similarity: str
    article_weight: float
    opening_weight: float
    parent_weight: float
    heading_weight: float
    header_rows: bool
    neighbour_weight: float
    coverage: float
    focus: float | Literal["auto"] | None
    block_words: LengthOption
    min_words: LengthOption
    max_words: LengthOption | None
    max_table_words: LengthOption | None
    min_leaf_words: LengthOption
    passages: bool
    max_sentences: int
    min_passage_words: LengthOption
    across_elements: bool
    whole_weight: float
    passage_focus: float
    group_by_article: bool
    word_budget: Bound
    semantic: str | Callable[..., object] | None
    semantic_weight: float
    semantic_answers: int
    semantic_failures: SemanticFailures

    preset: Preset
    parameters: Mapping[str, ParameterValue]

    element_s: float
    element_k1: float
    element_b: float
    element_k3: float
    element_mu: float
    element_lambda: float
    element_beta: float
    element_augment: float
    element_floor: float
    element_boolean: Literal["or", "and"]
    element_gpx: float
    element_alpha: float
    element_pivot: float
