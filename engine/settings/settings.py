"""The settings of a search, typed; defaults are in `defaults.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from functools import cache, cached_property
from typing import Any, TypeVar, Unpack

from engine.errors import SettingsError
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
from engine.settings.default_values import default_values
from engine.settings.definitions import IMAGES, KINDS, PREFIX, SCORING, SEARCH, SEMANTIC
from engine.settings.exclusions import check_encoder, check_lengths, check_passages_and_budget, check_scope
from engine.settings.given_options import given_options
from engine.settings.given_parameters import article_parameters, element_parameters
from engine.settings.kinds.length import Length
from engine.settings.kinds.parameter_mapping import ParameterMapping
from engine.settings.kinds.python_types import check_types
from engine.settings.kinds.tag_selector import TagSelector
from engine.settings.kinds.value_types import Plain
from engine.settings.options import SettingOptions
from engine.settings.ranking_defaults import adapts, companions, scores_elements, usual_values
from engine.settings.resolution import check_answers, default_heuristic, resolved_answers, resolved_reading
from engine.similarity.article_similarity import defaults_of
from engine.similarity.expression import Expression
from engine.similarity.named_expressions import named_expression
from engine.similarity.parameters import COMPUTED, defaults
from engine.wording.shown_values import shown

Value = TypeVar("Value")

# Numbers of answers for which the settings that differ in nothing else are cached.
MOST_LENGTHS = 16


def _default(name: str) -> Callable[[], Any]:
    """Return a function that returns the default of a setting, from `defaults.toml`."""
    return lambda: default_values()[name]


@dataclass(frozen=True, repr=False)
class Settings:
    """How a query is answered. None means no bound.

    approach: what ranks: hybrid (elements of ranked articles), fulltext (articles), native (elements; articles are not
        ranked).
    rank_by: what orders elements: structure (the heuristic, inside each article), or the score of the element.
    similarity, parameters: the similarity that ranks articles, and its parameters; see `engine.similarity`.
    operator: a match contains any query term in its own text (or), or is a lowest element that contains all (and).
    max_matches: matches of a topic, in the order of their articles, from which answers are built.
    answers: oCRE; nCRE; matching elements; any element with a match in it; blocks (the lowest
        of these with at least `min_words`); the elements of a tag selector; or target, the elements that a strict
        reading asks for. auto is target for the readings SS and SV, else any where elements are scored, and oCRE where
        they are not.
    heuristic: the order inside an article; see `engine.thesis.heuristics`. document is document order.
    max_per_article, max_articles, max_answers: answers per article, ranked articles searched, answers in all.
    overlap: keep answers inside one another, or remove those that overlap with a better one.
    function_words: whether words such as `the` or `what` are dropped from a query, if any other word remains; signed
        words are kept, and in a phrase such words must be in their places, but do not count.
    reading: how the structure in a path query is read: whether target and support are strict or vague; CO ignores it.
        auto is CO for words, SS for a path query (VV where only articles are ranked).
    syntax: how a query is written: plain words without operators; keywords, with signs and phrases; or path. auto is
        path where the query can be parsed as a path or only a path is written so (`engine.query.path_or_words`), else
        keywords (`/etc/hosts is missing`).
    tags: a tag in a query matches itself (exact), or all tags of its class in the profile (sec also ss1, ss2, ss3).
    inside, outside: elements that answers and matches lie in, or do not. documents: a pattern of the ids of documents
        that answers are from (`jats/*`). None of them changes a score; see `engine.ranking.selection.answer_scope`.
    max_terms: distinct words of a query. Of a keyword query with more, the rarest words are searched, and a notice says
        so; a path query with more terms, comparisons and steps is refused, as are words that must all occur.
    max_query_memory: bytes that the intermediate results of one query may take; a query that needs more is refused.
    max_seconds: time that one query may take; a longer one ends with an error, never with part of the answers.

    image_weight: share of the image in the score where the query has example images; the text has the rest.

    The others apply to scored elements (`rank_by = "score"`):

    element_similarity, element_parameters: the Q-expression of the element score, and its parameters.
    article_weight: weight of the article's score in the scores of its elements.
    opening_weight: weight of the query words in the first words of an article, which are added to its score (see
        `engine.index.texts.opening`).
    parent_weight: share of the parent's score that is added to an element's score.
    heading_weight: weight of the query words in the headings of an element and of those around it.
    header_rows: the first two rows of a table count as headings of the table.
    neighbour_weight: weight of the better one of the elements directly before and after.
    coverage: exponent of the share of the query that an element contains, a factor of its score and of that of its
        headings; 0: off.
    focus: factor of the weights of article, parent and neighbour, 0 to 1, and share of the article in the term weights
        of `adaptive`: how far one article answers the query; None to estimate it (see
        `engine.ranking.scoring.focus`).
    block_words: length of a text block; shorter elements are scored as if they had this length.
    min_words, max_words: length of elements that are answers (a whole article is never too short); passages of
        sentences have `min_passage_words` and `max_sentences`.
    max_table_words: length of a table above which its rows answer a question in its place
        (`engine.ranking.selection.table_rows`).
    min_leaf_words: usual length of the leaves in elements of a tag below which these are fragments, such as rows and
        cells, and no answers, unless asked for by tag.
    passages: answers are windows of sentences inside leaves, of at most `max_sentences` sentences and, where possible,
        at least `min_passage_words`, and whole elements (`whole_weight`).
    across_elements: a passage may go on in the next element, if that has a query word and the same parent.
    whole_weight: share of its score by which a whole element is a passage beside sentences, if its tag usually has
        any; tables and lists of fragments have all of their score. 0: passages are sentences only.
    passage_focus: focus below which the answers to a query are elements, not passages; 0: passages at any focus.
    group_by_article: the answers of an article follow one another, in the order of the articles.
    word_budget: words of all answers together; the answers then do not overlap.
    semantic: what makes vectors of texts, by which the best answers are ordered, too: a package, or a function of the
        user, `module:function`; None for an order by words alone. See `engine.ranking.selection.semantic_order`.
    semantic_weight: weight of the cosine, as a share of the best answer's score.
    semantic_answers: how many of the best answers are ordered so.
    semantic_failures: whether a search stops where the encoder is missing or fails, or goes on by words alone.
    """

    approach: Approach = field(default_factory=_default("approach"))
    rank_by: RankBy = field(default_factory=_default("rank_by"))
    similarity: str = field(default_factory=_default("similarity"))
    operator: Operator = field(default_factory=_default("operator"))
    max_matches: int | None = field(default_factory=_default("max_matches"))
    answers: AnswerSelection = field(default_factory=_default("answers"))
    heuristic: Heuristic = field(default_factory=_default("heuristic"))
    max_per_article: int | None = field(default_factory=_default("max_per_article"))
    max_articles: int | None = field(default_factory=_default("max_articles"))
    max_answers: int = field(default_factory=_default("max_answers"))
    overlap: Overlap = field(default_factory=_default("overlap"))
    function_words: FunctionWords = field(default_factory=_default("function_words"))
    reading: Reading = field(default_factory=_default("reading"))
    syntax: Syntax = field(default_factory=_default("syntax"))
    tags: TagComparison = field(default_factory=_default("tags"))
    inside: TagSelector | None = field(default_factory=_default("inside"))
    outside: TagSelector | None = field(default_factory=_default("outside"))
    documents: str | None = field(default_factory=_default("documents"))
    max_terms: int | None = field(default_factory=_default("max_terms"))
    max_query_memory: int | None = field(default_factory=_default("max_query_memory"))
    max_seconds: float | None = field(default_factory=_default("max_seconds"))
    image_weight: float = field(default_factory=_default("image_weight"))
    element_similarity: str = field(default_factory=_default("element_similarity"))
    article_weight: float = field(default_factory=_default("article_weight"))
    opening_weight: float = field(default_factory=_default("opening_weight"))
    parent_weight: float = field(default_factory=_default("parent_weight"))
    heading_weight: float = field(default_factory=_default("heading_weight"))
    header_rows: bool = field(default_factory=_default("header_rows"))
    neighbour_weight: float = field(default_factory=_default("neighbour_weight"))
    coverage: float = field(default_factory=_default("coverage"))
    focus: float | None = field(default_factory=_default("focus"))
    block_words: Length = field(default_factory=_default("block_words"))
    min_words: Length = field(default_factory=_default("min_words"))
    max_words: Length | None = field(default_factory=_default("max_words"))
    max_table_words: Length | None = field(default_factory=_default("max_table_words"))
    min_leaf_words: Length = field(default_factory=_default("min_leaf_words"))
    passages: bool = field(default_factory=_default("passages"))
    max_sentences: int = field(default_factory=_default("max_sentences"))
    min_passage_words: Length = field(default_factory=_default("min_passage_words"))
    across_elements: bool = field(default_factory=_default("across_elements"))
    whole_weight: float = field(default_factory=_default("whole_weight"))
    passage_focus: float = field(default_factory=_default("passage_focus"))
    group_by_article: bool = field(default_factory=_default("group_by_article"))
    word_budget: int | None = field(default_factory=_default("word_budget"))
    semantic: str | None = field(default_factory=_default("semantic"))
    semantic_weight: float = field(default_factory=_default("semantic_weight"))
    semantic_answers: int = field(default_factory=_default("semantic_answers"))
    semantic_failures: SemanticFailures = field(default_factory=_default("semantic_failures"))
    parameters: ParameterMapping = field(default_factory=ParameterMapping)
    element_parameters: ParameterMapping = field(default_factory=_default("element_parameters"))

    def __post_init__(self) -> None:
        for name, kind in KINDS.items():
            value = getattr(self, name)
            if not kind.is_typed(value):
                check_types({name: value})
                raise _not_typed(name, value)
        for name in ("parameters", "element_parameters"):
            if not isinstance(getattr(self, name), ParameterMapping):
                raise TypeError(f"{name}: expected ParameterMapping, got {shown(getattr(self, name))}.")

    @classmethod
    def from_options(cls, base: Settings | None = None, /, **options: Unpack[SettingOptions]) -> Settings:
        """Return the base (by default `defaults.toml`) with some settings changed.

        Values are typed, or text as in files and on the command line: `passages=True` or "on", `min_words=40`, "0.5x"
        or `Length(0.5, relative=True)`, `max_matches=None` or "all". Parameters of the article similarity are given by
        name (`k1=1.95`), or together as `parameters`; those of the element similarity have a prefix (`element_k1=3.4`).
        `preset="thesis-tuned"` sets the parameters that the thesis tuned.

        A similarity of elements sets `element_similarity` and `rank_by="score"`; a heuristic sets
        `rank_by="structure"`; `rank_by` itself takes precedence. `max_sentences` sets `passages=True` where elements
        are scored, unless `passages` is given. Where elements are ranked by another similarity than `adaptive`, or by
        structure, settings that still have their defaults get those of `defaults_without_focus.toml`.
        Raises: SettingsError that names the setting, the value, and what is legal; TypeError for another base.
        """
        if not isinstance(base, Settings | None):
            raise TypeError(f"base: expected Settings, got {type(base).__name__}.")
        settings = base or default_settings()
        given = given_options(options, settings.similarity)
        changed = dict(given.settings)
        if "answers" in changed:
            changed.setdefault("heuristic", default_heuristic(changed["answers"], settings.heuristic))
        if "max_sentences" in changed and scores_elements({**vars(settings), **changed}):
            changed.setdefault("passages", True)
        settings = replace(settings, **{**companions(vars(settings), changed), **changed})
        return replace(
            settings,
            parameters=article_parameters(
                settings.similarity,
                settings.parameters,
                given.preset,
                given.of_articles,
                scores_elements=settings.rank_by == "score",
            ),
            element_parameters=element_parameters(
                settings.element_similarity, settings.element_parameters, given.of_elements
            ),
        )

    @property
    def element_expression(self) -> Expression:
        """The Q-expression of the element score."""
        return named_expression(self.element_similarity)

    @property
    def all_element_parameters(self) -> ParameterMapping:
        """All parameters of the element similarity, defaults included."""
        return ParameterMapping({**defaults(self.element_expression.parameters), **self.element_parameters})

    def for_query(self, *, is_path: bool) -> Settings:
        """Return the settings for one query, a path query or words, with `reading` and `answers` other than auto.

        Raises: SettingsError for settings that exclude one another; QueryError for words where a path query is needed.
        """
        return self._for_path_query if is_path else self._for_words

    def with_max_answers(self, max_answers: int) -> Settings:
        """Return the settings with another `max_answers`: the same object each time, as programs repeat few numbers."""
        if max_answers == self.max_answers:
            return self
        known = self._of_lengths
        found = known.get(max_answers)
        if found is None:
            if len(known) >= MOST_LENGTHS:
                known.clear()
            found = known[max_answers] = replace(self, max_answers=max_answers)
        return found

    @cached_property
    def _computed(self) -> dict[Callable[[Settings], Any], Any]:
        """What functions compute from these settings, see `computed_once`; neither compared nor pickled."""
        return {}

    @cached_property
    def _of_lengths(self) -> dict[int, Settings]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without cached values."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def _for_path_query(self) -> Settings:
        return self._resolved(is_path=True)

    @cached_property
    def _for_words(self) -> Settings:
        return self._resolved(is_path=False)

    def _resolved(self, *, is_path: bool) -> Settings:
        check_lengths(self.min_words, self.max_words)
        check_scope(self.approach, self.inside, self.outside)
        check_encoder(self.semantic, self.approach, self.rank_by)
        check_passages_and_budget(self.approach, self.rank_by, passages=self.passages, word_budget=self.word_budget)
        reading = resolved_reading(self.reading, self.approach, is_path=is_path)
        answers = resolved_answers(self.answers, reading, self.rank_by)
        check_answers(answers, reading, self.approach, self.rank_by, is_automatic=self.reading == "auto")
        return replace(self, reading=reading, answers=answers)

    def to_dict(self) -> dict[str, Plain]:
        """Return the settings that apply, as TOML and JSON have them, with all parameters; "all" for no bound.

        Settings of scored elements are left out where elements are not scored; that of images where it has its default,
        as few queries have any; those of meaning where there is no encoder.
        """
        resolved = replace(self, answers=resolved_answers(self.answers, self.reading, self.rank_by))
        settings = {name: kind.plain(getattr(resolved, name)) for name, kind in SEARCH.items()}
        if self.image_weight != default_settings().image_weight:
            settings |= {name: kind.plain(getattr(self, name)) for name, kind in IMAGES.items()}
        if self.approach != "native":
            settings |= defaults_of(self.similarity)
        settings |= self.parameters
        if self.rank_by == "structure" or self.approach == "fulltext":
            return settings
        settings |= {name: kind.plain(getattr(self, name)) for name, kind in SCORING.items()}
        if self.semantic is not None:
            settings |= {name: kind.plain(getattr(self, name)) for name, kind in SEMANTIC.items()}
        of_elements = {**defaults(self.element_expression.parameters - COMPUTED), **self.element_parameters}
        return settings | {PREFIX + name: value for name, value in of_elements.items()}

    def all_values(self) -> dict[str, Plain]:
        """Return all settings and parameters, those that do not apply included, as given: `auto` is not resolved.

        `from_options` makes equal settings of them, whatever its base.
        """
        settings = {name: kind.plain(getattr(self, name)) for name, kind in KINDS.items()}
        of_articles = {**defaults_of(self.similarity), **self.parameters}
        of_elements = {**defaults(self.element_expression.parameters - COMPUTED), **self.element_parameters}
        return {**settings, **of_articles, **{PREFIX + name: value for name, value in of_elements.items()}}

    def describe(self) -> dict[str, str]:
        """Return the settings that apply as text, as run files have them."""
        return {name: _text(value) for name, value in self.to_dict().items()}

    def __repr__(self) -> str:
        usual = usual_values(adapts=adapts(vars(self)))
        changed: dict[str, Any] = {} if self.heuristic == usual["heuristic"] else {"rank_by": self.rank_by}
        for each in fields(self):
            value = getattr(self, each.name)
            if value == usual[each.name]:
                continue
            if each.name in KINDS:
                changed[each.name] = value if value is None else KINDS[each.name].plain(value)
            elif each.name == "parameters":
                changed |= value
            else:
                changed |= {PREFIX + name: self.all_element_parameters[name] for name in self._shown(usual)}
        if "max_sentences" in changed and scores_elements(vars(self)):
            changed.setdefault("passages", self.passages)
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def _shown(self, usual: Mapping[str, Any]) -> list[str]:
        """Return the element parameters that the repr shows: those set, and those set in the defaults."""
        legal = self.element_expression.parameters - COMPUTED
        return list(
            dict.fromkeys(name for name in (*usual["element_parameters"], *self.element_parameters) if name in legal)
        )


@cache
def default_settings() -> Settings:
    """Return the engine's defaults, from `defaults.toml`."""
    return Settings(**default_values())


def _not_typed(name: str, value: Any) -> SettingsError:
    """Return the error for a value that is illegal, or legal only as an option of `Settings.from_options`."""
    try:
        typed = KINDS[name].parse(name, value)
    except SettingsError as error:
        return error if error.notice is not None else SettingsError(f"{name}: {error}")
    return SettingsError(f"{name} = {shown(value)}: expected {typed!r}; Settings.from_options converts such values.")


def _text(value: Plain) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def computed_once(settings: Settings, compute: Callable[[Settings], Value]) -> Value:
    """Return what a function computes from settings alone; it is cached with them."""
    cache = settings._computed
    if compute not in cache:
        cache[compute] = compute(settings)
    found: Value = cache[compute]
    return found
