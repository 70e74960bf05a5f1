"""An explanation of an element: its outcome, its score with all parts, and its neighbours; as values and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.explain.outcome import Outcome
from engine.ranking.parts.part import Explanation
from engine.ranking.scoring.passages import sentence_range
from engine.wording import counted, shown

# What of the structure of a query counts in a reading; in SS all of it does.
COUNTED_STRUCTURE = {
    "SV": "only the name of the target and its unwanted terms count",
    "VS": "only the support counts",
    "VV": "only the query terms count",
    "CO": "only the query terms count",
}


@dataclass(frozen=True)
class Neighbour:
    """An element above or below the explained one, with its score and its outcome."""

    path: str
    relation: str
    score: float
    words: int
    outcome: Outcome

    def to_dict(self) -> dict[str, Any]:
        """Return the neighbour as `--json` prints it."""
        plain = {"path": self.path, "relation": self.relation, "score": self.score, "words": self.words}
        return {**plain, "outcome": self.outcome.to_dict()}

    def lines(self) -> Iterator[str]:
        """Yield the score, relation, path and length, and below them the outcome."""
        yield f"{self.score:10.6f}  {self.relation}: {self.path}, {counted(self.words, 'word')}"
        yield f"            {self.outcome.description}"


@dataclass(frozen=True)
class ExplainedPassage:
    """A passage of the explained element, with its score, and its rank or why it is not an answer.

    sentences: the first and the last one, counted from 0; None for the whole element.
    start, end: its characters in the document's text; words: how many words it has.
    """

    sentences: tuple[int, int] | None
    start: int
    end: int
    words: int
    score: Explanation
    outcome: Outcome

    def to_dict(self) -> dict[str, Any]:
        """Return the passage as `--json` prints it."""
        return {
            "sentences": None if self.sentences is None else list(self.sentences),
            "start": self.start,
            "end": self.end,
            "words": self.words,
            "score": self.score.to_dict(),
            "outcome": self.outcome.to_dict(),
        }

    @property
    def extent(self) -> str:
        """The sentences in words, or `the whole element`."""
        return "the whole element" if self.sentences is None else sentence_range(*self.sentences)

    def lines(self) -> Iterator[str]:
        """Yield the sentences, length, characters and outcome, and below them the score with its parts."""
        place = f"{counted(self.words, 'word')}, characters {self.start}-{self.end}"
        yield f"{self.extent}, {place}: {self.outcome.description}"
        yield from _indented(self.score.lines())


@dataclass(frozen=True, repr=False)
class ElementExplanation:
    """Why an element is an answer to a query, or why not.

    outcome: its rank, or the stage that dropped it, and the reason.
    article: the score of its article. element: its score, or the counts that a heuristic compares; None where no stage
        computed any. structure: the parts of a path query, and what meets them. neighbours: scored elements above and
        below it. passages: where passages are answers, those of the element; n_passages counts all of them.
    dropped_words: the function words of the query that were not searched for. expansions: its patterns, misspelt words
        and words with synonyms as they were typed, with the words for which each stands.
    """

    query: str
    interpretation: str
    document: str
    path: str
    rsv: float | None
    outcome: Outcome
    article: Explanation
    element: Explanation | None
    structure: tuple[dict[str, Any], ...]
    neighbours: tuple[Neighbour, ...]
    passages: tuple[ExplainedPassage, ...]
    n_passages: int
    settings: dict[str, Any]
    dropped_words: tuple[str, ...] = ()
    expansions: tuple[tuple[str, tuple[str, ...]], ...] = ()

    # The settings and parts of the structure are dictionaries.
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    @property
    def score(self) -> float | None:
        """The score of the element, or of its best answer or else best passage; None where it was not scored."""
        if self.passages:
            return self._best_passage.score.value
        is_score = self.element is not None and self.element.name in ("score", "row")
        return self.element.value if self.element is not None and is_score else None

    @property
    def summed(self) -> Explanation | None:
        """The sum that makes the score, for a row that of its table; None where no sum makes it."""
        found = self._best_passage.score if self.passages else self.element
        while found is not None and found.name == "row" and len(found.details) == 1:
            found = found.details[0]
        return found if found is not None and found.name == "score" and found.sums else None

    @property
    def _best_passage(self) -> ExplainedPassage:
        returned = (passage for passage in self.passages if passage.outcome.rank is not None)
        return next(returned, self.passages[0])

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as `--json` prints it."""
        return {
            "query": self.query,
            "interpretation": self.interpretation,
            "dropped_words": list(self.dropped_words),
            "expansions": [{"word": word, "words": list(words)} for word, words in self.expansions],
            "document": self.document,
            "path": self.path,
            "returned": self.outcome.rank is not None,
            "rank": self.outcome.rank,
            "rsv": self.rsv,
            "score": self.score,
            "outcome": self.outcome.to_dict(),
            "article": self.article.to_dict(),
            "element": None if self.element is None else self.element.to_dict(),
            "structure": [dict(part) for part in self.structure],
            "neighbours": [neighbour.to_dict() for neighbour in self.neighbours],
            "passages": [passage.to_dict() for passage in self.passages],
            "n_passages": self.n_passages,
            "settings": self.settings,
        }

    def __repr__(self) -> str:
        names = ", ".join(map(shown, (self.query, self.document, self.path)))
        return f"ElementExplanation({names}, rank={self.outcome.rank})"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield the outcome, the structure, the score with its parts, the article's, and the neighbours or passages."""
        yield f"{self.document} {self.path}"
        yield f"  {self.outcome.description}"
        if self.dropped_words:
            yield f"  function words that are not searched for: {', '.join(self.dropped_words)}"
        for typed, words in self.expansions:
            yield f"  {typed} stands for {', '.join(words)}"
        yield from _indented(_structure_lines(self.structure, self.settings["reading"]))
        if self.passages:
            yield "  passages:"
            for passage in self.passages:
                yield from _indented(passage.lines(), 2)
            if self.n_passages > len(self.passages):
                yield f"    ... {self.n_passages - len(self.passages):,} more"
        if self.element is not None:
            yield "  as an element:" if self.passages else "  element:"
            yield from _indented(self.element.lines(), 2)
        yield "  article:"
        yield from _indented(self.article.lines(), 2)
        if self.neighbours:
            yield "  elements above and below:"
        for neighbour in self.neighbours:
            yield from _indented(neighbour.lines(), 2)


def _structure_lines(parts: tuple[dict[str, Any], ...], reading: str) -> Iterator[str]:
    """Yield the parts of a path query with the elements that meet them, and which parts count."""
    if not parts:
        return
    note = COUNTED_STRUCTURE.get(reading)
    yield f"structure ({reading}: {note}):" if note else "structure:"
    for part in parts:
        indent = "    " if part["kind"] == "condition" else "  "
        met = f"met by {part['met_by']}" if part["met_by"] else "not met here or above"
        yield f"{indent}{part['element']} {part['part']}: {met}; by {part['met_in_article']} in the article"


def _indented(lines: Iterator[str], depth: int = 1) -> Iterator[str]:
    return ("  " * depth + line for line in lines)
