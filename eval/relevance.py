"""How much highlighted text results return, how much of it was returned before, and how much there is.

Elements of one document lie in a tree, so what was seen of an element is the sum over its topmost returned
descendants: paths are enough, no offsets are needed. Results given by offsets may overlap in any way and are measured
as intervals.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.assessments import UNKNOWN, Judgements
from eval.geometry import BoolArray, Geometry, IntArray
from eval.intervals import Highlights, Seen, union
from eval.paths import ancestors, root, topmost
from eval.placing import highlights, placed, unplaced, with_offsets

UNDEFINED = np.iinfo(np.int64).min
"""Stands in ``Returned.repeated`` where results are no elements, so that there are no descendants to sum over."""


FAR = 2**40
"""More characters than any document has: keeps the offsets of different documents apart."""


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


def seen_by_paths(paths: Sequence[str], rsizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return for each element of one document, in rank order, what was seen of it before: each character once, and
    summed over all earlier descendants.

    Each character once: everything if it or an ancestor was returned; else the sum of rsize over the topmost returned
    descendants, at most its own rsize. Costs the depth of each path.
    """
    given: set[str] = set()
    inside: dict[str, int] = {}  # sum of rsize over the topmost returned elements inside
    nested: dict[str, int] = {}  # sum of rsize over all returned elements inside
    seen, repeated = [], []
    for path, rsize in zip(paths, rsizes, strict=True):
        above = list(ancestors(path))
        if path in given or not given.isdisjoint(above):
            seen.append(rsize)
            repeated.append(rsize)
        else:
            before = inside.get(path, 0)
            seen.append(min(rsize, before))
            repeated.append(nested.get(path, 0))
            for ancestor in above:
                inside[ancestor] = inside.get(ancestor, 0) + rsize - before
            given.add(path)
        for ancestor in above:
            nested[ancestor] = nested.get(ancestor, 0) + rsize
    return seen, repeated


def seen_by_offsets(starts: IntArray, ends: IntArray, text: Highlights) -> IntArray:
    """Return for each interval of one document, in rank order, its highlighted characters that were seen before."""
    reader = Seen()
    fresh = [
        (row, *part)
        for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
        for part in reader.add(start, end)
    ]
    rows, begins, finishes = np.array(fresh, dtype=np.int64).reshape(-1, 3).T
    new = np.bincount(rows, weights=text.within(begins, finishes), minlength=len(starts)).astype(np.int64)
    seen: IntArray = text.within(starts, ends) - new
    return seen


def highlighted_characters(judgements: Judgements) -> IntArray:
    """Return the highlighted characters of every judged document, shape (n_documents,).

    The sizes of its passages (their union, where offsets are known); without passages the rsize of its root; if that
    is not judged, of its topmost judged elements; else what the file says of the document.
    """
    counts: IntArray = np.maximum(judgements.highlighted, 0)
    measured = _measured_by_passages(judgements)
    counts[measured] = _passage_characters(judgements)[measured]
    for row in np.flatnonzero(~measured & (np.diff(judgements.element_bounds) > 0)).tolist():
        counts[row] = _top_characters(judgements, row)
    return counts


def _measured_by_passages(judgements: Judgements) -> BoolArray:
    """Return which documents have passages, all of them of known length."""
    rows, n = judgements.passages.document_rows, len(judgements.documents)
    known = np.bincount(rows[judgements.passages.lengths >= 0], minlength=n)
    measured: BoolArray = (known > 0) & (known == np.bincount(rows, minlength=n))
    return measured


def _passage_characters(judgements: Judgements) -> IntArray:
    """Return the length of the passages of every document: of their union, passages without offsets lie apart."""
    passages = judgements.passages
    lengths = np.maximum(passages.lengths, 0)
    placed_rows = passages.starts >= 0
    starts = passages.starts[placed_rows] + passages.document_rows[placed_rows] * FAR
    begins, ends = union(starts, starts + lengths[placed_rows])
    n = len(judgements.documents)
    counts = np.bincount(begins // FAR, weights=ends - begins, minlength=n)
    counts += np.bincount(passages.document_rows[~placed_rows], weights=lengths[~placed_rows], minlength=n)
    return counts.astype(np.int64)


def _top_characters(judgements: Judgements, row: int) -> int:
    """Return the rsize of the root of a document, or of its topmost judged elements if the root is not judged."""
    first, end = judgements.element_bounds[row : row + 2].tolist()
    paths, rsizes = judgements.elements.paths[first:end], judgements.elements.rsizes
    top = judgements.row_of_element.get((judgements.documents[row], root(paths[0])))
    return int(rsizes[top] if top is not None else sum(rsizes[first + i] for i in topmost(paths)))


def require_repeated(found: Returned) -> IntArray:
    """Return ``repeated``, or raise MeasureError where results are no elements."""
    if (found.repeated == UNDEFINED).any():
        raise MeasureError("seen=literal sums over descendants: it needs results that are elements, not offsets.")
    return found.repeated
