"""Snippets: the extracts of texts with most words of a query, which are marked.

The texts of several answers are read together. A snippet of a short answer is the best stretch of all its text. Reading
all text of a long one would take seconds, so postings tell where most distinct terms are close together, and only the
text around that place is read.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from engine.arrays import Mask, Numbers, distinct, is_among, places_of, ranges
from engine.collection.profiles.profile import Profile
from engine.index.reader import IndexReader
from engine.index.texts.passage_offsets import passage_offsets
from engine.kernels.table import compiled, native
from engine.presentation.skipped_text import SkippedText
from engine.presentation.term_spans import SearchedText, Span, term_spans
from engine.query.query import Query
from engine.records import NamedTuple
from engine.text.analyser import Analyser
from engine.text.sentences import find_sentences
from engine.text.utf8 import Bytes, characters_before, encode
from engine.text.words import BLANK
from engine.wording import shown

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
    start, end = passage_offsets(index, leaves, sentence, sentence)[0].tolist()
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


# characters of a snippet
WIDTH = 240
# White space that is not one blank, and what is not white space.
UNEVEN, SIGN = re.compile(r"\s{2,}|[^\S ]"), re.compile(r"\S")
OPENING = "([{«“‘"
# What stands between two elements that the text itself does not set apart, such as a heading and what follows it, or
# two cells; signs after which it stands, as after a letter, and before which it does not.
SEPARATOR, CLOSING, FOLLOWING = " · ", ")]}»”’%", ".,;:!?)]}»”’·|–—"


class Snippet(NamedTuple):
    """An extract of an element's text, white space collapsed, and the spans of query terms in it."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def marked(self, before: str = "[", after: str = "]") -> str:
        """Return the text with a mark before and after every query term; the text itself is not escaped."""
        for name, mark in (("before", before), ("after", after)):
            if not isinstance(mark, str):
                raise TypeError(f"{name}: expected str, got {type(mark).__name__} {shown(mark)}.")
        return self._joined(str, before, after)

    def html(self) -> str:
        """Return the text as HTML, every query term in `<mark>`; characters with a meaning in HTML are escaped.

        >>> Snippet("if x < fog", ((7, 10),)).html()
        'if x &lt; <mark>fog</mark>'
        """
        from html import escape  # noqa: PLC0415  (its table of entities is large)

        return self._joined(escape, "<mark>", "</mark>")

    def _joined(self, shown: Callable[[str], str], before: str, after: str) -> str:
        parts: list[str] = []
        last = 0
        for start, end in self.marks:
            parts += shown(self.text[last:start]), before, shown(self.text[start:end]), after
            last = end
        return "".join([*parts, shown(self.text[last:])])


NOTHING = Snippet("", ())


def joined(parts: Sequence[Snippet], separator: str) -> Snippet:
    """Return snippets as one, a separator between each two.

    >>> joined([Snippet("fog", ((0, 3),)), Snippet("a lamp", ((2, 6),))], " | ")
    Snippet(text='fog | a lamp', marks=((0, 3), (8, 12)))
    """
    marks: list[tuple[int, int]] = []
    begun = 0
    for text, spans in parts:
        marks += [(start + begun, end + begun) for start, end in spans]
        begun += len(text) + len(separator)
    return Snippet(separator.join(text for text, _ in parts), tuple(marks))


