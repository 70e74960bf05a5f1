"""Words of a query that have a stem in common count as one word.

In an index of several languages a word of a query means its stems in all of them, `contracting|contract`. Without
this, `contract` beside it would count the same occurrences again, as another word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.query.query import Query
from engine.query.query_terms import QueryTerm
from engine.text.analyser import EITHER


def with_shared_stems(query: Query) -> Query:
    """Return the query with words that have an alternative in common, and the same sign, as the same term.

    Unwanted words and phrases stay as they are. The alternatives of a term are in the order in which they come first.
    """
    if query.path is not None or not any(EITHER in term.words[0] for term in query.terms):
        return query
    united = _united([term for term in query.terms if _counts(term)])
    terms = tuple(replace(term, words=(united[term],)) if _counts(term) else term for term in query.terms)
    return query if terms == query.terms else replace(query, terms=terms)


def _counts(term: QueryTerm) -> bool:
    return not term.is_phrase and term.sign != "-"


def _united(terms: Sequence[QueryTerm]) -> dict[QueryTerm, str]:
    """Return for each term the alternatives of all that are linked to it by a common one."""
    group_of: dict[tuple[str, str], list[QueryTerm]] = {}
    for term in dict.fromkeys(terms):
        linked = [group_of[key] for key in _stems(term) if key in group_of]
        group = list(dict.fromkeys([member for group in linked for member in group] + [term]))
        group_of.update({key: group for member in group for key in _stems(member)})
    found = {}
    for term in terms:
        stems = dict.fromkeys(stem for member in group_of[_stems(term)[0]] for _, stem in _stems(member))
        found[term] = EITHER.join(stems)
    return found


def _stems(term: QueryTerm) -> list[tuple[str, str]]:
    """Return the alternatives of a word, each with the sign of the word."""
    return [(term.sign, stem) for stem in term.words[0].split(EITHER)]
