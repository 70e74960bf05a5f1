"""The best elements of a batch of articles by compiled kernels: what the stages from matches to selection find.

Three kernels do what the stages do one after the other, without the columns that lie between these: `count_in_tree`
counts the terms in all elements that contain some, `weigh_in_tree` scores them, and `best_in_tree` adds their context,
leaves out what cannot be an answer, and filters the list. In between, NumPy computes logarithms and powers. The stages
are the reference: they are used where a search is observed or explained, and for everything that the kernels do not
compute; answers, their order and scores are the same bits.
"""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np

from engine import kernels
from engine.array_types import Rows
from engine.index.elements.element_table import TableMask
from engine.index.elements.titles import LEAST_OF_TITLES
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.query.query import Query
from engine.query_limits import check_time, reserve
from engine.ranking.articles import RankedArticles
from engine.ranking.batches import ArticleBatch
from engine.ranking.eligibility.fragments import fragment_tags
from engine.ranking.eligibility.title_text import asks_for_titles
from engine.ranking.full_articles import full_documents
from engine.ranking.matches import Matches, occurrences_of_each
from engine.ranking.scoring.context_scores import whole_words
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.ranking.scoring.scored_elements import mask_of_answers
from engine.ranking.scoring.term_weights import DocumentWeights
from engine.ranking.selection.selection import Selected
from engine.records import NamedTuple

# Terms that are counted together in all elements of a document; a query of more is searched stage by stage.
MOST_TERMS = 64
# Memory of the kernels in numbers of eight bytes: for an element, and for a term in it, whose columns grow by doubling.
PER_ELEMENT, PER_PAIR = 21, 3


class CountedTree(NamedTuple):
    """The elements under a mask that contain words of a query in all ranked articles, with the number of each word.

    counted: what `count_in_tree` returned. has_complete: whether the own text of an element contains all terms.
    """

    query: Query
    ranked: RankedArticles
    mask: TableMask
    matches: Matches
    counted: object
    has_complete: bool


class LastCounted:
    """What was counted last in all ranked articles: a first search for feedback leaves it to the search itself."""

    def __init__(self) -> None:
        self._counted: CountedTree | None = None

    def keep(self, counted: CountedTree) -> None:
        """Keep what was counted for a later search."""
        self._counted = counted

    def find(self, query: Query, ranked: RankedArticles, mask: TableMask) -> CountedTree | None:
        """Return what was counted for the same words in the same articles; None where something else was."""
        last = self._counted
        is_same = last is not None and last.query is query and last.ranked is ranked and last.mask == mask
        return last if is_same else None


def best_elements(
    index: IndexReader,
    plan: Plan,
    ranked: RankedArticles,
    batch: ArticleBatch,
    weights: DocumentWeights | None = None,
    last: LastCounted | None = None,
) -> Selected | None:
    """Return the answers among the elements of a batch of articles, best first; None where the stages find them.

    Args:
        weights: of the terms in these articles and others, where they are known.
        last: keeps what is counted where the batch is of all articles.
    """
    native, order = kernels.native, plan.order
    if (
        native is None
        or not isinstance(order, ByScore)
        or not _are_plain(index, plan, order)
        or not len(batch.documents)
    ):
        return None
    mask = mask_of_answers(index, order)
    counted = None if last is None or not batch.is_whole else last.find(plan.query, ranked, mask)
    if counted is None:
        found = occurrences_of_each(index.elements, plan.query.wanted, batch.documents)
        matches = Matches(batch.documents, found, found[0].rows[:0])
    else:
        matches = counted.matches
    scorer = ElementScorer(index, plan.query, order, batch.documents, matches, weights)
    if not scorer.terms or not scorer.is_by_blocks:
        return None
    if counted is None:
        full = full_documents(index, plan, batch)
        counted = CountedTree(plan.query, ranked, mask, matches, *_counted(native, index, mask, scorer, batch, full))
        if last is not None and batch.is_whole:
            last.keep(counted)
    return _best(native, index, plan, order, ranked, batch, counted, scorer)


def _counted(
    native: ModuleType, index: IndexReader, mask: TableMask, scorer: ElementScorer, batch: ArticleBatch, full: Rows
) -> tuple[object, bool]:
    """Return the elements in which the terms are counted, and whether one contains all of these in its own text."""
    check_time()
    roots, full_roots = (index.elements.root(documents) for documents in (batch.documents, full))
    postings = scorer.postings
    leaves, tf = [each.rows for each in postings], [each.tf for each in postings]
    table = index.elements.table(batch.documents)
    counted, complete, n, n_pairs = native.count_in_tree(table, mask, leaves, tf, roots, full_roots)
    reserve(PER_ELEMENT * n + PER_PAIR * n_pairs)
    return counted, bool(complete)


def _are_plain(index: IndexReader, plan: Plan, order: ByScore) -> bool:
    """Return whether answers are elements of any kind by keywords, chosen by score and overlap alone."""
    query, rule, selection = plan.query, plan.answers, plan.selection
    return not (
        index.exchange is not None
        or order.passages
        or order.max_leaves is not None
        or query.has_structure
        or query.required
        or query.unwanted
        or not 0 < len(query.wanted) <= MOST_TERMS
        or any(term.is_phrase for term in query.wanted)  # matches contain phrases, but words can be scored
        or plan.matching.needs_all
        or plan.matching.n_first is not None
        or rule.from_matches is not None
        or rule.tags is not None
        or rule.lowest_only
        or plan.scope.restricts_elements
        or not selection.removes_overlap
        or selection.groups_by_article
        or selection.max_per_article is not None
        or selection.word_budget is not None
        or order.min_words.resolve(index.statistics.block_words) <= 0
        or order.max_title_share != LEAST_OF_TITLES
        or any(tag in index.elements.tag_numbers for tag in index.profile.headings)
    )


def _best(
    native: ModuleType,
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    ranked: RankedArticles,
    batch: ArticleBatch,
    counted: CountedTree,
    scorer: ElementScorer,
) -> Selected:
    check_time()
    statistics, weights = index.statistics, scorer.weights_of_documents()
    weighed, shares = native.weigh_in_tree(counted.counted, weights.of_terms, weights.of_query, *scorer.of_blocks)
    factors = np.frombuffer(shares, np.float64) ** order.coverage if order.coverage else None
    of_titles = None
    if order.exact_title_weight and (counted.has_complete or not _are_all_of(plan.query, scorer.terms)):
        of_titles = scorer.exact_titles()
    block = statistics.block_words
    density = order.min_density * statistics.mean_density if order.min_density else 0.0
    of_articles = order.article_weight * ranked.scores.take(batch.places)
    most = math.inf if order.max_words is None else order.max_words.resolve(block)
    numbers, scores = native.best_in_tree(
        weighed,
        factors,
        of_titles,
        batch.places,
        of_articles,
        fragment_tags(index, order).are_fragments,
        not asks_for_titles(index, plan),
        order.min_words.resolve(block),
        most,
        whole_words(block),
        density,
        order.root_weight,
        order.parent_weight,
        order.heading_weight,
        order.neighbour_weight,
        order.exact_title_weight,
        plan.selection.max_answers,
    )
    rows, articles, _, words = np.frombuffer(numbers, np.int64).reshape(4, -1)
    return Selected(rows, articles, np.frombuffer(scores, np.float64), None, words)


def _are_all_of(query: Query, terms: list[str]) -> bool:
    """Return whether all terms are words of the query that a title must contain to be the whole query."""
    return all(term in query.whole and term in query.word_counts for term in terms)
