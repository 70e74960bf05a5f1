"""Completions of a query that is being typed: words of the index that begin with its last word, titles of documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from engine.index.reader import IndexReader
from foxir.searching.query_spelling import as_written

# Letters of a word that is completed; terms of a segment that are counted, of which the most frequent are looked up in
# documents, and words that are returned.
SHORTEST, LONGEST = 2, 40
MOST_TERMS, MOST_WRITTEN, MOST_WORDS = 2000, 7, 5
# Documents of a collection in which a word that is in one alone is likely misspelt.
MANY = 1000
MOST_TITLES = 4
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_WORD = re.compile(r"\w+")


def completed(reader: IndexReader, text: str) -> list[str]:
    """Return a text with its last word completed by words of documents, those of most documents first."""
    found = _LAST_WORD.search(text)
    if found is None or not SHORTEST <= len(prefix := found[0].lower()) <= LONGEST or len(prefix) != len(found[0]):
        return []
    terms = {
        term.decode()
        for segment in reader.segments
        for term in islice(segment.terms.with_prefix(prefix.encode()), MOST_TERMS)
    }
    named = sorted(term for term in terms if term.isalpha())
    counts = dict(zip(named, reader.document_frequencies(named).tolist(), strict=True))
    fewest = 2 if reader.n_documents >= MANY else 1
    frequent = sorted((term for term in named if counts[term] >= fewest), key=lambda term: -counts[term])[:MOST_WRITTEN]
    written = (as_written(reader, term, term) for term in frequent)
    words = dict.fromkeys(word for word in written if word and word.startswith(prefix) and word != prefix)
    chosen = [word for word in words if word not in reader.function_words][:MOST_WORDS]
    return [text[: len(text) - len(prefix)] + word for word in chosen]


def titles_with(titles: Sequence[str], text: str) -> list[int]:
    """Return the places of titles in which each word of a text begins a word, those that begin with the text first.

    >>> titles_with(["Lamps and fog", "Fog signals", "Bells"], "fog"), titles_with(["Fog signals"], "sig fo")
    ([1, 0], [0])
    """
    words = _WORD.findall(text.casefold())
    if not words or max(map(len, words)) < SHORTEST:
        return []
    patterns = [re.compile(rf"\b{re.escape(word)}") for word in words]
    found = [
        (not title.startswith(words[0]), place)
        for place, title in enumerate(map(str.casefold, titles))
        if all(pattern.search(title) for pattern in patterns)
    ]
    return [place for _, place in sorted(found)[:MOST_TITLES]]
