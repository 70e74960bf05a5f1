"""Words of a query that have a stem in common count as one word.

In an index of several languages a word of a query means its stems in all of them, `contracting|contract`. Without
this, `contract` beside it would count the same occurrences again, as another word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from engine.query.query import MAX_CACHED_LENGTH, Query, parse_query
from engine.query.query_terms import QueryTerm
from engine.settings.choices import Syntax
from engine.text.alternative_terms import EITHER
from engine.text.analyser import Analyser

SignedWord = tuple[str, str]


def with_shared_stems(query: Query) -> Query:
    """Return the query with words that have an alternative in common, and the same sign, as the same term.

    Unwanted words and phrases stay as they are. The alternatives of a term are in the order in which they come first.
    """
    if query.path is not None or not any(EITHER in term.words[0] for term in query.terms):
        return query
    united = _united((term.sign, term.words[0]) for term in query.terms if _counts(term))
    terms = tuple(_with_word(term, united[term.sign, term.words[0]]) if _counts(term) else term for term in query.terms)
    return query if terms == query.terms else replace(query, terms=terms)


def parse_with_shared_stems(
    text: str, analyser: Analyser, reading: str, syntax: Syntax, function_words: frozenset[str]
) -> Query:
    """Return what `parse_query` returns, with words that have a stem in common as the same term."""
    parse = _cached if len(text) <= MAX_CACHED_LENGTH else _parsed
    return parse(text, analyser, reading, syntax, function_words)


def _parsed(text: str, analyser: Analyser, reading: str, syntax: Syntax, function_words: frozenset[str]) -> Query:
    return with_shared_stems(parse_query(text, analyser, reading, syntax, function_words))


# As parsed queries are.
_cached = lru_cache(1024)(_parsed)


def _counts(term: QueryTerm) -> bool:
    return not term.is_phrase and term.sign != "-"


def _with_word(term: QueryTerm, word: str) -> QueryTerm:
    return term if term.words == (word,) else replace(term, words=(word,))


def _united(words: Iterable[SignedWord]) -> dict[SignedWord, str]:
    """Return for each word the alternatives of all that are linked to it by a common one, with the same sign."""
    stems_of = {(sign, word): [(sign, stem) for stem in word.split(EITHER)] for sign, word in words}
    group_of: dict[SignedWord, list[SignedWord]] = {}  # by alternative
    for word, stems in stems_of.items():
        linked = [group_of[stem] for stem in stems if stem in group_of]
        group = list(dict.fromkeys([member for group in linked for member in group] + [word])) if linked else [word]
        group_of.update({stem: group for member in group for stem in stems_of[member]})
    groups = {word: group_of[stems[0]] for word, stems in stems_of.items()}
    return {
        word: word[1] if len(group) == 1 else _joined([stem for member in group for stem in stems_of[member]])
        for word, group in groups.items()
    }


def _joined(stems: Iterable[SignedWord]) -> str:
    return EITHER.join(dict.fromkeys(stem for _, stem in stems))
