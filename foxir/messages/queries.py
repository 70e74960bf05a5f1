"""Sentences on queries: how they were read, and why they have no answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.notices import Notice
from foxir.messages.front_end import Sentence

MOST_NAMED = 5
A_PATH_QUERY = "a path query is such as //sec[about(., words)]"
# What no element does.
UNSATISFIED = {
    "query": "no element satisfies the whole query",
    "query_in_bounds": "no element that may be an answer satisfies the whole query",
    "word_in_bounds": "no element that may be an answer has a word of the query",
}


def _signs(required: Sequence[str], unwanted: Sequence[str]) -> str:
    signs = (("required (+)", "required", required), ("unwanted (-)", "unwanted", unwanted))
    told = [f"{what}: '{{{name}[0]}}'{_more(words, 1)}" for what, name, words in signs if words]
    return f"{'; '.join(told)}; the syntax plain reads signs as text."


def _more(names: Sequence[str], most: int, conjunction: str = "and") -> str:
    return f" {conjunction} {len(names) - most} more" if len(names) > most else ""


def _path_of_no_document(names: Sequence[str], near: str) -> str:
    what = "attribute" if names[0].startswith("@") else "element"
    named = " or ".join(f"'{{names[{place}]}}'" for place in range(min(len(names), MOST_NAMED)))
    meant = " (did you mean {near}?)" if near else ""
    return f"no document has an {what} {named}{_more(names, MOST_NAMED, 'or')}{meant}; {A_PATH_QUERY}"


def _too_many_words(splits_phrase: bool, **_: object) -> str:
    phrase = ", those of a longer phrase as single words in any order" if splits_phrase else ""
    return (
        "the query has {words:,} words, more than max_terms = {most:,}: the {kept:,} rarest of them were searched"
        f"{phrase}."
    )


def _no_document_fits(below: str, example: str, **_: object) -> str:
    hint = "ids are paths below the source{example:, such as '%'}"
    if below:
        hint = "write '{below}' for the documents in this folder"
    return "no document id matches documents = '{pattern}': " + hint + "."


def _no_answer_to_attributes(names: Sequence[str], near: str) -> str:
    are, which = ("is", "this attribute") if len(names) == 1 else ("are", "these attributes")
    hint = ": did you mean '@{near}'?" if near else "."
    return f"no answer: {{names:listed}} {are} in no document, or the profile does not index {which}{hint}"


def _no_answer_to_names(names: Sequence[str], with_images: Sequence[str], may_be_words: bool, **_: object) -> str:
    what = "is not a tag or attribute" if len(names) == 1 else "are not tags or attributes"
    near = "images are in {with_images:listed}; " if with_images else "{near:did you mean '%'? }"
    words = " {setting:syntax=keywords} searches for the words." if may_be_words else ""
    return f"no answer: {{names:listed}} {what} of any document: {near}{{list_tags:{{folder}}}} lists them.{words}"


def _absent(words: Sequence[str], documents: int) -> str:
    where = "not in the only document" if documents == 1 else "in none of the {documents:document|}"
    return f"{{words:listed}} {'is' if len(words) == 1 else 'are'} {where}"


def _no_answer_to_words(words: Sequence[str], documents: int, needs_sign: bool) -> str:
    signs = " The + requires that; {setting:syntax=plain} reads + as text." if needs_sign else ""
    return f"no answer: {_absent(words, documents)}.{signs}"


def _no_answer_to_query(words: Sequence[str], documents: int, fit: str, others: Sequence[Notice]) -> str:
    also = f"{_absent(words, documents)}, and " if words else ""
    return f"no answer: {also}{UNSATISFIED[fit]}{_may_find(others)}."


def _may_find(others: Sequence[Notice]) -> str:
    """Return what may find answers, of the field `others`."""
    if not others:
        return ""
    places = [f"{{others[{place}]}}" for place in range(len(others))]
    either = f"{', '.join(places[:-1])}, or {places[-1]}," if len(places) > 1 else places[0]
    return f"; {either} may find some"


def _path_not_satisfied(others: Sequence[Notice]) -> str:
    whose = "no element that may be an answer satisfies" if others else "no element satisfies"
    return f"{whose} the path of the query{_may_find(others)}"


def _no_image_alike(has_path: bool, with_images: Sequence[str], **_: object) -> str:
    where = " in an element that fits the path of the query" if has_path else ""
    found = ": images are in {with_images:listed}" if with_images else ""
    return f"no answer: none of the {{images:image|}} of the index is like the example{where}{found}."


def _without_scope(settings: Sequence[str]) -> str:
    *others, last = (f"{{setting:{name}}}" for name in settings)
    return f"leaving out {' or '.join([', '.join(others), last] if others else [last])}"


def _no_topic_answered(topics: int, only: str, **_: object) -> str:
    asked = " among '{only}'" if only else ""
    if topics > 1:
        return f"none of {{topics}} topics{asked} can be answered, the first is {{first}}"
    return f"no topic{asked} can be answered: {{first}}"


AS_TEXT = "so it is read as text."
SENTENCES: Mapping[str, Sentence] = {
    "query_syntax": "query, position {position}: {mistake}.\n  {shown}\n  {caret}\n{fix}",
    "show_or_search": "{show_element:} shows this element; to search in such elements, write //{tag}[about(., words)].",
    "remove_positions": "Remove [{position}], and other positions; {show_element:} shows one element.",
    "not_closed": f"query, position {{position}}: this {{sign}} is not closed, {AS_TEXT}",
    "stands_alone": f"query, position {{position}}: this {{sign}} stands alone, {AS_TEXT}",
    "closes_nothing": f"query, position {{position}}: this {{sign}} closes nothing, {AS_TEXT}",
    "element_path_as_words": (
        "query, position {position}: this is the path of an element, but is read as words: {show_element:} shows the "
        "element."
    ),
    "path_needs_syntax": "query, position {position}: this is read as words: {path_syntax:}.",
    "condition_as_words": (
        "query, position {position}: this is read as words: a path query begins with /, such as //sec[about(., words)]."
    ),
    "no_operator": (
        "query, position {position}: {operator} is not an operator: write +word for a required word, -word for an "
        "unwanted one."
    ),
    "no_field": (
        "query, position {position}: {field}: names no field, so it is read as a word: write "
        "//{field}[about(., {word})]."
    ),
    "no_pattern": (
        "query, position {position}: {word} is not a pattern: words are searched whole, stemmed as the index is."
    ),
    "no_fuzziness": "query, position {position}: {word}: ~ and ^ have no meaning, so they are read as text.",
    "signs": _signs,
    "read_as_words": "the query begins with / but is read as words: {why}.",
    "no_path_query": lambda write, **_: "position {position}: {mistake}; " + ("{write}" if write else A_PATH_QUERY),
    "path_without_words": f"it has no about() with words; {A_PATH_QUERY}",
    "path_of_no_document": _path_of_no_document,
    "too_many_signs": (
        "the query has {signed:,} required and unwanted words, more than max_terms = {most:,}: + and - were read as "
        "text."
    ),
    "too_many_words": _too_many_words,
    "absent_phrases": lambda others, **_: (
        f"no document contains {{phrases}}{' and {others:other phrase|}' if others else ''}: the words were searched "
        "for, in any order."
    ),
    "spelt_alike": "'{word}' is in no document: did you mean '{meant}'?",
    "by_words_alone": "the order is by words alone: {reason}",
    "unknown_image": "{image}: no image of the index has this path, so it is passed over.",
    "no_images": "{image}: the index has no images to compare it with, so it is passed over.",
    "no_document_fits": _no_document_fits,
    "no_element_named": lambda near, **_: (
        "{setting} = {value}: no element has this name" + (": did you mean '{near}'?" if near else ".")
    ),
    "budget_too_small": (
        "word_budget = {budget}: the shortest answer has {shortest} words: raise the budget, or return passages."
    ),
    "passages_instead": ("word_budget = {budget}: the shortest answer has {shortest} words, so passages are returned."),
    "all_too_long": (
        "no answer fits word_budget = {budget}: the shortest answer has {shortest} words; raise the budget to at least "
        "that many."
    ),
    "no_answer": "no answer: {reasons: }",
    "no_answer_to_attributes": _no_answer_to_attributes,
    "no_answer_to_names": _no_answer_to_names,
    "no_answer_to_words": _no_answer_to_words,
    "no_answer_to_query": _no_answer_to_query,
    "no_answer_without_words": "no answer: {reasons:, and }.",
    "no_letter": "the query has no letter or digit",
    "no_wanted_word": "the query has no word to look for besides unwanted ones and stop words",
    "path_not_satisfied": _path_not_satisfied,
    "no_image_in_bounds": (
        "no answer: none of the {images:image|} of the index is in an element that may be one; try {others}."
    ),
    "no_image_alike": _no_image_alike,
    "fewer_signs": "fewer required or unwanted terms",
    "no_phrases": "words instead of phrases",
    "setting": "{setting:{name}={value}}",
    "without_scope": _without_scope,
    "no_element_at_path": lambda near, **_: (
        "no element {path} in document '{document}'; "
        + ("the longest part of it that is there: {near}." if near else "paths look like /article[1]/sec[2]/p[1].")
    ),
    "no_element_with_id": lambda near, has_ids, **_: (
        "no element {id}: expected a path such as /article[1]/sec[2]/p[1], or the id of an element of document "
        "'{document}'" + (": did you mean '{near}'?" if near else "." if has_ids else ", which has none.")
    ),
    "no_topic_answered": _no_topic_answered,
    "of": "{subject}: {notice}",
}
