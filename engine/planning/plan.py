"""The plan of a query: every choice that later stages depend on, made once (`planning`), and its example images."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from engine.arrays import ArrayRecord, Rows
from engine.fields.conditions import Where
from engine.images.features import ImageFeatures
from engine.index.elements.element_store import Elements
from engine.notices import Notice
from engine.query.query import Query
from engine.query.query_terms import QueryTerm
from engine.records import dataclass
from engine.settings import Length, Settings, TagSelector
from engine.similarity.expression import Calculated, Expression
from engine.similarity.parameters import Parameters
from engine.thesis.coherent_elements import KINDS


@dataclass(frozen=True, eq=False, repr=False)
class ExampleImage(ArrayRecord):
    """An example image, and the elements and images that it is compared with.

    name: the file, or the path in the index, as messages show it.
    names: tags of the elements in which images are compared; () for any.
    support: tags of the elements whose images count for what is in them; None where an element is judged by its own.
    """

    name: str
    features: ImageFeatures
    names: tuple[str, ...] = ()
    support: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"ExampleImage({self.name!r})"


@dataclass(frozen=True)
class ImageQuery:
    """The example images of a query.

    weight: alpha, the share of the images in the score; the text has the rest.
    """

    examples: tuple[ExampleImage, ...]
    weight: float

    def __repr__(self) -> str:
        return f"ImageQuery({', '.join(example.name for example in self.examples)}; weight {self.weight:g})"


@dataclass(frozen=True)
class ArticleRanking:
    """How articles are ranked: the preset `similarity`, or its expression where it is not a preset.

    is_ranked: False for every article with a query term, in collection order. n_best: articles that are returned.
    opening_weight: of the query words in the opening of an article, which are added to its score.
    needs_match: whether articles are the answers, of which each contains the required phrases and a match.
    """

    similarity: str
    expression: Calculated | None
    parameters: Parameters
    is_ranked: bool
    n_best: int
    opening_weight: float = 0.0
    needs_match: bool = False


@dataclass(frozen=True)
class Matching:
    """How matches are found.

    needs_all: whether a match contains all terms (AND), not any (OR). by_class: whether tags match by their classes.
    of_targets: whether strict targets are the answers: `n_first` then counts targets. n_first: matches per topic, None
    for all. finds_rows: whether matching elements are needed, or only targets.
    """

    needs_all: bool
    by_class: bool
    of_targets: bool
    n_first: int | None
    finds_rows: bool = True

    @classmethod
    def of(cls, settings: Settings) -> Matching:
        """Return how settings of one query find matches."""
        return cls(
            needs_all=settings.operator == "and",
            by_class=settings.tags == "classes",
            of_targets=settings.answers == "target",
            n_first=settings.max_matches,
            finds_rows=not is_of_targets_alone(settings),
        )


def is_of_targets_alone(settings: Settings) -> bool:
    """Return whether only the scores of strict targets are needed."""
    is_scored = settings.rank_by == "score" and not settings.passages
    return settings.answers == "target" and is_scored


@dataclass(frozen=True)
class AnswerRule:
    """Which elements can be answers: strict targets; or those that `from_matches` builds; or all with a match in them.

    tags: of the last, only elements with one of these tags. lowest_only: of the last, only the lowest.
    """

    is_target: bool = False
    from_matches: Callable[[Elements, Rows, Rows], Rows] | None = None
    tags: tuple[str, ...] | None = None
    lowest_only: bool = False

    @classmethod
    def of(cls, settings: Settings) -> AnswerRule:
        """Return the rule of the settings of one query."""
        answers = settings.answers
        if isinstance(answers, TagSelector):
            return cls(tags=tuple(name.rpartition(":")[2] for name in answers.names))
        return cls(is_target=answers == "target", from_matches=KINDS.get(answers), lowest_only=answers == "blocks")


@dataclass(frozen=True)
class AnswerScope:
    """Where answers may lie; see `engine.ranking.selection.answer_scope`.

    inside, outside: names of elements that answers lie in, or do not; None for no such bound. documents: a pattern of
    document ids, or ids. where: a condition on the fields of documents.
    """

    inside: tuple[str, ...] | None = None
    outside: tuple[str, ...] | None = None
    documents: str | tuple[str, ...] | None = None
    where: Where | None = None

    @property
    def restricts_documents(self) -> bool:
        """Whether documents are left out."""
        return self.documents is not None or self.where is not None

    def of_all_documents(self) -> AnswerScope:
        """Return the scope without the bounds on documents."""
        return AnswerScope(self.inside, self.outside)

    @property
    def restricts_elements(self) -> bool:
        """Whether elements are left out, not only documents."""
        return self.inside is not None or self.outside is not None

    @classmethod
    def of(cls, settings: Settings) -> AnswerScope:
        """Return the scope by the settings."""
        inside, outside = (None if each is None else each.names for each in (settings.inside, settings.outside))
        return cls(inside, outside, settings.documents, settings.where)


@dataclass(frozen=True)
class SortOrder:
    """The order of answers by a field of their documents, in place of the score."""

    field: str
    is_descending: bool

    @classmethod
    def of(cls, settings: Settings) -> SortOrder | None:
        """Return the order by the settings, None for that of the scores."""
        name = settings.sort
        return None if name is None else cls(name.removeprefix("-"), name.startswith("-"))


@dataclass(frozen=True)
class WholeArticles:
    """Ranked articles are the answers."""


@dataclass(frozen=True)
class ByHeuristic:
    """Elements in the order of their articles, and inside each by a heuristic; see `engine.thesis.heuristics`.

    letters: the keys, "" for document order.
    """

    letters: str


@dataclass(frozen=True)
class ByScore:
    """Elements, or windows of sentences, in the order of their scores; see `engine.ranking.scoring`.

    focus: None until it is estimated from the query (`engine.ranking.scoring.focus`); the weights of article, parent
        and neighbour then contain it, and there are no passages if it is below passage_focus.
    passages: whether there are any; where `unit` is auto, `with_unit` decides.
    own_parts: names and weights of the parts from outside.
    sequence: the words of the query as typed, if they count one after the other and a document contains them so.
    leaf_weight: share of its leaf's score that is added to a passage's, the parent's weight without the focus.
    """

    expression: Expression
    parameters: Parameters
    block_words: Length
    article_weight: float
    parent_weight: float
    leaf_weight: float
    heading_weight: float
    header_rows: bool
    neighbour_weight: float
    sequence_weight: float
    figure_weight: float
    coverage: float
    focus: float | None
    min_words: Length
    max_words: Length | None
    max_table_words: Length | None
    min_leaf_words: Length
    passages: bool
    max_sentences: int
    min_passage_words: Length
    whole_weight: float
    passage_focus: float
    own_parts: tuple[tuple[str, float], ...] = ()
    sequence: QueryTerm | None = None

    @property
    def is_adaptive(self) -> bool:
        """Whether weights depend on the focus of the query."""
        return "focus" in self.parameters

    def resolved_parameters(self, block_words: float) -> Parameters:
        """Return all parameters of the expression, where the collection's text blocks have `block_words` words."""
        found = cast(Parameters, dict(self.parameters))
        if "block" in found:
            found["block"] = max(self.block_words.resolve(block_words), 1.0)
        return found


