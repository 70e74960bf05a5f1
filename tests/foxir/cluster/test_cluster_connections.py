"""Connections between the coordinator and the searchers of a Ray cluster, and Ray's calls where there is none."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

import foxir
from tests.foxir.cluster.asking import QUERIES, asked, assert_equal, wait_until

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")


def sockets() -> int:
    files = Path("/proc/self/fd")
    return sum(os.path.islink(file) and os.readlink(file).startswith("socket:") for file in files.iterdir())


def sessions_by_ray(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list to which each session is added that is begun by a call of Ray."""
    from foxir.cluster.search_session import RaySession  # noqa: PLC0415  (needs Ray)

    begun: list[Any] = []
    begin = RaySession.begin
    monkeypatch.setattr(RaySession, "begin", lambda self, *given: begun.append(self) or begin(self, *given))
    return begun


def test_connections_are_used_where_they_can_be_made_and_one_notice_says_where_not(
    cluster_index: Any,
    asked_by: str,
    one: Path,
    parts: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    from foxir.cluster import replicas as copies  # noqa: PLC0415  (needs Ray)

    copies._notice.cache_clear()
    by_ray = sessions_by_ray(monkeypatch)
    cluster = cluster_index(parts)
    with foxir.open_index(one) as index:
        for _ in range(3):
            assert_equal(cluster, index, "sea tide")
        notices = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        if asked_by == "connections":
            assert (by_ray, notices) == ([], [])
            return
        assert len(by_ray) == 3 * 2
        assert len(notices) == 1
        assert "they are asked by Ray's calls" in notices[0]
        monkeypatch.undo()  # the firewall is open
        monkeypatch.setattr(copies, "AGAIN_S", 0.0)
        wait_until(lambda: all(copy._idle for replicas in cluster.cluster.replicas for copy in replicas.copies))
        by_ray = sessions_by_ray(monkeypatch)
        assert_equal(cluster, index, "sea tide")
        assert not by_ray


@pytest.mark.usefixtures("asked_by")
def test_queries_of_several_threads_share_connections_that_end_with_the_cluster(
    cluster_index: Any, one: Path, parts: Path
) -> None:
    n_threads, before = 5, sockets()
    cluster = cluster_index(parts)
    with foxir.open_index(one) as index:
        expected = {query: asked(index, query, {}) for query in QUERIES}
    errors: list[Any] = []

    def ask() -> None:
        try:
            errors.extend(query for query in QUERIES * 3 if asked(cluster, query, {}) != expected[query])
        except Exception as error:  # it must reach the assertion
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    copies = [copy for replicas in cluster.cluster.replicas for copy in replicas.copies]
    assert all(len(copy._idle) == copy._n_connected <= n_threads for copy in copies)
    n_connected = sum(copy._n_connected for copy in copies)
    assert sockets() >= n_connected
    cluster.close()
    assert all(copy._n_connected == len(copy._idle) == 0 for copy in copies)
    wait_until(lambda: sockets() <= before + 2)  # Ray may have one of its own to each of two processes


def test_a_searcher_that_was_started_again_is_connected_to_again(
    cluster_index: Any, one: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = cluster_index(parts, n_replicas=2)
    copy = cluster.cluster.replicas[0].copies[0]
    with foxir.open_index(one) as index:
        for query in QUERIES:
            assert_equal(cluster, index, query)
        before = copy._address
        os.kill(ray.get(copy.actor.process.remote()), signal.SIGKILL)

        def is_connected() -> bool:
            assert_equal(cluster, index, "sea tide")
            return copy._address != before and bool(copy._idle)

        wait_until(is_connected)
        by_ray = sessions_by_ray(monkeypatch)
        for query in QUERIES:
            assert_equal(cluster, index, query)
        assert not by_ray


def test_a_query_goes_on_from_where_it_was_when_its_connection_breaks(
    cluster_index: Any, one: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from foxir.cluster.connection import Caller  # noqa: PLC0415  (needs msgpack)

    cluster = cluster_index(parts, n_replicas=2)
    arrived, broken = Caller.arrived, set[int]()

    def breaks_once(self: Any) -> Any:
        message = arrived(self)
        if message is not None and self.is_authenticated and len(broken) < 30 and id(self) not in broken:
            broken.add(id(self))
            self.shut()  # after a step came, so that what the next one needs cannot be sent
        return message

    with foxir.open_index(one) as index:
        for query in QUERIES:
            assert_equal(cluster, index, query)
        monkeypatch.setattr(Caller, "arrived", breaks_once)
        for query in QUERIES:
            assert_equal(cluster, index, query)
    assert broken
