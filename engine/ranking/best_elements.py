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
from engine.index.elements.element_table import TableMask
from engine.index.reader import IndexReader
from engine.planning.plan import ByScore, Plan
from engine.query_limits import check_time, reserve
from engine.ranking.articles import RankedArticles
from engine.ranking.batches import ArticleBatch
from engine.ranking.eligibility.fragments import fragment_tags
from engine.ranking.eligibility.title_text import asks_for_titles
from engine.ranking.matches import Matches, occurrences_of_each
from engine.ranking.parts import catalogue
from engine.ranking.parts.article import ARTICLE
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.ranking.scoring.scored_elements import mask_of_answers
from engine.ranking.scoring.term_weights import DocumentWeights
from engine.ranking.selection.selection import Selected

# The parts that the kernels add up: a search with any other part goes stage by stage.
COMPUTED = list(catalogue.INNER)
# Terms that are counted together in all elements of a document; a query of more is searched stage by stage.
MOST_TERMS = 64
# Memory of the kernels in numbers of eight bytes: for an element, and for a term in it, whose columns grow by doubling.
PER_ELEMENT, PER_PAIR = 21, 3


def best_elements(
    index: IndexReader,
    plan: Plan,
    ranked: RankedArticles,
    batch: ArticleBatch,
    weights: DocumentWeights | None = None,
) -> Selected | None:
    """Return the answers among the elements of a batch of articles, best first; None where the stages find them.

    Args:
        weights: of the terms in these articles and others, where they are known.
    """
    native, order = kernels.native, plan.order
    if (
        native is None
        or not isinstance(order, ByScore)
        or not _are_plain(index, plan, order)
        or not len(batch.documents)
    ):
        return None
    found = occurrences_of_each(index.elements, plan.query.wanted, batch.documents)
    matches = Matches(batch.documents, found, found[0].rows[:0])
    scorer = ElementScorer(index, plan.query, order, batch.documents, matches, weights)
    if not scorer.terms or not scorer.is_by_blocks:
        return None
    counted = _counted(native, index, mask_of_answers(index, order), scorer, batch)
    return _best(native, index, plan, order, ranked, batch, counted, scorer)


def _counted(
    native: ModuleType, index: IndexReader, mask: TableMask, scorer: ElementScorer, batch: ArticleBatch
) -> object:
    """Return the elements in which the terms are counted, with these."""
    check_time()
    roots = index.elements.root(batch.documents)
    postings = scorer.postings
    leaves, tf = [each.rows for each in postings], [each.tf for each in postings]
    table = index.elements.table(batch.documents)
    counted, n, n_pairs = native.count_in_tree(table, mask, leaves, tf, roots)
    reserve(PER_ELEMENT * n + PER_PAIR * n_pairs)
    return counted


def _are_plain(index: IndexReader, plan: Plan, order: ByScore) -> bool:
    """Return whether answers are elements of any kind by keywords, chosen by score and overlap alone."""
    query, rule, selection = plan.query, plan.answers, plan.selection
    return catalogue.INNER == COMPUTED and not (
        index.exchange is not None
        or order.passages
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
        or any(tag in index.elements.tag_numbers for tag in index.profile.headings)
    )


def _best(
    native: ModuleType,
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    ranked: RankedArticles,
    batch: ArticleBatch,
    counted: object,
    scorer: ElementScorer,
) -> Selected:
    check_time()
    weights = scorer.weights_of_documents()
    weighed, shares = native.weigh_in_tree(counted, weights.of_terms, weights.of_query, *scorer.of_blocks)
    factors = np.frombuffer(shares, np.float64) ** order.coverage if order.coverage else None
    block = index.statistics.block_words
    of_articles = ARTICLE.column(order, ranked.scores.take(batch.places))
    most = math.inf if order.max_words is None else order.max_words.resolve(block)
    numbers, scores = native.best_in_tree(
        weighed,
        factors,
        batch.places,
        of_articles,
        fragment_tags(index, order).are_fragments,
        not asks_for_titles(index, plan),
        order.min_words.resolve(block),
        most,
        order.parent_weight,
        order.heading_weight,
        order.neighbour_weight,
        plan.selection.max_answers,
    )
    rows, articles, _, words = np.frombuffer(numbers, np.int64).reshape(4, -1)
    return Selected(rows, articles, np.frombuffer(scores, np.float64), None, words)
