"""A searcher by itself, without Ray."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("msgpack")

from engine.errors import ClusterError
from engine.index.reader import open_reader
from engine.settings import Settings
from engine.sharded_search.sharded_search import Failed, NeedsTotals, SessionResult, SharedTotals
from engine.shards.shard_counts import add
from foxir.cluster import connection
from foxir.cluster.connection import Caller
from foxir.cluster.messages import ClusterQuery, packed, unpacked
from foxir.cluster.searcher import Searcher
from foxir.cluster.shard_generation import ShardGeneration, shard_generations
from tests.engine.check_answers import search
from tests.foxir.cluster.test_connection import answer, wait_until

KEY = secrets.token_bytes(32)


def test_a_session_that_was_cancelled_is_answered_with_no_bytes(tmp_path: Path) -> None:
    searcher = Searcher(str(tmp_path), None)
    searcher.cancel("a query")

    assert searcher.resume("a query", packed([])) == b""


@pytest.fixture
def searcher(one: Path) -> Iterator[tuple[Searcher, ShardGeneration]]:
    made = Searcher(str(one), None, "127.0.0.1", KEY)
    with open_reader(one) as reader:
        yield made, shard_generations(reader)[0]
    made.close()


def begun(generation: ShardGeneration, query: str) -> bytes:
    return packed([packed(ClusterQuery(generation.identity, query, Settings(), (), 1)), 0])


def last_step(asking: Caller, message: bytes) -> Any:
    """Return the last step of a search over one shard, whose totals are its counts."""
    asking.send(message)
    while isinstance(step := unpacked(answer(asking)), NeedsTotals):
        asking.send(packed(SharedTotals({key: add([each]) for key, each in step.counts.items()}, are_of_all=True)))
    return step


def test_a_connection_is_searched_over_again_and_again(searcher: tuple[Searcher, ShardGeneration], one: Path) -> None:
    opened, generation = searcher
    address = opened.open(generation)
    assert address is not None
    assert opened.open(generation) == address
    first, second = Caller(address, KEY), Caller(address, KEY)
    with open_reader(one) as index:
        for asking, query in ((first, "sea tide"), (second, "fog"), (first, "rock lamp"), (second, "sea tide")):
            step = last_step(asking, begun(generation, query))
            assert isinstance(step, SessionResult)
            assert step.columns == search(index, query, Settings()).columns
            assert asking.is_quiet
    failed = last_step(first, begun(generation, ""))
    assert isinstance(failed, Failed)
    assert "the query is empty" in str(failed.error)
    for each in (first, second):
        each.close()


def test_a_generation_that_is_not_open_is_answered_with_no_bytes(searcher: tuple[Searcher, ShardGeneration]) -> None:
    opened, generation = searcher
    address = opened.open(generation)
    assert address is not None
    asking = Caller(address, KEY)
    asking.send(begun(ShardGeneration("another", generation.manifest), "sea"))
    assert answer(asking) == b""
    assert isinstance(last_step(asking, begun(generation, "sea")), SessionResult)
    asking.close()


def test_a_search_ends_with_its_connection_and_with_a_message_that_is_none(
    searcher: tuple[Searcher, ShardGeneration],
) -> None:
    opened, generation = searcher
    address = opened.open(generation)
    assert address is not None
    served = opened._listener._served  # type: ignore[union-attr]
    for reply in (None, b"\xc1"):
        asking = Caller(address, KEY)
        asking.send(begun(generation, "sea"))
        assert isinstance(unpacked(answer(asking)), NeedsTotals)
        if reply is None:
            asking.close()
        else:
            asking.send(reply)
        wait_until(lambda: not served)
        asking.close()


def test_an_answer_that_is_too_long_is_an_error_of_its_query(
    searcher: tuple[Searcher, ShardGeneration], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, generation = searcher
    address = opened.open(generation)
    assert address is not None
    asking = Caller(address, KEY)
    assert isinstance(last_step(asking, begun(generation, "sea")), SessionResult)  # from now on totals are known
    monkeypatch.setattr(connection, "MOST_BYTES", 1000)
    failed = last_step(asking, begun(generation, "sea"))
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ClusterError)
    assert "ask for fewer articles" in str(failed.error)
    asking.close()


def test_a_searcher_that_cannot_listen_is_asked_by_ray(one: Path) -> None:
    for host in ("", "203.0.113.1"):  # an address of no machine
        with open_reader(one) as reader:
            assert Searcher(str(one), None, host, KEY).open(shard_generations(reader)[0]) is None
