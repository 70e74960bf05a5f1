"""A cluster over one index: starts a searcher for each copy of each shard, and answers queries with them."""

from __future__ import annotations

import logging
import os
import time
import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from engine.errors import ClusterError
from engine.index.reader import IndexReader
from engine.index.shard_counts import add
from engine.index.shard_exchange import Key
from engine.retrieval.answer_columns import AnswerColumns
from engine.retrieval.image_query import ExampleImage
from engine.retrieval.sharded_search import (
    Combines,
    Done,
    Failed,
    NeedsTotals,
    ShardAnswers,
    merged_answers,
    raised,
)
from engine.settings import Settings
from foxir.cluster.placement import better_node, nodes_of
from foxir.cluster.replicas import OPENING_S, Replicas, ShardUnreachableError
from foxir.cluster.searcher import Searcher
from foxir.cluster.shard_call import Asked, ShardCall
from foxir.cluster.shard_generation import ShardGeneration

logger = logging.getLogger("foxir.cluster")

# Seconds between two looks for nodes that are gone.
REPAIR_S = 0.5
# Calls that a searcher serves at a time.
THREADS = 32
# Steps of which the slowest twentieth tells when a second copy is asked, and seconds that this takes at least.
N_TIMED, LEAST_HEDGE_S, FEWEST_TIMED = 400, 0.05, 40
# Seconds without any answer after which a query is given up.
SILENT_S = 120.0


