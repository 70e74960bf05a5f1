"""Some results of a ranking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.runs.run import Ranking


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
