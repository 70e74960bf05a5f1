"""An explanation in a sentence and as the parts of a bar; the numbers are its own, none is computed anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.explain.element_explanation import ElementExplanation
from engine.index.reader import IndexReader
from engine.text.alternative_terms import EITHER
from foxir.searching.query_spelling import typed_words

# Words for the parts of a score.
LABELS: Mapping[str, str] = {
    "element_score": "its words",
    "passage": "its words",
    "whole": "its words and what is around it",
    "leaf": "the text around it",
    "context": "the sections around it",
    "headings": "headings",
    "neighbour": "what stands beside it",
    "sequence": "words as typed",
    "figure": "less, as it is in a figure",
    "article_part": "its article",
    "semantic": "its meaning",
    "reranker": "its meaning beside the query",
}
# Colours of the style sheet, and words of the query that a sentence names.
N_COLOURS, MOST_NAMED = 8, 8


@dataclass(frozen=True)
class BarPart:
    """A part of the score: the value of the explanation, where it lies in a bar of 100, and how it came about.

    colour: its number in the style sheet. start, width: 0 for a part that is not positive. shown: its explanation.
    """

    label: str
    value: float
    colour: int
    start: float
    width: float
    shown: Any


def bar(why: ElementExplanation) -> list[BarPart]:
    """Return the parts whose values, added from left to right, are the score; none where it is not a sum."""
    score = why.summed
    if score is None:
        return []
    parts = [part for part in score.details if part.value is not None]
    total = sum(max(part.value or 0.0, 0.0) for part in parts) or 1.0
    found, start = [], 0.0
    for number, part in enumerate(parts):
        value = part.value or 0.0
        width = 100 * max(value, 0.0) / total
        label = LABELS.get(part.name, part.name.replace("_", " "))
        whole = why.article if part.name == "article_part" else part
        found.append(BarPart(label, value, number % N_COLOURS, start, width, whole))
        start += width
    return found


def sentences(why: ElementExplanation, reader: IndexReader) -> Iterator[str]:
    """Yield in words: its rank, or why it has none; the words it says and lacks; the rank and share of its article."""
    n_documents, typed = reader.n_documents, typed_words(reader.analyser, why.query)
    outcome = why.outcome
    number = f"This passage is number {outcome.rank:,}." if outcome.rank else f"This passage is {outcome.description}."
    yield number
    said, lacking, unknown = _words(why, typed)
    if said:
        yield f"It says {_listed([f'{word} {tf:,}×' for word, tf in said])}."
    if lacking:
        yield f"It lacks {_listed(lacking)}."
    if unknown:
        yield f"No document has {_listed(unknown, 'or')}."
    if rank := why.article.facts.get("rank"):
        share = _share_of_article(why)
        yield f"Its article ranks {_ordinal(rank)} of {n_documents:,}{share}."


def _words(why: ElementExplanation, typed: Mapping[str, str]) -> tuple[list[tuple[str, int]], list[str], list[str]]:
    """Return the query's words that the element says, most often said first, those it lacks, and those of no document.

    All are empty where the explanation counts no words. typed: terms as they were typed, where they were.
    """

    def plain(term: str) -> str:
        first = term.partition(EITHER)[0]
        return typed.get(first, first)

    score = why.summed or why.element
    if score is None:
        return [], [], []
    said: dict[str, int] = {}
    for part in score.find("term"):
        if tf := part.facts.get("tf"):
            said.setdefault(plain(str(part.facts["term"])), int(tf))
    asked = {plain(str(part.facts["term"])): part.facts for part in why.article.details if part.name == "term"}
    if not said and any(part.name not in LABELS and part.name != "score" for part in (score, *score.details)):
        return [], [], []  # leaves whose scores are propagated, for example
    unknown = [word for word, facts in asked.items() if facts.get("df") == 0]
    lacking = [word for word in asked if word not in said and word not in unknown]
    return sorted(said.items(), key=lambda each: (-each[1], each[0])), lacking, unknown


def _share_of_article(why: ElementExplanation) -> str:
    for part in bar(why):
        if part.shown is why.article and part.width:
            return f", {part.width:.0f} % of the score"
    return ""


def _listed(words: list[str], last: str = "and") -> str:
    """Return words in a sentence; those beyond the first ones are counted.

    >>> _listed(["fog", "signal", "range"]), _listed(["fog"])
    ('fog, signal and range', 'fog')
    """
    if len(words) > MOST_NAMED:
        words = [*words[:MOST_NAMED], f"{len(words) - MOST_NAMED:,} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _ordinal(number: int) -> str:
    """Return a number as a rank.

    >>> [_ordinal(number) for number in (1, 2, 3, 4, 11, 112, 1023)]
    ['1st', '2nd', '3rd', '4th', '11th', '112th', '1,023rd']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"
