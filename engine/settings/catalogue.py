"""All settings of a search, a row each; options, keywords, parameters of addresses and tables of docs are made of them.

A new setting is one row, and the code that reads it; `python -m bench.settings_tables` writes its static type, and its
line in the docs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from engine.records import NamedTuple
from engine.settings import choices
from engine.settings.kinds.value_types import (
    AUTOMATIC,
    UNBOUNDED,
    AnswersKind,
    Choice,
    Count,
    DocumentsKind,
    EncoderKind,
    FileKind,
    Flag,
    FunctionKind,
    Kind,
    LengthKind,
    MemorySizeKind,
    NamesKind,
    Number,
    PartsKind,
    SimilarityKind,
    SortKind,
    TagsKind,
    UnitKind,
    WhereKind,
)

# What a setting is about: a heading of the help.
ANSWERS, RANKING, SCORES, STRUCTURE = "Answers", "Ranking", "Scores of elements", "Structure"
MEANING, BOUNDS = "Meaning", "Bounds of a query"
# Prefix of the parameters of the element similarity, which the article similarity may have too: `element_k1`.
PREFIX = "element_"
# Parameters of the element similarity that differ from its own defaults: where weights depend on the query, and not.
ELEMENT_PARAMETERS: Mapping[str, float] = {"k1": 1.4, "b": 0.8}
FIXED_ELEMENT_PARAMETERS: Mapping[str, float] = {"k1": 3.4, "b": 0.9}


class Setting(NamedTuple):
    """One setting.

    kind: its values. default: as files have it. topic: a heading of the help.
    about: a sentence, which names other settings in braces: an option of a command, a keyword, by `described`.
    fixed: the default where no weight depends on the query (elements ranked by another similarity than `adaptive`, or
        by structure), if it is another one.
    values: the values in short, where they are not those of the kind. label: the words beside it on the search page.
    effect: MAP and F@10 with other values, as a share of the default's: geometric mean over eight judged collections
        (bench/notebook/experiments.md, each part left out).
    """

    name: str
    kind: Kind
    default: Any
    topic: str
    about: str
    fixed: Any = None
    values: str = ""
    label: str = ""
    effect: Mapping[str, float] = {}

    def described(self, written: Callable[[str], str]) -> str:
        """Return the sentence, with the settings that it names as a front end writes them."""
        return self.about.format_map(_Written(written))

    @property
    def metavar(self) -> str:
        """The values in short: N|all."""
        return self.values or self.kind.metavar


class _Written(dict[str, str]):
    """Names of settings, written by a function."""

    def __init__(self, written: Callable[[str], str]) -> None:
        super().__init__()
        self.written = written

    def __missing__(self, name: str) -> str:
        return self.written(name)


# Settings of every search.
SEARCH_ROWS: Sequence[Setting] = (
    Setting(
        "approach",
        Choice(get_args(choices.Approach)),
        "hybrid",
        RANKING,
        "What is ranked: elements of the best articles, articles, or elements of all.",
    ),
    Setting(
        "rank_by",
        Choice(get_args(choices.RankBy)),
        "score",
        RANKING,
        "Order elements by score, or by structure ({heuristic}).",
    ),
    Setting(
        "similarity",
        SimilarityKind(scores_elements=False),
        "bm25",
        RANKING,
        "Score of articles; an expression of elements (gpx, xfirm, 'E[DM-AFI-BAA]') sets {element_similarity}. See "
        "foxir similarity.",
        fixed="okapi",
        values="bm25|okapi|pcosine|dirichlet|Q-EXPRESSION|module:function",
        label="Similarity of documents",
    ),
    Setting(
        "operator",
        Choice(get_args(choices.Operator)),
        "or",
        STRUCTURE,
        "Matches contain any query term, or all.",
        label="Words of the query in an element",
    ),
    Setting(
        "max_matches", Count(absent=UNBOUNDED), "all", STRUCTURE, "Matches per topic from which answers are built."
    ),
    Setting(
        "answers",
        AnswersKind(get_args(choices.AnswerKind)),
        "auto",
        ANSWERS,
        "Which elements can be answers: auto; matching; oCRE, nCRE (built from matches); target (of a path query); "
        "with {rank_by} score also any (with a match), blocks (the lowest that are long enough), or tags: //p, "
        "'//(sec|p)'.",
        values="KIND|//TAG",
    ),
    Setting(
        "heuristic",
        Choice(get_args(choices.Heuristic)),
        "MpE",
        STRUCTURE,
        "Order inside an article; implies {rank_by} structure.",
        values="MpE|...|TPF|PTF",
    ),
    Setting(
        "max_per_article",
        Count(absent=UNBOUNDED),
        "all",
        ANSWERS,
        "Maximum number of answers per article.",
        label="Answers from one document, at most",
    ),
    Setting("max_articles", Count(absent=UNBOUNDED), 500, RANKING, "Number of top-ranked articles that are searched."),
    Setting("max_answers", Count(), 1500, ANSWERS, "Maximum number of answers."),
    Setting(
        "overlap",
        Choice(get_args(choices.Overlap)),
        "remove",
        ANSWERS,
        "Keep or remove answers that overlap.",
        label="Answers inside one another",
    ),
    Setting(
        "function_words",
        Choice(get_args(choices.FunctionWords)),
        "drop",
        RANKING,
        "Drop or keep words such as 'the' and 'what'.",
        fixed="keep",
    ),
    Setting(
        "reading",
        Choice(get_args(choices.Reading)),
        "auto",
        STRUCTURE,
        "How a path query is read: target, support (S strict, V vague); CO: its words.",
        label="How strictly structure is read",
    ),
    Setting(
        "syntax",
        Choice(get_args(choices.Syntax)),
        "auto",
        ANSWERS,
        "How the query is written: plain words without operators, keywords with signs and phrases, or a path; auto "
        "is path if the query can be parsed as one, or only a path query with a mistake is written so; else "
        "keywords.",
    ),
    Setting(
        "tags",
        Choice(get_args(choices.TagComparison)),
        "exact",
        STRUCTURE,
        "Tags in a query: exact, or classes of the profile.",
    ),
    Setting(
        "inside",
        TagsKind(absent=UNBOUNDED),
        "all",
        ANSWERS,
        "Only answers inside such elements: //body, '//(abstract|body)'.",
    ),
    Setting(
        "outside", TagsKind(absent="none"), "none", ANSWERS, "No answers inside such elements: '//(ref-list|back)'."
    ),
    Setting(
        "documents",
        DocumentsKind(absent=UNBOUNDED),
        "all",
        ANSWERS,
        "Only answers from documents with such ids: 'jats/*'; or of a list, an id a line.",
    ),
    Setting(
        "synonyms",
        FileKind(absent="none"),
        "none",
        ANSWERS,
        "File with words that stand for one another, in TOML (groups = [['lamp', 'lantern']]) or SKOS.",
    ),
    Setting(
        "old_spelling",
        Flag(),
        False,
        ANSWERS,
        "Words also find their spellings in early prints: u for v, i for j, vv for w.",
    ),
    Setting(
        "max_terms",
        Count(absent=UNBOUNDED),
        256,
        BOUNDS,
        "Maximum number of words in a query; only the rarest of a longer one are searched.",
    ),
    Setting(
        "max_query_memory",
        MemorySizeKind(absent=UNBOUNDED),
        "2G",
        BOUNDS,
        "Maximum memory for the intermediate results of a query: 512M, 2G.",
    ),
    Setting(
        "max_seconds",
        Number(0.001, 1e6, absent=UNBOUNDED),
        "all",
        BOUNDS,
        "Maximum time for a query; one that takes longer ends with an error.",
    ),
)

# Settings of queries with example images.
IMAGES_ROWS: Sequence[Setting] = (
    Setting(
        "image_weight",
        Number(0.0, 1.0),
        0.25,
        RANKING,
        "Weight of the images, from 0 to 1, in a query with example images.",
        label="Share of images in the score",
    ),
)

# Settings of the fields of documents, and a lowest score.
FIELDS_ROWS: Sequence[Setting] = (
    Setting(
        "where",
        WhereKind(absent=UNBOUNDED),
        "all",
        ANSWERS,
        "Only answers from documents whose fields are so: 'year >= 2019 and type = review'.",
        values="CONDITION",
    ),
    Setting(
        "facets",
        NamesKind(absent="none"),
        "none",
        ANSWERS,
        "Fields of which values are counted, over all documents with a word of the query: year,author.",
    ),
    Setting(
        "sort",
        SortKind(absent="none"),
        "none",
        ANSWERS,
        "Order answers by a field of their documents in place of the score; -year: the highest first.",
    ),
    Setting(
        "min_score",
        Number(0.0, 1.0),
        0,
        ANSWERS,
        "Lowest score of an answer, as a share of the best one's, from 0 to 1.",
    ),
    Setting(
        "repetitions",
        Choice(get_args(choices.Repetitions)),
        "keep",
        ANSWERS,
        "Near-duplicates of better answers: keep, or once, named beside the better one; a word budget has them once.",
    ),
)

# Settings of scored elements (`rank_by = "score"`).
SCORING_ROWS: Sequence[Setting] = (
    Setting(
        "element_similarity",
        SimilarityKind(scores_elements=True),
        "adaptive",
        SCORES,
        "Score of elements: adaptive, text-blocks, 'E[DM-AFI-BAA]'.",
        values="Q-EXPRESSION|module:function",
    ),
    Setting(
        "article_weight",
        Number(0.0, 1e6),
        2.4,
        SCORES,
        "Weight of the article's score in the scores of its elements.",
        fixed=4,
        effect={"0": 0.806},
    ),
    Setting(
        "opening_weight",
        Number(0.0, 1e6),
        0.4,
        SCORES,
        "Weight of query words among the first words of an article, which adds to the article's score.",
        fixed=0,
        effect={"0": 0.976},
    ),
    Setting(
        "parent_weight",
        Number(0.0, 1.0),
        0.6,
        SCORES,
        "Share of the parent's score that is added.",
        fixed=0.5,
        effect={"0": 0.966},
    ),
    Setting(
        "heading_weight",
        Number(0.0, 1e6),
        1,
        SCORES,
        "Weight of query words in headings of an element and above it.",
        fixed=0,
        effect={"0": 0.956},
    ),
    Setting(
        "header_rows",
        Flag(),
        True,
        SCORES,
        "Count the first rows of a table as headings of it.",
        effect={"false": 0.98},
    ),
    Setting(
        "neighbour_weight",
        Number(0.0, 1e6),
        0.4,
        SCORES,
        "Weight of the better of the elements before and after.",
        fixed=0,
        effect={"0": 0.978},
    ),
    Setting(
        "figure_weight",
        Number(0.0, 1.0),
        0.7,
        SCORES,
        "Share of its text's score and of its headings' that counts where an element is in a figure.",
        fixed=1,
        effect={"1": 0.999},
    ),
    Setting(
        "sequence_weight",
        Number(0.0, 1e6),
        1,
        SCORES,
        "Weight of containing the words of the query as typed, one after the other.",
        fixed=0,
        effect={"0": 1.0},
    ),
    Setting(
        "coverage",
        Number(0.0, 100.0),
        0.2,
        SCORES,
        "Exponent of the share of the query that an element contains, a factor of its score and headings.",
        fixed=0,
        effect={"0": 0.987},
    ),
    Setting(
        "score_parts",
        PartsKind(absent="none"),
        "none",
        SCORES,
        "Parts of the score from outside foxir, functions of yours or of installed packages, each with its weight: "
        "module:function^0.5, separated by commas.",
        values="module:function^WEIGHT",
    ),
    Setting(
        "focus",
        Number(0.0, 1.0, absent=AUTOMATIC),
        "auto",
        SCORES,
        "From 0 to 1, how much of the answer one article contains; multiplies the weights of article, parent and "
        "neighbour; auto estimates it.",
        fixed=1,
        values="auto|NUMBER",
        effect={"0": 0.797, "1": 0.945},
    ),
    Setting(
        "block_words",
        LengthKind(),
        "0.8x",
        SCORES,
        "Length of a text block; shorter elements are scored as if they were that long.",
        effect={"0.1x": 0.803},
    ),
    Setting(
        "min_words",
        LengthKind(),
        "0.2x up to 10",
        ANSWERS,
        "Minimum length of an element other than a whole document: words, or a multiple of the text block (1x), "
        "which may have a limit (0.2x up to 10); for sentences: {min_passage_words}.",
        fixed="0.25x",
        label="Words of an element, at least",
        effect={"1": 1.003},
    ),
    Setting(
        "max_words",
        LengthKind(absent=UNBOUNDED),
        "all",
        ANSWERS,
        "Maximum length of an element; for passages of sentences: {max_sentences}.",
        label="Words of an element, at most",
    ),
    Setting(
        "max_table_words",
        LengthKind(absent=UNBOUNDED),
        "4x",
        ANSWERS,
        "Length of a table above which its rows answer a question in its place.",
        fixed="all",
        label="Words of a table that stays whole, at most",
        effect={"all": 0.954},
    ),
    Setting(
        "min_leaf_words",
        LengthKind(),
        "0.4x up to 16",
        SCORES,
        "Tags whose leaves are usually shorter are fragments (cells, dates), which are not returned.",
        fixed="0",
        effect={"0": 0.937},
    ),
    Setting(
        "unit",
        UnitKind(),
        "auto",
        ANSWERS,
        "Answers: elements, passages (sentences, and whole tables or lists where these fit better), or runs of "
        "siblings, such as turns of a meeting; auto: passages within a {word_budget} where text blocks are long; a "
        "number: passages from such a focus on.",
    ),
    Setting(
        "max_sentences",
        Count(highest=1000),
        1,
        ANSWERS,
        "Sentences per passage; implies passages.",
        label="Sentences of a passage, at most",
    ),
    Setting(
        "min_passage_words",
        LengthKind(),
        "0.15x up to 6",
        ANSWERS,
        "Minimum length of a passage, unless its element is shorter.",
        fixed="0.15x",
    ),
    Setting(
        "whole_weight",
        Number(0.0, 1.0),
        0.7,
        ANSWERS,
        "Factor of the score of a whole element that is returned as a passage; 0: only sentences are.",
        fixed=0,
    ),
    Setting("group_by_article", Flag(), False, ANSWERS, "List the answers of an article together."),
    Setting(
        "word_budget",
        Count(absent=UNBOUNDED),
        "all",
        ANSWERS,
        "Maximum number of words in all answers together; the best that fit are chosen.",
    ),
)

# Settings of the order by meaning (`semantic`).
SEMANTIC_ROWS: Sequence[Setting] = (
    Setting(
        "semantic",
        EncoderKind(absent="none"),
        "none",
        MEANING,
        "Encoder by which the best answers are ranked again: that of the index's --vectors (docs/semantic.md).",
        values="none|wordllama|endpoint:MODEL|MODULE:FUNCTION",
    ),
    Setting("semantic_weight", Number(0.0, 1e6), 0.25, MEANING, "Weight of the cosine, as a share of the best score."),
    Setting("semantic_answers", Count(highest=10000), 100, MEANING, "Number of best answers that are re-ranked."),
    Setting(
        "semantic_blocks",
        Count(lowest=0, highest=10000),
        0,
        MEANING,
        "Number of blocks nearest in meaning whose elements are answers, too, even without a word of the query.",
    ),
    Setting(
        "reranker",
        FunctionKind(absent="none"),
        "none",
        MEANING,
        "Function of yours, such as a cross-encoder, that scores the best answers for the query (docs/semantic.md).",
        values="none|MODULE:FUNCTION",
    ),
    Setting("reranker_weight", Number(0.0, 1e6), 1, MEANING, "Weight of the reranker, as a share of the best score."),
    Setting("reranker_answers", Count(highest=10000), 20, MEANING, "Number of best answers that are scored by it."),
    Setting(
        "semantic_failures",
        Choice(get_args(choices.SemanticFailures)),
        "stop",
        MEANING,
        "If the encoder or the reranker is missing or fails: stop with an error, or skip it with a notice.",
    ),
)

ROWS: Sequence[Setting] = (*SEARCH_ROWS, *FIELDS_ROWS, *IMAGES_ROWS, *SCORING_ROWS, *SEMANTIC_ROWS)
SEARCH, FIELDS, IMAGES, SCORING, SEMANTIC, KINDS = (
    {row.name: row.kind for row in rows}
    for rows in (SEARCH_ROWS, FIELDS_ROWS, IMAGES_ROWS, SCORING_ROWS, SEMANTIC_ROWS, ROWS)
)
PRESET = Choice(get_args(choices.Preset))
# Former names of what is now `unit`; they are still read.
FORMER = {"passages": Flag(), "passage_focus": Number(0.0, 1.0)}
