"""Runs whose results are given otherwise: by offsets in the place of paths, or by paths in the place of offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.runs import Ranking, Run
from engine.runs.run import NOWHERE
from eval.text.element_locator import ElementLocator
from eval.text.offsets import pointer_span, results_without_offsets, with_result_offsets


def run_with_offsets(run: Run, locator: ElementLocator | None) -> tuple[Run, int]:
    """Return the run with the offset and length of every result, and the number of results missing from the index.

    Those are skipped; the others keep their order and are ranked 1, 2, 3 ... again.
    """
    rankings: dict[str, Ranking] = {}
    n_skipped = 0
    for topic, ranking in run.rankings.items():
        todo = results_without_offsets(ranking)
        found = with_result_offsets(ranking, locator)
        lost = {i for i in todo if found.starts[i] == NOWHERE}
        n_skipped += len(lost)
        rankings[topic] = selected(found, [i for i in range(len(found)) if i not in lost])
    return replace(run, rankings=rankings), n_skipped


def run_with_paths(run: Run, locator: ElementLocator) -> tuple[Run, int]:
    """Return the run with a path for every result whose span is an element, and the number of the other results.

    Of several elements with the same span the outermost is taken; the other results keep their offsets.
    """
    known: dict[str, dict[tuple[int, int], str]] = {}
    rankings: dict[str, Ranking] = {}
    not_elements = 0
    for topic, ranking in run.rankings.items():
        paths = list(ranking.paths)
        for i, document in enumerate(ranking.documents):
            start, length = int(ranking.starts[i]), int(ranking.lengths[i])
            if paths[i] is not None or (start == NOWHERE and i not in ranking.pointers):
                continue
            if document not in known:
                known[document] = _paths_by_span(document, locator)
            if i in ranking.pointers:
                start, end = pointer_span(ranking.pointers[i], document, locator)
            else:
                end = start + length if length != NOWHERE else NOWHERE
            paths[i] = known[document].get((start, end))
            not_elements += paths[i] is None
        pointers = {i: pointers for i, pointers in ranking.pointers.items() if paths[i] is None}
        rankings[topic] = replace(ranking, paths=paths, pointers=pointers)
    return replace(run, rankings=rankings), not_elements


def _paths_by_span(document: str, locator: ElementLocator) -> dict[tuple[int, int], str]:
    elements = locator.elements(document)
    paths: dict[tuple[int, int], str] = {}
    if elements is not None:
        for path, start, end in zip(elements.paths, elements.starts.tolist(), elements.ends.tolist(), strict=True):
            paths.setdefault((start, end), path)
    return paths


def selected(ranking: Ranking, rows: Sequence[int]) -> Ranking:
    """Return the results in some rows (ascending), ranked 1, 2, 3 ... again."""
    if len(rows) == len(ranking):
        return ranking
    places = np.array(rows, dtype=np.int64)
    return Ranking.ranked(
        ranking.topic,
        [ranking.documents[row] for row in rows],
        [ranking.paths[row] for row in rows],
        rsv=ranking.rsv[places],
        starts=ranking.starts[places],
        lengths=ranking.lengths[places],
        lines=ranking.lines[places],
        pointers={place: ranking.pointers[row] for place, row in enumerate(rows) if row in ranking.pointers},
        source=ranking.source,
    )
