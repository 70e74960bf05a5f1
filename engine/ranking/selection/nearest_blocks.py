"""Answers without a word of the query: the elements of the blocks that are nearest to it in meaning.

The cosine of the query with the vectors of all blocks is computed (`engine.index.block_vectors`), and each of the
nearest blocks gives one answer, chosen among the elements that could be answers if they matched: the smallest that
contains the block, if it has at most twice its words, else the largest inside the block, else the text of which it is
a part. A block without any of these, such as names in front of an article, gives none; nor does any where only
sentences are answers.

Source: retrieval by dense vectors beside retrieval by words, Karpukhin et al., EMNLP 2020.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray, Rows, distinct, is_among, mask_of, nth_highest, places_of, ranges
from engine.index.elements.containment import contains_any, is_inside
from engine.index.reader import IndexReader
from engine.planning.plan import AnswerRule, ByScore, Plan
from engine.query_limits import check_time, reserve
from engine.ranking.articles import RankedArticles
from engine.ranking.eligibility.eligibility import eligible_places
from engine.ranking.matches import Matches
from engine.ranking.parts.article import ARTICLE
from engine.ranking.scoring.context import context_of_answers
from engine.ranking.scoring.passages import WHOLE
from engine.ranking.selection.answer_scope import documents_in_scope, is_in_scope
from engine.ranking.selection.overlap import non_overlapping
from engine.ranking.selection.selection import Selected
from engine.ranking.trace import traced
from engine.records import NamedTuple, with_values

# Words of an element that is the answer of a block it contains, at most, for each word of the block.
MOST_WORDS = 2


class Blocks(NamedTuple):
    """Blocks of live documents in the scope of a search, the nearest first; columns of shape (n,).

    begins, ends: first word, and the one after the last. documents: their numbers.
    """

    begins: Rows
    ends: Rows
    documents: Rows


def are_asked_for(plan: Plan) -> bool:
    """Return whether elements without a word of the query can be answers to it."""
    if plan.semantic is None or not plan.semantic.n_blocks or not isinstance(plan.order, ByScore):
        return False
    has_wholes = not plan.order.passages or plan.order.whole_weight > 0
    return has_wholes and not (plan.query.has_structure or plan.query.lists_documents or plan.query.required)


def nearest_blocks(index: IndexReader, plan: Plan, asked: FloatArray, n_blocks: int) -> Blocks:
    """Return the blocks whose cosine with a query is highest, and above 0; ties are in collection order.

    The cosine is that of numbers in signed bytes.

    Args:
        asked: the vector of the query, of length 1.
    """
    words, cosines = index.vectors.every(asked)
    reserve(3 * len(words) + 3 * index.n_slots)
    roots = index.elements.root(np.arange(index.n_slots))
    borders = index.elements.first_word(roots)
    documents = borders.searchsorted(words, side="right") - 1
    kept = mask_of(index.live_documents, index.n_slots)
    kept &= documents_in_scope(index, plan.scope)
    found = places_of(kept.take(documents) & (cosines > 0))
    if len(found) > n_blocks:
        found = found.compress(cosines.take(found) >= nth_highest(cosines.take(found), n_blocks))
    order = documents.take(found) if index.order is None else index.order.take(documents.take(found))
    first = found.take(np.lexsort((words.take(found), order, -cosines.take(found)))[:n_blocks])
    documents = documents.take(first)
    ends = np.append(words, index.elements.word_base[-1]).take(first + 1)
    ends = np.minimum(ends, np.append(borders, index.elements.word_base[-1]).take(documents + 1))
    return Blocks(words.take(first), ends, documents)


def with_articles(ranked: RankedArticles, blocks: Blocks) -> RankedArticles:
    """Return the ranked articles, followed by others with one of the blocks, which have the score 0."""
    _, first = np.unique(blocks.documents, return_index=True)
    documents = blocks.documents.take(np.sort(first))
    documents = documents.compress(~is_among(documents, np.sort(ranked.documents)))
    scores = np.concatenate([ranked.scores, np.zeros(len(documents))])
    return with_values(ranked, documents=np.concatenate([ranked.documents, documents]), scores=scores)


def answers_in(
    index: IndexReader, plan: Plan, order: ByScore, ranked: RankedArticles, blocks: Blocks, known: Selected
) -> Selected:
    """Return one answer for each block, without those that are among the known ones, or overlap with them if none may.

    Their scores by words are those of their articles.
    """
    elements, others = index.elements, np.sort(known.rows)
    with traced(None):
        rows, nearest = np.unique(_elements(index, plan, order, blocks), return_index=True)
    is_new = ~is_among(rows, others)
    if plan.selection.removes_overlap:
        is_new &= ~contains_any(elements, rows, others) & ~is_inside(elements, rows, others)
    rows, nearest = rows.compress(is_new), nearest.compress(is_new)
    if plan.selection.removes_overlap:
        apart = non_overlapping(rows, elements.end(rows), nearest)
        rows, nearest = rows.compress(apart), nearest.compress(apart)
    rows = rows.take(nearest.argsort())
    by_document = ranked.documents.argsort()
    articles = by_document.take(ranked.documents.take(by_document).searchsorted(elements.document(rows)))
    scores = ARTICLE.column(order, ranked.scores).take(articles)
    sentences = None if known.sentences is None else np.full((len(rows), 2), WHOLE)
    return Selected(rows, articles, elements.n_words(rows), scores, sentences)


def _elements(index: IndexReader, plan: Plan, order: ByScore, blocks: Blocks) -> Rows:
    """Return the answer of each block, of those that have one."""
    elements, documents = index.elements, distinct(blocks.documents)
    first, last = elements.leaf_of_word(blocks.begins), elements.leaf_of_word(blocks.ends - 1)
    reserve(int((last - first + 1).sum()))
    leaves = distinct(ranges(first, last - first + 1))
    leaves = leaves.compress(elements.n_own_words(leaves) > 0)
    if plan.scope.restricts_elements:
        leaves = leaves.compress(is_in_scope(index, plan, leaves, documents))
        has_leaf = leaves.searchsorted(last, side="right") > leaves.searchsorted(first)
        blocks = Blocks(*(column.compress(has_leaf) for column in blocks))
    matches = Matches(documents, (), distinct(elements.nearest_non_inline(leaves)))
    if order.passages:  # then any kind of whole element can be a passage
        order = with_values(order, passages=False)
        plan = with_values(plan, order=order, answers=AnswerRule(is_target=plan.answers.is_target))
    context, _ = context_of_answers(index, plan, order, matches, ())
    places = eligible_places(index, plan, order, matches, context)
    rows, words = context.rows.take(places), context.words.take(places)
    is_answer = (words > 0) & ~elements.is_inline(rows)
    if plan.scope.restricts_elements:
        is_answer &= is_in_scope(index, plan, rows, documents)
    rows, words = rows.compress(is_answer), words.compress(is_answer)
    starts = elements.first_word(rows)
    lows = np.maximum(
        rows.searchsorted(elements.root(blocks.documents)),
        starts.searchsorted(blocks.ends - MOST_WORDS * (blocks.ends - blocks.begins)),
    )
    highs = np.minimum(rows.searchsorted(elements.document_end(blocks.documents)), starts.searchsorted(blocks.ends))
    leaves = elements.leaf_of_word(blocks.begins)
    texts, is_text = elements.nearest_non_inline(leaves), leaves == elements.leaf_of_word(blocks.ends - 1)
    at_texts = np.where(is_text & is_among(texts, rows), rows.searchsorted(texts), -1)
    found = list[int]()
    columns = blocks.begins, blocks.ends, at_texts, lows, highs
    for begin, end, at_text, low, high in zip(*(each.tolist() for each in columns), strict=True):
        check_time()
        here = slice(low, high)
        places = _answers_of(begin, end, starts[here], words[here])
        if len(places):
            found.append(low + int(places[0]))
        elif at_text >= 0:
            found.append(at_text)
    return rows.take(np.array(found, np.int64))


def _answers_of(begin: int, end: int, starts: Rows, words: Rows) -> Rows:
    """Return the places of the elements near a block that can be its answer, the best first."""
    around = places_of((starts <= begin) & (starts + words >= end) & (words <= MOST_WORDS * (end - begin)))
    around = around.take(np.lexsort((-around, words.take(around))))  # of equal ones, the innermost first
    inside = places_of((starts >= begin) & (starts + words <= end))
    return np.concatenate([around, inside.take((-words.take(inside)).argsort(kind="stable"))])
