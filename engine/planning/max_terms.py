"""The words of a query that remain where it has more than `max_terms`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from heapq import nlargest
from itertools import chain, compress
from math import inf

from engine.errors import QueryLimitError
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.plan import Plan
from engine.query.keyword_notices import SIGNS
from engine.query.nexi.tree import About, And, Comparison, Condition, Not, Or, Phrase, Step
from engine.query.query_terms import QueryTerm
from engine.text.alternative_terms import EITHER, composed, is_composed


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
    most = plan.settings.max_terms
    if most is None:
        return plan
    plan = _within_groups(index, plan, most)
    query = plan.query
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


def _within_groups(index: IndexReader, plan: Plan, most: int) -> Plan:
    """Return the plan with the `most` alternatives of each term in most documents, and a notice if one has more.

    A word counts once, however many stems it has in the languages of the index.
    """
    largest = most * max(len(index.analyser.languages), 1)
    n_alternatives = max((term.words[0].count(EITHER) + 1 for term in plan.query.terms), default=0)
    if n_alternatives <= largest:
        return plan
    terms = tuple(_with_most_frequent(index, term, largest) for term in plan.query.terms)
    notice = Notice("too_many_alternatives", {"words": n_alternatives, "most": largest})
    return replace(plan, query=replace(plan.query, terms=terms), notices=(*plan.notices, notice))


def _with_most_frequent(index: IndexReader, term: QueryTerm, most: int) -> QueryTerm:
    """Return a term with its alternatives that are in most documents; ties in the order of the query."""
    parts = term.words[0].split(EITHER)
    if len(parts) <= most:
        return term
    frequencies = _most_documents(index, parts)
    kept = set(nlargest(most, parts, key=frequencies.__getitem__))
    return replace(term, words=(EITHER.join(part for part in parts if part in kept), *term.words[1:]))


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
    frequencies = _most_documents(index, list(_words(terms)))
    rarity = [min([frequencies[word] for word in term.words]) or inf for term in terms]
    is_kept = [bool(term.sign) or needs_all for term in terms]  # by place, as terms are slow to hash
    for place in sorted((place for place, kept in enumerate(is_kept) if not kept), key=rarity.__getitem__):
        new = set(terms[place].words).difference(kept_words)
        if len(kept_words) + len(new) <= most:
            is_kept[place] = True
            kept_words.update(dict.fromkeys(new))
    return tuple(compress(terms, is_kept))


def _most_documents(index: IndexReader, words: Sequence[str]) -> dict[str, int]:
    """Return the number of documents that contain each word; of a composed one, the most that can.

    What is composed is at most as frequent as the rarest of its terms: counting it would read where they all occur.
    """
    alternatives = {
        word: [found.words if (found := composed(part)) else (part,) for part in word.split(EITHER)]
        for word in words
        if is_composed(word)
    }
    of_parts = chain.from_iterable(chain.from_iterable(alternatives.values()))
    read = list(dict.fromkeys(chain((word for word in words if word not in alternatives), of_parts)))
    frequencies = dict(zip(read, index.document_frequencies(read).tolist(), strict=True))
    for word, parts in alternatives.items():
        frequencies[word] = sum(min(frequencies[term] for term in part) for part in parts)
    return frequencies


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
