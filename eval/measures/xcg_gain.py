"""The gain of each result under the XCG measures, with overlap and near-misses.

Source: Kazai & Lalmas, INEX 2005 Evaluation Measures, 3.2, equations 7-10.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np

from engine.arrays import mask_of
from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.numbers import TOLERANCE, BoolArray, FloatArray, IntArray
from eval.text.element_locator import ElementLocator, require
from eval.text.offsets import element_paths, element_rows
from eval.text.paths import ancestors


@dataclass(frozen=True, eq=False)
class Gains:
    """The gain of each result, columns of shape (n_results,); ``rows`` is its element, -1 for one not judged.

    ``clusters`` is the row of its document among the judged ones, -1 for one not judged. ``returned``, shape
    (n_elements,), says which judged elements are among the results.
    """

    gains: FloatArray
    rows: IntArray
    clusters: IntArray
    returned: BoolArray


def thorough_gains(ranking: Ranking, judgements: Judgements, values: FloatArray) -> Gains:
    """Return xG = quant (10) with overlap=off; results that repeat an earlier one are dropped."""
    paths = element_paths(ranking, judgements, "xcg")
    firsts = list(
        {place: i for i, place in reversed(list(enumerate(zip(ranking.documents, paths, strict=True))))}.values()
    )
    rows, clusters = _rows(ranking, paths, judgements)
    kept = np.sort(np.array(firsts, dtype=np.int64))
    gains = np.where(rows >= 0, values[rows], 0.0) if len(values) else np.zeros(len(rows))
    return Gains(gains[kept], rows[kept], clusters[kept], mask_of(rows[rows >= 0], len(values)))


def focused_gains(
    ranking: Ranking, judgements: Judgements, values: FloatArray, ideals: BoolArray, alpha: float, sizes: IntArray
) -> Gains:
    """Return xG = rv_norm (8) with overlap=on, over the ideal elements of the recall base."""
    paths = element_paths(ranking, judgements, "xcg")
    rows, clusters = _rows(ranking, paths, judgements)
    readers: dict[int, _DocumentGains] = {}
    gains = np.zeros(len(rows))
    for i, cluster in enumerate(clusters.tolist()):
        if cluster >= 0:
            if cluster not in readers:
                readers[cluster] = _DocumentGains.of(judgements, cluster, values, ideals, alpha, sizes)
            gains[i] = readers[cluster].read(paths[i])
    return Gains(gains, rows, clusters, mask_of(rows[rows >= 0], len(values)))


def element_sizes(judgements: Judgements, locator: ElementLocator | None) -> IntArray:
    """Return the sizes of the judged elements, from the judgements, else from the index."""
    elements = judgements.elements
    sizes = elements.sizes.copy()
    missing = sizes < 0
    for document in np.unique(elements.document_rows[missing]).tolist():
        known = require(locator, f"{judgements.source}: judged elements have no sizes, overlap=on weighs by them")
        rows = np.flatnonzero(missing & (elements.document_rows == document))
        spans = known.spans(judgements.documents[document], [elements.paths[row] for row in rows.tolist()])
        sizes[rows] = np.maximum(spans[:, 1] - spans[:, 0], 0)
    return sizes


def _rows(ranking: Ranking, paths: list[str], judgements: Judgements) -> tuple[IntArray, IntArray]:
    return element_rows(ranking, paths, judgements), judgements.document_rows(ranking.documents)


@dataclass
class _DocumentGains:
    """The elements of one document returned so far, and the remaining values of its elements.

    ``weights`` is rv(c)|c| of the elements that are judged or partly seen, ``below`` the sum of the weights of their
    child elements. A result changes both along its path only, so it takes time proportional to its depth.
    """

    values: dict[str, float]  # by judged element
    sizes: dict[str, int]
    rest: dict[str, float]  # by ideal element: the part of its value not yet credited in its subtree
    alpha: float
    weights: dict[str, float]
    below: dict[str, float]
    seen: set[str]
    partly: set[str]

    @classmethod
    def of(
        cls, judgements: Judgements, row: int, values: FloatArray, ideals: BoolArray, alpha: float, sizes: IntArray
    ) -> _DocumentGains:
        """Return the state of one document before any result."""
        first, end = judgements.element_bounds[row : row + 2].tolist()
        paths = judgements.elements.paths[first:end]
        worth = dict(zip(paths, values[first:end].tolist(), strict=True))
        lengths = dict(zip(paths, sizes[first:end].tolist(), strict=True))
        rest = {path: worth[path] for path, is_ideal in zip(paths, ideals[first:end].tolist(), strict=True) if is_ideal}
        weights = {path: value * lengths[path] for path, value in worth.items()}
        below: dict[str, float] = {}
        for path, weight in weights.items():
            parent = path[: path.rfind("/")]
            below[parent] = below.get(parent, 0.0) + weight
        return cls(worth, lengths, rest, alpha, weights, below, set(), set())

    def read(self, path: str) -> float:
        """Return the gain of the next result, and record it as returned."""
        above = list(ancestors(path))
        gain = self._credited(path, above, self._value(path, above)) if path in self.values else 0.0
        if path not in self.seen and self.seen.isdisjoint(above):
            self.seen.add(path)
            self._weigh(path, above)
        return gain

    def _value(self, path: str, above: list[str]) -> float:
        """Return rv (7) of a judged element; one of value 0 has the value of its parts once it is partly seen."""
        quant = self.values[path]
        if path in self.seen or not self.seen.isdisjoint(above):
            return (1 - self.alpha) * quant
        if path in self.partly:
            size = self.sizes[path]
            inside = self.below.get(path, 0.0) / size if size else 0.0
            return self.alpha * inside + (1 - self.alpha) * quant
        return quant

    def _credited(self, path: str, above: list[str], value: float) -> float:
        """Return rv_norm (8): at most the remaining value of the ideal element on the path, at least 0."""
        ideal = next((place for place in chain((path,), above) if place in self.rest), None)
        if ideal is None:
            return value if value > TOLERANCE else 0.0
        gain = min(value, self.rest[ideal])
        if gain <= TOLERANCE:
            return 0.0
        self.rest[ideal] -= gain
        return gain

    def _weigh(self, path: str, above: list[str]) -> None:
        """Update the weights of an element that is now fully seen, and of its ancestors, now partly seen."""
        weight = (1 - self.alpha) * self._whole(path)
        change = weight - self.weights.get(path, 0.0)
        self.weights[path] = weight
        for ancestor in above:
            self.below[ancestor] = self.below.get(ancestor, 0.0) + change
            weight = self.alpha * self.below[ancestor] + (1 - self.alpha) * self._whole(ancestor)
            change = weight - self.weights.get(ancestor, 0.0)
            self.weights[ancestor] = weight
            self.partly.add(ancestor)

    def _whole(self, path: str) -> float:
        """Return quant(c)|c|."""
        return self.values[path] * self.sizes[path] if path in self.values else 0.0
