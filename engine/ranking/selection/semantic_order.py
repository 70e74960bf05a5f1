"""The best answers ordered by meaning, too: the cosine of query and answer is a part of the score.

    score(a) + semantic_weight x u x max(0, cos(query, a)),   u = the best score by words

The cosine of an answer is that of its best block (`engine.index.block_vectors`). Only the best `semantic_answers` by
words are compared; what follows them keeps its score and its place after them, as no part is below 0. A part does not
depend on how the collection is divided; cosines are rounded to DECIMALS, because an encoder may compute a vector
differently, in its last digits, on another machine.

Source: reranking of the best answers by the cosine of their vectors, after Nogueira & Cho, 2019 (by a model of pairs),
and Reimers & Gurevych, EMNLP 2019 (vectors of single texts).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import ArrayRecord, FloatArray, Rows, places_of
from engine.errors import SettingsError
from engine.index.reader import IndexReader
from engine.index.shard_exchange import ALONE
from engine.notices import Notice
from engine.planning.plan import Plan, Semantic
from engine.query.nexi.tree import Phrase, Word
from engine.query.query import Query
from engine.query_limits import check_time
from engine.ranking.scoring.passages import WHOLE, words_of_passage
from engine.ranking.selection.repetitions import AnswerWords
from engine.ranking.selection.rows_of_tables import RowsOfTables
from engine.ranking.selection.selection import Selected, cut_by_budget, in_order, in_order_of_articles
from engine.ranking.trace import Reason, Trace, current_trace
from engine.records import dataclass

if TYPE_CHECKING:
    from engine.semantic.encoders import Encoder


# Decimals of a cosine.
DECIMALS = 6


@dataclass(frozen=True, eq=False, repr=False)
class SemanticScores(ArrayRecord):
    """The cosines of the best answers by words and their parts of the score, shape (n,).

    best: the unit of the parts. places: of the answers among the candidates.
    """

    weight: float
    best: float
    cosines: FloatArray
    parts: FloatArray
    places: Rows

    def at(self, place: int) -> int | None:
        """Return where a candidate is among these; None if it is not."""
        found = places_of(self.places == place)
        return int(found[0]) if len(found) else None

    def __repr__(self) -> str:
        return f"SemanticScores({len(self.cosines)}, weight={self.weight:g})"


@dataclass(frozen=True, eq=False, repr=False)
class ByMeaning(ArrayRecord):
    """The answers in their order by words and meaning; `notice` tells why meaning does not count, if it failed."""

    selected: Selected
    n_encoded: int
    notice: Notice | None = None

    def __len__(self) -> int:
        return len(self.selected)

    def __repr__(self) -> str:
        return f"ByMeaning({len(self.selected)}, encoded={self.n_encoded})"


def by_words(index: IndexReader, plan: Plan) -> Plan:
    """Return the plan of the search by words whose best answers will be ordered by meaning.

    Raises: SettingsError where that is not offered.
    """
    if plan.semantic is None:
        return plan
    if plan.images is not None:
        raise SettingsError("semantic: answers to example images cannot be ordered by meaning: leave one of them out.")
    if index.exchange is not ALONE:
        raise SettingsError(
            "semantic: a cluster cannot order answers by meaning: search the index itself (foxir search)."
        )
    chosen = plan.selection
    n_answers = max(plan.semantic.n_best, chosen.max_answers)
    removes_overlap = chosen.removes_overlap or chosen.word_budget is not None
    selection = replace(chosen, max_answers=n_answers, word_budget=None, removes_overlap=removes_overlap)
    return replace(plan, selection=selection)


def order_by_meaning(
    index: IndexReader,
    plan: Plan,
    semantic: Semantic,
    selected: Selected,
    texts: AnswerWords,
    tables: RowsOfTables | None,
) -> ByMeaning:
    """Return the answers re-ranked by their scores by words plus the cosine of query and answer.

    Args:
        selected: the answers by words, at least as many as are compared with the query. texts, tables: as in `select`.
    Raises: SettingsError for an encoder that is missing or fails, unless the settings skip it.
    """
    if selected.scores is None:
        raise TypeError("answers without scores")
    n_best = min(semantic.n_best, len(selected))
    best = abs(float(selected.scores[:n_best].max(initial=0.0))) or 1.0
    cosines, notice = np.zeros(0), None
    if n_best:
        try:
            from engine.semantic.encoders import encoder  # noqa: PLC0415  (needed only here)

            first = selected.at(np.arange(n_best))
            cosines = _cosines(index, encoder(semantic.encoder), plan.query, first)
        except SettingsError as error:
            if not semantic.skips_failures:
                if error.notice is not None:  # of the index, with advice of its own
                    raise
                raise SettingsError(Notice("encoder_fails", {"reason": error.message})) from error
            notice = Notice("by_words_alone", {"reason": error.message})
    parts = semantic.weight * best * np.maximum(cosines, 0.0)
    total = selected.scores.copy()
    total[: len(parts)] += parts
    trace = current_trace()
    if isinstance(trace, Trace):
        places = trace.values["places"][: len(parts)]
        trace.record("semantic", SemanticScores(semantic.weight, best, cosines, parts, places))
    return ByMeaning(_ordered(plan, replace(selected, scores=total), texts, tables), len(parts), notice)


def _ordered(plan: Plan, selected: Selected, texts: AnswerWords, tables: RowsOfTables | None) -> Selected:
    """Return the answers in the order of their scores, as many as there may be."""
    if selected.scores is None or selected.words is None:
        raise TypeError("answers without scores or words")
    columns = selected.scores, selected.articles, np.arange(len(selected))
    grouped, n_answers = plan.selection.groups_by_article, plan.selection.max_answers
    order = in_order_of_articles(*columns) if grouped else in_order(*columns, len(selected))
    selected, kept = selected.at(order), np.arange(len(order))
    trace = current_trace()
    places = trace.values["places"][order] if isinstance(trace, Trace) else None
    if plan.selection.word_budget is not None:
        kept, granted = cut_by_budget(plan.selection, selected, places, texts, tables)
        words = selected.words.copy()
        words[kept] = granted
        selected = replace(selected, words=words)
    if isinstance(trace, Trace) and places is not None:
        others = trace.order[~np.isin(trace.order, places)]
        trace.record_order(np.concatenate([places, others]))
        trace.drop_candidates(Reason.MAX_ANSWERS, places[kept[n_answers:]])
        trace.record("places", places[kept[:n_answers]])
    return selected.at(kept[:n_answers])


def _cosines(index: IndexReader, by: Encoder, query: Query, answers: Selected) -> FloatArray:
    """Return the cosine of the query and of each answer, shape (n,)."""
    index.vectors.check(by)
    (asked,) = by.unit_vectors([query_text(query)], check_time)
    begins = index.elements.first_word(answers.rows)
    ends = begins + index.elements.n_words(answers.rows)
    if answers.sentences is not None:
        for place in places_of(answers.sentences[:, 0] != WHOLE).tolist():
            first, last = answers.sentences[place].tolist()
            begins[place], ends[place] = words_of_passage(index.elements, int(answers.rows[place]), first, last)
    return np.round(index.vectors.cosines(begins, ends, asked), DECIMALS)


def query_text(query: Query) -> str:
    """Return the encoded text of a query: all of it, or the wanted words of its about() conditions."""
    if query.path is None:
        return query.text
    terms = [term for about in query.path.abouts() for term in about.terms]
    wanted = [term for term in terms if isinstance(term, Word | Phrase) and term.sign != "-"]
    return " ".join(term.text if isinstance(term, Word) else " ".join(term.words) for term in wanted)
