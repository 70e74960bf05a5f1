"""Made-up scores of several runs over topics, for pictures and reports."""

from __future__ import annotations

import numpy as np

from eval import ScoreRow, ScoreTable

N_TOPICS = 14


def table(n_runs: int = 4, n_topics: int = N_TOPICS) -> ScoreTable:
    random = np.random.default_rng(5)
    topics = [str(200 + n) for n in range(n_topics)]
    rows = []
    for number in range(n_runs):
        run, skill = f"run-{number + 1}", 0.5 - 0.35 * number / max(n_runs, 2)
        values = np.clip(random.normal(skill, 0.15, n_topics), 0, 1)
        for name, factor in (("AP", 0.7), ("iAP", 0.8), ("P@5", 1.0), ("P@10", 0.9), ("P@25", 0.75)):
            noisy = np.clip(values * factor + random.normal(0, 0.04, n_topics), 0, 1)
            scores = dict(zip(topics, noisy.tolist(), strict=True))
            rows.append(ScoreRow(run, "hixeval", name, {"alpha": 1.0}, {**scores, topics[0]: None}))
        for point in range(101):
            levels = values * (1 - point / 100) ** (1 + number)
            scores = dict(zip(topics, levels.tolist(), strict=True))
            rows.append(
                ScoreRow(run, "focused", f"iP[{point / 100:.2f}]", {"overlapping": "union"}, scores, is_detail=True)
            )
    return ScoreTable(tuple(rows), ("run-1: judged topics without results: 2 (203, 207)",))
