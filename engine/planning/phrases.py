"""Phrases that no document contains, which count as their words, and words in a row that count as a phrase.

A quotation in a question is often not quite as the text has it: another form of a word, another spelling. Its words
still say what is asked for. So do those of a whole sentence in quotes. A short phrase alone, a required one, and one
under the operator `and` stay phrases: whoever writes these wants the phrase or nothing. So do all phrases where
elements are ranked by structure.

Function words are dropped from queries, as nearly every text has them. Where most words of a query are such words, as
in `to be or not to be that is the question`, what it says is their order: if a text has all of them in a row, that row
counts as a phrase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from engine.arrays import is_among
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.plan import ByScore, Plan
from engine.query.nexi.terms import expanded, is_pattern, parse_co
from engine.query.nexi.tree import Fuzzy, Pattern, Phrase, Word
from engine.query.query import Query
from engine.query.query_terms import QueryTerm, analyse
from engine.ranking.matches import term_occurrences
from engine.sharded_search.shard_merging import any_of
from engine.text.analyser import Analyser
from engine.wording import shortened

# Documents that are read for a phrase at first.
FIRST_READ = 16
# Words of a phrase that may be a sentence.
FEWEST_OF_SENTENCE = 4
# Phrases that a notice names.
MOST_NAMED = 2
LONGEST_NAMED = 40  # characters of each


def without_absent_phrases(index: IndexReader, plan: Plan) -> Plan:
    """Return the plan with the words of phrases that no document contains, and a notice that names these phrases."""
    query = plan.query
    phrases = [term for term in query.wanted if term.is_phrase and not term.sign]
    if not phrases or not isinstance(plan.order, ByScore) or plan.matching.needs_all or not _is_text(query):
        return plan
    occurs = np.array([_occurs(index, phrase) for phrase in phrases])
    occurs = index.exchange.combine(any_of, occurs)
    absent = [phrase for phrase, is_found in zip(phrases, occurs.tolist(), strict=True) if not is_found]
    if not absent:
        return plan
    keys = {(phrase.words, phrase.places, phrase.slop) for phrase in absent}
    terms = tuple(
        part
        for term in query.terms
        for part in (_words_of(term) if not term.sign and (term.words, term.places, term.slop) in keys else (term,))
    )
    named = tuple(_as_typed(index, query, absent)[:MOST_NAMED])
    notice = Notice("absent_phrases", {"phrases": named, "others": len(absent) - len(named)})
    return replace(plan, query=replace(query, terms=terms, notices=(*query.notices, notice)))


def phrase_occurs(index: IndexReader, phrase: QueryTerm) -> bool:
    """Return whether a phrase is in a live document of any shard."""
    return bool(index.exchange.combine(any_of, np.array([_occurs(index, phrase)]))[0])


def _occurs(index: IndexReader, phrase: QueryTerm) -> bool:
    """Return whether a phrase is in a live document; those that contain all of its words are read, until one has it."""
    rarest, *others = sorted((index.postings(word).documents for word in set(phrase.words)), key=len)
    for each in others:
        rarest = rarest.compress(is_among(rarest, each))
    first, n_read = 0, FIRST_READ
    while first < len(rarest):
        if len(term_occurrences(index.elements, phrase, rarest[first : first + n_read]).rows):
            return True
        first, n_read = first + n_read, 2 * n_read
    return False


def _is_text(query: Query) -> bool:
    """Return whether a keyword query has words outside its phrases, be it function words, or a long phrase."""
    return query.path is None and any(
        isinstance(each, Word) or (isinstance(each, Phrase) and len(each.words) >= FEWEST_OF_SENTENCE)
        for each in parse_co(query.text)
        if each.sign != "-"
    )


def _as_typed(index: IndexReader, query: Query, phrases: Sequence[QueryTerm]) -> list[str]:
    """Return the texts of phrases of a keyword query."""
    typed = {}
    patterns: dict[Word | Pattern | Fuzzy, tuple[str, ...]] = {
        Pattern(text): words for text, words in query.expansions if is_pattern(text)
    }
    for each in parse_co(query.text):
        in_full = expanded(each, patterns.get)
        if isinstance(each, Phrase) and (terms := analyse((in_full,), index.analyser, query.function_words)):
            typed[terms[0]] = f'"{shortened(" ".join(each.words), LONGEST_NAMED)}"'
    return [typed.get(phrase, str(phrase)) for phrase in phrases]


def _words_of(phrase: QueryTerm) -> tuple[QueryTerm, ...]:
    """Return the words of a phrase that count."""
    return tuple(QueryTerm((word,)) for word in phrase.words if word not in phrase.uncounted)


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
    if plan.matching.needs_all or not (placed := _placed_words(query.text, index.analyser)):
        return plan
    words = [word for _, word in placed]
    n_counted = sum(len(term.words) for term in query.terms)
    is_run = FEWEST <= len(words) <= MOST and len(words) - n_counted >= LEAST_SHARE * len(words)
    if not is_run and not (FEWEST <= len(words) == n_counted <= MOST and _are_function_words(index, query)):
        return plan
    phrase = QueryTerm(tuple(words), tuple(place - placed[0][0] for place, _ in placed))
    return replace(plan, query=replace(query, terms=(*query.terms, phrase))) if phrase_occurs(index, phrase) else plan


def _placed_words(text: str, analyser: Analyser) -> tuple[tuple[int, str], ...]:
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
