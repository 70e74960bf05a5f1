"""Words of a query that have a stem in common count as one word.

In an index of several languages a word of a query means its stems in all of them, `contracting|contract`. Without
this, `contract` beside it would count the same occurrences again, as another word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain

from engine.query.query import Query, cached_by_length, parse_query
from engine.query.query_terms import QueryTerm
from engine.settings.choices import Syntax
from engine.text.alternative_terms import EITHER
from engine.text.analyser import Analyser


def with_shared_stems(query: Query) -> Query:
    """Return the query with words that have an alternative in common, and the same sign, as the same term.

    Unwanted words and phrases stay as they are. The alternatives of a term are in the order in which they come first.
    """
    if query.path is not None or not any(EITHER in term.words[0] for term in query.terms):
        return query
    words_by_sign: dict[str, list[str]] = {}
    for term in query.terms:
        if term.sign != "-" and len(term.words) == 1:
            words_by_sign.setdefault(term.sign, []).append(term.words[0])
    united = {sign: _united(words) for sign, words in words_by_sign.items()}
    linked = frozenset(chain.from_iterable(united.values()))
    if not linked:
        return query
    terms = [_with_word(term, united) if term.words[0] in linked else term for term in query.terms]
    return replace(query, terms=tuple(terms))


@cached_by_length
def parse_with_shared_stems(
    text: str, analyser: Analyser, reading: str, syntax: Syntax, function_words: frozenset[str]
) -> Query:
    """Return what `parse_query` returns, with words that have a stem in common as the same term."""
    return with_shared_stems(parse_query(text, analyser, reading, syntax, function_words))


def _with_word(term: QueryTerm, united: Mapping[str, Mapping[str, str]]) -> QueryTerm:
    word = united[term.sign].get(term.words[0]) if term.sign in united and len(term.words) == 1 else None
    return term if word is None or word == term.words[0] else replace(term, words=(word,))


def _united(words: Iterable[str]) -> dict[str, str]:
    """Return for each word that has an alternative in common with another one those of all that are linked to it."""
    stems_of = {word: word.split(EITHER) for word in words}
    n_words = Counter(chain.from_iterable(stems_of.values()))
    shared = {stem for stem, n in n_words.items() if n > 1}
    stems_of = {word: stems for word, stems in stems_of.items() if not shared.isdisjoint(stems)}
    group_of: dict[str, list[str]] = {}  # by alternative
    for word, stems in stems_of.items():
        linked = [group_of[stem] for stem in stems if stem in group_of]
        group = list(dict.fromkeys([member for group in linked for member in group] + [word])) if linked else [word]
        group_of.update({stem: group for member in group for stem in stems_of[member]})
    groups = {word: group_of[stems[0]] for word, stems in stems_of.items()}
    return {word: _joined(stems_of[member] for member in group) for word, group in groups.items()}


def _joined(stems: Iterable[Iterable[str]]) -> str:
    return EITHER.join(dict.fromkeys(chain.from_iterable(stems)))
