"""The reason of a search without answers, and settings that may find some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from engine.index.elements.nearest_tag import nearest_tag
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.plan import Plan
from engine.query.keyword_notices import SIGNS
from engine.query.nexi.element_path import begins_with_slash
from engine.query.query import Query
from engine.ranking.selection.answer_scope import emptying_notices
from engine.settings import Settings, TagSelector
from engine.structure import missing_names
from engine.text.alternative_terms import ANY_END, simple_terms
from engine.wording import nearest
from foxir.searching.query_spelling import typed_words


class Unanswered(NamedTuple):
    """A search without answers: the index, and the plan by which it was searched."""

    reader: IndexReader
    plan: Plan

    @property
    def query(self) -> Query:
        """The parsed query."""
        return self.plan.query

    @property
    def settings(self) -> Settings:
        """The settings as they answered the query."""
        return self.plan.settings


def why_empty(answers: Unanswered) -> Notice:
    """Return why there is no answer, and settings that may find some."""
    query = answers.query
    if reasons := emptying_notices(answers.plan):
        return Notice("no_answer", {"reasons": reasons})
    if names := missing_names(answers.reader, query, by_class=answers.plan.matching.by_class):
        return _why_no_name(answers, names)
    if answers.plan.images is not None and not query.wanted:
        return _why_no_image(answers)
    if not query.wanted:
        return _why_no_word(answers)
    unknown = [word for word in query.word_counts if not len(answers.reader.postings(word).documents)]
    absent = {"words": _as_typed(answers, unknown), "documents": answers.reader.n_documents}
    required = [word for word in unknown if any(word in term.words for term in query.required)]
    if missing := required or (unknown if len(unknown) == len(query.word_counts) and _needs_words(query) else []):
        needs_sign = bool(required) and all(notice.code != SIGNS for notice in query.notices)
        return Notice("no_answer_to_words", {**absent, "words": _as_typed(answers, missing), "needs_sign": needs_sign})
    others = tuple(_advice(answers)) if len(unknown) < len(query.word_counts) else ()
    return Notice("no_answer_to_query", {**absent, "unfulfilled": _unfulfilled(answers), "others": others})


def with_reason(notices: Sequence[Notice], reason: Notice | None) -> tuple[Notice, ...]:
    """Return notices and why there is no answer, without those that the reason contains, and what they say of words."""
    if reason is None:
        return tuple(notices)
    kept = tuple(notice for notice in notices if notice not in reason.fields.get("reasons", ()))
    if reason.code == "no_answer_to_query":
        known = {notice.fields["word"] for notice in kept if notice.code == "spelt_alike"}
        words = tuple(word for word in reason.fields["words"] if word not in known)
        reason = Notice(reason.code, {**reason.fields, "words": words})
    return (*kept, reason)


def _why_no_name(answers: Unanswered, names: Sequence[str]) -> Notice:
    """Return the notice on elements and attributes in a path of which no document has any."""
    index, query = answers.reader, answers.query
    is_one = len(names) == 1
    if all(name.startswith("@") for name in names):
        near = nearest(names[0][1:], index.elements.attribute_names, cutoff=0.7) if is_one else None
        return Notice("no_answer_to_attributes", {"names": tuple(names), "near": near or ""})
    fields = {
        "names": tuple(names),
        "near": (nearest_tag(index, names[0].lstrip("@")) if is_one else None) or "",
        "with_images": _tags_with_images(answers),
        "folder": str(index.folder),
        # a path without conditions, such as `/etc/hosts`, may be words
        "may_be_words": answers.settings.syntax == "auto" and "[" not in query.text and begins_with_slash(query.text),
    }
    return Notice("no_answer_to_names", fields)


def _why_no_image(answers: Unanswered) -> Notice:
    """Return why a query of example images alone has no answer."""
    n_images = answers.reader.images.n_images
    if bounds := tuple(_without_bounds(answers)):
        return Notice("no_image_in_bounds", {"images": n_images, "others": bounds})
    has_path = answers.query.path is not None
    return Notice(
        "no_image_alike", {"images": n_images, "has_path": has_path, "with_images": _tags_with_images(answers)}
    )


def _why_no_word(answers: Unanswered) -> Notice:
    """Return why a query that has no word to look for has no answer."""
    query = answers.query
    reasons = []
    if query.path is None and not any(map(str.isalnum, query.text)):
        reasons.append(Notice("no_letter"))
    elif query.path is None or any(query.path.abouts()):
        reasons.append(Notice("no_wanted_word"))
    if query.path is not None:
        reasons.append(Notice("path_not_satisfied", {"others": tuple(_without_bounds(answers))}))
    return Notice("no_answer_without_words", {"reasons": tuple(reasons)})


def _needs_words(query: Query) -> bool:
    """Return whether a text without any word of a query cannot satisfy it, as one with a comparison can."""
    return query.path is None or not query.may_match_without_terms


def _unfulfilled(answers: Unanswered) -> Notice:
    """Return the impossible part of a query: to satisfy it or, where the settings bound answers, to be one."""
    query, settings = answers.query, answers.settings
    is_bounded = settings.max_words is not None or any(_without_bounds(answers))
    if not is_bounded:
        return Notice("no_element_fits_query")
    has_conditions = query.has_structure or query.required or query.unwanted or settings.operator != "or"
    if has_conditions or any(len(term.words) > 1 for term in query.wanted):
        return Notice("no_answer_fits_query")
    return Notice("no_answer_has_word")


def _advice(answers: Unanswered) -> Iterator[Notice]:
    """Yield the query terms and settings to relax in order to find answers."""
    query, settings = answers.query, answers.settings
    if query.required or query.unwanted:
        yield Notice("fewer_signs")
    if any(len(term.words) > 1 for term in query.wanted):
        yield Notice("no_phrases")
    if query.has_structure:
        yield _setting("reading", "VV")
    if settings.max_words is not None:
        yield _setting("max_words", "all")
    yield from _without_bounds(answers)
    if settings.operator != "or":
        yield _setting("operator", "or")


def _setting(name: str, value: str = "") -> Notice:
    """Return a setting with a value, as a part of a notice."""
    return Notice("setting", {"name": name, "value": value})


def _without_bounds(answers: Unanswered) -> Iterator[Notice]:
    """Yield the settings that lift bounds on the answers."""
    if isinstance(answers.settings.answers, TagSelector):
        yield _setting("answers", "auto")
        if answers.settings.rank_by == "score" and answers.settings.min_words.value:
            yield _setting("min_words", "0")
    scope = answers.plan.scope
    if scope.where is not None and answers.settings.where is None:  # it is in the query
        yield Notice("without_condition", {"where": str(scope.where)})
        scope = replace(scope, where=None)
    if given := tuple(_setting(name) for name, value in vars(scope).items() if value is not None):
        yield Notice("without_scope", {"settings": given})


def _as_typed(answers: Unanswered, words: Sequence[str]) -> tuple[str, ...]:
    """Return words of a query as they are written there, not as the index stems them, in the order of `words`."""
    typed = typed_words(answers.reader.analyser, answers.query.text)
    stems = (simple_terms(word)[0].removesuffix(ANY_END) for word in words)
    return tuple(typed.get(stem, stem) for stem in stems)


def _tags_with_images(answers: Unanswered) -> tuple[str, ...]:
    """Return the elements with references to images, if the query seeks images in elements of no document; else ()."""
    index, query = answers.reader, answers.plan.images
    if query is None or not any(each.names and set(each.names).isdisjoint(index.tags) for each in query.examples):
        return ()
    rows, _ = index.images.references
    return tuple(sorted({index.elements.tags[tag] for tag in index.elements.tag(rows).tolist()}))
