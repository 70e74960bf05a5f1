"""The words for which the patterns and misspelt words of a query stand in a collection.

Each of them counts as if it were typed in a group, `(light OR lights OR lighthouse)`: together they are one term.
Several of a query have an equal share of `max_terms`; of more words, those in most documents remain.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from engine.errors import QueryError
from engine.index.fitting_words import FOUND, words_fitting, words_within
from engine.index.reader import IndexReader
from engine.index.similar_terms import most_edits
from engine.notices import Notice
from engine.planning.accents import finds_accents
from engine.planning.planning import syntax_of
from engine.query.nexi.terms import words_that_stand_for_others
from engine.query.nexi.tree import Fuzzy, Pattern, Word
from engine.query.query import StandsFor, typed_terms
from engine.query.synonyms import synonyms_in
from engine.query_limits import check_time, reserve
from engine.records import NamedTuple
from engine.settings import Settings
from engine.wording import shortened

LONGEST = 40  # characters of a word in a notice
AT_ONCE = 250  # words between two looks at the clock
# Signs without which a query has neither pattern nor misspelt word.
MARKS = "*~"


class Expansion(NamedTuple):
    """The words for which a word of a query stands, sorted; n_fitting: how many there would be without a limit."""

    typed: Word | Pattern | Fuzzy
    words: tuple[str, ...]
    n_fitting: int


def expansions(index: IndexReader, text: str, settings: Settings) -> list[Expansion]:
    """Return the expansions of a query, in its order; none of a query that cannot be parsed."""
    synonyms = None if settings.synonyms is None else synonyms_in(settings.synonyms, index.analyser)
    has_marks = settings.syntax != "plain" and any(mark in text for mark in MARKS)
    if not has_marks and synonyms is None:
        return []
    try:
        terms = typed_terms(text, syntax_of(text, settings))
    except QueryError:  # which is raised where the query is parsed
        return []
    words = dict.fromkeys(word for term in terms for word in words_that_stand_for_others(term))
    others = {word: synonyms.of(word.text) if synonyms is not None and isinstance(word, Word) else () for word in words}
    typed = [word for word in words if others[word] or not isinstance(word, Word)][: settings.max_terms]
    share = None if settings.max_terms is None else max(settings.max_terms // max(len(typed), 1), 1)
    return [
        Expansion(word, others[word][:share], len(others[word]))
        if isinstance(word, Word)
        else _expansion(index, word, share)
        for word in typed
    ]


def words_stood_for(index: IndexReader, text: str, settings: Settings) -> StandsFor:
    """Return the expansions of a query as `parse_query` takes them."""
    return tuple((each.typed, each.words) for each in expansions(index, text, settings))


def _expansion(index: IndexReader, typed: Pattern | Fuzzy, most: int | None) -> Expansion:
    fitting = frozenset(_fitting(index, typed))
    found = index.exchange.combine(united, fitting)
    words = sorted(found - index.analyser.folded_words(index.analyser.stop_words))
    n_documents = [
        n
        for first in range(0, len(words), AT_ONCE)
        for n in _document_frequencies(index, words[first : first + AT_ONCE])
    ]
    by_frequency = sorted(zip(n_documents, words, strict=True), key=lambda each: (-each[0], each[1]))
    occurring = [word for n, word in by_frequency if n]
    reserve(-len(fitting) * FOUND)
    as_written = (typed.text.replace("*", ""),)  # a word of no document
    return Expansion(typed, tuple(sorted(occurring[:most])) or as_written, len(occurring))


def _fitting(index: IndexReader, typed: Pattern | Fuzzy) -> set[str]:
    if isinstance(typed, Pattern):
        parts = typed.text.split("*")
        folded = ["".join(index.analyser.folded_words([part])) for part in parts]
        with_accents = finds_accents(index.analyser)
        return words_fitting("*".join(folded), index.segments, with_accents=with_accents)
    (word,) = index.analyser.folded_words([typed.text])
    return words_within(word, max(most_edits(word), 1) if typed.edits is None else typed.edits, index.segments)


def _document_frequencies(index: IndexReader, words: Sequence[str]) -> list[int]:
    """Return the number of documents with the term of each word before stemming, with all its alternatives."""
    check_time()
    terms = ["|".join(part for part in each if part is not None) for each in index.analyser.terms_of_each(words)]
    found: list[int] = index.document_frequencies(terms).tolist()
    return found


def united(found: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the words of all shards: a combiner."""
    return reduce(frozenset.union, found, frozenset())


# Notices, and words that one names.
MOST_NOTICES, MOST_NAMED = 2, 6


def expansion_notices(found: Sequence[Expansion]) -> list[Notice]:
    """Return a notice on the words for which each pattern or misspelt word stands."""
    notices = []
    for typed, words, n_fitting in found[:MOST_NOTICES]:
        word = shortened(str(typed), LONGEST)
        if not n_fitting:
            notices.append(Notice("no_word_fits", {"word": word}))
            continue
        named = tuple(shortened(each, LONGEST) for each in words[:MOST_NAMED])
        fields = {"word": word, "n": n_fitting, "words": named, "others": max(len(words) - MOST_NAMED, 0)}
        notices.append(Notice("stands_for", {**fields, "kept": len(words) if len(words) < n_fitting else 0}))
    return notices
