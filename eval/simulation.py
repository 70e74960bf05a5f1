"""What would a perfect system return? Simulated runs: the ideal run that returns one kind of relevant element.

Source: Pehcevski, thesis, 5.2.1 and table 5.2. Results are ranked by decreasing harmonic mean of precision and recall,

    F = 2PR/(P + R) = 2 rsize/(size + Trel), P = rsize/size, R = rsize/Trel,

Trel the highlighted characters of the topic; at most 1500 per topic. Equal F: document id, then file order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking, Run
from eval.judgements.formats.read import read_assessments
from eval.judgements.judged_elements import with_elements, with_sizes
from eval.judgements.judgements import Assessments, Judgements
from eval.judgements.recall_base import best_entry_points
from eval.judgements.relevance_scale import SCALE, scale_of_shares
from eval.numbers import DECIMALS, BoolArray, FloatArray, IntArray
from eval.output.tables import Column, PrintableResult, PrintedTable
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import highlighted_characters
from eval.text.offsets import with_passage_offsets

SimulatedKind: TypeAlias = Literal["passage", "bep", "fullrb", "ea", "pa", "ba", "na"]

MAX_ANSWERS = 1500
NAMES: Mapping[str, tuple[str, str]] = {
    "passage": ("Passage", "the highlighted passages"),
    "bep": ("BEP", "the best entry points, without overlap"),
    "fullrb": ("FullRB", "all relevant elements"),
    "ea": ("EA", "exact relevant elements"),
    "pa": ("PA", "partial relevant elements"),
    "ba": ("BA", "broad relevant elements"),
    "na": ("NA", "narrow relevant elements"),
}


@dataclass(frozen=True, repr=False)
class Simulation(PrintableResult):
    """A simulated run and the file it was written to."""

    kind: SimulatedKind
    run: Run
    file: Path

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"kind", "run", "file", "topics": {id: results}}``."""
        topics = {topic: len(ranking) for topic, ranking in self.run.rankings.items()}
        return {"kind": self.kind, "run": self.run.run_id, "file": str(self.file), "topics": topics}

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the number of results by topic."""
        counts = [(topic, len(ranking)) for topic, ranking in self.run.rankings.items()]
        return (
            PrintedTable.of(
                f"{self.run.run_id}: {NAMES[self.kind][1]}",
                ["topic", Column("results", 0)],
                [*counts, ("all", sum(count for _, count in counts))],
                notes=[f"written to {self.file}"],
            ),
        )


def simulated_run(
    assessments: Assessments | str | Path,
    kind: SimulatedKind,
    *,
    max_answers: int = MAX_ANSWERS,
    locator: ElementLocator | None = None,
    run_id: str | None = None,
) -> Run:
    """Return the simulated run of one kind of result, with every judged topic, also those without results.

    ``rsv`` is (max_answers + 1 - rank)/max_answers. Passages are given by offsets, or by pointers if not known.

    Raises: MeasureError for an unknown kind, for graded judgements (they highlight no text), and if elements, sizes or
        offsets are missing and no locator is given.
    """
    if kind not in NAMES:
        raise MeasureError(f"there is no simulated run {kind!r}; choose one of: {', '.join(get_args(SimulatedKind))}.")
    if max_answers < 1:
        raise MeasureError(f"max_answers={max_answers}: expected 1 or more.")
    found = assessments if isinstance(assessments, Assessments) else read_assessments(assessments)
    make = _passages if kind == "passage" else _elements_of(_CHOICES[kind])
    rankings = {topic: make(judgements, max_answers, locator) for topic, judgements in found.topics.items()}
    name, meaning = NAMES[kind]
    return Run(
        run_id or name,
        rankings,
        task="CO.Focussed" if kind in ("passage", "bep") else "CO.Thorough",
        query="manual",
        description=f"Simulated from the judgements: {meaning}, by decreasing F.",
        settings={"simulated": kind, "max_answers": str(max_answers)},
        notices=found.notices,
    )


def harmonic_means(sizes: IntArray, rsizes: IntArray, relevant: int) -> FloatArray:
    """Return F = 2 rsize/(size + Trel) of each result, shape as given; 0 without text."""
    f: FloatArray = np.round(2.0 * rsizes / np.maximum(sizes + relevant, 1), DECIMALS)
    return f


def _on_scale(name: str) -> Callable[[Judgements], BoolArray]:
    place = SCALE.index(name)
    return lambda judgements: scale_of_shares(judgements) == place


_CHOICES: Mapping[str, Callable[[Judgements], BoolArray]] = {
    "bep": best_entry_points,
    "fullrb": lambda judgements: judgements.elements.relevant,
    **{name.lower(): _on_scale(name) for name in ("EA", "PA", "BA", "NA")},
}

_Maker: TypeAlias = Callable[[Judgements, int, ElementLocator | None], Ranking]


def _elements_of(choice: Callable[[Judgements], BoolArray]) -> _Maker:
    """Return a function that ranks the relevant elements selected by ``choice``."""

    def make(judgements: Judgements, max_answers: int, locator: ElementLocator | None) -> Ranking:
        judged = with_sizes(with_elements(judgements, locator), locator)
        elements = judged.elements
        f = harmonic_means(elements.sizes, elements.rsizes, int(highlighted_characters(judged).sum()))
        rows = np.flatnonzero(choice(judged) & elements.relevant)
        order = _by_f(f[rows], [judged.documents[row] for row in elements.document_rows[rows].tolist()], max_answers)
        chosen = rows[order].tolist()
        documents = [judged.documents[elements.document_rows[row]] for row in chosen]
        rsv = _falling(len(chosen), max_answers)
        return Ranking.ranked(judged.topic, documents, [elements.paths[row] for row in chosen], rsv=rsv)

    return make


def _passages(judgements: Judgements, max_answers: int, locator: ElementLocator | None) -> Ranking:
    """Return the passages of a topic, ranked."""
    has_lengths = bool((judgements.passages.lengths >= 0).all())
    if locator is not None or not has_lengths:
        judgements = with_passage_offsets(judgements, locator)
    passages = judgements.passages
    names = [judgements.documents[row] for row in passages.document_rows.tolist()]
    f = harmonic_means(passages.lengths, passages.lengths, int(highlighted_characters(judgements).sum()))
    chosen = _by_f(f, names, max_answers).tolist()
    is_placed = passages.starts[chosen] >= 0
    return Ranking.ranked(
        judgements.topic,
        [names[row] for row in chosen],
        rsv=_falling(len(chosen), max_answers),
        starts=passages.starts[chosen],
        lengths=np.where(is_placed, passages.lengths[chosen], -1),
        pointers={
            i: pointers
            for i, row in enumerate(chosen)
            if not is_placed[i] and (pointers := passages.pointers[row]) is not None
        },
    )


def _by_f(f: FloatArray, documents: Sequence[str], max_answers: int) -> IntArray:
    """Return at most ``max_answers`` rows by decreasing F, equal ones by document id, then in the given order."""
    places = {document: place for place, document in enumerate(sorted(set(documents)))}
    order = np.lexsort((np.array([places[document] for document in documents], dtype=np.int64), -f))
    return order[:max_answers].astype(np.int64)


def _falling(n: int, max_answers: int) -> FloatArray:
    return (max_answers - np.arange(n)) / max_answers
