"""Runs made from the judgements: the best that can be done with one kind of element.

Source: Pehcevski, thesis, 5.2.1 and table 5.2. Results stand by falling harmonic mean of precision and recall,

    F = 2PR/(P + R) = 2 rsize/(size + Trel), P = rsize/size, R = rsize/Trel,

Trel the highlighted characters of the topic; at most 1500 a topic. Equal F: document id, then the order of the file.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking, Run, write_run
from engine.runs.files import Format
from eval.assessments import Assessments, Judgements, read_assessments
from eval.elements import with_elements, with_sizes
from eval.geometry import BoolArray, FloatArray, Geometry, IntArray
from eval.highlighted import highlighted_characters
from eval.placing import with_offsets
from eval.recall_base import best_entry_points
from eval.relevance_scale import SCALE, scale_of_shares
from eval.sheets import Column, Result, Sheet

SimulatedKind: TypeAlias = Literal["passage", "bep", "fullrb", "ea", "pa", "ba", "na"]

LIMIT = 1500
DECIMALS = 12
"""F is compared rounded to these decimals: 2/3 found in two ways is one value."""

NAMES: Mapping[str, tuple[str, str]] = {
    "passage": ("Passage", "the highlighted passages"),
    "bep": ("BEP", "the elements best in context, without overlap"),
    "fullrb": ("FullRB", "all relevant elements"),
    "ea": ("EA", "exact relevant elements"),
    "pa": ("PA", "partial relevant elements"),
    "ba": ("BA", "broad relevant elements"),
    "na": ("NA", "narrow relevant elements"),
}


@dataclass(frozen=True)
class Simulation(Result):
    """A simulated run and the file it was written to."""

    kind: SimulatedKind
    run: Run
    file: Path

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"kind", "run", "file", "topics": {id: results}}``."""
        topics = {topic: len(ranking) for topic, ranking in self.run.rankings.items()}
        return {"kind": self.kind, "run": self.run.run_id, "file": str(self.file), "topics": topics}

    def sheets(self) -> tuple[Sheet, ...]:
        """Return how many results each topic has."""
        counts = [(topic, len(ranking)) for topic, ranking in self.run.rankings.items()]
        return (
            Sheet.of(
                f"{self.run.run_id}: {NAMES[self.kind][1]}",
                ["topic", Column("results", 0)],
                [*counts, ("all", sum(count for _, count in counts))],
                notes=[f"written to {self.file}"],
            ),
        )


def simulate(
    assessments: Assessments | str | Path,
    *,
    kind: SimulatedKind,
    out: str | Path,
    limit: int = LIMIT,
    geometry: Geometry | None = None,
    run_id: str | None = None,
    format: Format = "inex",
) -> Simulation:
    """Make a simulated run and write it to a file."""
    run = simulated_run(assessments, kind, limit=limit, geometry=geometry, run_id=run_id)
    write_run(run, out, format)
    return Simulation(kind, run, Path(out))


def simulated_run(
    assessments: Assessments | str | Path,
    kind: SimulatedKind,
    *,
    limit: int = LIMIT,
    geometry: Geometry | None = None,
    run_id: str | None = None,
) -> Run:
    """Return the run of one kind of result, every judged topic in it, those without any such result too.

    ``rsv`` falls strictly with the rank, (limit + 1 - rank)/limit. Passages are given by offsets, or by their pointers
    where these are all that is known.

    Raises: MeasureError for an unknown kind, graded judgements (they highlight no text), and where only an index can
        give what is needed.
    """
    if kind not in NAMES:
        raise MeasureError(f"there is no simulated run {kind!r}; choose one of: {', '.join(get_args(SimulatedKind))}.")
    if limit < 1:
        raise MeasureError(f"limit={limit}: expected 1 or more.")
    found = assessments if isinstance(assessments, Assessments) else read_assessments(assessments)
    make = _passages if kind == "passage" else _elements_of(_CHOICES[kind])
    rankings = {topic: make(judgements, limit, geometry) for topic, judgements in found.topics.items()}
    name, meaning = NAMES[kind]
    return Run(
        run_id or name,
        rankings,
        task="CO.Focussed" if kind in ("passage", "bep") else "CO.Thorough",
        query="manual",
        description=f"Simulated from the judgements: {meaning}, by falling F.",
        settings={"simulated": kind, "limit": str(limit)},
        notices=found.notices,
    )


def harmonic_means(sizes: IntArray, rsizes: IntArray, relevant: int) -> FloatArray:
    """Return F = 2 rsize/(size + Trel) of each result, shape as given; 0 where there is no text at all."""
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

_Maker: TypeAlias = Callable[[Judgements, int, Geometry | None], Ranking]


def _elements_of(choice: Callable[[Judgements], BoolArray]) -> _Maker:
    """Return what ranks the relevant elements of a choice."""

    def make(judgements: Judgements, limit: int, geometry: Geometry | None) -> Ranking:
        judged = with_sizes(with_elements(judgements, geometry), geometry)
        elements = judged.elements
        f = harmonic_means(elements.sizes, elements.rsizes, int(highlighted_characters(judged).sum()))
        rows = np.flatnonzero(choice(judged) & elements.relevant)
        order = _by_f(f[rows], [judged.documents[row] for row in elements.document_rows[rows].tolist()], limit)
        chosen = rows[order].tolist()
        documents = [judged.documents[elements.document_rows[row]] for row in chosen]
        rsv = _falling(len(chosen), limit)
        return Ranking.ranked(judged.topic, documents, [elements.paths[row] for row in chosen], rsv=rsv)

    return make


def _passages(judgements: Judgements, limit: int, geometry: Geometry | None) -> Ranking:
    """Rank the passages of a topic; each is relevant as a whole."""
    has_lengths = bool((judgements.passages.lengths >= 0).all())
    if geometry is not None or not has_lengths:
        judgements = with_offsets(judgements, geometry)
    passages = judgements.passages
    names = [judgements.documents[row] for row in passages.document_rows.tolist()]
    f = harmonic_means(passages.lengths, passages.lengths, int(highlighted_characters(judgements).sum()))
    chosen = _by_f(f, names, limit).tolist()
    is_placed = passages.starts[chosen] >= 0
    return Ranking.ranked(
        judgements.topic,
        [names[row] for row in chosen],
        rsv=_falling(len(chosen), limit),
        starts=passages.starts[chosen],
        lengths=np.where(is_placed, passages.lengths[chosen], -1),
        pointers={
            i: pointers
            for i, row in enumerate(chosen)
            if not is_placed[i] and (pointers := passages.pointers[row]) is not None
        },
    )


def _by_f(f: FloatArray, documents: Sequence[str], limit: int) -> IntArray:
    """Return the rows by falling F, equal ones by document id, then as they stand; at most ``limit``."""
    places = {document: place for place, document in enumerate(sorted(set(documents)))}
    order = np.lexsort((np.array([places[document] for document in documents], dtype=np.int64), -f))
    return order[:limit].astype(np.int64)


def _falling(n: int, limit: int) -> FloatArray:
    return (limit - np.arange(n)) / limit
