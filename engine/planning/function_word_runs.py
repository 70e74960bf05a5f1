"""Queries of function words: `to be or not to be that is the question` is searched as it stands, too.

Function words are dropped from queries, as nearly every text has them. Where most words of a query are such words, what
it says is their order: if a text has all of them in a row, that row counts as a phrase.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from engine.index.reader import IndexReader
from engine.planning.absent_phrases import phrase_occurs
from engine.planning.plan import ByScore, Plan
from engine.query.nexi.terms import parse_co
from engine.query.nexi.tree import Word
from engine.query.query import Query
from engine.query.query_terms import QueryTerm
from engine.text.analyser import Analyser

# Words of such a query, and the share of them that are function words.
FEWEST, MOST = 4, 24
LEAST_SHARE = 0.6
# Characters of the longest queries whose words are cached.
LONGEST_CACHED = 2_000


def with_function_word_run(index: IndexReader, plan: Plan) -> Plan:
    """Return the plan of a keyword query with the phrase of its words, if most are function words and a text has it."""
    query = plan.query
    if query.path is not None or not query.function_words or not isinstance(plan.order, ByScore):
        return plan
    if plan.matching.needs_all or not (placed := _words_of(query.text, index.analyser)):
        return plan
    words = [word for _, word in placed]
    n_counted = sum(len(term.words) for term in query.terms)
    is_run = FEWEST <= len(words) <= MOST and len(words) - n_counted >= LEAST_SHARE * len(words)
    if not is_run and not (FEWEST <= len(words) == n_counted <= MOST and _are_function_words(index, query)):
        return plan
    phrase = QueryTerm(tuple(words), tuple(place - placed[0][0] for place, _ in placed))
    return replace(plan, query=replace(query, terms=(*query.terms, phrase))) if phrase_occurs(index, phrase) else plan


def _words_of(text: str, analyser: Analyser) -> tuple[tuple[int, str], ...]:
    return plain_words(text, analyser) if len(text) <= LONGEST_CACHED else plain_words.__wrapped__(text, analyser)


@lru_cache(1024)
def plain_words(text: str, analyser: Analyser) -> tuple[tuple[int, str], ...]:
    """Return the words of a query with their places, without stop words; none of a query with signs or phrases."""
    if not all(isinstance(each, Word) and not each.sign for each in parse_co(text)):
        return ()
    return tuple((place, word) for place, word in enumerate(analyser.terms(text)) if word is not None)


def _are_function_words(index: IndexReader, query: Query) -> bool:
    """Return whether a query consists of function words, which are all kept then."""
    return not any(index.analyser.terms_of_each([query.text], query.function_words)[0])
