"""Searchers of a Ray cluster that die, do not answer, or are slow. FOXIR_CLUSTER=1 (make test-cluster) kills nodes."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import foxir
from engine.errors import ClusterError
from tests.foxir.cluster.asking import LONG, QUERIES, asked, assert_equal, wait_until

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.usefixtures("asked_by")
def test_a_searcher_that_dies_is_replaced_by_its_copy(cluster_index: Any, one: Path, parts: Path) -> None:
    cluster = cluster_index(parts, n_replicas=2)
    with foxir.open_index(one) as index:
        assert_equal(cluster, index, "sea tide")
        for replicas in cluster.cluster.replicas:
            ray.kill(replicas.actors[0], no_restart=False)  # it is started again, without an open generation
            assert_equal(cluster, index, "fog rock")
        for _ in range(20 if not LONG else 200):
            assert_equal(cluster, index, "sea rock")


@pytest.mark.usefixtures("asked_by")
def test_a_lost_shard_is_an_error_or_left_out_if_asked_for(cluster_index: Any, parts: Path) -> None:
    strict, partial = cluster_index(parts), cluster_index(parts, partial=True)
    everything = {answer.document for answer in partial.search("sea")}
    for cluster in (strict, partial):
        ray.kill(cluster.cluster.replicas[1].actors[0])
    with pytest.raises(ClusterError, match=r"shard 1: its searcher does not answer.*--partial"):
        strict.search("sea")
    answers = partial.search("sea")
    assert answers.shards == (1, 2)
    assert 0 < len({answer.document for answer in answers}) < len(everything)


def test_what_some_shards_count_is_forgotten_when_the_others_are_back(
    cluster_index: Any, one: Path, parts: Path
) -> None:
    partial = cluster_index(parts, partial=True)
    searchers, replicas = partial.cluster, partial.cluster.replicas[1]
    ray.kill(replicas.actors[0])
    with foxir.open_index(one) as index:
        assert partial.search("sea tide").scores[0] != index.search("sea tide").scores[0]
        replicas.replace(0, searchers._start(1, replicas.nodes[0], "127.0.0.1"))
        assert_equal(partial, index, "sea tide")


@pytest.mark.usefixtures("asked_by")
def test_a_slow_searcher_is_not_waited_for(cluster_index: Any, one: Path, parts: Path) -> None:
    cluster = cluster_index(parts, n_replicas=2)
    with foxir.open_index(one) as index:
        for _ in range(40):
            cluster.search("sea tide")
        process = ray.get(cluster.cluster.replicas[0].actors[0].process.remote())
        os.kill(process, signal.SIGSTOP)
        try:
            began = time.monotonic()
            for _ in range(4):
                assert_equal(cluster, index, "sea tide")
            assert time.monotonic() - began < 10.0  # of the stopped one there would be no answer at all
        finally:
            os.kill(process, signal.SIGCONT)


@pytest.mark.skipif(not LONG, reason="kills nodes of a cluster: make test-cluster")
def test_killed_nodes_fail_no_query_of_two_copies(cluster_index: Any, nodes: Any, one: Path, parts: Path) -> None:
    cluster = cluster_index(parts, n_replicas=2)
    with foxir.open_index(one) as index:
        expected = {query: asked(index, query, {}) for query in QUERIES}
    errors: list[Any] = []
    slowest, n_asked, is_over = [0.0], [0], threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            for query in QUERIES:
                began = time.monotonic()
                try:
                    if asked(cluster, query, {}) != expected[query]:
                        errors.append(query)
                except Exception as error:  # it must reach the assertion
                    errors.append(error)
                slowest[0] = max(slowest[0], time.monotonic() - began)
                n_asked[0] += 1

    thread = threading.Thread(target=ask)
    thread.start()
    for _ in range(int(os.environ.get("FOXIR_CLUSTER_KILLS", "20"))):
        used = {node for replicas in cluster.cluster.replicas for node in replicas.nodes}
        victim = next(node for node in nodes.worker_nodes if node.node_id in used)
        nodes.remove_node(victim, allow_graceful=False)
        wait_until(lambda gone=victim.node_id: all(gone not in each.nodes for each in cluster.cluster.replicas))
        nodes.add_node(object_store_memory=80 * 2**20, num_cpus=2)
    is_over.set()
    thread.join()
    print(f"{n_asked[0]} queries, the slowest {slowest[0]:.2f} s")
    assert not errors
    assert n_asked[0] > 100
    assert all(len(set(replicas.nodes)) == 2 for replicas in cluster.cluster.replicas)
