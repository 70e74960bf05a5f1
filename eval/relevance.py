"""How much highlighted text results return, and how much of it was returned before.

Elements of one document lie in a tree, so what was seen of an element is the sum over its topmost returned
descendants: paths are enough, no offsets are needed. Results given by offsets may overlap in any way and are measured
as intervals.
"""

from dataclasses import dataclass, replace

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.assessments import UNKNOWN, Judgements
from eval.geometry import BoolArray, Geometry, IntArray
from eval.intervals import Highlights
from eval.paths import root
from eval.placing import highlights, placed, unplaced, with_offsets
from eval.seen import seen_by_offsets, seen_by_paths

UNDEFINED = np.iinfo(np.int64).min
"""Stands in ``Returned.repeated`` where results are no elements, so that there are no descendants to sum over."""


@dataclass(frozen=True, eq=False)
class Returned:
    """What each result of a ranking returns, columns of shape (n_results,).

    ``sizes`` and ``rsizes`` are its characters and its highlighted ones; an unknown size is 0 and not ``is_sized``.
    ``seen`` counts those of its highlighted characters that earlier results returned, each once: all of them for a
    duplicate or an element inside an earlier one. ``repeated`` sums over all earlier results inside it instead.
    ``clusters`` is the row of its document among the judged ones, -1 for a document not judged.
    """

    sizes: IntArray
    is_sized: BoolArray
    rsizes: IntArray
    seen: IntArray
    repeated: IntArray
    clusters: IntArray

    def rows(self, cluster: int) -> "Returned":
        """Return the results of one document alone."""
        here = self.clusters == cluster
        columns = (self.sizes, self.is_sized, self.rsizes, self.seen, self.repeated, self.clusters)
        sizes, is_sized, rsizes, seen, repeated, clusters = (column[here] for column in columns)
        return Returned(sizes, is_sized, rsizes, seen, repeated, clusters)


def returned(ranking: Ranking, judgements: Judgements, geometry: Geometry | None) -> Returned:
    """Return what every result of a topic returns.

    A result in a document not judged returns nothing relevant. Judged elements give size and rsize of results by
    path; other results are measured against the passages. Sizes of elements that are not judged come from the index,
    if there is one.

    Raises: MeasureError where offsets are needed that neither the files nor an index give.
    """
    return _Measuring(ranking, judgements, geometry).measure()


class _Measuring:
    """Measures one ranking; offsets are looked up when the first result needs them."""

    def __init__(self, ranking: Ranking, judgements: Judgements, geometry: Geometry | None):
        self.ranking, self.paths = _whole_documents(ranking, judgements, geometry)
        self.judgements = judgements
        self.geometry = geometry
        n = len(ranking)
        self.sizes = np.where(self.ranking.starts >= 0, self.ranking.lengths, UNKNOWN)
        self.rsizes = np.zeros(n, dtype=np.int64)
        self.seen = np.zeros(n, dtype=np.int64)
        self.repeated = np.zeros(n, dtype=np.int64)
        self.is_placed = False

    def measure(self) -> Returned:
        rows = self.judgements.row_of_document
        clusters = np.array([rows.get(document, -1) for document in self.ranking.documents], dtype=np.int64)
        order = np.argsort(clusters, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1) if len(order) else []
        for group in groups:
            if clusters[group[0]] >= 0:
                self._measure_document(int(clusters[group[0]]), group)
        if self.geometry is not None and (self.sizes < 0).any():
            self._place()
        known = self.sizes >= 0
        return Returned(np.where(known, self.sizes, 0), known, self.rsizes, self.seen, self.repeated, clusters)

    def _measure_document(self, document: int, group: IntArray) -> None:
        first, end = self.judgements.element_bounds[document : document + 2].tolist()
        passages = np.diff(self.judgements.passage_bounds[document : document + 2])[0]
        if first == end and not passages:
            return
        paths = [self.paths[i] for i in group.tolist()]
        elements = [path for path in paths if path is not None]
        text = None
        if first == end or len(elements) < len(paths):
            text = self._highlights(document)
            self._place()
            starts, ends = self._spans(group)
            self.rsizes[group] = text.within(starts, ends)
        if first < end:
            self._look_up(document, group)
        rsizes = self.rsizes[group]
        if len(elements) == len(paths):
            self.seen[group], self.repeated[group] = seen_by_paths(elements, rsizes.tolist())
        elif text is not None:
            self.seen[group] = np.minimum(rsizes, seen_by_offsets(*self._spans(group), text))
            self.repeated[group] = UNDEFINED

    def _look_up(self, document: int, group: IntArray) -> None:
        """Take size and rsize of results by path from the judged elements; an element not judged has no rsize."""
        elements, rows = self.judgements.elements, self.judgements.row_of_element
        name = self.judgements.documents[document]
        for i in group.tolist():
            path = self.paths[i]
            if path is None:
                continue
            row = rows.get((name, path))
            self.rsizes[i] = 0 if row is None else elements.rsizes[row]
            if row is not None:
                self.sizes[i] = elements.sizes[row]

    def _place(self) -> None:
        if not self.is_placed:
            self.ranking = placed(self.ranking, self.geometry)
            self.sizes = np.where(self.sizes < 0, self.ranking.lengths, self.sizes)
            self.is_placed = True

    def _spans(self, group: IntArray) -> tuple[IntArray, IntArray]:
        """Return starts and ends; a result placed nowhere, and a mere point, is empty."""
        starts = np.maximum(self.ranking.starts[group], 0)
        return starts, starts + np.maximum(self.ranking.lengths[group], 0)

    def _highlights(self, document: int) -> Highlights:
        self.judgements = with_offsets(self.judgements, self.geometry)
        return highlights(self.judgements, document)


def _whole_documents(
    ranking: Ranking, judgements: Judgements, geometry: Geometry | None
) -> tuple[Ranking, list[str | None]]:
    """Return the ranking and the paths of its results, with results that are whole documents made exact.

    Where elements are judged a whole document is its root element, otherwise all of its text, if its length is known.
    """
    paths = list(ranking.paths)
    starts, lengths = ranking.starts.copy(), ranking.lengths.copy()
    for i in unplaced(ranking):
        if paths[i] is not None or i in ranking.pointers:
            continue
        document = ranking.documents[i]
        row = judgements.row_of_document.get(document)
        first, end = (0, 0) if row is None else judgements.element_bounds[row : row + 2].tolist()
        if first < end:
            paths[i] = root(judgements.elements.paths[first])
            continue
        length = UNKNOWN if row is None else int(judgements.lengths[row])
        if length < 0 and geometry is not None:
            length = geometry.length(document) or UNKNOWN
        if length >= 0:
            starts[i], lengths[i] = 0, length
    return replace(ranking, starts=starts, lengths=lengths), paths


def require_repeated(found: Returned) -> IntArray:
    """Return ``repeated``, or raise MeasureError where results are no elements."""
    if (found.repeated == UNDEFINED).any():
        raise MeasureError("seen=literal sums over descendants: it needs results that are elements, not offsets.")
    return found.repeated
