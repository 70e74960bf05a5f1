"""What the page of a search shows before anything is asked: queries to begin with, made of titles of the collection."""

from __future__ import annotations

import re

import numpy as np

from engine.presentation.breadcrumbs import document_titles
from foxir.service.indexes import Snapshot

# Documents whose titles give a query each, and words of one.
N_DOCUMENTS, N_WORDS = 3, 3
_WORD = re.compile(r"[^\W\d_]{4,}")


def example_queries(snapshot: Snapshot) -> list[str]:
    """Return queries that have answers: rare words of titles of the collection; the last is a path query."""
    reader = snapshot.reader
    numbers = reader.live_documents
    chosen = numbers[np.linspace(0, len(numbers) - 1, min(N_DOCUMENTS, len(numbers))).astype(np.int64)]
    queries: dict[str, None] = {}
    for title in document_titles(reader, chosen):
        words = [word for word in dict.fromkeys(_WORD.findall(title.lower())) if word not in reader.function_words]
        counts = [_count(snapshot, word) for word in words]
        rarest = sorted((count == 1, count, place) for place, count in enumerate(counts) if count)[:N_WORDS]
        queries[" ".join(words[place] for place in sorted(place for *_, place in rarest))] = None
    found = [query for query in queries if query]
    return [*found, f"//*[about(., {found[0]})]"] if found else []


def _count(snapshot: Snapshot, word: str) -> int:
    """Return the number of documents with a word."""
    terms = list(snapshot.reader.analyser.alternatives(word))
    return int(snapshot.reader.document_frequencies(terms).sum()) if terms else 0
