"""Repetitions: texts that say in nearly the same words what a better answer says.

A word budget has them once, and so has a list that is asked for so, where the better one says where else it stands.

    resemblance(a, b) = |S(a) ∩ S(b)| / |S(a) ∪ S(b)|    S: the different sequences of IN_A_ROW words of a text

A text repeats another one from LEAST on. Texts of fewer than FEWEST words, such as names and numbers, repeat nothing.

Source: Broder, On the resemblance and containment of documents, SEQUENCES 1997.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Rows
from engine.index.reader import IndexReader
from engine.index.texts.passage_offsets import passage_offsets
from engine.query_limits import check_time, reserve
from engine.ranking.scoring.passages import WHOLE
from engine.records import NamedTuple
from engine.sharded_search.shard_merging import TakenTexts, TextColumns, merged_order

IN_A_ROW, FEWEST, LEAST = 3, 8, 0.7
# The number of a sequence is a polynomial of those of its words, modulo 2^64.
FACTOR = np.uint64(0x9E3779B97F4A7C15)
# Document, start and end of a text.
Place = tuple[int, int, int]
# Candidates whose places are found together.
AT_ONCE = 64
WORD = re.compile(r"\w+")


class AlsoIn(NamedTuple):
    """A text that repeats an answer, or nearly so: the place of the answer, and the row of the element with it.

    shard: of the row, while the answers of shards are not merged.
    """

    place: int
    row: int
    shard: int = 0


class Repeated(NamedTuple):
    """What repeats what among the answers of all shards, for one of these.

    places: of its answers that repeat a better one of any shard. repetitions: of each text of any shard that repeats an
    answer of this one: the place of the answer, then shard, row, document, start and end of the text, shape (n, 6).
    """

    places: Rows
    repetitions: Rows


class AnswerWords:
    """The sequences of words in the answers of one search, each read once.

    Args:
        rows: the elements that numbers stand for; None where these are rows.

    Attributes:
        repetitions: texts that were found to repeat others, each with its shard, which is 0 where there is one; the row
            of its element, and the text it repeats.
    """

    def __init__(self, index: IndexReader, rows: Rows | None = None) -> None:
        self._index, self._rows = index, rows
        self._known: dict[Place, Rows] = {}
        self.repetitions: dict[tuple[int, Place], tuple[int, Place]] = {}

    def also_in(self, rows: Rows, sentences: Rows | None, siblings: Rows | None = None) -> list[AlsoIn]:
        """Return the texts that repeat answers, by the place of these."""
        if not self.repetitions:
            return []
        numbers = {text: number for number, text in enumerate(self.places(rows, sentences, siblings))}
        known = self.repetitions.items()
        return sorted(AlsoIn(numbers[text], row, shard) for (shard, _), (row, text) in known if text in numbers)

    def add_repetitions(self, texts: TextColumns, found: Repeated) -> None:
        """Add the texts of any shard that repeat some of this one."""
        for at, shard, row, *place in found.repetitions.tolist():
            document, start, stop = texts.places[at].tolist()
            self.repetitions.setdefault((shard, (place[0], place[1], place[2])), (row, (document, start, stop)))

    def columns(self, rows: Rows, sentences: Rows | None) -> TextColumns:
        """Return the texts of elements, or of sentences of them; raises QueryLimitError, QueryTimeError."""
        places = self.places(rows, sentences)
        sequences = self.sequences(places)
        sizes = np.array([len(each) for each in sequences], np.int64)
        of_places = np.array(places, np.int64).reshape(-1, 3)
        return TextColumns(rows, of_places, sizes, np.concatenate([rows[:0], *sequences]))

    def places(self, rows: Rows, sentences: Rows | None, siblings: Rows | None = None) -> list[Place]:
        """Return where the texts of elements, of sentences of them, or of siblings around them, are.

        Raises: QueryLimitError, QueryTimeError.
        """
        check_time()
        reserve(3 * len(rows))
        index, rows = self._index, rows if self._rows is None else self._rows.take(rows)
        documents = index.elements.document(rows)
        spans = index.spans_of(rows) if siblings is None else index.spans_between(siblings)
        if sentences is not None:
            spans, is_window = spans.copy(), sentences[:, 0] != WHOLE
            spans[is_window] = passage_offsets(index, rows[is_window], *sentences[is_window].T)
        return list(zip(documents.tolist(), *spans.T.tolist(), strict=True))

    def sequences(self, places: Sequence[Place]) -> list[Rows]:
        """Return a number for each sequence of words in texts; raises QueryLimitError, QueryTimeError."""
        for place in places:
            if place not in self._known:
                check_time()
                document, start, stop = place
                reserve(stop - start)
                (text,) = self._index.text_parts([document], np.array([[start, stop]], np.int64))
                self._known[place] = sequences_of(text)
        return [self._known[place] for place in places]


class TextsInOrder:
    """The texts of candidates, best first, of which those that stay do not repeat one another.

    Only those that are asked about are read.

    Args:
        rows, sentences, siblings: as in `AnswerWords.places`.
    """

    def __init__(self, words: AnswerWords, rows: Rows, sentences: Rows | None, siblings: Rows | None = None) -> None:
        self._words, self._rows, self._sentences, self._siblings = words, rows, sentences, siblings
        self._begin, self._places = 0, list[Place]()  # of the candidates from `_begin` on
        self._kept = _KeptTexts()
        self._repeated: dict[Place, int] = {}

    def add(self, number: int) -> int | None:
        """Return the first candidate that stays and is repeated by a later one, which else stays, too."""
        place = self._place(number)
        if place not in self._repeated:
            (sequences,) = self._words.sequences([place])
            text = set(sequences.tolist())
            original = self._kept.original(text)
            if original is None:
                self._kept.add(number, text)
                self._kept.places[number] = place
                return None
            self._repeated[place] = original
            self._words.repetitions[0, place] = int(self._rows[number]), self._kept.places[original]
        return self._repeated[place]

    def _place(self, number: int) -> Place:
        if number >= self._begin + len(self._places):
            chosen = slice(number, number + AT_ONCE)
            sentences, siblings = (None if each is None else each[chosen] for each in (self._sentences, self._siblings))
            self._begin, self._places = number, self._words.places(self._rows[chosen], sentences, siblings)
        return self._places[number - self._begin]


class _KeptTexts:
    """Texts that do not repeat one another, each a set of sequences."""

    def __init__(self) -> None:
        self._texts: dict[int, set[int]] = {}
        self.places: dict[int, Place] = {}
        self._of_all: set[int] = set()

    def original(self, text: set[int]) -> int | None:
        """Return the number of the first text that a text repeats; None where it repeats none."""
        check_time()
        least = LEAST * len(text)
        if not text or len(text & self._of_all) < least:
            return None
        for number, other in self._texts.items():
            check_time()
            if least <= len(other) and _are_alike(text, other):
                return number
        return None

    def add(self, number: int, text: set[int]) -> None:
        reserve(len(text))
        self._texts[number] = text
        self._of_all |= text


def _are_alike(one: set[int], other: set[int]) -> bool:
    n_shared = len(one & other)
    return n_shared >= LEAST * (len(one) + len(other) - n_shared)


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
    texts, shards, places = _in_order(found)
    return _of_shards(found, shards, places, _repetitions(texts, until_first=True))


def repeated_in_list(found: Sequence[TakenTexts]) -> list[Repeated]:
    """Return for each shard which of its answers repeat a better one, of the first ones of all shards."""
    texts, shards, places = _in_order(found)
    return _of_shards(found, shards, places, _repetitions(texts[: found[0].n_first], until_first=False))


def _of_shards(
    found: Sequence[TakenTexts], shards: Rows, places: Rows, repetitions: Sequence[tuple[int, int]]
) -> list[Repeated]:
    """Return for each shard what concerns it; texts are numbered in the order of all shards.

    Args:
        repetitions: numbers of texts, each with that of the one that it repeats.
    """
    dropped = [list[int]() for _ in found]
    of_originals = [list[list[int]]() for _ in found]
    for number, original in repetitions:
        shard, place = int(shards[number]), int(places[number])
        texts = found[shard].texts
        text = [shard, int(texts.rows[place]), *texts.places[place].tolist()]
        dropped[shard].append(place)
        of_originals[shards[original]].append([int(places[original]), *text])
    return [
        Repeated(np.array(own, np.int64), np.array(others, np.int64).reshape(-1, 6))
        for own, others in zip(dropped, of_originals, strict=True)
    ]


def _in_order(found: Sequence[TakenTexts]) -> tuple[list[set[int]], Rows, Rows]:
    """Return the texts of the answers of all shards in their order, and of which shard, and which of its, each is."""
    shards = np.repeat(np.arange(len(found)), [len(each.articles) for each in found])
    places = np.concatenate([np.arange(len(each.articles)) for each in found])
    articles = np.concatenate([each.articles for each in found])
    scores = _joined([each.scores for each in found])
    field_places = _joined([each.field_places for each in found])
    columns = [each.texts for each in found if len(each.articles)]
    texts = [text for each in columns for text in np.split(each.sequences, each.sizes.cumsum()[:-1])]
    order = merged_order(scores, articles, groups_by_article=found[0].groups_by_article, field_places=field_places)
    return [set(texts[number].tolist()) for number in order.tolist()], shards[order], places[order]


def _joined(columns: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
    """Return the columns of all shards as one; None where they have none."""
    known = [column for column in columns if column is not None]
    return np.concatenate(known) if known else None


def _repetitions(texts: Sequence[set[int]], *, until_first: bool) -> list[tuple[int, int]]:
    """Return the numbers of texts that repeat one before, and of the first one that each repeats.

    Args:
        until_first: whether only texts before the first repetition count as repeated.
    """
    kept, found = _KeptTexts(), list[tuple[int, int]]()
    for number, text in enumerate(texts):
        original = kept.original(text)
        if original is not None:
            found.append((number, original))
        elif not (until_first and found):
            kept.add(number, text)
    return found