@dataclass(frozen=True)
class Serving:
    """One generation that is served: its shards, and a reader of all of them, which numbers answers."""

    shards: Sequence[ShardGeneration]
    reader: IndexReader
    first_documents: Sequence[int]
    first_rows: Sequence[int]
    first_images: Sequence[int]
    totals: dict[Key, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, shards: Sequence[ShardGeneration], reader: IndexReader) -> Serving:
        """Return a generation; the segments of the reader are those of the shards, one after the other."""
        ends = [0]
        for shard in shards:
            ends.append(ends[-1] + len(shard.manifest.segments))
        elements = reader.elements
        return cls(
            shards,
            reader,
            [int(elements.document_base[end]) for end in ends[:-1]],
            [int(elements.row_base[end]) for end in ends[:-1]],
            [reader.images.first_image(end) for end in ends[:-1]],
        )


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
        self._timed: deque[float] = deque(maxlen=N_TIMED)
        self._lock = Lock()
        self._place = place if "://" in place else str(Path(place).resolve())
        self._has_shards = n_shards is not None
        self._opened: Sequence[ShardGeneration] = ()
        nodes = _alive_nodes()
        self.replicas = []
        for shard in range(n_shards or 1):
            chosen = nodes_of(shard, nodes, n_replicas)
            self.replicas.append(Replicas(shard, [self._start(shard, node) for node in chosen], chosen))
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
        for replicas, shard in zip(self.replicas, shards, strict=True):
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
                return self._searched(serving, query, settings, images, shards)
            except ShardUnreachableError as error:
                shards = [shard for shard in shards if shard != error.shard]
                if not self._partial or not shards:
                    raise

    def _searched(
        self,
        serving: Serving,
        query: str,
        settings: Settings,
        images: Sequence[ExampleImage],
        shards: Sequence[int],
    ) -> AnswerColumns:
        began = time.perf_counter()
        asked = Asked(uuid.uuid4().hex, query, settings, images, len(shards))
        calls = [
            ShardCall(self.replicas[shard], serving.shards[shard], asked, number) for number, shard in enumerate(shards)
        ]
        combined: list[Any] = []
        try:
            for call in calls:
                call.begin(combined)
            while True:
                steps = self._next_steps(serving, calls, combined, shards)
                if all(isinstance(step, Done) for step in steps):
                    break
                gave = [step for step in steps if isinstance(step, Combines)]
                if len(gave) < len(steps):
                    raise RuntimeError("the shards are at different places of the search: report it as an error")
                combined.append(gave[0].combiner([step.value for step in gave]))
                for call in calls:
                    call.resume(combined[-1])
        finally:
            for call in calls:
                call.cancel()
        found = [
            ShardAnswers(
                step.columns,
                serving.first_documents[shard],
                serving.first_rows[shard],
                serving.first_images[shard],
            )
            for shard, step in zip(shards, steps, strict=True)
            if isinstance(step, Done)
        ]
        columns = merged_answers(found, time.perf_counter() - began)
        return replace(columns, shards=(len(shards), len(self.replicas)))

    def _next_steps(
        self, serving: Serving, calls: Sequence[ShardCall], combined: Sequence[Any], shards: Sequence[int]
    ) -> list[Combines | Done]:
        """Return the next step of every shard that is not about totals, which are given to whoever needs them."""
        began = time.perf_counter()
        while pending := {reference: call for call in calls for reference in call.pending}:
            can_hedge = [call for call in calls if call.can_hedge]
            left = self._hedge_after() - (time.perf_counter() - began) if can_hedge else SILENT_S
            ready, _ = ray.wait(list(pending), num_returns=1, timeout=max(left, 0.0))
            if not ready:
                if not can_hedge:
                    raise ClusterError(f"no searcher has answered within {SILENT_S:g} s: look at the cluster's nodes.")
                for call in can_hedge:
                    call.hedge(combined)
            for reference in ready:
                call = pending[reference]
                if reference not in call.pending or not call.take(reference, combined):
                    continue
                self._timed.append(time.perf_counter() - began)
                if isinstance(call.step, NeedsTotals):
                    call.resume(self._totals(serving, call.step.keys, shards))
                elif isinstance(call.step, Failed):
                    raise raised(call.step.error)
        return [call.step for call in calls if isinstance(call.step, Combines | Done)]

    def _hedge_after(self) -> float:
        """Return the seconds after which a second copy is asked: what nineteen of twenty steps take at most."""
        timed = sorted(self._timed)
        if len(timed) < FEWEST_TIMED:
            return 1.0
        return max(LEAST_HEDGE_S, timed[len(timed) * 19 // 20])

    def _totals(self, serving: Serving, keys: Sequence[Key], shards: Sequence[int]) -> dict[Key, Any]:
        """Return totals over the shards that answer, by key; those over all shards are cached."""
        missing = [key for key in keys if key not in serving.totals]
        found: dict[Key, Any] = {}
        if missing:
            counts = [self.replicas[shard].counts(serving.shards[shard], missing) for shard in shards]
            found = {key: add([each[place] for each in counts]) for place, key in enumerate(missing)}
            if len(shards) == len(self.replicas):
                with self._lock:
                    serving.totals.update(found)
        return {key: found[key] if key in found else serving.totals[key] for key in keys}

    def _keep_whole(self) -> None:
        """Replace the searchers of nodes that are gone, until the cluster is closed."""
        while not self._is_closed.wait(REPAIR_S):
            try:
                self.repair()
            except Exception:  # whatever it is, the next try may succeed
                logger.exception("searchers could not be replaced")

    def repair(self) -> None:
        """Start a searcher elsewhere for each whose node is gone, or has two copies of a shard while one is free."""
        nodes = _alive_nodes()
        for replicas in self.replicas:
            for copy, node in enumerate(replicas.nodes):
                chosen = better_node(replicas.shard, copy, replicas.nodes, nodes)
                if chosen is None or self._is_closed.is_set():
                    continue
                why = "has two of its copies" if node in nodes else "is gone"
                logger.warning("shard %d: node %s %s, node %s takes one", replicas.shard, node, why, chosen)
                actor = self._start(replicas.shard, chosen)
                if self._opened:
                    ray.get(actor.open.remote(self._opened[replicas.shard]), timeout=OPENING_S)
                ray.kill(replicas.replace(copy, actor, chosen))  # else Ray would start it again anywhere

    def _start(self, shard: int, node: str) -> Any:
        """Start a searcher on a node; one that dies is started again."""
        options = {
            "num_cpus": 0,
            "max_restarts": -1,
            "max_concurrency": THREADS,
            "scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False),
        }
        return ray.remote(Searcher).options(**options).remote(self._place, shard if self._has_shards else None)

    def close(self) -> None:
        """End all searchers."""
        self._is_closed.set()
        for replicas in self.replicas:
            for actor in replicas.actors:
                ray.kill(actor)


def connect(address: str) -> None:
    """Connect this process to a Ray cluster; raises ClusterError."""
    if ray.is_initialized():
        return
    given: dict[str, Any] = {}
    if address == "local":
        given["include_dashboard"] = False
        os.environ.setdefault("RAY_worker_niceness", "0")  # Ray gives its workers 15, less than any other program
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **given)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise ClusterError(
            f"{address}: no Ray cluster can be reached there ({error}): start one (ray start --head), or use "
            "'--ray local'."
        ) from None


def _alive_nodes() -> list[str]:
    return [node["NodeID"] for node in ray.nodes() if node["Alive"]]
