"""The settings as keywords and as a record: written by `python -m bench.settings_tables` of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, Literal

from engine.records import dataclass
from engine.settings.choices import (
    AnswerSelection,
    Approach,
    FunctionWords,
    Heuristic,
    Operator,
    Overlap,
    RankBy,
    Reading,
    SemanticFailures,
    Syntax,
    TagComparison,
)
from engine.settings.defaults import default_values
from engine.settings.given import SimilarityOptions
from engine.settings.kinds.length import Length
from engine.settings.kinds.tag_selector import TagSelector


class SettingOptions(SimilarityOptions, total=False):
    """The keywords of `Settings.from_options`."""

    approach: Approach
    rank_by: RankBy
    similarity: str
    operator: Operator
    max_matches: int | Literal["all"] | None
    answers: AnswerSelection
    heuristic: Heuristic
    max_per_article: int | Literal["all"] | None
    max_articles: int | Literal["all"] | None
    max_answers: int
    overlap: Overlap
    function_words: FunctionWords
    reading: Reading
    syntax: Syntax
    tags: TagComparison
    inside: TagSelector | str | None
    outside: TagSelector | str | None
    documents: str | None
    max_terms: int | Literal["all"] | None
    max_query_memory: int | str | None
    max_seconds: float | Literal["all"] | None
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
    block_words: Length | int | str
    min_words: Length | int | str
    max_words: Length | int | str | None
    max_table_words: Length | int | str | None
    min_leaf_words: Length | int | str
    passages: bool
    max_sentences: int
    min_passage_words: Length | int | str
    across_elements: bool
    whole_weight: float
    passage_focus: float
    group_by_article: bool
    word_budget: int | Literal["all"] | None
    semantic: str | Callable[..., object] | None
    semantic_weight: float
    semantic_answers: int
    semantic_failures: SemanticFailures


def _default(name: str) -> Any:
    """Return the field of a setting, whose default is that of its row."""
    return field(default_factory=lambda: default_values()[name])


@dataclass(frozen=True, repr=False)
class SettingValues:
    """The settings, typed; None means no bound, or a value that is estimated."""

    approach: Approach = _default("approach")
    rank_by: RankBy = _default("rank_by")
    similarity: str = _default("similarity")
    operator: Operator = _default("operator")
    max_matches: int | None = _default("max_matches")
    answers: AnswerSelection = _default("answers")
    heuristic: Heuristic = _default("heuristic")
    max_per_article: int | None = _default("max_per_article")
    max_articles: int | None = _default("max_articles")
    max_answers: int = _default("max_answers")
    overlap: Overlap = _default("overlap")
    function_words: FunctionWords = _default("function_words")
    reading: Reading = _default("reading")
    syntax: Syntax = _default("syntax")
    tags: TagComparison = _default("tags")
    inside: TagSelector | None = _default("inside")
    outside: TagSelector | None = _default("outside")
    documents: str | None = _default("documents")
    max_terms: int | None = _default("max_terms")
    max_query_memory: int | None = _default("max_query_memory")
    max_seconds: float | None = _default("max_seconds")
    image_weight: float = _default("image_weight")
    element_similarity: str = _default("element_similarity")
    article_weight: float = _default("article_weight")
    opening_weight: float = _default("opening_weight")
    parent_weight: float = _default("parent_weight")
    heading_weight: float = _default("heading_weight")
    header_rows: bool = _default("header_rows")
    neighbour_weight: float = _default("neighbour_weight")
    coverage: float = _default("coverage")
    focus: float | None = _default("focus")
    block_words: Length = _default("block_words")
    min_words: Length = _default("min_words")
    max_words: Length | None = _default("max_words")
    max_table_words: Length | None = _default("max_table_words")
    min_leaf_words: Length = _default("min_leaf_words")
    passages: bool = _default("passages")
    max_sentences: int = _default("max_sentences")
    min_passage_words: Length = _default("min_passage_words")
    across_elements: bool = _default("across_elements")
    whole_weight: float = _default("whole_weight")
    passage_focus: float = _default("passage_focus")
    group_by_article: bool = _default("group_by_article")
    word_budget: int | None = _default("word_budget")
    semantic: str | None = _default("semantic")
    semantic_weight: float = _default("semantic_weight")
    semantic_answers: int = _default("semantic_answers")
    semantic_failures: SemanticFailures = _default("semantic_failures")
