"""A cluster over one index: starts a searcher for each copy of each shard, and answers queries with them."""

from __future__ import annotations

import logging
import os
import secrets
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from engine.answers.answer_columns import AnswerColumns
from engine.errors import ClusterError
from engine.planning.plan import ExampleImage
from engine.settings import Settings
from foxir.cluster.connection import KEY_BYTES
from foxir.cluster.replicas import Replicas, SearcherCopy, ShardUnreachableError
from foxir.cluster.searcher import Searcher
from foxir.cluster.shard_generation import Serving, ShardGeneration, better_node, nodes_of
from foxir.cluster.sharded_query import Hedging, ShardedQuery

logger = logging.getLogger("foxir.cluster")

# Seconds between two looks for nodes that are gone.
REPAIR_S = 0.5
# Seconds in which the head of a cluster must take a connection.
REACHED_S = 10.0
# Calls that a searcher serves at a time; shards that are opened at a time.
THREADS, OPENED_AT_ONCE = 32, 32


class Cluster:
    """The searchers of one index.

    Args:
        place: folder or URL of the index. n_shards: None for an index without shards.
        address: of the Ray cluster; "local" starts one on this machine.
        n_replicas: copies of each shard. partial: whether shards that do not answer are left out.
    """

    def __init__(
        self, place: str, n_shards: int | None, *, address: str, n_replicas: int = 1, partial: bool = False
    ) -> None:
        connect(address)
        self._partial = partial
        self._hedging = Hedging()
        self._place = place if "://" in place else str(Path(place).resolve())
        self._has_shards = n_shards is not None
        self._opened: Sequence[ShardGeneration] = ()
        nodes = _alive_nodes()
        self.replicas = []
        for shard in range(n_shards or 1):
            chosen = nodes_of(shard, list(nodes), n_replicas)
            self.replicas.append(Replicas(shard, [self._start(shard, node, nodes[node]) for node in chosen]))
        self._is_closed = Event()
        Thread(target=self._keep_whole, daemon=True).start()

    def open(self, shards: Sequence[ShardGeneration]) -> None:
        """Open a generation in all searchers that answer.

        Raises: ClusterError if a shard has none, unless partial; or if there are more or fewer shards than before.
        """
        if len(shards) != len(self.replicas):
            raise ClusterError(
                f"{self._place}: was built anew with {len(shards)} shards instead of {len(self.replicas)}: start the "
                "service again."
            )
        self._opened = shards
        with ThreadPoolExecutor(min(len(shards), OPENED_AT_ONCE)) as threads:
            list(threads.map(self._open, self.replicas, shards))

    def _open(self, replicas: Replicas, shard: ShardGeneration) -> None:
        try:
            replicas.open(shard)
        except ShardUnreachableError:
            if not self._partial:
                raise

    def search(
        self, serving: Serving, query: str, settings: Settings, images: Sequence[ExampleImage] = ()
    ) -> AnswerColumns:
        """Return the answers to a query, numbered as by the reader of the generation.

        Args:
            images: example images beside those that the query names.
        Raises: ClusterError if a shard cannot be reached, unless partial; what a search raises.
        """
        shards = list(range(len(self.replicas)))
        while True:
            try:
                return ShardedQuery(serving, self.replicas, shards, self._hedging).answer(query, settings, images)
            except ShardUnreachableError as error:
                shards = [shard for shard in shards if shard != error.shard]
                if not self._partial or not shards:
                    raise

    def _keep_whole(self) -> None:
        """Replace the searchers of nodes that are gone, until the cluster is closed."""
        while not self._is_closed.wait(REPAIR_S):
            try:
                self.repair()
                again = (copy for replicas in self.replicas for copy in replicas.copies if copy.should_connect)
                if copy := next(again, None):  # one at a time, as it can take long
                    copy.connect()
            except Exception:  # whatever it is, the next try may succeed
                logger.exception("searchers could not be replaced")

    def repair(self) -> None:
        """Start a searcher elsewhere for each whose node is gone, or has two copies of a shard while one is free."""
        nodes = _alive_nodes()
        for replicas in self.replicas:
            for number, node in enumerate(replicas.nodes):
                chosen = better_node(replicas.shard, number, replicas.nodes, list(nodes))
                if chosen is None or self._is_closed.is_set():
                    continue
                why = "has two of its copies" if node in nodes else "is gone"
                logger.warning("shard %d: node %s %s, node %s takes one", replicas.shard, node, why, chosen)
                copy = self._start(replicas.shard, chosen, nodes[chosen])
                if self._opened:
                    copy.open(self._opened[replicas.shard])
                self._end(replicas.replace(number, copy))  # else Ray would start it again anywhere

    def _start(self, shard: int, node: str, host: str) -> SearcherCopy:
        """Start a searcher on a node, which is at an address; one that dies is started again."""
        options = {
            "num_cpus": 0,
            "max_restarts": -1,
            "max_concurrency": THREADS,
            "enable_task_events": False,  # Ray's record of each call, for its dashboard
            "scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False),
        }
        host, key = "" if _is_encrypted() else host, secrets.token_bytes(KEY_BYTES)
        actor = ray.remote(Searcher).options(**options)
        return SearcherCopy(actor.remote(self._place, shard if self._has_shards else None, host, key), node, host, key)

    def _end(self, copy: SearcherCopy) -> None:
        copy.close()
        ray.kill(copy.actor)

    def close(self) -> None:
        """End all searchers."""
        self._is_closed.set()
        for replicas in self.replicas:
            for copy in replicas.copies:
                self._end(copy)


