"""Auto-merging retrieval, as LlamaIndex's: small chunks are retrieved, large ones take the place of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.array_types import FloatArray, Mask, Numbers
from foxir.chunks.chunkers import Splitter, hierarchy
from foxir.chunks.collection import Collection, Pieces
from foxir.chunks.ranking import ScoredChunks, best_first

MERGED_FROM = 0.5  # a parent takes the place of its children when more than this share of them is there


@dataclass(frozen=True)
class Merging:
    """A hierarchy of chunks of all documents: the pieces of all levels, leaves last, and each one's parent (or -1)."""

    units: Pieces
    parent: Numbers
    is_leaf: Mask

    @cached_property
    def children(self) -> Numbers:
        """How many children each piece has."""
        return np.bincount(self.parent[self.parent >= 0], minlength=len(self.parent))

    @cached_property
    def leaves(self) -> Numbers:
        """The places of the leaves."""
        return np.flatnonzero(self.is_leaf)

    @cached_property
    def leaf_units(self) -> Pieces:
        """The leaves, which are retrieved."""
        units = self.units
        return Pieces(units.document[self.leaves], units.start[self.leaves], units.end[self.leaves], units.rows)

    def merged(self, places: Numbers, scores: FloatArray) -> Numbers:
        """Return pieces, best first; a parent replaces more than MERGED_FROM of its children, with their mean score."""
        found = dict(zip(places.tolist(), scores.tolist(), strict=True))
        while True:
            families: dict[int, list[int]] = {}
            for place in found:
                if self.parent[place] >= 0:
                    families.setdefault(int(self.parent[place]), []).append(place)
            full = {p: c for p, c in families.items() if len(c) / self.children[p] > MERGED_FROM}
            if not full:
                break
            for parent, children in full.items():
                found[parent] = float(np.mean([found.pop(child) for child in children]))
        return np.array(sorted(found, key=lambda place: (-found[place], place)), np.int64)


def merging(
    collection: Collection, splitters: Sequence[Splitter], progress: Callable[[str, int, int], None] | None = None
) -> Merging:
    """Return the hierarchy of chunks of all documents, a splitter for each level, the largest chunks first."""
    parts: list[tuple[int, Numbers]] = []
    parents, leaves, base = [], [], 0
    for document, plain in enumerate(collection.plain):
        levels, above = hierarchy(plain.text, splitters)
        begins = np.cumsum([0, *map(len, levels)])
        spans = np.concatenate(levels)
        parts.append((document, spans))
        parents += [np.where(up < 0, -1, up + base + begins[max(n - 1, 0)]) for n, up in enumerate(above)]
        leaves.append(np.arange(len(spans)) >= begins[-2])
        base += len(spans)
        if progress:
            progress("cutting", document + 1, len(collection.plain))
    return Merging(collection.places(parts), np.concatenate(parents), np.concatenate(leaves))


def auto_merging(
    tree: Merging, scored: ScoredChunks, leaf_places: Numbers, *, share: float, n_leaves: int
) -> Callable[[str], Numbers]:
    """Return a function from topic to pieces: the best leaves by BM25 + share × BM25 of the article, merged."""

    def choose(topic: str) -> Numbers:
        own = scored.own(topic)
        scores = own + share * scored.article(topic)
        best = best_first(scores, own, n_leaves)
        return tree.merged(leaf_places[best], scores[best])

    return choose
