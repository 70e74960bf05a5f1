"""Why a search has no answer, and what may find some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.retrieval.answers import RankedAnswers
from engine.retrieval.structure import missing_names
from engine.settings import TagSelector
from engine.spelling import did_you_mean
from engine.text.analyser import ANY_END, EITHER
from engine.text.utf8 import encode
from foxir.cli.console import counted, listed


def why_empty(answers: RankedAnswers) -> str:
    """Return why there is no answer."""
    query = answers.query
    if names := missing_names(answers.index, query, answers.settings.tags):
        is_one = len(names) == 1
        if all(name.startswith("@") for name in names):
            are, which = ("is", "this attribute") if is_one else ("are", "these attributes")
            return f"no answer: {listed(names)} {are} in no document, or the profile does not index {which}."
        near = did_you_mean(names[0].lstrip("@"), answers.index.tags) if is_one else ""
        what = "is no tag or attribute" if is_one else "are no tags or attributes"
        return f"no answer: {listed(names)} {what} of any document: {near}'foxir info --tags' lists them."
    if answers.plan.images is not None and not query.wanted:
        return _why_no_image(answers)
    if not query.wanted:
        reasons = []
        if query.path is None or any(query.path.abouts()):
            reasons.append("the query has no word to look for, unwanted ones and stop words apart")
        if query.path is not None:
            reasons.append("no element fits its path")
        return f"no answer: {', and '.join(reasons)}."
    unknown = [word for word in query.word_counts if not len(answers.index.postings(word).documents)]
    required = [word for word in unknown if any(word in term.words for term in query.required)]
    if missing := required or (unknown if len(unknown) == len(query.word_counts) else []):
        words = _as_typed(answers, missing)
        return f"no answer: {listed(words)} in none of the {counted(answers.index.n_documents, 'document')}."
    others = ["fewer required or unwanted terms"]
    if answers.settings.max_words is not None:
        others.append("--max-words all")
    others += _without_bounds(answers)
    return f"no answer: no element fits the whole query; {', '.join(others)}, or --operator or, may find some."


def _as_typed(answers: RankedAnswers, words: Sequence[str]) -> list[str]:
    """Return words of a query as they are written there, not as the index stems them, in the order of `words`."""
    analyser = answers.index.analyser
    surfaces = analyser.words(encode(answers.query.text)).surfaces
    typed = {stem: surface for surface in surfaces for stem in analyser.alternatives(surface)}
    stems = (word.split(EITHER)[0].removesuffix(ANY_END) for word in words)
    return [typed.get(stem, stem) for stem in stems]


def _why_no_image(answers: RankedAnswers) -> str:
    """Return why a query of example images alone has no answer."""
    images = counted(answers.index.images.n_images, "image")
    if bounds := list(_without_bounds(answers)):
        return (
            f"no answer: none of the {images} of the index is in an element that may be one; try {', '.join(bounds)}."
        )
    where = "" if answers.query.path is None else " in an element that fits the path of the query"
    return f"no answer: none of the {images} of the index is like the example{where}."


def _without_bounds(answers: RankedAnswers) -> Iterator[str]:
    """Yield the options that take away what bounds the answers."""
    if isinstance(answers.settings.answers, TagSelector):
        yield "--answers auto"
    if any(each is not None for each in vars(answers.plan.scope).values()):
        yield "no --in, --not-in or --documents"