def connect(address: str) -> None:
    """Connect this process to a Ray cluster; raises ClusterError."""
    if ray.is_initialized():
        return
    found = _found_by_ray() if address == "auto" else address
    _check_reachable(found)
    _check_token(found)
    given: dict[str, Any] = {}
    if address == "local":
        given["include_dashboard"] = False
        os.environ.setdefault("RAY_worker_niceness", "0")  # Ray gives its workers 15, less than any other program
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **given)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError, RayError) as error:
        raise _unreachable(address, error) from None


def _found_by_ray() -> str:
    """Return the address that Ray takes `auto` for, which may be that of a cluster that has ended; "" if unknown."""
    if given := os.environ.get("RAY_ADDRESS"):
        return given
    try:
        from ray._private.services import canonicalize_bootstrap_address  # noqa: PLC0415  (may move)

        return str(canonicalize_bootstrap_address("auto") or "")
    except ImportError:
        return ""
    except (OSError, ValueError) as error:
        raise _unreachable("auto", error) from None


def _check_reachable(address: str) -> None:
    """Raise ClusterError at once if nothing listens at HOST:PORT, which Ray would ask for minutes."""
    host, separator, port = address.removeprefix("ray://").rpartition(":")
    if not separator or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACHED_S).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, error) from None


def _check_token(address: str) -> None:
    """Raise ClusterError at once for a cluster that asks for another token, which Ray would ask for minutes."""
    if ":" not in address or address.startswith("ray://"):
        return
    try:
        from ray._raylet import GcsClient  # type: ignore[attr-defined,unused-ignore]  # noqa: PLC0415  (may move)
        from ray.exceptions import AuthenticationError  # noqa: PLC0415  (not in all versions)
    except ImportError:
        return
    try:
        GcsClient(address=address)
    except AuthenticationError as error:
        raise _unreachable(address, error) from None
    except (OSError, RuntimeError, ValueError, RayError):
        pass  # Ray itself says what is wrong


def _unreachable(address: str, reason: Exception) -> ClusterError:
    return ClusterError(
        f"{address}: no Ray cluster can be reached there ({reason}): start one (ray start --head), use '--ray local', "
        "or, for a cluster that asks for a token, set RAY_AUTH_MODE=token here, with the token of its machines."
    )


def _alive_nodes() -> dict[str, str]:
    """Return the addresses of the nodes by their ids."""
    return {node["NodeID"]: node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}


def _is_encrypted() -> bool:
    """Whether Ray's calls are encrypted, as connections of our own are not."""
    return os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true")
