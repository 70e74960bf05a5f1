"""Repetitions: texts that say in nearly the same words what a better answer says, so that a word budget has them once.

    resemblance(a, b) = |S(a) ∩ S(b)| / |S(a) ∪ S(b)|    S: the different sequences of IN_A_ROW words of a text

A text repeats another one from LEAST on. Texts of fewer than FEWEST words, such as names and numbers, repeat nothing.

Source: Broder, On the resemblance and containment of documents, SEQUENCES 1997.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np

from engine.arrays import Rows, distinct
from engine.index.reader import IndexReader
from engine.index.texts.passage_offsets import passage_offsets
from engine.ranking.scoring.passages import WHOLE
from engine.records import NamedTuple
from engine.sharded_search.shard_merging import TakenTexts, merged_order

IN_A_ROW, FEWEST, LEAST = 3, 8, 0.7
# The number of a sequence is a polynomial of those of its words, modulo 2^64.
FACTOR = np.uint64(0x9E3779B97F4A7C15)
WORD = re.compile(r"\w+")


class Repeated(NamedTuple):
    """The places of answers that repeat a better one, and of that one among the answers of all shards."""

    places: Rows
    originals: Rows


class AnswerWords:
    """The sequences of words in the answers of one search, each read once.

    Args:
        rows: the elements that numbers stand for; None where these are rows.
    """

    def __init__(self, index: IndexReader, rows: Rows | None = None) -> None:
        self._index, self._rows = index, rows
        self._known: dict[tuple[int, ...], Rows] = {}

    def sequences(self, rows: Rows, sentences: Rows | None) -> list[Rows]:
        """Return a number for each sequence of words in elements, or in sentences of them."""
        rows = rows if self._rows is None else self._rows.take(rows)
        of_sentences = np.full((len(rows), 2), WHOLE) if sentences is None else sentences
        keys = [(row, *ends) for row, ends in zip(rows.tolist(), of_sentences.tolist(), strict=True)]
        missing = np.array([place for place, key in enumerate(keys) if key not in self._known], np.int64)
        for place, text in zip(missing.tolist(), self._texts(rows[missing], of_sentences[missing]), strict=True):
            self._known[keys[place]] = sequences_of(text)
        return [self._known[key] for key in keys]

    def _texts(self, rows: Rows, sentences: Rows) -> list[str]:
        index = self._index
        documents, spans = index.elements.document(rows), index.spans_of(rows)
        is_window = sentences[:, 0] != WHOLE
        for document in distinct(documents[is_window]).tolist():
            chosen = is_window & (documents == document)
            spans[chosen] = passage_offsets(index, document, rows[chosen], *sentences[chosen].T)
        return index.text_parts(documents.tolist(), spans)


def sequences_of(text: str) -> Rows:
    """Return a number for each sequence of words in a text, equal ones the same; none of a text of few words."""
    words = WORD.findall(text.casefold())
    if len(words) < FEWEST:
        return np.empty(0, np.int64)
    numbers = np.array([zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words], np.uint64)
    found = np.zeros(len(words) - IN_A_ROW + 1, np.uint64)
    for place in range(IN_A_ROW):
        found = found * FACTOR + numbers[place : place + len(found)]
    return found.view(np.int64)


def repeated(found: Sequence[TakenTexts]) -> list[Repeated]:
    """Return for each shard which of its answers repeat an answer before the first repetition of all shards.

    What is before it stays, whatever takes the place of the others.
    """
    shards = np.repeat(np.arange(len(found)), [len(each.sizes) for each in found])
    places = np.concatenate([np.arange(len(each.sizes)) for each in found])
    scores, articles = (np.concatenate([each[column] for each in found]) for column in range(2))
    texts = [text for each in found for text in np.split(each.sequences, each.sizes.cumsum()[:-1]) if len(each.sizes)]
    order = merged_order(scores, articles, groups_by_article=found[0].groups_by_article)
    dropped, originals = _first_repetitions([set(texts[number].tolist()) for number in order.tolist()])
    at = order[dropped]
    return [Repeated(places[at[shards[at] == number]], originals[shards[at] == number]) for number in range(len(found))]


def _first_repetitions(texts: Sequence[set[int]]) -> tuple[Rows, Rows]:
    """Return the places of texts that repeat one before the first repetition, and the first one that each repeats."""
    kept: list[set[int]] = []
    of_kept: set[int] = set()
    dropped: list[tuple[int, int]] = []
    for place, text in enumerate(texts):
        can_repeat = text and len(text & of_kept) >= LEAST * len(text)
        like = (number for number, other in enumerate(kept) if len(text & other) >= LEAST * len(text | other))
        original = next(like, None) if can_repeat else None
        if original is not None:
            dropped.append((place, original))
        elif not dropped:  # so that places of texts are those among the kept ones
            kept.append(text)
            of_kept |= text
    columns = np.array(dropped, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]
