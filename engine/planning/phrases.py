"""Phrases that no document contains, which count as their words, and the sequence of the words of a query.

A quotation in a question is often not quite as the text has it: another form of a word, another spelling. Its words
still say what is asked for. So do those of a whole sentence in quotes. A short phrase alone, a required one, and one
under the operator `and` stay phrases: whoever writes these wants the phrase or nothing. So do all phrases where
elements are ranked by structure.

Whoever types a sentence, `to be or not to be that is the question`, asks for the text that has it: where half of the
words of a query are function words, and a document has all of them as typed, this sequence is a part of the score.
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
from engine.ranking.matches import phrase_intervals
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
    occurs = np.array([_occurs(index, _rarest_first(index, phrase)) for phrase in phrases])
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


def _occurs(index: IndexReader, phrase: QueryTerm) -> bool:
    """Return whether a phrase is in a live document; those that contain all of its words are read, until one has it.

    Args:
        phrase: as `_rarest_first` returns it.
    """
    rarest, *others = (index.postings(word).documents for word in dict.fromkeys(phrase.words))
    for each in others:
        if not len(rarest):
            return False
        rarest = rarest.compress(is_among(rarest, each))
    first, n_read = 0, FIRST_READ
    while first < len(rarest):
        if len(phrase_intervals(index.elements, phrase, rarest[first : first + n_read]).rows):
            return True
        first, n_read = first + n_read, 2 * n_read
    return False


def _rarest_first(index: IndexReader, phrase: QueryTerm) -> QueryTerm:
    """Return the same phrase with the words of the fewest documents first, which are read first."""
    placed = zip(phrase.words, phrase.places, strict=True)
    words, places = zip(
        *sorted(placed, key=lambda each: index.statistics.term(each[0]).document_frequency), strict=True
    )
    return replace(phrase, words=words, places=places)


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


# Words of a sentence that somebody quotes, the share of function words among them that tells it from a list of terms,
# and its characters.
FEWEST, MOST, LEAST_SHARE, LONGEST = 4, 24, 0.5, 1000


def with_sequence(index: IndexReader, plan: Plan) -> Plan:
    """Return the plan of a keyword query with the sequence of its words, if it is a sentence in a document."""
    query, order = plan.query, plan.order
    if query.path is not None or not isinstance(order, ByScore) or not order.sequence_weight:
        return plan
    if len(query.text) > LONGEST or not (placed := _placed_words(query.text, index.analyser, query.function_words)):
        return plan
    sequence = QueryTerm(tuple(word for _, word in placed), tuple(place - placed[0][0] for place, _ in placed))
    sequence = _rarest_first(index, sequence)
    occurs = index.exchange.combine(any_of, np.array([_occurs(index, sequence)]))[0]
    return replace(plan, order=replace(order, sequence=sequence)) if occurs else plan


@lru_cache(1024)
def _placed_words(text: str, analyser: Analyser, function_words: frozenset[str]) -> tuple[tuple[int, str], ...]:
    """Return the words of a sentence with their places, without stop words; none of another query."""
    typed = parse_co(text)
    if not FEWEST <= len(typed) <= MOST or not all(isinstance(each, Word) and not each.sign for each in typed):
        return ()
    placed = tuple((place, word) for place, word in enumerate(analyser.terms(text)) if word is not None)
    others = [word for word in analyser.terms_of_each([text], function_words)[0] if word is not None]
    return placed if len(placed) - len(others) >= LEAST_SHARE * len(placed) else ()
