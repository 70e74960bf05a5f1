"""The tables that describe a set of judgements, as ``foxir judgements stats`` prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from engine.errors import MeasureError
from engine.notices import Message, Notice
from engine.wording import shortened
from eval.judgements.formats.read import read_assessments
from eval.judgements.judged_elements import with_elements, with_sizes
from eval.judgements.judgements import Assessments, Judgements
from eval.judgements.quantisation import dimensions
from eval.judgements.recall_base import best_entry_points
from eval.judgements.relevance_scale import (
    SCALE,
    exhaustivity_grades,
    scale_of_grades,
    scale_of_shares,
    specificity_grades,
)
from eval.judgements.relevance_tables.distribution import (
    Distribution,
    ElementKinds,
    SummaryStatistics,
    TopicItems,
    distribution,
    element_items,
    of_items,
    summary,
)
from eval.judgements.relevance_tables.grade_correlation import (
    Composition,
    GradeCorrelation,
    composition,
    grade_correlation,
)
from eval.measures.overlap_indicators import overlap_indicators
from eval.numbers import BoolArray
from eval.output.tables import Column, PrintableResult, PrintedTable
from eval.text.element_locator import ElementLocator

INDICATORS = ("O", "A", "D", "P")


@dataclass(frozen=True)
class OverlapTable:
    """The four overlap indicators over the topics with such elements."""

    title: str
    n_topics: int
    indicators: Mapping[str, SummaryStatistics]

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"title", "topics", "O", "A", "D", "P"}``."""
        return {
            "title": self.title,
            "topics": self.n_topics,
            **{name: found.to_dict() for name, found in self.indicators.items()},
        }

    def table(self) -> PrintedTable:
        """Return a column for each indicator."""
        values = {name: found.rows() for name, found in self.indicators.items()}
        names = [name for name, _ in values["O"]]
        return PrintedTable.of(
            self.title,
            ["value", *(Column(f"{name} (%)", 2) for name in INDICATORS)],
            [[name, *(values[indicator][i][1] for indicator in INDICATORS)] for i, name in enumerate(names)],
            notes=[f"{self.n_topics} topics"],
        )


def overlap_table(title: str, topics: Sequence[Judgements], chosen: Sequence[BoolArray]) -> OverlapTable:
    """Return the overlap among the chosen elements of each topic, summarised over the topics that have any."""
    found = []
    for judgements, mask in zip(topics, chosen, strict=True):
        rows = np.flatnonzero(mask).tolist()
        if rows:
            documents = judgements.elements.document_rows
            found.append(
                overlap_indicators((judgements.documents[documents[i]], judgements.elements.paths[i]) for i in rows)
            )
    return OverlapTable(title, len(found), {name: summary(topic[name] for topic in found) for name in INDICATORS})


By: TypeAlias = Literal["grade", "name", "exhaustivity", "overlap"]
AnyTable: TypeAlias = Distribution | Composition | GradeCorrelation | OverlapTable

PLACES = ("EA", "PA", "BA", "NA")


@dataclass(frozen=True, repr=False)
class RelevanceTables(PrintableResult):
    """The requested tables, by their kind."""

    source: str
    scale: str
    groups: Mapping[By, tuple[AnyTable, ...]]
    notices: tuple[Message, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"source", "scale", "tables": {by: [...]}}``."""
        return {
            "source": self.source,
            "scale": self.scale,
            "tables": {by: [table.to_dict() for table in tables] for by, tables in self.groups.items()},
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return all tables in order."""
        return tuple(table.table() for tables in self.groups.values() for table in tables)


def relevance(
    assessments: Assessments | str | Path,
    *,
    by: By | Sequence[By] | None = None,
    mapping: str | None = None,
    locator: ElementLocator | None = None,
) -> RelevanceTables:
    """Return tables of the distribution of relevant elements.

    * ``grade``: the recall base (passages, best entry points, all relevant elements) and the scale EA, PA, BA, NA; for
      judgements of 2002-2004 the pairs of grades, how they go together, and the scale under a ``mapping`` M1 ... M20;
    * ``name``: the names of elements;
    * ``exhaustivity``: its grades, and their share within EA, PA, BA and NA;
    * ``overlap``: O, A, D and P among the relevant and among the highly relevant elements.

    All kinds if ``by`` is not given; exhaustivity is then omitted, with a notice, if it was not judged.

    Raises: MeasureError for an unknown table, for exhaustivity where there is none, for a mapping where there are no
        grades, and where only an index can give elements.
    """
    wanted: Sequence[By] = get_args(By) if by is None else [by] if isinstance(by, str) else by
    for name in wanted:
        if name not in get_args(By):
            raise MeasureError(f"there is no table by {name!r}; choose among: {', '.join(get_args(By))}.")
    found = assessments if isinstance(assessments, Assessments) else read_assessments(assessments)
    if mapping is not None and dimensions(found.scale) == "highlighted":
        raise MeasureError(f"{found.source}: a mapping (here {shortened(mapping)}) is for the grades of 2002-2004.")
    judged = {topic: _completed(judgements, locator) for topic, judgements in found.topics.items()}
    has_exhaustivity = any(len(j.elements) and exhaustivity_grades(j) for j in found.topics.values())
    notices = list(found.notices)
    without = [topic for topic, judgements in judged.items() if not judgements.elements.relevant.any()]
    if without:
        notices.append(Notice("topics_without_elements", {"topics": len(without)}))
    if not has_exhaustivity and "exhaustivity" in wanted:
        if by is not None:
            raise MeasureError(f"{found.source}: exhaustivity was not judged; choose another table.")
        wanted = [name for name in wanted if name != "exhaustivity"]
        notices.append(Notice("no_exhaustivity"))
    topics = list(judged.values())
    graded = dimensions(found.scale) == "graded"
    makers: Mapping[By, Callable[[], Iterator[AnyTable]]] = {
        "grade": lambda: _graded(topics, mapping) if graded else _highlighted(topics),
        "name": lambda: _names(topics),
        "exhaustivity": lambda: _exhaustivity(topics, graded=graded),
        "overlap": lambda: _overlap(topics, has_exhaustivity=has_exhaustivity),
    }
    return RelevanceTables(found.source, found.scale, {b: tuple(makers[b]()) for b in wanted}, tuple(notices))


