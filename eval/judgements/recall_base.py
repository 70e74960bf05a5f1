"""Recall bases without overlap: ideal, General, Specific, best entry points; Broad and Narrow topics.

The full recall base is all relevant elements. Each function returns a mask of the judged elements in a part of it,
shape (n_elements,).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import compress, pairwise
from typing import Literal, TypeAlias

import numpy as np

from eval.judgements.judgements import JudgedElements, Judgements
from eval.judgements.quantisation import quantised
from eval.numbers import DECIMALS, BoolArray, FloatArray, IntArray
from eval.text.highlighted_text import highlighted_characters
from eval.text.paths import DisjointPaths, ancestors

RecallBase: TypeAlias = Literal["full", "general", "specific", "bep"]
Tie: TypeAlias = Literal["higher", "deeper"]
TopicClass: TypeAlias = Literal["broad", "narrow"]


def nearest_ancestors(judgements: Judgements, chosen: BoolArray) -> IntArray:
    """Return the row of the nearest chosen ancestor of each chosen element; -1 for none and for elements not chosen."""
    nearest = np.full(len(chosen), -1, dtype=np.int64)
    paths, bounds = judgements.elements.paths, judgements.element_bounds.tolist()
    selected = chosen.tolist()
    for first, end in pairwise(bounds):
        rows = {paths[row]: row for row in range(first, end) if selected[row]}
        for path, row in rows.items():
            nearest[row] = next((rows[above] for above in ancestors(path) if above in rows), -1)
    return nearest


def ideal(judgements: Judgements, values: FloatArray, tie: Tie) -> BoolArray:
    """Return the ideal recall base under the values of a quantisation.

    On each relevant path, from a relevant element without relevant descendants to the root, the element with the
    highest value is selected; of equal values the one higher in the tree (Kazai & Lalmas, INEX 2005) or deeper
    (Pehcevski, thesis, 2.4). Of two selected elements that overlap, the one with the shorter path is kept.
    """
    chosen = values > 0
    above = nearest_ancestors(judgements, chosen).tolist()
    rounded = np.round(values, DECIMALS).tolist()
    best: dict[int, int] = {}
    for row in _from_top(judgements, chosen):
        up = best.get(above[row], row)
        keeps_upper = rounded[up] > rounded[row] or (rounded[up] == rounded[row] and tie == "higher")
        best[row] = up if keeps_upper else row
    inner = set(above)
    kept = np.zeros(len(values), dtype=np.bool_)
    kept[[best[row] for row in best if row not in inner]] = True
    return _topmost(judgements, kept)


def general(judgements: Judgements) -> BoolArray:
    """Return the General elements: highly relevant (strict), without a highly relevant ancestor (thesis, 3.3.1)."""
    return _topmost(judgements, quantised(judgements, "strict") > 0)


def specific(judgements: Judgements) -> BoolArray:
    """Return the Specific elements: highly relevant (strict), without a highly relevant descendant (thesis, 3.3.1)."""
    highly = quantised(judgements, "strict") > 0
    kept = highly.copy()
    above = nearest_ancestors(judgements, highly)
    kept[above[above >= 0]] = False
    return kept


def best_entry_points(judgements: Judgements) -> BoolArray:
    """Return the best entry points (thesis, 5.2.1); judged elements must have sizes.

    In each document, relevant elements are selected in decreasing order of the harmonic mean of precision (rsize/size)
    and recall (rsize / highlighted text of the document), skipping those that overlap a selected one; of equal values
    the one higher in the tree first, then in file order.
    """
    elements = judgements.elements
    highlighted = highlighted_characters(judgements)[elements.document_rows]
    scores = 2.0 * elements.rsizes / np.maximum(elements.sizes + highlighted, 1)  # F = 2PR/(P + R), reduced
    depths = np.array([path.count("/") for path in elements.paths], dtype=np.int64)
    kept = np.zeros(len(elements), dtype=np.bool_)
    chosen: dict[int, DisjointPaths] = {}
    for row in np.lexsort((depths, -np.round(scores, DECIMALS))).tolist():
        if elements.relevant[row]:
            of_document = chosen.setdefault(int(elements.document_rows[row]), DisjointPaths())
            kept[row] = of_document.add(elements.paths[row])
    return kept


def topic_class(judgements: Judgements) -> TopicClass | None:
    """Return whether most General elements are whole documents (Broad) or parts (Narrow), None if neither.

    Source: thesis, 3.3.1.
    """
    chosen = general(judgements)
    whole = [path.count("/") == 1 for path in compress(judgements.elements.paths, chosen)]
    difference = sum(whole) - (len(whole) - sum(whole))
    return None if difference == 0 else "broad" if difference > 0 else "narrow"


def with_recall_base(judgements: Judgements, base: RecallBase) -> Judgements:
    """Return the judgements restricted to the elements of a recall base.

    Passages, highlighted text and entry points represent the full recall base and are removed for any other.
    """
    if base == "full":
        return judgements
    part = {"general": general, "specific": specific, "bep": best_entry_points}[base](judgements)
    none = np.zeros(len(judgements.passages), dtype=np.bool_)
    unknown = np.full(len(judgements.documents), -1, dtype=np.int64)
    elements = judgements.elements
    return replace(
        judgements,
        highlighted=unknown,
        entry_points=unknown.copy(),
        entry_paths=(None,) * len(judgements.documents),
        elements=JudgedElements(
            document_rows=elements.document_rows[part],
            paths=tuple(compress(elements.paths, part)),
            exhaustivity=elements.exhaustivity[part],
            specificity=elements.specificity[part],
            sizes=elements.sizes[part],
            rsizes=elements.rsizes[part],
        ),
        passages=replace(
            judgements.passages,
            document_rows=judgements.passages.document_rows[none],
            starts=judgements.passages.starts[none],
            lengths=judgements.passages.lengths[none],
            pointers=(),
        ),
    )


def _topmost(judgements: Judgements, chosen: BoolArray) -> BoolArray:
    """Return which of the chosen elements have no chosen ancestor."""
    kept: BoolArray = chosen & (nearest_ancestors(judgements, chosen) < 0)
    return kept


def _from_top(judgements: Judgements, chosen: BoolArray) -> list[int]:
    """Return the rows of the chosen elements, each after its ancestors."""
    paths = judgements.elements.paths
    return sorted(np.flatnonzero(chosen).tolist(), key=lambda row: len(paths[row]))
