"""How a query is read in a collection: as a path, or as words.

People paste `/etc/hosts` or `//TODO`, which are correct paths. Without conditions, and with names that no document has,
such a query can find nothing but its words, and under a reading that needs words it cannot be read otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

import numpy as np

from engine.errors import QueryError
from engine.fields.box import MARKS, BoxFields, box_fields, joined, where_of
from engine.index.elements.nearest_tag import nearest_tag
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.accents import accented_words
from engine.planning.expansion import expansions, with_shares
from engine.planning.known_fields import known_fields, with_known_fields
from engine.planning.plan import Plan, WholeArticles
from engine.planning.planning import make_plan, syntax_of
from engine.query.keyword_notices import NEEDS_SYNTAX, read_as_words
from engine.query.nexi.terms import is_pattern, phrase_parts, words_that_stand_for_others
from engine.query.nexi.tree import Step, Term, Word
from engine.query.query import MAX_LENGTH, StandsFor, WordlessPathError, is_path_query, typed_terms
from engine.records import with_values
from engine.settings import Settings
from engine.sharded_search.shard_merging import any_of
from engine.structure.scope import Scope
from engine.text.alternative_terms import EITHER
from engine.text.function_words import function_words_of
from engine.wording import shortened

# Words in a phrase that would be exact or misspelt ones outside, and in about() one that would be a field.
SIGN_IN_PHRASE = re.compile(r"=[^\W\d_]{2,}|[^\W\d_]+~\d?")
FIELD_IN_ABOUT = re.compile(r"([^\W\d_][\w-]*):[\w<>=]")
# The least similarity of a name that may be meant.
ALIKE = 0.75


def read_query(index: IndexReader, text: str, settings: Settings, *, needs_text: bool) -> Plan:
    """Return the plan of a query (`make_plan`); if its path means nothing here, the plan of its words, with a notice.

    A path is never read as words under another syntax or reading than `auto`, or where its targets are asked for.
    """
    is_open = settings.syntax == "auto" and settings.reading == "auto" and settings.answers != "target"

    in_box = _box_fields(index, text, settings)
    text = in_box.text
    found, of_patterns = expansions(index, text, settings)
    stands_for = tuple((each.typed, each.words) for each in found)
    stands_for += _other_spellings(index, text, settings, {each.typed for each in found})

    def read(settings: Settings) -> Plan:
        is_list = not text.strip() and needs_text and (in_box.condition or settings.where or settings.documents)
        plan = make_plan(
            text,
            index.analyser,
            settings,
            index.function_words or function_words_of(text, index.analyser),
            needs_text=needs_text and not is_list,
            stands_for=stands_for,
        )
        if is_list:
            plan = list_of_documents(plan)
        if in_box.condition is not None:
            where = joined(plan.scope.where, where_of(in_box.condition))
            plan = replace(plan, scope=replace(plan.scope, where=where))
        told = (*_told(index, plan.query.notices, in_box.notices), *in_box.notices, *of_patterns)
        told += tuple(_without_effect(index, text, settings))
        if is_list and settings.word_budget is not None:
            told += (Notice("list_without_budget"),)
        stood_for = tuple((str(each.typed), each.named) for each in found)
        query = with_shares(index, plan.query, found, text, settings)
        if (told, stood_for) != (query.notices, query.expansions):
            query = replace(query, notices=told, expansions=stood_for)
        return plan if query is plan.query else with_values(plan, query=query)

    try:
        plan = read(settings)
    except WordlessPathError:
        if not is_open or "[" in text:
            raise
        why = Notice("path_without_words")
    else:
        if not is_open or not (names := _unknown_names(index, plan)):
            return plan
        near = nearest_tag(index, names[0].removeprefix("@"), cutoff=ALIKE)
        named = tuple(map(shortened, names))
        fields = {"names": named, "of_attribute": names[0].startswith("@"), "near": near or ""}
        why = Notice("path_of_no_document", fields)
    plan = read(replace(settings, syntax="keywords"))
    notices = (*read_as_words(why), *(notice for notice in plan.query.notices if notice.code != NEEDS_SYNTAX))
    return replace(plan, query=replace(plan.query, notices=notices))


def _box_fields(index: IndexReader, text: str, settings: Settings) -> BoxFields:
    """Return the fields in a query of keywords that documents have."""
    syntax = syntax_of(text, settings)
    may_have_some = syntax != "plain" and len(text) <= MAX_LENGTH and any(mark in text for mark in MARKS)
    if not may_have_some or is_path_query(text, syntax):
        return BoxFields(None, text)
    return box_fields(text, known_fields(index))


def _told(index: IndexReader, notices: Sequence[Notice], in_box: Sequence[Notice]) -> Iterator[Notice]:
    """Yield the notices of keywords: of no field with those that there are, none on what `in_box` explains."""
    explained = {each.fields.get("field") for each in in_box}
    among_words = any(each.code == "fields_among_words" for each in in_box)
    for notice in notices:
        if notice.code != "no_field":
            yield notice
        elif (name := notice.fields["field"].lower()) not in explained and not (
            among_words and name in index.fields.types
        ):
            yield with_known_fields(index, notice)


def _without_effect(index: IndexReader, text: str, settings: Settings) -> Iterator[Notice]:
    """Yield notices on the first sign in a phrase, and the first field in about(), that mean nothing there."""
    is_path = bool(text.strip()) and is_path_query(text, syntax_of(text, settings))
    if settings.syntax == "plain" or not ((is_path and ":" in text) or ('"' in text and ("=" in text or "~" in text))):
        return
    terms = typed_terms(text, syntax_of(text, settings))
    words = (part.text for term in dict.fromkeys(terms) for part in phrase_parts(term))
    if sign := next(filter(SIGN_IN_PHRASE.fullmatch, words), None):
        yield Notice("sign_in_phrase", {"word": shortened(sign)})
    fields = (FIELD_IN_ABOUT.match(term.text) for term in terms if is_path and isinstance(term, Word))
    names = [found for found in fields if found is not None]
    known = known_fields(index) if names else {}
    if field := next((found for found in names if found[1].lower() in known), None):
        yield Notice("field_in_about", {"word": shortened(field.string)})


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
    words = dict.fromkeys(word for term in dict.fromkeys(terms) for word in words_that_stand_for_others(term))
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


# How each letter may be printed, and the most spellings of a word that are looked up.
PRINTED = {"u": "uv", "v": "vu", "i": "ij", "j": "ji", "w": ("w", "vv", "uu")}
MOST_SPELLINGS = 64


def old_spellings(index: IndexReader, words: Sequence[Word]) -> StandsFor:
    """Return the words that a collection has in spellings of early prints (loue, vpon), each with itself and these.

    Printers before 1700 wrote u and v, and i and j, by their place in a word, and vv for w. Which of the spellings a
    collection has is looked up when it is asked, so no index depends on it. The long s is an s in any search.
    """
    spelt = {word: spellings(word.text.lower()) for word in words if word.text.isalpha()}
    others = list(dict.fromkeys(each for of_word in spelt.values() for each in of_word[1:]))
    terms = [EITHER.join(part for part in index.analyser.terms(each) if part is not None) for each in others]
    occurs = {each for each, n in zip(others, index.document_frequencies(terms).tolist(), strict=True) if n}
    found = ((word, (word.text, *filter(occurs.__contains__, of_word[1:]))) for word, of_word in spelt.items())
    return tuple((word, each) for word, each in found if len(each) > 1)


def spellings(word: str) -> list[str]:
    """Return the spellings of a word in early prints, its own first.

    >>> spellings("love"), spellings("jug")
    (['love', 'loue'], ['jug', 'jvg', 'iug', 'ivg'])
    """
    letters = [PRINTED.get(letter, letter) for letter in word.replace("vv", "w")]
    found = ("".join(chosen) for chosen in islice(product(*letters), MOST_SPELLINGS))
    return list(dict.fromkeys((word, *found)))
