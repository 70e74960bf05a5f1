"""The words for which the patterns and misspelt words of a query stand in a collection.

Each of them counts as if it were typed in a group, `(light OR lights OR lighthouse)`: together they are one term.
Those of one query share `max_terms` equally; of more words, those in most documents remain. Where a share would be
below FEWEST_WORDS, only the first patterns are expanded, and the letters of the others count as words.

A word whose synonyms have weights w1 > w2 > ... is several terms: of those of w1, with the share w1 - w2 of a word, of
those of w1 and w2, with the share w2 - w3, and so on: a text with those of w2 alone scores w2 of it, before coverage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import chain, islice
from types import MappingProxyType

from engine.errors import QueryError
from engine.index.fitting_words import memory_of, words_fitting, words_within
from engine.index.reader import IndexReader
from engine.index.similar_terms import most_edits
from engine.notices import Notice
from engine.planning.accents import finds_accents
from engine.planning.planning import syntax_of
from engine.query.nexi.terms import expanded, words_that_stand_for_others
from engine.query.nexi.tree import Fuzzy, Pattern, Word
from engine.query.query import Query, typed_terms
from engine.query.query_terms import QueryTerm, analyse
from engine.query.synonyms import synonyms_in
from engine.query_limits import check_time, reserve
from engine.records import NamedTuple
from engine.settings import Settings
from engine.text.alternative_terms import EITHER
from engine.wording import shortened

LONGEST = 40  # characters of a word in a notice
AT_ONCE = 1000  # words between two looks at the clock
FEWEST_WORDS = 8  # of `max_terms` for each pattern and misspelt word
# Signs without which a query has neither pattern nor misspelt word.
MARKS = "*~"


class Expansion(NamedTuple):
    """The words for which a word of a query stands, sorted; n_fitting: how many there would be without a limit.

    weights: of synonyms by word, those that are below 1.
    """

    typed: Word | Pattern | Fuzzy
    words: tuple[str, ...]
    n_fitting: int
    weights: Mapping[str, float] = MappingProxyType({})

    @property
    def named(self) -> tuple[str, ...]:
        """The words, those with a weight with it."""
        return tuple(f"{word} ({self.weights[word]:g})" if word in self.weights else word for word in self.words)


def expansions(index: IndexReader, text: str, settings: Settings) -> tuple[list[Expansion], list[Notice]]:
    """Return the expansions of a query, in its order, and notices on them; none of a query that cannot be parsed."""
    synonyms = None if settings.synonyms is None else synonyms_in(settings.synonyms, index.analyser)
    has_marks = settings.syntax != "plain" and any(mark in text for mark in MARKS)
    if not has_marks and synonyms is None:
        return [], []
    words = typed_words(text, settings)
    patterns = [word for word in words if not isinstance(word, Word)]
    most = None if settings.max_terms is None else max(settings.max_terms // FEWEST_WORDS, 1)
    too_many = frozenset(patterns[most:]) if most is not None else frozenset()
    others = {word: synonyms.of(word.text) if synonyms is not None and isinstance(word, Word) else {} for word in words}
    typed = [word for word in words if others[word] or not isinstance(word, Word)]
    typed = [word for word in typed if word not in too_many][: settings.max_terms]
    share = None if settings.max_terms is None else max(settings.max_terms // max(len(typed), 1), 1)
    found = [
        _of_synonyms(word, others[word], share) if isinstance(word, Word) else _expansion(index, word, share)
        for word in typed
    ]
    fields = {"n": len(patterns), "most": most, "max_terms": settings.max_terms}
    return found, [*([Notice("too_many_patterns", fields)] if too_many else []), *_notices(found)]


def typed_words(text: str, settings: Settings) -> list[Word | Pattern | Fuzzy]:
    """Return the words that a query looks up: plain, patterns and misspelt ones; none if it cannot be parsed."""
    try:
        terms = typed_terms(text, syntax_of(text, settings))
    except QueryError:  # which is raised where the query is parsed
        return []
    return list(dict.fromkeys(word for term in dict.fromkeys(terms) for word in words_that_stand_for_others(term)))


def _of_synonyms(word: Word, found: Mapping[str, float], most: int | None) -> Expansion:
    words = tuple(islice(found, most))
    return Expansion(word, words, len(found), {each: found[each] for each in words if found[each] < 1})


def with_shares(index: IndexReader, query: Query, found: Sequence[Expansion], text: str, settings: Settings) -> Query:
    """Return the query with several terms, which are shares, in place of each word whose synonyms have weights.

    Args:
        text: of the query, whose own words have the weight 1.
    """
    if not any(each.weights for each in found):
        return query
    weights: dict[str, float] = {}
    of_words = (
        (expanded(each.typed, {each.typed: (word,)}.get), each.weights.get(word, 1.0))
        for each in found
        for word in each.words
    )
    for term, weight in (*of_words, *((word, 1.0) for word in typed_words(text, settings))):
        for part in chain.from_iterable(each.words[0].split(EITHER) for each in analyse((term,), index.analyser)):
            weights[part] = max(weight, weights.get(part, 0.0))
    return replace(query, terms=tuple(chain.from_iterable(_shares(term, weights) for term in query.terms)))


def _shares(term: QueryTerm, weights: Mapping[str, float]) -> Iterator[QueryTerm]:
    parts = [] if term.is_phrase or term.sign == "-" else term.words[0].split(EITHER)
    lower = 0.0
    for weight in sorted({weights.get(part, 1.0) for part in parts}):
        word = EITHER.join(part for part in parts if weights.get(part, 1.0) >= weight)
        sign = "" if lower else term.sign
        yield replace(term, words=(word,), sign=sign, share=weight - lower, is_within=lower > 0)
        lower = weight
    if not parts:
        yield term


def _expansion(index: IndexReader, typed: Pattern | Fuzzy, most: int | None) -> Expansion:
    fitting = tuple(_fitting(index, typed))
    found = iter(index.exchange.combine(united, fitting))
    stop_words = index.analyser.folded_words(index.analyser.stop_words)
    best, n_occurring = list[tuple[int, str]](), 0
    while some := tuple(islice(found, AT_ONCE)):
        words = [word for word in some if word not in stop_words]
        occurring = [(-n, word) for n, word in zip(_document_frequencies(index, words), words, strict=True) if n]
        n_occurring += len(occurring)
        best += occurring
        best = best if most is None else nsmallest(most, best)
    reserve(-memory_of(fitting))
    as_written = (typed.text.replace("*", ""),)  # a word of no document
    return Expansion(typed, tuple(sorted(word for _, word in best)) or as_written, n_occurring)


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
    terms = ["|".join(part for part in each if part is not None) for each in index.analyser.terms_of_new(words)]
    found: list[int] = index.document_frequencies(terms).tolist()
    return found


def united(found: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the words of all shards, in an order that is the same for each: a combiner."""
    return found[0] if len(found) == 1 else tuple(set(chain.from_iterable(found)))


# Notices, and words that one names.
MOST_NOTICES, MOST_NAMED = 2, 6


def _notices(found: Sequence[Expansion]) -> list[Notice]:
    """Return a notice on the words for which each pattern or misspelt word stands."""
    notices = []
    for each in found[:MOST_NOTICES]:
        word, n_words, n_fitting = shortened(str(each.typed), LONGEST), len(each.words), each.n_fitting
        if not n_fitting:
            notices.append(Notice("no_word_fits", {"word": word}))
            continue
        named = tuple(shortened(name, LONGEST) for name in each.named[:MOST_NAMED])
        fields = {"word": word, "n": n_fitting, "words": named, "others": max(n_words - MOST_NAMED, 0)}
        notices.append(Notice("stands_for", {**fields, "kept": n_words if n_words < n_fitting else 0}))
    return notices
