"""From matches to candidates: the elements or passages that can be answers, with what their order is computed from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, distinct
from engine.index.containment import is_inside, is_member
from engine.index.reader import IndexReader
from engine.retrieval.answer_scope import is_in_scope
from engine.retrieval.batches import ArticleBatch
from engine.retrieval.inline_elements import NONE, InlineElements, contain_any, inline_near, own_words
from engine.retrieval.matches import Matches
from engine.retrieval.plan import AnswerRule, ByHeuristic, ByScore, Plan
from engine.retrieval.scoring.context import Context, ScoredElements, context_of, score_in_context
from engine.retrieval.scoring.element_scorer import ElementScorer
from engine.retrieval.scoring.eligibility import best_leaves, eligible_places
from engine.retrieval.scoring.passages import WHOLE, containers, continued_in_next, score_windows, windows_of
from engine.retrieval.scoring.surroundings import NEIGHBOUR_BLOCKS
from engine.retrieval.scoring.title_text import asks_for_titles, is_mostly_titles
from engine.retrieval.scoring.whole_elements import are_of_sentences, whole_shares
from engine.retrieval.shard_merging import any_of
from engine.retrieval.structural_counts import CountedElements, count_elements
from engine.retrieval.trace import Reason, Trace

Rows = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ArticleCandidates(ArrayRecord):
    """Whole articles: the rows of their roots, and the place of each in the ranking."""

    rows: Rows
    articles: Rows

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"ArticleCandidates({len(self)})"


@dataclass(frozen=True, eq=False, repr=False)
class CountedCandidates(ArrayRecord):
    """Elements with structural counts, for a heuristic; `articles`: the place of each article in the ranking."""

    elements: CountedElements
    articles: Rows

    def __len__(self) -> int:
        return len(self.articles)

    def __repr__(self) -> str:
        return f"CountedCandidates({len(self)})"


@dataclass(frozen=True, eq=False, repr=False)
class ScoredCandidates(ArrayRecord):
    """Elements, or passages, with their scores inside the article, in no order; columns of shape (n,).

    rows: elements; of windows of sentences, those around them. articles: the place of each article in the ranking.
    begins, ends: the intervals that tell overlap: of rows, of passages of words.
    words: length. context_scores: the scores without the article's.
    sentences: of passages, the first and the last sentence in that element, WHOLE for all of it, shape (n, 2).
    scored_elements: the candidates with their context. matches: those from which the candidates were built.
    """

    rows: Rows
    articles: Rows
    begins: Rows
    ends: Rows
    words: Rows
    context_scores: FloatArray
    sentences: Rows | None
    scored_elements: ScoredElements
    matches: Matches

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, places: Rows) -> ScoredCandidates:
        """Return those at some places."""
        return self._with(lambda name: getattr(self, name)[places])

    def joined(self, other: ScoredCandidates) -> ScoredCandidates:
        """Return the candidates of both, of the same matches."""
        return self._with(lambda name: np.concatenate([getattr(self, name), getattr(other, name)]))

    def _with(self, column: Callable[[str], NDArray[Any]]) -> ScoredCandidates:
        names = ("rows", "articles", "begins", "ends", "words", "context_scores")
        sentences = None if self.sentences is None else column("sentences")
        return replace(self, **{name: column(name) for name in names}, sentences=sentences)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        kind = "elements" if self.sentences is None else "passages"
        return f"ScoredCandidates({kind}={len(self)}, scored elements={len(self.scored_elements.rows)})"


Candidates = ArticleCandidates | CountedCandidates | ScoredCandidates


def find_candidates(
    index: IndexReader, plan: Plan, batch: ArticleBatch, matches: Matches, trace: Trace | None = None
) -> Candidates:
    """Return the candidates of a batch of articles, for their matches after the structure of the query is read."""
    if isinstance(plan.order, ByScore):
        return scored_candidates(index, plan, plan.order, batch, matches, trace)
    if isinstance(plan.order, ByHeuristic):
        elements = count_elements(index.elements, matches, plan.answers, trace)
        if plan.scope.restricts_elements:
            kept = is_in_scope(index, plan, elements.rows, matches.documents)
            elements = CountedElements(*(column[kept] for column in elements))
        return CountedCandidates(elements, batch.places[np.searchsorted(batch.documents, elements.documents)])
    order, roots = batch.places.argsort(), index.elements.root(batch.documents)
    if trace is not None:
        trace.keep("candidates", Reason.WHOLE_ARTICLES, roots)
    return ArticleCandidates(roots[order], batch.places[order])


def scored_candidates(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    batch: ArticleBatch,
    matches: Matches,
    trace: Trace | None = None,
    scorer: ElementScorer | None = None,
) -> ScoredCandidates:
    """Return the candidates with their scores; where `max_leaves` is set, built from the best matches only.

    With a trace, elements that cannot be answers are scored, too, so that their scores can be explained.

    Args:
        scorer: of these matches and this order, made here unless the caller reads more from it.
    """
    scorer = scorer or ElementScorer(index, plan.query, order, batch.documents, matches)
    scored = score_context(index, plan, order, scorer, matches, everything=trace is not None)
    if trace is not None:
        trace.record("scorer", scorer)
    if order.max_leaves is not None:
        leaf_scores = scored.context_scores[scored.places(index.elements.nearest_non_inline(matches.rows))]
        matches = matches.with_rows(best_leaves(index.elements, matches.rows, leaf_scores, order.max_leaves))
        if trace is not None and (order.passages or not plan.answers.is_target):
            trace.keep_containing("candidates", Reason.MAX_LEAVES, matches.rows)
    places = batch.places[batch.documents.searchsorted(matches.documents)]
    if not order.passages:
        return _elements(index, plan, order, scored, matches, places, trace)
    wholes = _wholes(index, plan, order, scored, matches, places, trace) if order.whole_weight else None
    windows = _windows(index, plan, order, scorer, scored, matches, places, wholes, trace, takes_short=batch.is_whole)
    return windows if wholes is None else _with_windows(index, wholes, windows)


def _elements(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    scored: ScoredElements,
    matches: Matches,
    places: Rows,
    trace: Trace | None,
) -> ScoredCandidates:
    """Return the elements that can be answers as candidates."""
    context = scored.context
    chosen = eligible_places(index, plan, order, matches, context, trace)
    if plan.scope.restricts_elements:
        chosen = chosen[is_in_scope(index, plan, context.rows[chosen], matches.documents)]
    rows, ends = context.rows[chosen], context.ends[chosen]
    articles = places.take(context.document[chosen])
    return ScoredCandidates(
        rows, articles, rows, ends, context.words[chosen], scored.context_scores[chosen], None, scored, matches
    )


def _wholes(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    scored: ScoredElements,
    matches: Matches,
    places: Rows,
    trace: Trace | None,
) -> ScoredCandidates:
    """Return whole elements as passages; of which kind answers are does not count, but strict targets do."""
    plan = replace(plan, answers=AnswerRule(is_target=plan.answers.is_target))
    found = _elements(index, plan, order, scored, matches, places, trace)
    found = found.at(np.flatnonzero(~index.elements.is_inline(found.rows)))
    begins = index.elements.first_word(found.rows)
    return replace(
        found,
        begins=begins,
        ends=begins + found.words,
        context_scores=whole_shares(index, order, found.rows) * found.context_scores,
        sentences=np.full((len(found), 2), WHOLE),
    )


def score_context(
    index: IndexReader, plan: Plan, order: ByScore, scorer: ElementScorer, matches: Matches, *, everything: bool = False
) -> ScoredElements:
    """Return the scores of the elements that can be answers or contain matches, and of their ancestors.

    Args:
        everything: also score elements that contain matches but cannot be answers.
    """
    context = _context(index, plan, order, matches, everything=everything)
    return score_in_context(index, context, scorer, order, with_surroundings=matches.targets is None)


def _context(index: IndexReader, plan: Plan, order: ByScore, matches: Matches, *, everything: bool) -> Context:
    elements, targets = index.elements, matches.targets
    answers_alone = not everything and not order.passages and order.max_leaves is None
    inline = _inline_answers(index, plan, matches)
    if targets is None:
        outside = matches.rows_outside
        has_lengths = answers_alone and plan.answers.from_matches is None and outside is None
        block_words = index.statistics.block_words
        shortest = min(order.min_words.resolve(block_words), NEIGHBOUR_BLOCKS * block_words)
        min_words = shortest if has_lengths else 0.0
        titles = index.profile.titles if order.heading_weight else ()
        rows = matches.rows if outside is None else np.concatenate([matches.rows, outside])
        return context_of(elements, rows, matches.documents, inline=inline, min_words=min_words, titles=titles)
    if answers_alone and plan.answers.is_target:
        return context_of(elements, targets, matches.documents, inline=inline, with_roots=False)
    if not plan.answers.is_target:  # then inline elements are answers only where their tags are asked for
        targets = targets.compress(~elements.is_inline(targets))
    rows = np.concatenate([matches.rows, targets, inline.rows])
    return context_of(elements, rows, matches.documents, inline=inline)


def _inline_answers(index: IndexReader, plan: Plan, matches: Matches) -> InlineElements:
    """Return the inline elements that the query or the settings ask for by name."""
    elements = index.elements
    if matches.targets is not None and plan.answers.is_target:
        return own_words(index, matches.targets.compress(elements.is_inline(matches.targets)))
    numbers = [elements.tag_numbers[name] for name in plan.answers.tags or () if name in elements.tag_numbers]
    numbers = sorted(elements.inline_tags.intersection(numbers))
    if not numbers:
        return NONE
    inline = inline_near(index, elements.with_tags(numbers, matches.documents), matches.rows)
    return inline.where(contain_any(index, inline, plan.query.wanted, matches.documents))


def _with_windows(index: IndexReader, wholes: ScoredCandidates, windows: ScoredCandidates) -> ScoredCandidates:
    """Return whole elements and windows of sentences, without elements of which one window is all."""
    is_all = windows.words == index.elements.n_words(windows.rows)
    is_more = ~is_member(wholes.rows, distinct(windows.rows.compress(is_all)))
    return wholes.at(np.flatnonzero(is_more)).joined(windows)


def _windows(
    index: IndexReader,
    plan: Plan,
    order: ByScore,
    scorer: ElementScorer,
    scored: ScoredElements,
    matches: Matches,
    places: Rows,
    wholes: ScoredCandidates | None,
    trace: Trace | None,
    *,
    takes_short: bool,
) -> ScoredCandidates:
    """Return windows of sentences in the matches as candidates.

    Args:
        wholes: the whole elements beside them, None where passages are sentences only.
        takes_short: whether all windows are candidates if no text has enough words, and there are no whole elements.
    """
    elements, leaves = index.elements, matches.rows
    if matches.targets is not None:
        leaves = leaves[is_inside(elements, leaves, matches.targets)]
    leaves = leaves[elements.n_own_words(leaves) > 0]
    if wholes is not None:
        leaves = leaves[are_of_sentences(index, order, leaves, wholes.rows)]
    context, has_wholes = scored.context, wholes is not None and len(wholes) > 0
    of_leaves = context.places(leaves)
    shortest = order.min_passage_words.resolve(index.statistics.block_words)
    continued, is_text = None, np.ones(len(leaves), np.bool_)
    if not asks_for_titles(index, plan):
        is_text = ~is_mostly_titles(index, context, of_leaves, matches.documents, order.max_title_share)
    if order.across_elements and order.max_sentences > 1:
        continued = _continued(index, plan, leaves, matches) & is_text
        continued[:-1] &= is_text[1:]
    windows = partial(windows_of, elements, leaves, order.max_sentences, shortest, continued=continued, is_text=is_text)
    if index.exchange is not None:
        takes_short = not index.exchange.combine(
            any_of, np.array([has_wholes or len(windows(takes_short=False).leaf) > 0])
        )[0]
    found = windows(takes_short=takes_short and not has_wholes)
    if trace is not None:
        rows_of_wholes = leaves[:0] if wholes is None else wholes.rows
        rows_of_windows = found.row[found.leaf == found.last_leaf]
        trace.keep("candidates", Reason.OF_ANOTHER_KIND, distinct(np.concatenate([leaves, rows_of_wholes])))
        kept = distinct(np.concatenate([rows_of_windows, rows_of_wholes]))
        trace.drop("candidates", Reason.MAX_TITLE_SHARE, np.setdiff1d(leaves.compress(~is_text), kept))
        trace.keep("candidates", Reason.MIN_PASSAGE_WORDS, kept)
    scores = score_windows(scorer, leaves, found, scored.context_scores[of_leaves], order.leaf_weight)
    return ScoredCandidates(
        rows=found.row,
        articles=places.take(context.document[of_leaves][found.leaf]),
        begins=found.begin,
        ends=found.end,
        words=found.end - found.begin,
        context_scores=scores,
        sentences=np.stack([found.first, found.last], axis=1),
        scored_elements=scored,
        matches=matches,
    )


def _continued(index: IndexReader, plan: Plan, leaves: Rows, matches: Matches) -> NDArray[np.bool_]:
    """Return whether a passage may go on from each leaf in the next one; what contains both lies where answers may."""
    continued = continued_in_next(index.elements, leaves)
    around, place = np.unique(containers(index.elements, leaves), return_inverse=True)
    if matches.targets is not None:
        continued &= is_inside(index.elements, around, matches.targets)[place]
    if plan.scope.restricts_elements:
        continued &= is_in_scope(index, plan, around, matches.documents)[place]
    return continued
