"""Queries to a cluster and to one index, of which the answers are compared."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import foxir
from engine.errors import QueryError, SettingsError

# Whether four nodes are started and asked much more.
LONG = bool(os.environ.get("FOXIR_CLUSTER"))
QUERIES = ("sea tide", '"light and rock" fog', "+sea -lamp rock", "//sec[about(., fog)]//p", "unknown")


def assert_equal(cluster: foxir.Index, index: foxir.Index, query: str, **way: Any) -> None:
    found, expected = (asked(each, query, way) for each in (cluster, index))
    assert found == expected


def wait_until(holds: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def asked(index: foxir.Index, query: str, way: dict[str, Any]) -> Any:
    try:
        answers = index.search(query, **way)
    except (QueryError, SettingsError) as error:
        return str(error)
    places = list(zip(answers.documents, answers.paths, answers.scores.tolist(), answers.spans.tolist(), strict=True))
    shown = [(answer.rsv, answer.article_rank, answer.article_score, answer.snippet.text) for answer in answers[:5]]
    return places, shown, answers.notices, answers.interpretation
