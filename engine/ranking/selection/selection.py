"""From candidates to answers: their order, and which of them stay.

List filtering on scores chooses sizes: an element stays if it scores higher than all above and below it, so the list is
the set without overlap in which every answer is the best of what it overlaps with. A budget takes what fits, in the
order of the scores: where an element is too large, parts of it may still fit. What repeats a better answer is left out
(`repetitions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import ArrayRecord, FloatArray, Rows, mask_of, nth_highest, places_of
from engine.index.shard_exchange import ALONE, Exchange
from engine.kernels.table import compiled, native
from engine.planning.plan import Selection
from engine.ranking.candidate_columns import Candidates
from engine.ranking.selection.overlap import (
    best_without_overlap,
    blockers,
    first_overlapped,
    follow_one_another,
    non_overlapping,
    passages_without_overlap,
)
from engine.ranking.selection.repetitions import AnswerWords, Repeated, TextsInOrder, repeated
from engine.ranking.selection.rows_of_tables import RowsOfTables
from engine.ranking.selection.word_budget import Fitting, Refused, affordable, fitting_places
from engine.ranking.trace import Reason, current_trace, keep_candidates
from engine.records import dataclass
from engine.sharded_search.shard_merging import BudgetCandidates, TakenTexts


@dataclass(frozen=True, eq=False, repr=False)
class Selected(ArrayRecord):
    """The candidates that are answers, best first; columns as in `Candidates`.

    siblings: of runs of siblings, the rows of the first and the last one around each row, shape (n, 2).
    """

    rows: Rows
    articles: Rows
    words: Rows
    scores: FloatArray | None = None
    sentences: Rows | None = None
    siblings: Rows | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def known_scores(self) -> FloatArray:
        """The scores; raises TypeError for answers without any."""
        if self.scores is None:
            raise TypeError("answers without scores")
        return self.scores

    def at(self, places: Rows) -> Selected:
        """Return the answers at some places, in the order of these."""
        rows, articles, words, *others = (getattr(self, each.name) for each in fields(self))
        chosen = (None if column is None else column[places] for column in others)
        return Selected(rows[places], articles[places], words[places], *chosen)

    def followed_by(self, others: Selected) -> Selected:
        """Return these answers, which have scores, followed by others with the same columns."""
        return Selected(
            np.concatenate([self.rows, others.rows]),
            np.concatenate([self.articles, others.articles]),
            np.concatenate([self.words, others.words]),
            np.concatenate([self.known_scores, others.known_scores]),
            None
            if self.sentences is None or others.sentences is None
            else np.concatenate([self.sentences, others.sentences]),
        )

    def __repr__(self) -> str:
        return f"Selected({len(self)})"


def select(
    selection: Selection,
    candidates: Candidates,
    exchange: Exchange = ALONE,
    texts: AnswerWords | None = None,
    tables: RowsOfTables | None = None,
) -> Selected:
    """Return the candidates that are answers, best first.

    A table that a word budget has room for only some rows of has the words of these.

    Args:
        texts: of the answers, by which a word budget leaves out repetitions; None where it takes these, too.
        tables: of which a budget may take rows; None where these stay whole.
    Raises: WordBudgetError where no candidate fits the word budget.
    """
    words = None
    if candidates.scores is None:
        places = _of_ordered(selection, candidates)
    elif selection.word_budget is not None:
        budget = selection.word_budget
        places, words = _fitting(selection, candidates, candidates.scores, budget, texts, tables, exchange)
    else:
        places = _of_scored(selection, candidates, candidates.scores)
    current_trace().record("places", places)
    scores = None if candidates.scores is None else candidates.scores[places]
    sentences = None if candidates.sentences is None else candidates.sentences[places]
    words = candidates.words[places] if words is None else words
    return Selected(candidates.rows[places], candidates.articles[places], words, scores, sentences)


def joined(batches: Sequence[Selected], n_answers: int) -> Selected:
    """Return the first answers of consecutive batches as one."""
    if len(batches) == 1 and len(batches[0]) <= n_answers:
        return batches[0]
    none = np.empty(0, np.int64)
    return Selected(
        *(
            np.concatenate([none, *(getattr(batch, name) for batch in batches)])[:n_answers]
            for name in ("rows", "articles", "words")
        )
    )


def merged(one: Selected, other: Selected, n_answers: int) -> Selected:
    """Return the best of the answers from different articles, both by score."""
    if one.scores is None or other.scores is None:
        raise TypeError("answers without scores have no order among one another")
    scores, articles = np.concatenate([one.scores, other.scores]), np.concatenate([one.articles, other.articles])
    best = np.lexsort((articles, -scores))[:n_answers]  # it is stable: answers of one article stay in their order
    sentences = None
    if one.sentences is not None and other.sentences is not None:
        sentences = np.concatenate([one.sentences, other.sentences])[best]
    rows, words = (np.concatenate([getattr(one, name), getattr(other, name)])[best] for name in ("rows", "words"))
    return Selected(rows, articles[best], words, scores[best], sentences)


def lowest_score_within_budget(
    selection: Selection,
    candidates: Candidates,
    budget: int,
    shortest: float,
    texts: AnswerWords | None,
    tables: RowsOfTables | None,
) -> float:
    """Return the score of the answer with which the list is complete; lower ones cannot enter it. -inf if it is not.

    It is complete if there are as many answers as may be, or less of the budget is left than any candidate needs.

    Args:
        shortest: words that each candidate has at least, also those that were not scored yet.
        texts, tables: as in `select`.
    """
    if candidates.scores is None or not len(candidates) or candidates.words.min() > budget:
        return -np.inf
    places, words = _fitting(selection, candidates, candidates.scores, budget, texts, tables)
    left = budget - np.cumsum(words)
    complete = places_of(left < max(shortest, 1))
    if complete.size:
        return float(candidates.scores[places[complete[0]]])
    return float(candidates.scores[places[-1]]) if len(places) == selection.max_answers else -np.inf


def _of_ordered(selection: Selection, candidates: Candidates) -> Rows:
    """Return the places of the answers among candidates that are in order."""
    places = np.arange(len(candidates))
    current_trace().record_order(places)
    if selection.max_per_article is not None:
        begins = np.searchsorted(candidates.articles, candidates.articles)
        is_among_first = places - begins < selection.max_per_article
        places = keep_candidates(places, is_among_first, Reason.MAX_PER_ARTICLE)
    if selection.removes_overlap:
        by_row = places[np.argsort(candidates.rows[places], kind="stable")]
        places = np.sort(_without_overlap(by_row, candidates.rows[by_row], candidates.ends[by_row], by_row))
    return _first(places, selection.max_answers)


def _are_best(selection: Selection) -> bool:
    """Return whether answers are the best candidates, from whichever articles, and nobody asks for the others."""
    return not current_trace().is_on and not selection.groups_by_article and selection.max_per_article is None


def _of_scored_in_numpy(selection: Selection, candidates: Candidates, scores: FloatArray) -> Rows:
    trace = current_trace()
    begins, ends = candidates.begins, candidates.ends
    is_nested = candidates.sentences is None
    places = np.arange(len(scores))
    if selection.removes_overlap and is_nested:
        if _are_best(selection):
            places = best_without_overlap(begins, ends, scores, selection.max_answers)
        else:
            places = _without_overlap(places, begins, ends, -scores)
    most = None if trace.is_on else selection.max_per_article
    filters_list = selection.removes_overlap and not is_nested and not follow_one_another(begins, ends)
    if most == 1:
        filters_list = False  # the best passage of an article has none before it
    is_cut_late = selection.max_per_article is not None or trace.is_on
    n_wanted = len(scores) if is_cut_late else selection.max_answers
    trace.record_order(lambda: _sorted(selection, candidates, scores, np.arange(len(scores)), len(scores)))
    kept = _sorted(selection, candidates, scores, places, len(scores) if filters_list else n_wanted)
    if filters_list:
        columns = begins[kept], ends[kept]
        apart = passages_without_overlap(*columns, candidates.articles[kept], n_wanted, most)
        if trace.is_on:  # then all are wanted
            trace.drop_candidates(Reason.OVERLAP, np.delete(kept, apart), kept[first_overlapped(*columns, apart)])
        kept = kept[apart]
    if selection.max_per_article is not None:
        stays = mask_of(first_of_articles(candidates.articles[kept], selection.max_per_article), len(kept))
        kept = keep_candidates(kept, stays, Reason.MAX_PER_ARTICLE)
    return _first(kept, selection.max_answers)


@compiled(_of_scored_in_numpy)
def _of_scored(selection: Selection, candidates: Candidates, scores: FloatArray) -> Rows:
    """Return the places of the answers, best first."""
    if not selection.removes_overlap or candidates.sentences is not None or not _are_best(selection):
        return _of_scored_in_numpy(selection, candidates, scores)
    columns = candidates.begins, candidates.ends, candidates.articles, scores
    return np.frombuffer(native.best_apart(*columns, selection.max_answers), np.int64)


def _fitting(
    selection: Selection,
    candidates: Candidates,
    scores: FloatArray,
    budget: int,
    texts: AnswerWords | None,
    tables: RowsOfTables | None,
    exchange: Exchange = ALONE,
) -> Fitting:
    """Return the answers that fit a budget of words, best first, without repetitions."""
    left = _sorted(selection, candidates, scores, np.arange(len(scores)), len(scores))
    trace = current_trace()
    refused = Refused(len(left)) if trace.is_on else None
    if exchange.n_shards == 1:
        trace.record_order(left)
    while True:
        columns = candidates.begins[left], candidates.ends[left], candidates.articles[left], candidates.words[left]
        rows, sentences = candidates.rows[left], None if candidates.sentences is None else candidates.sentences[left]
        if exchange.n_shards > 1:
            begins, ends, articles, words = columns
            given = BudgetCandidates(
                *(scores[left], articles, begins, ends, words, *_words_of_rows(tables, rows, sentences)),
                *(budget, selection.max_per_article, selection.groups_by_article),
            )
            fits = exchange.combine(affordable, given)[exchange.number]
        else:
            texts_in_order = None if texts is None else TextsInOrder(texts, rows, sentences)
            most = None if trace.is_on else selection.max_answers
            in_order = texts_in_order, most, None if tables is None else tables.in_order(rows, sentences)
            fits = fitting_places(*columns, budget, selection.max_per_article, refused, *in_order)
        taken = left[fits.places]
        if exchange.n_shards == 1:
            break
        found = _repetitions(selection, candidates, scores, taken, texts, exchange)
        if found is None:
            break
        left = np.delete(left, fits.places[found.places])
    if refused is not None:
        refused.record(trace, left)
    if exchange.n_shards > 1:
        return Fitting(taken, fits.words)
    return Fitting(_first(taken, selection.max_answers), fits.words[: selection.max_answers])


def _words_of_rows(
    tables: RowsOfTables | None, rows: Rows, sentences: Rows | None
) -> tuple[Rows, Rows, tuple[int, bool]]:
    """Return of each candidate how many rows it has, the words of all of these, and when there is room for any."""
    n_rows = np.zeros(len(rows), np.int64)
    if tables is None:
        return n_rows, n_rows[:0], (0, False)
    are_tables = tables.are_tables(rows, sentences)
    words = [each.words for each in tables.of(rows.compress(are_tables))]
    n_rows[are_tables] = [len(each) for each in words]
    return n_rows, np.concatenate([n_rows[:0], *words]), tables.room


def _repetitions(
    selection: Selection,
    candidates: Candidates,
    scores: FloatArray,
    taken: Rows,
    texts: AnswerWords | None,
    exchange: Exchange,
) -> Repeated | None:
    """Return which of the answers of this shard repeat a better one; None where none of any shard does."""
    if texts is None:
        return None
    sentences = None if candidates.sentences is None else candidates.sentences[taken]
    columns = texts.columns(candidates.rows[taken], sentences)
    given = TakenTexts(columns, scores[taken], candidates.articles[taken], selection.groups_by_article)
    found = exchange.combine(repeated, given)
    if not any(len(each.places) for each in found):
        return None
    texts.add_repetitions(columns, found[exchange.number])
    return found[exchange.number]


def cut_by_budget(
    selection: Selection, ordered: Selected, candidates: Rows | None, texts: AnswerWords, tables: RowsOfTables | None
) -> Fitting:
    """Return the answers, best first, without overlap and repetitions, that fit the word budget.

    Args:
        candidates: their places among the candidates, for the trace. texts, tables: as in `select`.
    Raises: WordBudgetError where none fits.
    """
    if ordered.scores is None:
        raise TypeError("answers without scores")
    trace, places = current_trace(), np.arange(len(ordered))
    refused = Refused(len(ordered))
    columns, in_order = (
        (places, places + 1, ordered.articles, ordered.words),
        TextsInOrder(texts, ordered.rows, ordered.sentences, ordered.siblings),
    )
    of_tables = None if tables is None else tables.in_order(ordered.rows, ordered.sentences)
    budget, most = selection.word_budget or 0, selection.max_per_article
    taken = fitting_places(*columns, budget, most, refused, in_order, tables=of_tables)
    if candidates is not None:
        refused.record(trace, candidates)
    return taken


def _without_overlap(places: Rows, begins: Rows, ends: Rows, rank: NDArray[Any]) -> Rows:
    """Return the candidates, ascending by row, that remain after list filtering."""
    is_kept = non_overlapping(begins, ends, rank)
    current_trace().drop_candidates(
        Reason.OVERLAP, lambda: places[~is_kept], lambda: places[blockers(begins, ends, rank, is_kept)]
    )
    return places[is_kept]


def _first(places: Rows, n_first: int) -> Rows:
    """Return the first places."""
    return keep_candidates(places, np.arange(len(places)) < n_first, Reason.MAX_ANSWERS)


def _sorted(selection: Selection, candidates: Candidates, scores: FloatArray, places: Rows, n_first: int) -> Rows:
    """Return places in the order of the list; at least the first n."""
    columns = scores[places], candidates.articles[places], candidates.begins[places]
    order = in_order_of_articles(*columns) if selection.groups_by_article else in_order(*columns, n_first)
    return places[order]


def in_order(scores: FloatArray, article: Rows, begins: Rows, n_first: int) -> Rows:
    """Return the places of the first answers, best first; ties go to the better article, then stay in document order.

    Args:
        article: rank of each answer's article; begins: what orders answers in their document.
    """
    chosen = np.arange(len(scores))
    if len(scores) > n_first:
        chosen = places_of(scores >= nth_highest(scores, n_first))
    order = chosen[np.argsort(-scores[chosen])]
    ordered = scores[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    if is_new.all():
        return order[:n_first]
    run = np.cumsum(is_new)
    tied = places_of(~is_new | ~np.append(is_new[1:], True))  # the only ones whose order is still open
    places = order[tied]
    order[tied] = places[np.lexsort((places, begins[places], article[places], run[tied]))]
    return order[:n_first]


def in_order_of_articles(scores: FloatArray, article: Rows, begins: Rows) -> Rows:
    """Return the places of the answers, those of the best article first, inside each in order."""
    return np.lexsort((begins, -scores, article))


def first_of_articles(article: Rows, n_first: int) -> Rows:
    """Return the places of the first answers of each article, in order."""
    by_article = np.argsort(article, kind="stable")
    ordered = article[by_article]
    is_first = np.ones(len(article), np.bool_)
    is_first[n_first:] = ordered[n_first:] != ordered[:-n_first]
    return np.sort(by_article[is_first])
