"""Notices on words of a query that no document has, and on those that are spelt alike; they change no answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

from engine.answers.answer_columns import AnswerColumns
from engine.index.reader import IndexReader
from engine.index.similar_terms import LONGEST, edit_distances, one_edit_away, similar_terms
from engine.notices import Notice
from engine.query.keyword_notices import PATHS_AS_WORDS
from engine.query_limits import check_time
from engine.text.alternative_terms import ANY_END, EITHER, simple_terms
from engine.text.analyser import Analyser
from engine.text.languages import NONE
from engine.text.utf8 import encode

# Words of a query that are looked up, and stems of a word; of similar terms, documents and words of a text, the first.
MOST_WORDS = 3
MOST_STEMS = 4
MOST_SIMILAR = 200
MOST_DOCUMENTS = 3
MOST_WRITTEN = 20
# Words of a text that begin as a term does: so many are looked at.
MOST_FOUND = 1000
# An edit for so many letters of a word, at most MOST_EDITS: most words that are near a shorter one, or further from it,
# are other words, correctly spelt.
LETTERS_AN_EDIT, MOST_EDITS = 5, 2


def with_suggestions(reader: IndexReader, columns: AnswerColumns) -> AnswerColumns:
    """Return answers with notices on words of their query that are in no document, and on ones that are spelt alike."""
    query = columns.plan.query
    rare = [word for word in query.word_counts if len(reader.postings(word).documents) <= MOST_DOCUMENTS]
    if not rare:
        return columns
    typed = typed_words(reader.analyser, query.text)
    unknown = [word for word in rare if not _is_written(reader, word, typed)][:MOST_WORDS]
    notices, nowhere = list[Notice](), list[str]()
    for word in unknown:
        stems = [stem.removesuffix(ANY_END) for stem in simple_terms(word)]
        written = typed.get(stems[0], stems[0])
        if meant := spelt_alike(reader, written, tuple(stems[:MOST_STEMS])):
            notices.append(Notice("spelt_alike", {"word": written, "meant": meant}))
        elif len(columns) and stems[0] in typed and ANY_END not in word and not len(reader.postings(word).documents):
            nowhere.append(written)
    if nowhere and PATHS_AS_WORDS.isdisjoint(notice.code for notice in query.notices):  # else they are tags
        code = "in_no_document" if reader.document_frequencies(list(query.word_counts)).any() else "no_word_known"
        notices.append(Notice(code, {"words": tuple(sorted(nowhere, key=query.text.find))}))
    return columns.with_notices(*notices)


def _is_written(reader: IndexReader, word: str, typed: Mapping[str, str]) -> bool:
    """Return whether a document has a word; of a few, one must have its stem in the document's own language.

    Else a misspelt word whose stem in one language another word of another language has would count as known.
    """
    documents = reader.postings(word).documents.tolist()
    parts = word.split(EITHER)
    written = typed.get(parts[0])
    has_others = any(part not in typed for part in parts)  # with accents, or of a pattern
    if not documents or len(documents) > MOST_DOCUMENTS or len(parts) == 1 or written is None or has_others:
        return bool(documents)
    stems = [
        (document, reader.analyser.terms_of_words([written.encode()], language)[0])
        for document in documents
        for language in reader.languages_of(document)
    ]
    return any(stem and document in reader.postings(stem).documents for document, stem in stems)


def typed_words(analyser: Analyser, text: str) -> dict[str, str]:
    """Return the words of a text by the terms that they may have."""
    surfaces = analyser.words(encode(text)).surfaces
    terms = analyser.known_words.terms(set(surfaces))
    return {stem: surface for surface in surfaces for stem in terms[surface]}


def spelt_alike(reader: IndexReader, typed: str, stems: tuple[str, ...]) -> str | None:
    """Return the word of the documents that is most like a typed one; None if none is, or a function word.

    A word one edit away, of those the one that most documents contain; else one whose stem is like that of the word.
    """
    word = typed.casefold()
    return reader.words_meant.get((word, stems), lambda: _spelt_alike(reader, word, stems))


def _spelt_alike(reader: IndexReader, word: str, stems: tuple[str, ...]) -> str | None:
    if not _edits(word) or len(word) > LONGEST or not word.isalpha():
        return None
    terms = _one_edit_away(reader, word)[:MOST_DOCUMENTS] or _nearest_stems(reader, word, stems)[:1]
    written = [meant for term in terms if (meant := as_written(reader, term, word)) and _is_alike(word, meant)]
    if not written:
        return None
    meant = written[int((edit_distances(word, written) > 1).argmin())]
    return None if meant in reader.function_words else meant


def _edits(word: str) -> int:
    """Return the edits that a word which may have been meant is at most from a typed one; 0 for short words."""
    return min(len(word) // LETTERS_AN_EDIT, MOST_EDITS)


def _is_alike(word: str, meant: str) -> bool:
    """Return whether a word may be a misspelt other one: few edits away, with its first letter.

    Few misspellings change the first letter, but for exchanging it with the second, as spellers of search engines
    (Lucene's DirectSpellChecker) take for granted, too.
    """
    return _begins_alike(word, meant) and int(edit_distances(word, [meant])[0]) <= _edits(word)


def _begins_alike(word: str, meant: str) -> bool:
    return meant[:1] == word[:1] or meant[:2] == word[1::-1]


def _one_edit_away(reader: IndexReader, word: str) -> list[str]:
    """Return the terms of documents that words one edit from a word have, the most frequent first."""
    near = [each.encode() for each in one_edit_away(word) if _begins_alike(word, each)]
    languages = reader.analyser.languages or (NONE,)
    terms = {term for language in languages for term in reader.analyser.terms_of_words(near, language) if term}
    return _by_frequency(reader, sorted(terms))


def _nearest_stems(reader: IndexReader, word: str, stems: Sequence[str]) -> list[str]:
    """Return the terms that are most like one of a word's stems, of those the ones most like the word itself."""
    found = sorted({each for stem in stems for each in similar_terms(stem, reader.segments)})[:MOST_SIMILAR]
    edits = edit_distances(word, [each.term for each in found]).tolist()
    ranked: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for each, of_word in zip(found, edits, strict=True):
        ranked[each.edits, of_word].append(each.term)
    return next(filter(None, (_by_frequency(reader, terms) for _, terms in sorted(ranked.items()))), [])


def _by_frequency(reader: IndexReader, terms: Sequence[str]) -> list[str]:
    """Return the terms with documents, by falling number of documents."""
    counts = dict(zip(terms, reader.document_frequencies(terms).tolist(), strict=True))
    return sorted((term for term in terms if counts[term]), key=lambda term: -counts[term])


def as_written(reader: IndexReader, term: str, typed: str) -> str | None:
    """Return the word with a term, in one of the first documents with it, that is most like a typed one.

    None where no word begins as the term does: a stem of another language, for example.
    """
    begin, words = re.escape(term[:-1]), dict[str, None]()
    pattern = re.compile(rf"{begin}(?<![^\W_]{begin})[^\W_]*")  # begins with letters, which are found fast
    for document in reader.postings(term).documents[:MOST_DOCUMENTS].tolist():
        check_time()
        text = reader.text(document).casefold()
        found = islice(pattern.finditer(text), MOST_FOUND)
        words |= dict.fromkeys(islice(dict.fromkeys(match[0] for match in found), MOST_WRITTEN))
    written = [word for word in words if word.isalpha() and term in reader.analyser.alternatives(word)]
    return written[int(edit_distances(typed, written).argmin())] if written else None
