"""Why a search has no answer, and what may find some."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.index.reader import IndexReader
from engine.planning.plan import Plan
from engine.query.keyword_notices import SIGNS_AS_TEXT
from engine.query.nexi.element_path import begins_with_slash
from engine.query.query import Query
from engine.ranking.selection.answer_scope import emptying_notices
from engine.settings import Settings, TagSelector
from engine.structure import missing_names
from engine.text.alternative_terms import ANY_END, EITHER
from engine.wording.did_you_mean import did_you_mean, nearest
from engine.wording.wording import counted, listed
from foxir.searching.query_spelling import typed_words


class Wording(NamedTuple):
    """How settings are written: one with its value; an index, in a command that reads it; and those of a scope."""

    setting: str
    folder: str
    scope: Mapping[str, str]

    def of(self, name: str, value: str) -> str:
        """Return a setting with a value."""
        return self.setting.format(option=name.replace("_", "-"), name=name, value=value)


# On the command line; in Python and in addresses of the service.
SCOPE = ("inside", "outside", "documents")
OPTIONS = Wording("--{option} {value}", "{folder}", dict(zip(SCOPE, ("--in", "--not-in", "--documents"), strict=True)))
KEYWORDS = Wording("{name}={value}", "INDEX", dict(zip(SCOPE, SCOPE, strict=True)))


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


def why_empty(answers: Unanswered | None, wording: Wording) -> str:
    """Return why there is no answer, and settings that may find some; "" where there is one, or a notice says why."""
    if answers is None:
        return ""
    if reasons := emptying_notices(answers.plan):
        return f"no answer: {' '.join(reasons)}"
    return _why_unanswered(answers, wording)


def _why_unanswered(answers: Unanswered, wording: Wording) -> str:
    """Return why a query has no answer where the settings leave elements that may be some."""
    query = answers.query
    if names := missing_names(answers.reader, query, by_class=answers.plan.matching.by_class):
        is_one = len(names) == 1
        if all(name.startswith("@") for name in names):
            are, which = ("is", "this attribute") if is_one else ("are", "these attributes")
            attributes = answers.reader.elements.attribute_names
            near = nearest(names[0][1:], attributes, cutoff=0.7) if is_one else None
            hint = f": did you mean '@{near}'?" if near else "."
            return f"no answer: {listed(names)} {are} in no document, or the profile does not index {which}{hint}"
        near = did_you_mean(names[0].lstrip("@"), answers.reader.tags) if is_one else ""
        if where := _where_images_are(answers):
            near = f"{where}; "
        index = wording.folder.format(folder=shlex.quote(str(answers.reader.folder)))
        what = "is not a tag or attribute" if is_one else "are not tags or attributes"
        return (
            f"no answer: {listed(names)} {what} of any document: {near}foxir info {index} --list-tags lists them."
            f"{_as_words(answers, wording)}"
        )
    if answers.plan.images is not None and not query.wanted:
        return _why_no_image(answers, wording)
    if not query.wanted:
        reasons = []
        if query.path is None and not any(map(str.isalnum, query.text)):
            reasons.append("the query has no letter or digit")
        elif query.path is None or any(query.path.abouts()):
            reasons.append("the query has no word to look for besides unwanted ones and stop words")
        if query.path is not None:
            others = list(_without_bounds(answers, wording))
            whose = "no element that may be an answer satisfies" if others else "no element satisfies"
            reasons.append(f"{whose} the path of the query{_may_find(others)}")
        return f"no answer: {', and '.join(reasons)}."
    unknown = [word for word in query.word_counts if not len(answers.reader.postings(word).documents)]
    required = [word for word in unknown if any(word in term.words for term in query.required)]
    if missing := required or (unknown if len(unknown) == len(query.word_counts) and _needs_words(query) else []):
        is_new = required and not any(SIGNS_AS_TEXT in notice for notice in query.notices)
        signs = f" The + requires that; {wording.of('syntax', 'plain')} reads + as text." if is_new else ""
        return f"no answer: {_absent(answers, missing)}.{signs}"
    also = f"{_absent(answers, unknown)}, and " if unknown else ""
    advice = _advice(answers, wording) if len(unknown) < len(query.word_counts) else []
    return f"no answer: {also}{_unsatisfied(answers)}{_may_find(advice)}."


def with_reason(notices: Iterable[str], reason: str) -> list[str]:
    """Return notices and why there is no answer, without those that the reason contains."""
    return [*(notice for notice in notices if notice not in reason), *([reason] if reason else [])]


def _absent(answers: Unanswered, missing: Sequence[str]) -> str:
    """Return the statement that words of the query are in no document."""
    n_documents = answers.reader.n_documents
    where = "not in the only document" if n_documents == 1 else f"in none of the {counted(n_documents, 'document')}"
    return f"{listed(_as_typed(answers, missing))} {'is' if len(missing) == 1 else 'are'} {where}"


def _needs_words(query: Query) -> bool:
    """Return whether a text without any word of a query cannot satisfy it, as one with a comparison can."""
    return query.path is None or not query.may_match_without_terms


def _unsatisfied(answers: Unanswered) -> str:
    """Return what no element does: satisfy the query or, where the settings bound what is returned, be an answer."""
    query, settings = answers.query, answers.settings
    is_bounded = settings.max_words is not None or any(_without_bounds(answers, OPTIONS))
    if not is_bounded:
        return "no element satisfies the whole query"
    has_conditions = query.has_structure or query.required or query.unwanted or settings.operator != "or"
    if has_conditions or any(len(term.words) > 1 for term in query.wanted):
        return "no element that may be an answer satisfies the whole query"
    return "no element that may be an answer has a word of the query"


def _as_words(answers: Unanswered, wording: Wording) -> str:
    """Return how to search for the words of a path without conditions, such as `/etc/hosts`; else ""."""
    query = answers.query
    if answers.settings.syntax != "auto" or "[" in query.text or not begins_with_slash(query.text):
        return ""
    return f" {wording.of('syntax', 'keywords')} searches for the words."


def _advice(answers: Unanswered, wording: Wording) -> list[str]:
    """Return the query terms and settings to relax in order to find answers, in words."""
    query, settings, others = answers.query, answers.settings, list[str]()
    if query.required or query.unwanted:
        others.append("fewer required or unwanted terms")
    if any(len(term.words) > 1 for term in query.wanted):
        others.append("words instead of phrases")
    if query.has_structure:
        others.append(wording.of("reading", "VV"))
    if settings.max_words is not None:
        others.append(wording.of("max_words", "all"))
    others += _without_bounds(answers, wording)
    if settings.operator != "or":
        others.append(wording.of("operator", "or"))
    return others


def _may_find(others: Sequence[str]) -> str:
    if not others:
        return ""
    *first, last = others
    either = f"{', '.join(first)}, or {last}," if first else last
    return f"; {either} may find some"


def _as_typed(answers: Unanswered, words: Sequence[str]) -> list[str]:
    """Return words of a query as they are written there, not as the index stems them, in the order of `words`."""
    typed = typed_words(answers.reader.analyser, answers.query.text)
    stems = (word.split(EITHER)[0].removesuffix(ANY_END) for word in words)
    return [typed.get(stem, stem) for stem in stems]


def _why_no_image(answers: Unanswered, wording: Wording) -> str:
    """Return why a query of example images alone has no answer."""
    images = counted(answers.reader.images.n_images, "image")
    if bounds := list(_without_bounds(answers, wording)):
        return (
            f"no answer: none of the {images} of the index is in an element that may be one; try {', '.join(bounds)}."
        )
    where = "" if answers.query.path is None else " in an element that fits the path of the query"
    found = _where_images_are(answers)
    return f"no answer: none of the {images} of the index is like the example{where}{found and f': {found}'}."


def _where_images_are(answers: Unanswered) -> str:
    """Return which elements refer to images, if the query seeks some in elements that no document has; else ""."""
    index, query = answers.reader, answers.plan.images
    if query is None or not any(each.names and set(each.names).isdisjoint(index.tags) for each in query.examples):
        return ""
    rows, _ = index.images.references
    return f"images are in {listed(sorted({index.elements.tags[tag] for tag in index.elements.tag(rows).tolist()}))}"


def _without_bounds(answers: Unanswered, wording: Wording) -> Iterator[str]:
    """Yield the settings that lift bounds on the answers."""
    if isinstance(answers.settings.answers, TagSelector):
        yield wording.of("answers", "auto")
        if answers.settings.rank_by == "score" and answers.settings.min_words.value:
            yield wording.of("min_words", "0")
    given = [wording.scope[name] for name, value in vars(answers.plan.scope).items() if value is not None]
    if given:
        yield f"leaving out {' or '.join(filter(None, (', '.join(given[:-1]), given[-1])))}"
