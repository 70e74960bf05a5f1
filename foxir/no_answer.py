"""Why a search has no answer, and what may find some."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.retrieval.answers import RankedAnswers
from engine.retrieval.structure import missing_names
from engine.settings import TagSelector
from engine.spelling import did_you_mean, nearest
from engine.text.analyser import ANY_END, EITHER
from engine.text.utf8 import encode
from engine.wording import counted, listed


class Wording(NamedTuple):
    """How settings are written: one with its value, and those of a scope; and an index, in a command that reads it."""

    setting: str
    scope: str
    folder: str

    def of(self, name: str, value: str) -> str:
        """Return a setting with a value."""
        return self.setting.format(option=name.replace("_", "-"), name=name, value=value)


# On the command line; in Python and in addresses of the service.
OPTIONS = Wording("--{option} {value}", "--in, --not-in or --documents", "{folder}")
KEYWORDS = Wording("{name}={value}", "inside, outside or documents", "INDEX")


def why_empty(answers: RankedAnswers, wording: Wording) -> str:
    """Return why there is no answer, and settings that may find some."""
    query = answers.query
    if names := missing_names(answers.index, query, by_class=answers.plan.matching.by_class):
        is_one = len(names) == 1
        if all(name.startswith("@") for name in names):
            are, which = ("is", "this attribute") if is_one else ("are", "these attributes")
            attributes = answers.index.elements.attribute_names
            near = nearest(names[0][1:], attributes, cutoff=0.7) if is_one else None
            hint = f": did you mean '@{near}'?" if near else "."
            return f"no answer: {listed(names)} {are} in no document, or the profile does not index {which}{hint}"
        near = did_you_mean(names[0].lstrip("@"), answers.index.tags) if is_one else ""
        if where := _where_images_are(answers):
            near = f"{where}; "
        index = wording.folder.format(folder=shlex.quote(str(answers.index.folder)))
        what = "is no tag or attribute" if is_one else "are no tags or attributes"
        return f"no answer: {listed(names)} {what} of any document: {near}foxir info {index} --list-tags lists them."
    if answers.plan.images is not None and not query.wanted:
        return _why_no_image(answers, wording)
    if not query.wanted:
        reasons = []
        if query.path is None or any(query.path.abouts()):
            reasons.append("the query has no word to look for besides unwanted ones and stop words")
        if query.path is not None:
            reasons.append("no element satisfies its path")
        return f"no answer: {', and '.join(reasons)}."
    unknown = [word for word in query.word_counts if not len(answers.index.postings(word).documents)]
    required = [word for word in unknown if any(word in term.words for term in query.required)]
    if missing := required or (unknown if len(unknown) == len(query.word_counts) else []):
        words = _as_typed(answers, missing)
        n_documents = answers.index.n_documents
        where = "not in the only document" if n_documents == 1 else f"in none of the {counted(n_documents, 'document')}"
        return f"no answer: {listed(words)} {where}."
    return f"no answer: no element satisfies the whole query{_advice(answers, wording)}."


def _advice(answers: RankedAnswers, wording: Wording) -> str:
    """Return what may find some answers, of what the query and its settings have; else ""."""
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
    if not others:
        return ""
    *first, last = others
    either = f"{', '.join(first)}, or {last}," if first else last
    return f"; {either} may find some"


def _as_typed(answers: RankedAnswers, words: Sequence[str]) -> list[str]:
    """Return words of a query as they are written there, not as the index stems them, in the order of `words`."""
    analyser = answers.index.analyser
    surfaces = analyser.words(encode(answers.query.text)).surfaces
    typed = {stem: surface for surface in surfaces for stem in analyser.alternatives(surface)}
    stems = (word.split(EITHER)[0].removesuffix(ANY_END) for word in words)
    return [typed.get(stem, stem) for stem in stems]


def _why_no_image(answers: RankedAnswers, wording: Wording) -> str:
    """Return why a query of example images alone has no answer."""
    images = counted(answers.index.images.n_images, "image")
    if bounds := list(_without_bounds(answers, wording)):
        return (
            f"no answer: none of the {images} of the index is in an element that may be one; try {', '.join(bounds)}."
        )
    where = "" if answers.query.path is None else " in an element that fits the path of the query"
    found = _where_images_are(answers)
    return f"no answer: none of the {images} of the index is like the example{where}{found and f': {found}'}."


def _where_images_are(answers: RankedAnswers) -> str:
    """Return which elements refer to images, if the query seeks some in elements that no document has; else ""."""
    index, query = answers.index, answers.plan.images
    if query is None or not any(each.names and set(each.names).isdisjoint(index.tags) for each in query.examples):
        return ""
    rows, _ = index.images.references
    return f"images are in {listed(sorted({index.elements.tags[tag] for tag in index.elements.tag(rows).tolist()}))}"


def _without_bounds(answers: RankedAnswers, wording: Wording) -> Iterator[str]:
    """Yield the settings that lift bounds on the answers."""
    if isinstance(answers.settings.answers, TagSelector):
        yield wording.of("answers", "auto")
    if any(each is not None for each in vars(answers.plan.scope).values()):
        yield f"no {wording.scope}"
