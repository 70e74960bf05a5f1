"""The best answers ordered by meaning, too: by the vectors of an encoder, by a reranker, or by both.

    score(a) + semantic_weight x u x max(0, cos(query, a)) + reranker_weight x u x r(query, a),   u = the best by words

The cosine of an answer is that of its best block (`engine.index.block_vectors`), for the best `semantic_answers` by
words and for the answers of the nearest `semantic_blocks` (`nearest_blocks`). Then the best `reranker_answers` are
scored by a function of the user, such as a cross-encoder: r is 1 for the best of them and 0 for the worst. What follows
keeps its score and its place after them, as no part is below 0. A part does not depend on how the collection is
divided; it is rounded to DECIMALS, because an encoder may compute a vector differently, in its last digits, on another
machine.

Source: reranking of the best answers by a model of pairs, Nogueira & Cho, 2019; by the cosine of the vectors of single
texts, Reimers & Gurevych, EMNLP 2019.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.arrays import ArrayRecord, FloatArray, Rows, places_of
from engine.errors import SettingsError
from engine.index.reader import IndexReader
from engine.index.shard_exchange import ALONE
from engine.index.texts.passage_offsets import plain_text
from engine.notices import Notice
from engine.planning.plan import ByScore, Plan, Semantic
from engine.query.nexi.tree import Phrase, Word
from engine.query.query import Query
from engine.query_limits import check_time, reserve
from engine.ranking.articles import RankedArticles
from engine.ranking.candidate_columns import Candidates
from engine.ranking.scoring.passages import WHOLE, words_of_passage
from engine.ranking.selection.longer_lists import in_order_of_scores
from engine.ranking.selection.nearest_blocks import Blocks, answers_in, are_asked_for, nearest_blocks
from engine.ranking.selection.repetitions import AnswerWords, Place
from engine.ranking.selection.selection import Selected, in_order
from engine.ranking.trace import Trace, current_trace
from engine.records import NamedTuple, dataclass
from engine.semantic.encoders import BATCH

# Decimals of a cosine, and of the share of a reranker.
DECIMALS = 6
# Numbers in memory for each character of a text whose words are apart.
SPLIT = 6


@dataclass(frozen=True, eq=False, repr=False)
class AddedParts(ArrayRecord):
    """What an encoder or a reranker adds to the scores of answers; columns of shape (n,).

    name: of the setting. by: the encoder or the function. best: the unit of the parts. shares: cosines, or shares of
    the best; those below 0 count as 0. places: of the answers among the candidates.
    """

    name: str
    by: str
    weight: float
    best: float
    shares: FloatArray
    places: Rows

    @property
    def parts(self) -> FloatArray:
        """The addend of each answer."""
        return self.weight * self.best * np.maximum(self.shares, 0.0)

    def at(self, place: int) -> int | None:
        """Return where a candidate is among these; None if it is not."""
        found = places_of(self.places == place)
        return int(found[0]) if len(found) else None

    def __repr__(self) -> str:
        return f"AddedParts({self.name}, {len(self.shares)}, weight={self.weight:g})"


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


def check_meaning(index: IndexReader, plan: Plan) -> None:
    """Raise SettingsError where the order by meaning is not offered."""
    if plan.semantic is None:
        return
    name = "reranker" if plan.semantic.encoder is None else "semantic"
    if plan.images is not None:
        raise SettingsError(f"{name}: answers to example images cannot be ordered by meaning: leave one of them out.")
    if index.exchange is not ALONE:
        raise SettingsError(
            f"{name}: a cluster cannot order answers by meaning: search the index itself (foxir search)."
        )


class Nearest(NamedTuple):
    """The vector of a query, of length 1, and the blocks that are nearest to it."""

    asked: FloatArray
    blocks: Blocks


def find_nearest(index: IndexReader, plan: Plan) -> Nearest | None:
    """Return the blocks nearest to a query in meaning; None where they are not asked for, or the encoder is skipped.

    Raises: SettingsError for an encoder that is missing or fails, unless the settings skip it.
    """
    semantic = plan.semantic
    if semantic is None or semantic.encoder is None or not are_asked_for(plan):
        return None
    try:
        asked = _asked(index, semantic.encoder, plan.query)
    except SettingsError as error:
        if not semantic.skips_failures:
            raise _stopped(error) from error
        return None  # which `order_by_meaning` tells
    return Nearest(asked, nearest_blocks(index, plan, asked, semantic.n_blocks))


def order_by_meaning(
    index: IndexReader,
    plan: Plan,
    semantic: Semantic,
    ranked: RankedArticles,
    selected: Selected,
    nearest: Nearest | None,
    texts: AnswerWords,
) -> ByMeaning:
    """Return the answers re-ranked by their scores by words plus what an encoder and a reranker add to them.

    Args:
        selected: the answers by words, at least as many as are compared with the query. texts: as in `select`.
    Raises: SettingsError for an encoder or a reranker that is missing or fails, unless the settings skip it.
    """
    if selected.scores is None or not isinstance(plan.order, ByScore):
        raise TypeError("answers without scores")
    n_by_words = len(selected)
    n_best = min(semantic.n_best, n_by_words)
    best = abs(float(selected.scores[:n_best].max(initial=0.0))) or 1.0
    if nearest is not None:
        selected = _joined(index, selected, answers_in(index, plan, plan.order, ranked, nearest.blocks, selected))
    total, added, notice = selected.known_scores.copy(), list[AddedParts](), None

    def add(name: str, by: str, weight: float, compared: Rows, shares: FloatArray) -> None:
        trace = current_trace()
        places = trace.values["places"][compared] if isinstance(trace, Trace) else compared
        added.append(AddedParts(name, by, weight, best, np.round(shares, DECIMALS), places))
        total[compared] += added[-1].parts

    try:
        if semantic.encoder is not None and (len(selected) or are_asked_for(plan)):
            compared = np.concatenate([np.arange(n_best), np.arange(n_by_words, len(selected))])
            asked = _asked(index, semantic.encoder, plan.query) if nearest is None else nearest.asked
            add("semantic", semantic.encoder, semantic.weight, compared, _cosines(index, asked, selected.at(compared)))
        if semantic.reranker is not None and len(selected):
            first = in_order(total, selected.articles, np.arange(len(selected)), semantic.n_reranked)
            shares = _shares(index, semantic.reranker, plan.query, selected.at(first), texts)
            add("reranker", semantic.reranker, semantic.reranker_weight, first, shares)
    except SettingsError as error:
        if not semantic.skips_failures:
            raise _stopped(error) from error
        notice = Notice("by_words_alone", {"reason": error.message})
    current_trace().record("meaning", tuple(added))
    n_compared = max((len(each.shares) for each in added), default=0)
    return ByMeaning(in_order_of_scores(plan, replace(selected, scores=total)), n_compared, notice)


def _stopped(error: SettingsError) -> SettingsError:
    """Return the error that ends a search, with how it can go on; that of the index has advice of its own."""
    return error if error.notice is not None else SettingsError(Notice("encoder_fails", {"reason": error.message}))


def _joined(index: IndexReader, selected: Selected, others: Selected) -> Selected:
    """Return the answers by words followed by others, which the trace gets as candidates."""
    trace = current_trace()
    if isinstance(trace, Trace):
        known, rows = trace.values["candidates"], others.rows
        of_words = others.sentences is not None
        begins = index.elements.first_word(rows) if of_words else rows
        ends = begins + others.words if of_words else index.elements.end(rows)
        new = Candidates(rows, others.articles, begins, ends, others.words, others.scores, others.sentences)
        trace.record("candidates", known.joined(new))
        trace.record("n_by_words", len(known))
        trace.record("places", np.concatenate([trace.values["places"], len(known) + np.arange(len(new))]))
    return selected.followed_by(others)


def _asked(index: IndexReader, name: str, query: Query) -> FloatArray:
    """Return the vector of a query, of length 1, by the encoder of the index's vectors."""
    from engine.semantic.encoders import encoder  # noqa: PLC0415  (needed only here)

    by = encoder(name)
    index.vectors.check(by)
    asked: FloatArray = by.unit_vectors([query_text(query)], check_time)[0]
    return asked


