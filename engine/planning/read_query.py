"""How a query is read in a collection: as a path or as words, with the phrases and as many terms as it can have there.

People paste `/etc/hosts` or `//TODO`, which are correct paths. Without conditions, and with names that no document has,
such a query can find nothing but its words, and under a reading that needs words it cannot be read otherwise.

A quotation in a question is often not quite as the text has it: another form of a word, another spelling. Its words
still say what is asked for: a phrase that occurs in no document counts as its words. So do those of a whole sentence in
quotes. A short phrase alone, a required one, and one under the operator `and` stay phrases: whoever writes these wants
the phrase or nothing. So do all phrases where elements are ranked by structure.

`max_terms` leaves the rarest words of a keyword query, and refuses other queries.

Whoever types a few words, requires or excludes one, quotes a phrase or asks for all words, wants elements with and
without these. A question has FEWEST_OF_QUESTION words, as typed and of the collection; two letters of a script without
spaces count as a word: elements without its words can be answers, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain, compress, islice
from math import inf

import numpy as np

from engine.arrays import is_among
from engine.errors import QueryError, QueryLimitError
from engine.fields.box import BoxFields, box_fields, joined, where_of
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.accents import accented_words
from engine.planning.expansion import expansion_notices, expansions
from engine.planning.old_spellings import old_spellings
from engine.planning.plan import ByScore, Plan, WholeArticles
from engine.planning.planning import make_plan, syntax_of
from engine.query.keyword_notices import NEEDS_SYNTAX, SIGNS, read_as_words
from engine.query.nexi.terms import is_pattern, parse_co, phrase_parts, words_that_stand_for_others
from engine.query.nexi.tree import About, And, Comparison, Condition, Not, Or, Phrase, Step, Term, Word
from engine.query.query import (
    FEWEST_OF_QUESTION,
    MAX_LENGTH,
    Query,
    StandsFor,
    WordlessPathError,
    is_path_query,
    typed_terms,
)
from engine.query.query_terms import QueryTerm, analyse
from engine.ranking.matches import term_occurrences
from engine.settings import Settings
from engine.sharded_search.shard_merging import any_of
from engine.structure.scope import Scope
from engine.text.characters import UNSPACED, kind_of
from engine.wording import nearest, shortened

# The least similarity of a name that may be meant.
ALIKE = 0.75


def read_query(index: IndexReader, text: str, settings: Settings, *, needs_text: bool) -> Plan:
    """Return the plan of a query (`make_plan`); if its path means nothing here, the plan of its words, with a notice.

    A path is never read as words under another syntax or reading than `auto`, or where its targets are asked for.
    """
    is_open = settings.syntax == "auto" and settings.reading == "auto" and settings.answers != "target"

    in_box = _box_fields(index, text, settings)
    text = in_box.text
    found = expansions(index, text, settings)
    stands_for = tuple((each.typed, each.words) for each in found)
    stands_for += _other_spellings(index, text, settings, {each.typed for each in found})

    def read(settings: Settings) -> Plan:
        is_list = not text.strip() and needs_text and (in_box.condition or settings.where or settings.documents)
        plan = make_plan(
            text,
            index.analyser,
            settings,
            index.function_words,
            needs_text=needs_text and not is_list,
            stands_for=stands_for,
        )
        if is_list:
            plan = list_of_documents(plan)
        if in_box.condition is not None:
            where = joined(plan.scope.where, where_of(in_box.condition))
            plan = replace(plan, scope=replace(plan.scope, where=where))
        if in_box.notices:
            told = tuple(each for each in plan.query.notices if each.code != "no_field")
            plan = replace(plan, query=replace(plan.query, notices=told), notices=(*plan.notices, *in_box.notices))
        if not found:
            return plan
        query = replace(plan.query, expansions=tuple((str(each.typed), each.words) for each in found))
        return replace(plan, query=query, notices=(*plan.notices, *expansion_notices(found)))

    try:
        plan = read(settings)
    except WordlessPathError:
        if not is_open or "[" in text:
            raise
        why = Notice("path_without_words")
    else:
        if not is_open or not (names := _unknown_names(index, plan)):
            return plan
        near = nearest(names[0].removeprefix("@"), index.tags, cutoff=ALIKE)
        named = tuple(map(shortened, names))
        fields = {"names": named, "of_attribute": names[0].startswith("@"), "near": near or ""}
        why = Notice("path_of_no_document", fields)
    plan = read(replace(settings, syntax="keywords"))
    notices = (*read_as_words(why), *(notice for notice in plan.query.notices if notice.code != NEEDS_SYNTAX))
    return replace(plan, query=replace(plan.query, notices=notices))


def _box_fields(index: IndexReader, text: str, settings: Settings) -> BoxFields:
    """Return the fields in a query of keywords that documents have."""
    syntax = syntax_of(text, settings)
    if ":" not in text or syntax == "plain" or len(text) > MAX_LENGTH or is_path_query(text, syntax):
        return BoxFields(None, text)
    types = index.fields.types
    are_known = index.exchange.combine(any_of, np.array([index.fields.is_known(name) for name in types], np.bool_))
    known = {name: types[name] for name, is_known in zip(types, are_known.tolist(), strict=True) if is_known}
    return box_fields(text, known)


def list_of_documents(plan: Plan) -> Plan:
    """Return the plan of a query without words: all documents of its scope, whole, in the order of their ids."""
    query = replace(plan.query, lists_documents=True)
    articles = replace(plan.articles, is_ranked=False)
    return replace(plan, query=query, articles=articles, order=WholeArticles(), semantic=None)


def _other_spellings(index: IndexReader, text: str, settings: Settings, known: Collection[Term]) -> StandsFor:
    """Return the words of a query, other than known ones, with their spellings with accents, or of early prints.

    The words of a keyword query get those with accents later, the word as typed first (`accents.with_accents`).
    """
    syntax = syntax_of(text, settings)
    is_path = bool(text.strip()) and is_path_query(text, syntax)
    if not is_path and not settings.old_spelling:
        return ()
    try:
        terms = typed_terms(text, syntax)
    except QueryError:  # which is raised where the query is parsed
        return ()
    words = dict.fromkeys(word for term in terms for word in words_that_stand_for_others(term))
    typed = [word for word in words if isinstance(word, Word) and word not in known]
    old = dict(old_spellings(index, typed)) if settings.old_spelling else {}
    if not is_path:
        return tuple(old.items())
    in_phrases = dict.fromkeys(part for term in terms for part in phrase_parts(term) if not is_pattern(part.text))
    accented = accented_words(index, [*(word for word in typed if word not in old), *in_phrases])
    return (*old.items(), *accented)


def _unknown_names(index: IndexReader, plan: Plan) -> list[str]:
    """Return the names of elements and attributes in a path without conditions that no document has."""
    path = plan.query.path
    if path is None or plan.query.image_references or any(step.conditions for step in path.steps):
        return []
    scope, attributes = Scope(index, index.live_documents, plan.matching), frozenset(index.elements.attribute_names)
    named = [step for step in path.steps if step.names]
    is_known = np.array([_is_known(step, scope, attributes) for step in named], np.bool_)
    is_known = index.exchange.combine(any_of, is_known)
    unknown = [step for step, known in zip(named, is_known.tolist(), strict=True) if not known]
    return [f"@{name}" if step.is_attribute else name for step in unknown for name in step.names]


def _is_known(step: Step, scope: Scope, attributes: frozenset[str]) -> bool:
    return not attributes.isdisjoint(step.names) if step.is_attribute else bool(scope.tag_numbers(step.names))


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
    return replace(plan, query=replace(query, terms=terms), notices=(*plan.notices, notice))


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
    for each in parse_co(query.text):
        if isinstance(each, Phrase) and (terms := analyse((each,), index.analyser, query.function_words)):
            typed[terms[0]] = f'"{shortened(" ".join(each.words), LONGEST_NAMED)}"'
    return [typed.get(phrase, str(phrase)) for phrase in phrases]


def _words_of(phrase: QueryTerm) -> tuple[QueryTerm, ...]:
    """Return the words of a phrase that count."""
    return tuple(QueryTerm((word,)) for word in phrase.words if word not in phrase.uncounted)


def within_max_terms(index: IndexReader, plan: Plan) -> Plan:
    """Return the plan with at most `max_terms` distinct words, and a notice if any are left out.

    Required and unwanted terms remain, then those with the rarest words (a phrase is as rare as its rarest word; ties
    in the order of the query), words of no document last. A remaining word has its frequency in the query. A phrase of
    more distinct words than `max_terms` counts as its words.

    More required and unwanted words than that are words without a sign under the syntax `auto`: text, such as the help
    of a command.

    Raises: QueryLimitError for a path query with more terms, comparisons and steps; for a keyword query of which no
        word can be left out: with the operator `and`, or under the syntax `keywords` with more required and unwanted
        words.
    """
    query, most = plan.query, plan.settings.max_terms
    if most is None:
        return plan
    if query.path is not None:
        n_parts = sum(map(_n_parts, query.path.steps))
        if n_parts > most:
            raise QueryLimitError(
                f"the path query has {n_parts:,} terms, comparisons and steps, more than max_terms = {most:,}: shorten "
                "it, or raise max_terms."
            )
        return plan
    n_words = len(_words(query.terms))
    if n_words <= most:
        return plan
    needs_all = plan.matching.needs_all
    terms, notices = query.terms, list(plan.notices)
    if plan.settings.syntax == "auto" and len(signed := _words([term for term in terms if term.sign])) > most:
        terms = tuple(replace(term, sign="") for term in terms)
        query = replace(query, notices=tuple(told for told in query.notices if told.code != SIGNS))
        notices.append(Notice("too_many_signs", {"signed": len(signed), "most": most}))
    words = terms if needs_all else _without_long_phrases(terms, most)
    kept = _rarest(index, words, most, needs_all=needs_all)
    fields = {"words": n_words, "most": most, "kept": len(_words(kept)), "splits_phrase": words != terms}
    return replace(plan, query=replace(query, terms=kept), notices=(*notices, Notice("too_many_words", fields)))


def _without_long_phrases(terms: Sequence[QueryTerm], most: int) -> tuple[QueryTerm, ...]:
    """Return the terms with the words that count of each phrase without a sign that has too many words."""
    found: list[QueryTerm] = []
    for term in terms:
        if term.sign or len(term.words) <= most or len(set(term.words)) <= most:
            found.append(term)
        else:
            found += [QueryTerm((word,)) for word in term.words if word not in term.uncounted]
    return tuple(found)


def _rarest(index: IndexReader, terms: Sequence[QueryTerm], most: int, *, needs_all: bool) -> tuple[QueryTerm, ...]:
    """Return the terms that remain, in their order."""
    needed = [term for term in terms if term.sign or needs_all]
    kept_words = _words(needed)
    if len(kept_words) > most:
        which = "words, all of which must occur (operator = and)" if needs_all else "required and unwanted words"
        raise QueryLimitError(
            f"the query has {len(kept_words):,} {which}, more than max_terms = {most:,}: leave some out, or raise "
            "max_terms."
        )
    words = list(_words(terms))
    frequencies = dict(zip(words, index.document_frequencies(words).tolist(), strict=True))
    rarity = [min([frequencies[word] for word in term.words]) or inf for term in terms]
    is_kept = [bool(term.sign) or needs_all for term in terms]  # by place, as terms are slow to hash
    for place in sorted((place for place, kept in enumerate(is_kept) if not kept), key=rarity.__getitem__):
        new = set(terms[place].words).difference(kept_words)
        if len(kept_words) + len(new) <= most:
            is_kept[place] = True
            kept_words.update(dict.fromkeys(new))
    return tuple(compress(terms, is_kept))


def _words(terms: Sequence[QueryTerm]) -> dict[str, None]:
    """Return the distinct words of terms in their order."""
    return dict.fromkeys(chain.from_iterable([term.words for term in terms]))


def _n_parts(step: Step) -> int:
    """Return the number of steps, words and comparisons in a step and its conditions."""
    return 1 + sum(_n_parts_of_condition(condition) for condition in step.conditions)


def _n_parts_of_condition(condition: Condition) -> int:
    match condition:
        case About(path, terms):
            words = sum(len(term.words) if isinstance(term, Phrase) else 1 for term in terms)
            return words + sum(map(_n_parts, path.steps))
        case Comparison(path):
            return 1 + sum(map(_n_parts, path.steps))
        case And(parts) | Or(parts):
            return sum(map(_n_parts_of_condition, parts))
        case Not(part):
            return _n_parts_of_condition(part)


_TYPED = re.compile(r"\S+")
_LETTERS_OF_WORD = 2


def needs_no_match(index: IndexReader, plan: Plan) -> bool:
    """Return whether elements without a match can be answers, too, by their context."""
    return plan.query.is_question and _asks_for_no_match(plan) and _is_question(index, plan.query)


def _asks_for_no_match(plan: Plan) -> bool:
    """Return whether answers are elements of any or of certain tags, and nothing of the query asks for a match."""
    query = plan.query
    return (
        isinstance(plan.order, ByScore)
        and not (query.required or query.unwanted or plan.images)
        and not plan.matching.needs_all
        and plan.matching.n_first is None
        and plan.answers.from_matches is None
        and not plan.scope.restricts_elements
    )


def _is_question(index: IndexReader, query: Query) -> bool:
    """Return whether a query has enough words, in no phrase, of the collection and as typed."""
    words = {word for term in query.wanted if not term.is_phrase for word in term.words}
    known = (word for word in words if index.statistics.term(word).document_frequency)
    return len(list(islice(known, FEWEST_OF_QUESTION))) == FEWEST_OF_QUESTION and _is_long(query.text)


def _is_long(text: str) -> bool:
    n_words = 0
    for typed in _TYPED.finditer(text):
        unspaced = 0 if typed[0].isascii() else sum(kind_of(character) == UNSPACED for character in typed[0])
        n_words += max(unspaced // _LETTERS_OF_WORD, 1)
        if n_words >= FEWEST_OF_QUESTION:
            return True
    return False