def _completed(judgements: Judgements, locator: ElementLocator | None) -> Judgements:
    judgements = with_elements(judgements, locator)
    if locator is None or dimensions(judgements.scale) == "graded":
        return judgements
    return with_sizes(judgements, locator)


def _highlighted(topics: Sequence[Judgements]) -> Iterator[AnyTable]:
    yield of_items("The recall base", [_base(j) for j in topics if j.elements.relevant.any()], parts=False)
    yield distribution("The relevance scale", topics, scale_kinds)


def _graded(topics: Sequence[Judgements], mapping: str | None) -> Iterator[AnyTable]:
    yield distribution("Grades", topics, _points, layout="totals")
    yield grade_correlation("Correlation of grades", topics)
    if mapping is not None:
        yield distribution(f"The relevance scale, {mapping.upper()}", topics, lambda j: _mapped(j, mapping))


def _names(topics: Sequence[Judgements]) -> Iterator[AnyTable]:
    yield distribution("Names of relevant elements", topics, _by_name, layout="totals")


def _exhaustivity(topics: Sequence[Judgements], *, graded: bool) -> Iterator[AnyTable]:
    yield distribution("Exhaustivity", topics, exhaustivity_grades)
    if graded:
        yield grade_correlation("Correlation of grades", topics)
    else:
        yield composition("Exhaustivity within the relevance scale", topics, scale_kinds)


def _overlap(topics: Sequence[Judgements], *, has_exhaustivity: bool) -> Iterator[AnyTable]:
    yield overlap_table("Overlap among relevant elements", topics, [j.elements.relevant for j in topics])
    if has_exhaustivity:
        yield overlap_table("Overlap among highly relevant elements", topics, [_highly(j) for j in topics])


def scale_kinds(judgements: Judgements) -> ElementKinds:
    """Return a mask of the relevant elements for each point of the relevance scale."""
    places = scale_of_shares(judgements)
    return {name: (places == SCALE.index(name)) & judgements.elements.relevant for name in PLACES}


def _mapped(judgements: Judgements, mapping: str) -> ElementKinds:
    places = scale_of_grades(judgements, mapping)
    return {name: (places == SCALE.index(name)) & judgements.elements.relevant for name in PLACES}


def _points(judgements: Judgements) -> ElementKinds:
    """Return the nine pairs of grades, E1S1 to E3S3."""
    specificity = specificity_grades(judgements)
    return {
        f"{e}{s}": with_e & with_s
        for e, with_e in exhaustivity_grades(judgements).items()
        for s, with_s in specificity.items()
    }


def _by_name(judgements: Judgements) -> ElementKinds:
    names = np.array([path.rpartition("/")[2].partition("[")[0] for path in judgements.elements.paths])
    relevant = judgements.elements.relevant
    return {str(name): (names == name) & relevant for name in np.unique(names[relevant])}


def _highly(judgements: Judgements) -> BoolArray:
    """Return a mask of the highly relevant elements: E3S3, or from 2005 on E2 and fully highlighted."""
    elements = judgements.elements
    highest = (3, 3.0) if dimensions(judgements.scale) == "graded" else (2, 1.0)
    highly: BoolArray = (elements.exhaustivity == highest[0]) & (elements.specificity >= highest[1])
    return highly


def _base(judgements: Judgements) -> TopicItems:
    """Return the passages, best entry points and relevant elements of a topic as items."""
    lengths = judgements.passages.lengths
    n_passages, n_elements = len(lengths), len(judgements.elements)
    relevant = judgements.elements.relevant
    has_sizes = bool((judgements.elements.sizes >= 0).all())
    masks = {"BEP": best_entry_points(judgements) if has_sizes else None, "FullRB": relevant}
    kinds = {
        name: np.concatenate((np.zeros(n_passages, dtype=np.bool_), mask))
        for name, mask in masks.items()
        if mask is not None
    }
    passages = np.concatenate((np.ones(n_passages, dtype=np.bool_), np.zeros(n_elements, dtype=np.bool_)))
    items = element_items(judgements, {})
    return TopicItems(
        np.concatenate((lengths, items.sizes)),
        np.concatenate((np.ones(n_passages), items.shares)),
        {**({"Passage": passages} if n_passages else {}), **kinds},
    )