def _cosines(index: IndexReader, asked: FloatArray, answers: Selected) -> FloatArray:
    """Return the cosine of the query and of each answer, shape (n,)."""
    begins = index.elements.first_word(answers.rows)
    ends = begins + index.elements.n_words(answers.rows)
    if answers.sentences is not None:
        for place in places_of(answers.sentences[:, 0] != WHOLE).tolist():
            first, last = answers.sentences[place].tolist()
            begins[place], ends[place] = words_of_passage(index.elements, int(answers.rows[place]), first, last)
    return index.vectors.cosines(begins, ends, asked)


def _shares(index: IndexReader, reranker: str, query: Query, answers: Selected, texts: AnswerWords) -> FloatArray:
    """Return the scores of answers by a reranker, the best as 1 and the worst as 0, shape (n,)."""
    from engine.semantic.reranker import shares_of_best  # noqa: PLC0415  (needed only here)

    places = texts.places(answers.rows, answers.sentences)
    return shares_of_best(reranker, query_text(query), _texts(index, answers.rows.tolist(), places))


def _texts(index: IndexReader, rows: Sequence[int], places: Sequence[Place]) -> Iterator[list[str]]:
    """Yield the texts of some answers as a reranker gets them, BATCH at a time; raises QueryLimitError."""
    for first in range(0, len(rows), BATCH):
        batch, before = list[str](), 0
        for row, (document, begin, end) in zip(rows[first : first + BATCH], places[first : first + BATCH], strict=True):
            reserve(SPLIT * (end - begin))
            batch.append(plain_text(index, document, row, begin, end))
            reserve(-SPLIT * (end - begin) + len(batch[-1]))
            before += len(batch[-1])
        yield batch
        reserve(-before)


def query_text(query: Query) -> str:
    """Return the encoded text of a query: all of it, or the wanted words of its about() conditions."""
    if query.path is None:
        return query.text
    terms = [term for about in query.path.abouts() for term in about.terms]
    wanted = [term for term in terms if isinstance(term, Word | Phrase) and term.sign != "-"]
    return " ".join(term.text if isinstance(term, Word) else " ".join(term.words) for term in wanted)
