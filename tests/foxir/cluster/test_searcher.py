"""A searcher by itself, without Ray."""

from __future__ import annotations

from pathlib import Path

from foxir.cluster.messages import packed
from foxir.cluster.searcher import Searcher


def test_a_session_that_was_cancelled_is_answered_with_no_bytes(tmp_path: Path) -> None:
    searcher = Searcher(str(tmp_path), None)
    searcher.cancel("a query")

    assert searcher.resume("a query", packed([])) == b""
