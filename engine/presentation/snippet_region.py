"""The part of a long answer in which its snippet is searched: around most distinct query terms, by the index alone.

A snippet of a short answer is the best stretch of all its text. Reading all text of a long one would take seconds, so
postings tell where the terms are close together, and only the text around that place is read.
"""

from __future__ import annotations

import numpy as np

from engine.array_types import Numbers
from engine.index.reader import IndexReader
from engine.index.texts.passage_offsets import passage_offsets
from engine.query.query import Query
from engine.text.analyser import Analyser
from engine.text.utf8 import Bytes
from engine.text.words import BLANK

# Characters of an answer above which only a region of it is read.
LONG = 16_384
# Characters that are read before the place where the terms are, and after it.
BEFORE, BEHIND = 512, 2_048
# Characters that are searched for a word at a time: few enough for the processor's cache.
PIECE = 1 << 16
# Words of a stretch, about as many as a snippet has.
STRETCH = 40
# Occurrences that are compared; with more, those of the most frequent terms are left out.
MOST = 20_000


def snippet_region(
    index: IndexReader, query: Query, document: int, words: tuple[int, int], span: tuple[int, int]
) -> tuple[int, int]:
    """Return start and end of a region of an answer, in characters of the document's text.

    It contains the stretch of words with most distinct query terms, of equals the one with most occurrences, of these
    the first. An answer without query terms is read from its beginning.

    Args:
        words: numbers of the answer's first word and of the one after its last; span: its start and end.
    """
    start, end = span
    found = _best_occurrence(index, query, document, words)
    place = start if found is None else _offset(index, document, *found)
    begin, stop = max(start, min(place, end) - BEFORE), min(end, place + BEHIND)
    (text,) = index.text_parts([document], np.array([[begin, stop]]))
    first, last = 0, len(text)
    if begin > start:  # regions begin and end at blanks where they can, so as not to part words
        blanks = (text.find(blank, 0, BEFORE // 4) + 1 for blank in " \n")
        first = min(filter(None, blanks), default=0)
    if stop < end:
        last = max(text.rfind(" ", first), text.rfind("\n", first), first + BEHIND // 2)
    return begin + first, begin + last


def _best_occurrence(index: IndexReader, query: Query, document: int, words: tuple[int, int]) -> tuple[int, int] | None:
    """Return the leaf and the number of the word with which the best stretch begins, None if no term occurs."""
    documents = np.array([document])
    of_terms: list[tuple[Numbers, Numbers]] = []
    for term in query.word_counts:
        leaves, tf, _, positions = index.elements.occurrences(term, documents, positions=True)
        if positions is None or not len(leaves):
            continue
        numbers = np.repeat(index.elements.first_word(leaves), tf) + positions
        first, last = np.searchsorted(numbers, words)
        if last > first:
            of_terms.append((numbers[first:last][:MOST], np.repeat(leaves, tf)[first:last][:MOST]))
    if not of_terms:
        return None
    of_terms.sort(key=lambda found: len(found[0]))
    sizes = np.cumsum([len(numbers) for numbers, _ in of_terms])
    of_terms = of_terms[: max(1, int(np.searchsorted(sizes, MOST, "right")))]
    numbers = np.concatenate([numbers for numbers, _ in of_terms])
    n_distinct = np.zeros(len(numbers), np.int64)
    n_inside = np.zeros(len(numbers), np.int64)
    for each, _ in of_terms:
        inside = np.searchsorted(each, numbers + STRETCH) - np.searchsorted(each, numbers)
        n_inside += inside
        n_distinct += inside > 0
    best = np.lexsort((numbers, -n_inside, -n_distinct))[0]
    return int(np.concatenate([leaves for _, leaves in of_terms])[best]), int(numbers[best])


def _offset(index: IndexReader, document: int, leaf: int, word: int) -> int:
    """Return where the sentence of a word begins, or, in a long sentence, the word itself."""
    leaves = np.array([leaf])
    first_word = int(index.elements.first_word(leaves)[0])
    starts = index.elements.sentence_starts(np.array([document]))
    before, at = np.searchsorted(starts, [first_word, word], "right").tolist()
    sentence = np.array([at - before])
    start, end = passage_offsets(index, document, leaves, sentence, sentence)[0].tolist()
    if end - start <= BEHIND // 2:
        return int(start)
    number = word - (int(starts[at - 1]) if at > before else first_word)
    text = index.encoded_text(document)
    place = place_of_word(index.analyser, text.encoded[text.place_of(start) : text.place_of(end)], number)
    return int(start) if place is None else text.character_at(text.place_of(start) + place)


def place_of_word(analyser: Analyser, encoded: Bytes, number: int, size: int = PIECE) -> int | None:
    """Return where a word of a text begins, in bytes, by its number from 0; None if there are not as many.

    The text is read in pieces of a size, which end at blanks, that are part of no word, and no further than the word.
    """
    start = 0
    while start < len(encoded):
        stop = _next_blank(encoded, start + size)
        piece = encoded[start:stop]
        n_words = analyser.n_words(piece)
        if number < n_words:
            return start + int(analyser.words(piece).starts[number])
        number -= n_words
        start = stop
    return None


def _next_blank(encoded: Bytes, place: int) -> int:
    """Return the place of the first blank from a place on, the end without one."""
    width = 64
    while place < len(encoded):
        blanks = np.flatnonzero(encoded[place : place + width] == BLANK)
        if len(blanks):
            return place + int(blanks[0])
        place, width = place + width, 2 * width
    return len(encoded)
