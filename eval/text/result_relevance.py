"""Highlighted text of each result, and how much of it earlier results returned, for HiXEval.

Elements of a document form a tree, so the text of an element seen before is the sum over its topmost returned
descendants: paths suffice. Results given by offsets can overlap in any way and are handled as intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.judgements import UNKNOWN, Judgements
from eval.numbers import BoolArray, IntArray
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import HighlightedIntervals, document_highlights, summed_by_owner, unseen_parts
from eval.text.offsets import is_document, results_without_offsets, with_passage_offsets, with_result_offsets
from eval.text.paths import ancestors

# Value of ``Returned.repeated`` where results are not elements, so that there are no descendants to sum over.
UNDEFINED = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class ResultRelevance:
    """Characters and highlighted characters of each result, int64, shape (n_results,).

    ``sizes`` and ``rsizes`` are all and the highlighted characters of a result; an unknown size is 0 and not
    ``is_sized``. ``seen`` is the number of its highlighted characters in earlier results, each counted once: all of
    them for a duplicate or an element inside an earlier result. ``repeated`` is the sum over all earlier results inside
    it. ``clusters`` is the row of its document among the judged ones, -1 for a document not judged.
    """

    sizes: IntArray
    is_sized: BoolArray
    rsizes: IntArray
    seen: IntArray
    repeated: IntArray
    clusters: IntArray

    def rows(self, cluster: int) -> ResultRelevance:
        """Return the results in one document."""
        here = self.clusters == cluster
        columns = (self.sizes, self.is_sized, self.rsizes, self.seen, self.repeated, self.clusters)
        sizes, is_sized, rsizes, seen, repeated, clusters = (column[here] for column in columns)
        return ResultRelevance(sizes, is_sized, rsizes, seen, repeated, clusters)


def returned(ranking: Ranking, judgements: Judgements, locator: ElementLocator | None) -> ResultRelevance:
    """Return the relevance of every result of a topic.

    Results in documents not judged are not relevant. Results by path take size and rsize from the judged elements,
    other results are intersected with the passages. Sizes of elements that were not judged come from the index, if any.

    Raises: MeasureError where offsets are required that neither the files nor an index provide.
    """
    return _Measuring(ranking, judgements, locator).measure()


class _Measuring:
    """Computes the relevance of one ranking; offsets are looked up when the first result requires them."""

    def __init__(self, ranking: Ranking, judgements: Judgements, locator: ElementLocator | None):
        self.ranking, self.paths = _whole_documents(ranking, judgements, locator)
        self.judgements = judgements
        self.locator = locator
        n = len(ranking)
        self.sizes = np.where(self.ranking.starts >= 0, self.ranking.lengths, UNKNOWN)
        self.rsizes = np.zeros(n, dtype=np.int64)
        self.seen = np.zeros(n, dtype=np.int64)
        self.repeated = np.zeros(n, dtype=np.int64)
        self.is_placed = False

    def measure(self) -> ResultRelevance:
        clusters = self.judgements.document_rows(self.ranking.documents)
        order = np.argsort(clusters, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1) if len(order) else []
        for group in groups:
            if clusters[group[0]] >= 0:
                self._measure_document(int(clusters[group[0]]), group)
        if self.locator is not None and (self.sizes < 0).any():
            self._place()
        known = self.sizes >= 0
        return ResultRelevance(np.where(known, self.sizes, 0), known, self.rsizes, self.seen, self.repeated, clusters)

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
            self.rsizes[group] = text.count_within(starts, ends)
        if first < end:
            self._look_up(document, group)
        rsizes = self.rsizes[group]
        if len(elements) == len(paths):
            self.seen[group], self.repeated[group] = seen_by_paths(elements, rsizes.tolist())
        elif text is not None:
            self.seen[group] = np.minimum(rsizes, seen_by_offsets(*self._spans(group), text))
            self.repeated[group] = UNDEFINED

    def _look_up(self, document: int, group: IntArray) -> None:
        """Set size and rsize of results by path from the judged elements; rsize is 0 for an element not judged."""
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
            self.ranking = with_result_offsets(self.ranking, self.locator)
            self.sizes = np.where(self.sizes < 0, self.ranking.lengths, self.sizes)
            self.is_placed = True

    def _spans(self, group: IntArray) -> tuple[IntArray, IntArray]:
        """Return starts and ends; results without offsets and entry points are empty."""
        starts = np.maximum(self.ranking.starts[group], 0)
        return starts, starts + np.maximum(self.ranking.lengths[group], 0)

    def _highlights(self, document: int) -> HighlightedIntervals:
        self.judgements = with_passage_offsets(self.judgements, self.locator)
        return document_highlights(self.judgements, document)


def _whole_documents(
    ranking: Ranking, judgements: Judgements, locator: ElementLocator | None
) -> tuple[Ranking, list[str | None]]:
    """Return the ranking and the paths of its results, with whole documents replaced by elements or spans.

    If elements of the document were judged, it is its root element, otherwise all of its text if the length is known.
    """
    paths = list(ranking.paths)
    starts, lengths = ranking.starts.copy(), ranking.lengths.copy()
    for i in results_without_offsets(ranking):
        if not is_document(ranking, i):
            continue
        document = ranking.documents[i]
        row = judgements.row_of_document.get(document)
        paths[i] = None if row is None else judgements.root_path(row)
        if paths[i] is not None:
            continue
        length = UNKNOWN if row is None else int(judgements.lengths[row])
        if length < 0 and locator is not None:
            length = locator.length(document) or UNKNOWN
        if length >= 0:
            starts[i], lengths[i] = 0, length
    return replace(ranking, starts=starts, lengths=lengths), paths


def require_repeated(found: ResultRelevance) -> IntArray:
    """Return ``repeated``; raise MeasureError if results are not elements."""
    if (found.repeated == UNDEFINED).any():
        raise MeasureError("seen=literal sums over descendants: it needs results that are elements, not offsets.")
    return found.repeated


def seen_by_paths(paths: Sequence[str], rsizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return how much of each element of one document was returned before, in rank order: counted once, and repeatedly.

    In highlighted characters, for elements in rank order. Counted once: all if the element or an ancestor was
    returned; else the sum of rsize over the topmost returned descendants, at most the rsize of the element. Repeatedly:
    summed over all earlier descendants. Takes time proportional to the depth of each path.
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


def seen_by_offsets(starts: IntArray, ends: IntArray, text: HighlightedIntervals) -> IntArray:
    """Return the number of highlighted characters already seen in each interval of one document, in rank order."""
    if len(starts) == 1:  # most documents have one result, which nothing precedes
        return np.zeros(1, dtype=np.int64)
    owners, begins, finishes = unseen_parts([0] * len(starts), starts, ends)
    seen: IntArray = text.count_within(starts, ends) - summed_by_owner(
        owners, text.count_within(begins, finishes), len(starts)
    )
    return seen