def _extract(searched: SearchedText, spans: list[Span], width: int) -> Snippet:
    """Return the best extract of a text, given the spans of the query's words in it; all of a text that fits."""
    if len(searched.text) <= width:
        return _cut(searched, spans, 0, width)
    start = spans[0][0] if spans else 0
    if spans and spans[-1][1] > start + width:  # else the extract from the first span on has all of them
        start = _best_start(spans, width)
    return _cut(searched, spans, max(0, start - width // 6), width)


# Characters of a snippet of several sentences, and of one; of text in which they are looked for before the best stretch
# and after it.
LONGEST, LONGEST_SENTENCE, AROUND = 320, 500, 520
# What no sentence begins with; parts a stretch from the next one.
NEVER_FIRST, PART = ".,;:!?)]}…”’%", "\0"


def snippets(texts: Sequence[SearchedText], query: Query, analyser: Analyser) -> list[Snippet]:
    """Return the whole sentences of each text, up to LONGEST characters, with most distinct terms, then most words.

    Elements begin and end sentences, so that titles and items are whole, too. Of a sentence that is longer than
    LONGEST_SENTENCE, the snippet is the best WIDTH characters.
    """
    spans = term_spans(texts, query, analyser)
    places = [_best_start(each, LONGEST) if each else 0 for each in spans]
    edges = _sentence_edges(texts, places, analyser)
    every = zip(texts, spans, edges, strict=True)
    return [_of_sentences(*each) or _extract(*each[:2], WIDTH) for each in every]


def extracts(texts: Sequence[SearchedText], query: Query, analyser: Analyser, width: int) -> list[Snippet]:
    """Return the extract of `width` characters of each text with most distinct terms, of equals with most words."""
    spans = term_spans(texts, query, analyser)
    return [_extract(*each, width) for each in zip(texts, spans, strict=True)]


def _of_sentences(searched: SearchedText, spans: list[Span], edges: list[int]) -> Snippet | None:
    """Return the best sentences between edges of a text, None where the best one is too long."""
    best, found = (-1, -1), (0, 0)
    begins = [start for start, _, _ in spans]
    firsts = dict.fromkeys(bisect_right(edges, start) - 1 for start in begins) if spans else (0,)
    for first in firsts:
        if not 0 <= first < len(edges) - 1:
            continue
        begin = edges[first]
        end = edges[max(bisect_right(edges, begin + LONGEST) - 1, first + 1)]
        terms = [term for _, reach, term in spans[bisect_left(begins, begin) :] if reach <= end]
        if (worth := (len({*terms}), len(terms))) > best:
            best, found = worth, (begin, end)
    begin, end = found
    if not 0 < end - begin <= LONGEST_SENTENCE or _is_blank(searched.text, begin, end):
        return None
    folded, marks = _folded(searched, spans, begin, end)
    return Snippet(folded.rstrip(), tuple(marks))


def _sentence_edges(texts: Sequence[SearchedText], places: Sequence[int], analyser: Analyser) -> list[list[int]]:
    """Return of each text, around a place, where sentences begin and the last of them ends, ascending."""
    stretches = [
        (max(0, at - AROUND), min(len(each.text), at + AROUND)) for each, at in zip(texts, places, strict=True)
    ]
    cut = [each.text[first:last].replace(PART, " ") for each, (first, last) in zip(texts, stretches, strict=True)]
    begins = np.cumsum([0, *(len(each) + 1 for each in cut)])
    encoded = encode(PART.join(cut))
    words = analyser.words(encoded)
    in_bytes = places_of(encoded == ord(PART))
    ends = find_sentences(encoded, words.starts, words.ends, in_bytes.searchsorted(words.starts)).ends
    found = characters_before(encoded, ends).tolist()
    edges: list[list[int]] = []
    for (text, borders, _, _), (first, last), begin, after in zip(
        texts, stretches, begins.tolist(), begins[1:].tolist(), strict=False
    ):
        inside = found[bisect_left(found, begin) : bisect_left(found, after)]
        near = borders[bisect_right(borders, first) : bisect_left(borders, last)]
        here = {at - begin + first for at in inside} | {each for each in near if _is_edge(text, each)}
        here.update(edge for edge, is_whole in ((first, first == 0), (last, last == len(text))) if is_whole)
        edges.append(sorted(here))
    return edges


def _is_edge(text: str, border: int) -> bool:
    """Return whether a border of elements is one of sentences: not that of a reference, number or note in a line."""
    start, end = _blanks_at(text, border)
    if end == len(text) or text[end] in NEVER_FIRST:
        return False
    is_in_line = text[start - 1].isdigit() or text[end].islower() or text[end].isdigit()
    return "\n" in text[start:end] or not (start < end or is_in_line)


def _blanks_at(text: str, border: int) -> tuple[int, int]:
    """Return start and end of the white space at an offset."""
    start = end = border
    while start and text[start - 1].isspace():
        start -= 1
    while end < len(text) and text[end].isspace():
        end += 1
    return start, end


def _best_start(spans: list[Span], width: int) -> int:
    """Return where the span begins from which on a width has most distinct terms, of equals most spans."""
    inside: Counter[str] = Counter()  # the terms from a span on that end within the width
    start = reached = 0
    best = (0, 0)
    for number, (begin, _, term) in enumerate(spans):
        while reached < len(spans) and spans[reached][1] <= begin + width:
            inside[spans[reached][2]] += 1
            reached += 1
        if (found := (len(inside), reached - number)) > best:
            best, start = found, begin
        if reached == number:  # a word longer than the width
            reached += 1
        elif inside[term] == 1:
            del inside[term]
        else:
            inside[term] -= 1
    return start


def _cut(searched: SearchedText, spans: list[Span], start: int, width: int) -> Snippet:
    """Return the extract that begins with the word at `start`, with an ellipsis at each end where text continues."""
    text, borders, continues, _ = searched
    if start:
        blank = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
        far = start - width // 2
        start = blank if blank > far else max([far, *borders[: bisect_right(borders, start)][-1:]])
    end = start + width
    if end < len(text):
        blank = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
        end = max([start + width // 2, blank, *borders[: bisect_right(borders, end)][-1:]])
    before = "… " if continues[0] or not _is_blank(text, 0, start) else ""
    behind = " …" if continues[1] or not _is_blank(text, end, len(text)) else ""
    folded, marks = _folded(searched, spans, start, end)
    moved = len(before)
    return Snippet((before + folded).rstrip() + behind, tuple([(begin + moved, stop + moved) for begin, stop in marks]))


def _folded(searched: SearchedText, spans: list[Span], start: int, end: int) -> tuple[str, list[tuple[int, int]]]:
    """Return a stretch of a text as a snippet shows it, and the spans of the query's words in it."""
    text, borders, _, apart = searched
    end = len(text[start:end].rstrip()) + start
    inside = borders[bisect_right(borders, start) : bisect_left(borders, end)]
    gaps = {border: " " for border in inside if runs_together(text, border)}
    inside = apart[bisect_right(apart, start) : bisect_left(apart, end)]
    gaps |= {border: SEPARATOR for border in inside if _is_unmarked(text, border)}
    return folded_extract(text, start, end, gaps, [span[:2] for span in spans if start <= span[0] and span[1] <= end])


def _is_unmarked(text: str, border: int) -> bool:
    """Return whether nothing but blanks sets two texts apart."""
    start, end = _blanks_at(text, border)
    before = text[start - 1 : start]
    return end < len(text) and text[end] not in FOLLOWING and (before.isalnum() or (before != "" and before in CLOSING))


def folded_extract(
    text: str, start: int, end: int, gaps: Mapping[int, str], spans: list[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]]]:
    """Return an extract with its white space collapsed, what each gap has in its place, and spans in it.

    Args:
        gaps: what stands at an offset of the text, in the place of the white space there. spans: of words in the text,
            ascending.
    """
    changes = {found.start(): (found.end(), " ") for found in UNEVEN.finditer(text, start, end)}
    for gap, instead in gaps.items():
        begin, stop = _blanks_at(text, gap)
        changes[max(begin, start)] = min(stop, end), instead
    pieces: list[str] = []
    moved: list[tuple[int, int]] = []
    last, shift, place = start, -start, 0
    if text[start : min(start + 1, end)].isspace():
        shift -= 1  # the blank that the white space at the start becomes is left out
    for begin, (stop, instead) in sorted(changes.items()):
        while place < len(spans) and spans[place][0] < stop:
            moved.append((spans[place][0] + shift, spans[place][1] + shift))
            place += 1
        pieces += text[last:begin], instead
        shift += begin + len(instead) - stop
        last = stop
    moved += [(begin + shift, stop + shift) for begin, stop in spans[place:]]
    pieces.append(text[last:end])
    return "".join(pieces).lstrip(), moved


def _is_blank(text: str, start: int, end: int) -> bool:
    """Return whether there is nothing but white space between two offsets."""
    return SIGN.search(text, start, end) is None


def runs_together(text: str, border: int) -> bool:
    """Return whether the text before and after a border needs a blank to read as two words or sentences."""
    before, behind = text[border - 1], text[border]
    return (behind.isalnum() or behind in OPENING) and not (before.isspace() or before in OPENING)


CAPTION = "caption"
# Elements whose borders are compared at a time.
MOST_ROWS = 2**16


def answer_snippets(
    index: IndexReader,
    query: Query,
    documents: Numbers,
    rows: Numbers,
    spans: Numbers,
    words: Callable[[int], tuple[int, int]],
) -> list[Snippet]:
    """Return the best lines of answers, without skipped elements, with the places of query terms in them.

    Args:
        spans: start and end of each answer in its document, shape (n, 2).
        words: returns the number of the first word of an answer, and of the one after its last; of long ones only.
    """
    read = spans.copy()
    for place in places_of(spans[:, 1] - spans[:, 0] > LONG).tolist():
        start, end = spans[place].tolist()
        read[place] = snippet_region(index, query, int(documents[place]), words(place), (start, end))
    texts = []
    columns = index.text_parts(documents.tolist(), read), word_borders(index, rows, read), (read != spans).tolist()
    for text, (borders, apart, skipped), (before, behind) in zip(*columns, strict=True):
        shown, inner = skipped.without(text, borders)
        texts.append(SearchedText(shown, inner, (before, behind), skipped.without(text, apart)[1]))
    return snippets(texts, query, index.analyser)


def word_borders(
    index: IndexReader, rows: Numbers, spans: Numbers, *, with_apart: bool = True
) -> list[tuple[list[int], list[int], SkippedText]]:
    """Return the offsets at which tags end words inside a text of each element, and the skipped spans of that text.

    The second list, empty without `with_apart`, are the offsets between elements that are shown apart: titles and
    captions and what is beside them, elements of one tag, such as items and cells, and the parts of records, where no
    text of the element around them is between them; titles also where they begin one. Offsets are counted from the
    start of the text. Words go on across what is skipped: its tags end none.

    Args:
        spans: start and end of the texts, in characters of their documents', shape (n, 2).
    """
    n_rows = index.elements.end(rows) - rows
    borders: list[tuple[list[int], list[int], SkippedText]] = []
    group = n_rows.cumsum() // MOST_ROWS
    for number in distinct(group).tolist():
        chosen = group == number
        of_group = (column.compress(chosen, axis=0) for column in (rows, n_rows, spans))
        borders += _borders(index, *of_group, with_apart=with_apart)
    return borders


def _borders(
    index: IndexReader, rows: Numbers, n_rows: Numbers, spans: Numbers, *, with_apart: bool
) -> list[tuple[list[int], list[int], SkippedText]]:
    elements = index.elements
    inner = ranges(rows, n_rows)
    edges, end_words = index.spans_of(inner), elements.end_words(inner)
    nothing = SkippedText(())
    skipped = [nothing] * len(rows)
    if elements.has_skipped and len(outer := places_of(elements.are_skipped(inner))):
        reach = np.maximum.accumulate(np.append(0, outer + elements.end(inner.take(outer)) - inner.take(outer)))
        every = np.arange(len(inner))
        end_words &= reach.take(outer.searchsorted(every, "right")) <= every
        of_text = np.arange(len(rows)).repeat(n_rows).take(outer)
        bounds = spans.take(of_text, axis=0)
        stretches = (np.clip(edges.take(outer, axis=0), bounds[:, :1], bounds[:, 1:]) - bounds[:, :1]).tolist()
        for number in distinct(of_text).tolist():
            first, last = of_text.searchsorted([number, number + 1]).tolist()
            skipped[number] = SkippedText((start, end) for start, end in stretches[first:last])
    borders = inner_borders(spans, n_rows, edges, end_words)
    apart = (
        _apart(index, rows, spans, n_rows, inner, edges, end_words) if with_apart and any(borders) else [[]] * len(rows)
    )
    return list(zip(borders, apart, skipped, strict=True))


def _apart(
    index: IndexReader, rows: Numbers, spans: Numbers, n_rows: Numbers, inner: Numbers, edges: Numbers, end_words: Mask
) -> list[list[int]]:
    """Return the offsets in each text between elements that are shown apart; arguments as of `inner_borders`.

    In vocabularies that no profile knows, all elements are, but inline ones.

    Args:
        rows: those of the texts. inner: the elements inside.
    """
    elements, of_text = index.elements, np.arange(len(n_rows)).repeat(n_rows)
    starts, ends = (column.take(of_text) for column in spans.T)
    places = places_of(end_words & (edges[:, 0] < ends) & (edges[:, 1] > starts))
    shown, edges = inner.take(places), edges.take(places, axis=0)
    tags = elements.tag(shown)
    are_titles = elements.is_tag(_apart_from_others(index.profile)).take(tags)
    parents = elements.parent(shown)
    is_apart = are_titles | elements.is_tag(index.profile.row_tags).take(tags) | (elements.ordinal(shown) > 1)
    is_apart |= elements.is_tag(index.profile.records).take(elements.tag(parents))
    documents = elements.document(rows)
    is_unknown = is_among(documents, index.of_unknown_vocabularies(distinct(documents)))
    is_apart |= is_unknown.take(of_text.take(places))
    is_apart &= (elements.n_own_words(parents) == 0) | (are_titles & (shown == parents + 1))
    edges = np.where(are_titles[:, None], edges, edges[:, :1])
    return inner_borders(spans, np.bincount(of_text.take(places), minlength=len(n_rows)), edges, is_apart)


@cache
def _apart_from_others(profile: Profile) -> frozenset[str]:
    """Return the tags of titles and labels, which do not run into what is beside them."""
    return profile.all_title_tags | profile.labels | {CAPTION}


def _inner_borders_in_numpy(texts: Numbers, n_elements: Numbers, edges: Numbers, end_words: Mask) -> list[list[int]]:
    lengths = texts[:, 1] - texts[:, 0]
    width = int(lengths.max(initial=0)) + 1
    of_edge = np.arange(len(texts)).repeat(2 * n_elements)
    offsets = edges.ravel() - texts[:, 0].take(of_edge)
    is_inside = end_words.repeat(2) & (offsets > 0) & (offsets < lengths.take(of_edge))
    found = distinct((offsets + of_edge * width).compress(is_inside))
    begins = found.searchsorted(np.arange(len(texts) + 1) * width).tolist()
    every = (found % width).tolist()
    return [every[begin:end] for begin, end in pairwise(begins)]


@compiled(_inner_borders_in_numpy)
def inner_borders(texts: Numbers, n_elements: Numbers, edges: Numbers, end_words: Mask) -> list[list[int]]:
    """Return the distinct offsets in each text, ascending, at which elements in it start and end.

    Args:
        texts: start and end of each text, shape (n, 2). n_elements: in each text; edges: start and end of each of
            these, text by text, shape (n_elements.sum(), 2). end_words: which of the elements count.
    """
    return native.inner_borders(texts, n_elements, edges, end_words)
