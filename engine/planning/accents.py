"""Words of a query without accents find words with them: Dvorak finds Dvořák, Mueller Müller, Θηβα Θήβα.

Which words a collection has is looked up when it is asked, so no index depends on it. Where the collection has the word
as it was typed, a share of its weight is that of this spelling alone, so its texts rank higher; a word with spellings
weighs no more than another. Words that are typed with accents are meant so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from engine.index.reader import IndexReader
from engine.planning.plan import Plan
from engine.query.nexi.tree import Pattern, Word
from engine.query.query import StandsFor
from engine.query.query_terms import QueryTerm
from engine.records import with_values
from engine.text.alternative_terms import ANY_END, EITHER
from engine.text.analyser import DEFAULT, FOLD, Analyser
from engine.text.characters import is_without_accents

# Share of a word's weight that is of the spelling as typed.
AS_TYPED = 0.1
# Spellings that a word may have, and the fewest letters of a word that may have others.
MOST_SPELLINGS, FEWEST_LETTERS = 8, 3

Spellings = Mapping[str, Sequence[str]]


def with_accents(index: IndexReader, plan: Plan) -> Plan:
    """Return the plan of a keyword query that finds words with accents for those without them, too."""
    query = plan.query
    if query.path is not None or not finds_accents(index.analyser):
        return plan
    words = dict.fromkeys(word for term in query.terms for word in term.words if _may_have_accents(word))
    if not words:
        return plan
    found: Spellings = index.exchange.combine(merged, {word: index.accented(word) for word in words})
    if not any(found.values()):
        return plan
    lacking = [word for word in words if found[word]]
    frequencies = dict(zip(lacking, index.document_frequencies(lacking).tolist(), strict=True))
    is_single = not plan.matching.needs_all
    terms = tuple(each for term in query.terms for each in _terms(term, found, frequencies, is_single=is_single))
    return with_values(plan, query=replace(query, terms=terms))


def finds_accents(analyser: Analyser) -> bool:
    """Return whether a word without accents also finds those with them: where an index has both."""
    return analyser.name == DEFAULT and analyser.diacritics != FOLD


def accented_words(index: IndexReader, words: Sequence[Word | Pattern]) -> StandsFor:
    """Return the words of a path query that others with accents match, each with itself and these."""
    if not finds_accents(index.analyser):
        return ()
    terms = {word: index.analyser.terms(word.text) for word in words if _may_have_accents(word.text)}
    single = {word: found[0] for word, found in terms.items() if len(found) == 1 and found[0] is not None}
    if not single:
        return ()
    found: Spellings = index.exchange.combine(merged, {term: index.accented(term) for term in set(single.values())})
    return tuple((word, (word.text, *found[term])) for word, term in single.items() if found[term])


def merged(of_shards: Sequence[Spellings]) -> Spellings:
    """Return the spellings of each word in all shards: a combiner."""
    return {
        word: tuple(sorted({spelling for each in of_shards for spelling in each[word]})[:MOST_SPELLINGS])
        for word in of_shards[0]
    }


def _may_have_accents(word: str) -> bool:
    return (
        len(word) >= FEWEST_LETTERS
        and not word.endswith(ANY_END)
        and word.replace(EITHER, "").isalpha()
        and is_without_accents(word)
    )


def _terms(
    term: QueryTerm, found: Spellings, frequencies: Mapping[str, int], *, is_single: bool
) -> Iterator[QueryTerm]:
    """Yield a term with the spellings of its words, and once more as typed, if texts have it so."""
    if not any(found.get(word) for word in term.words):
        yield term
        return
    words = tuple(EITHER.join((word, *found.get(word, ()))) for word in term.words)
    uncounted = frozenset(new for old, new in zip(term.words, words, strict=True) if old in term.uncounted)
    has_share = is_single and not term.is_phrase and not term.sign and frequencies[term.words[0]] > 0
    share = AS_TYPED if has_share else 0.0
    yield replace(term, words=words, uncounted=uncounted, share=term.share * (1 - share))
    if has_share:
        yield replace(term, share=term.share * share, is_within=True)