@dataclass(frozen=True)
class Semantic:
    """The order by meaning of the best answers; see `engine.ranking.selection.semantic_order`.

    encoder, reranker: their names, None without one. n_best, n_reranked: answers that they order anew. n_blocks: blocks
    whose elements are answers for their meaning alone. skips_failures: whether a failure leaves the order by words.
    """

    encoder: str | None
    weight: float
    n_best: int
    n_blocks: int
    reranker: str | None
    reranker_weight: float
    n_reranked: int
    skips_failures: bool

    @classmethod
    def of(cls, settings: Settings) -> Semantic | None:
        """Return the order by meaning by the settings, None without one."""
        if not settings.orders_by_meaning:
            return None
        return cls(
            *(settings.semantic, settings.semantic_weight, settings.semantic_answers, settings.semantic_blocks),
            *(settings.reranker, settings.reranker_weight, settings.reranker_answers),
            skips_failures=settings.semantic_failures == "skip",
        )


@dataclass(frozen=True)
class Selection:
    """Which of the ordered candidates are answers; None for no bound.

    joins_siblings: whether answers are runs of siblings.
    """

    max_answers: int
    max_per_article: int | None
    removes_overlap: bool
    groups_by_article: bool
    word_budget: int | None
    joins_siblings: bool = False


@dataclass(frozen=True, repr=False)
class Plan:
    """How one query is answered. `settings` are those it was made from, with `reading` and `answers` resolved.

    notices: what is not answered as asked, such as words beyond `max_terms`. images: example images that count.
    """

    query: Query
    settings: Settings
    articles: ArticleRanking
    matching: Matching
    answers: AnswerRule
    order: WholeArticles | ByHeuristic | ByScore
    selection: Selection
    scope: AnswerScope = AnswerScope()
    notices: tuple[Notice, ...] = ()
    images: ImageQuery | None = None
    semantic: Semantic | None = None
    sort: SortOrder | None = None

    @property
    def returns_passages(self) -> bool:
        """Whether answers are passages: they are asked for, and the focus of the query, once known, is high enough."""
        return isinstance(self.order, ByScore) and self.order.passages

    @property
    def ranks_whole(self) -> bool:
        """Whether answers are whole articles in the order of their scores: neither listed nor sorted by a field."""
        return isinstance(self.order, WholeArticles) and not self.query.lists_documents and self.sort is None

    @property
    def follows_articles(self) -> bool:
        """Whether answers follow the order of their articles, not scores of their own."""
        return isinstance(self.order, ByHeuristic | WholeArticles) and self.images is None

    @property
    def all_notices(self) -> tuple[Notice, ...]:
        """The notices of the query, and these."""
        return self.query.notices + self.notices

    def __repr__(self) -> str:
        order = type(self.order).__name__
        images = "" if self.images is None else f", {self.images!r}"
        return f"Plan({self.query.text!r}, reading={self.query.reading}, {order}, {self.settings!r}{images})"
