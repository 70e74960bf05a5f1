"""One query to all shards: waits for a step of each, combines their values, and merges their answers.

The session of a shard is on one copy, on another one if that is lost, and on a second one if it is slow.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.answers.answer_columns import AnswerColumns
from engine.errors import ClusterError, SettingsError
from engine.index.shard_exchange import Key
from engine.planning.plan import ExampleImage
from engine.settings import Settings
from engine.sharded_search.sharded_search import (
    CombineRequest,
    Failed,
    NeedsTotals,
    SessionResult,
    ShardAnswers,
    SharedTotals,
    Step,
    merged_answers,
    raised,
)
from engine.shards.shard_counts import add
from foxir.cluster.connection import readable
from foxir.cluster.messages import ClusterQuery, packed, unpacked
from foxir.cluster.replicas import Replicas, SearcherCopy
from foxir.cluster.search_session import SearcherLostError, SearchSession
from foxir.cluster.shard_generation import Serving, ShardGeneration

logger = logging.getLogger("foxir.cluster")


@dataclass(frozen=True)
class Attempt:
    """A session on one copy."""

    copy: SearcherCopy
    session: SearchSession


class ShardCall:
    """The search over one shard for one query; `pending` are the sessions that owe a step.

    Args:
        asked: what is asked of all shards, packed as `ClusterQuery`; number: of the shard among those that are asked.
    """

    def __init__(self, replicas: Replicas, generation: ShardGeneration, asked: bytes, number: int) -> None:
        self._replicas, self._generation, self._asked, self._number = replicas, generation, asked, number
        self._left = replicas.in_turn()
        self.pending: list[Attempt] = []
        self._current: Attempt | None = None
        self.step: Step | None = None
        self.is_hedged = False

    @property
    def shard(self) -> int:
        """Number of the shard."""
        return self._replicas.shard

    @property
    def can_hedge(self) -> bool:
        """Whether another copy can be asked, too."""
        return self.step is None and not self.is_hedged and bool(self._left)

    def begin(self, combined: Sequence[bytes]) -> None:
        """Begin a session on the next copy, with the values that are combined already; raises ClusterError."""
        if not self._left:
            self._left = self._replicas.wait_for_any()
        self._start(self._left.pop(0), combined)

    def hedge(self, combined: Sequence[bytes]) -> None:
        """Begin a second session, on another copy; the first to answer goes on."""
        self.is_hedged = True
        self.begin(combined)

    def resume(self, reply: bytes) -> None:
        """Go on with the session that gave the last step, with a packed reply."""
        if self._current is None:
            raise RuntimeError("a session is resumed before its first step")
        self.step, self.is_hedged = None, False
        self.pending.append(self._current)
        self._current.session.resume(reply)

    def take(self, attempt: Attempt, combined: Sequence[bytes]) -> bool:
        """Take up the step of a session that may have come; return whether the shard has a next step.

        Raises: ClusterError if the last copy is lost.
        """
        copy = attempt.copy
        try:
            packed_step = attempt.session.step()
            if packed_step == b"":  # the searcher was started again
                copy.open(self._generation)
        except SearcherLostError as error:
            logger.info("shard %d, node %s: %s", self.shard, copy.node, error)
            copy.suspect()
            self._end(attempt)
            if not self.pending:
                self.begin(combined)
            return False
        if packed_step is None:
            return False
        if not packed_step:
            self._end(attempt)
            self._start(copy, combined)
            return False
        self.pending.remove(attempt)
        self._drop_others()
        self._replicas.answered(copy)
        self.step, self._current = unpacked(packed_step), attempt
        if self.step.is_last:
            self._current = None
            attempt.session.end(is_over=True)
        return True

    def cancel(self) -> None:
        """End all sessions."""
        self._drop_others()
        if self._current is not None:
            self._current.session.end(is_over=False)
            self._current = None

    def _start(self, copy: SearcherCopy, combined: Sequence[bytes]) -> None:
        attempt = Attempt(copy, copy.session())
        self.pending.append(attempt)
        attempt.session.begin(self._asked, self._number, combined)

    def _drop_others(self) -> None:
        for attempt in list(self.pending):
            self._end(attempt)
            self._left.append(attempt.copy)

    def _end(self, attempt: Attempt) -> None:
        """End a session whose step is not waited for any more."""
        self.pending.remove(attempt)
        if attempt is self._current:
            self._current = None
        attempt.session.end(is_over=False)


# Steps of which the slowest twentieth tells when a second copy is asked, and seconds that this takes at least.
N_TIMED, LEAST_HEDGE_S, FEWEST_TIMED = 400, 0.05, 40
# Seconds after which it is asked while too few steps were timed.
UNTIMED_HEDGE_S = 1.0


class Hedging:
    """Hedged requests: how long a step usually takes, from the last steps of all queries.

    Source: Dean and Barroso, The tail at scale, CACM 56(2), 2013: hedged requests.
    """

    def __init__(self) -> None:
        self._timed: deque[float] = deque(maxlen=N_TIMED)

    def add(self, seconds: float) -> None:
        """Note how long a step took."""
        self._timed.append(seconds)

    @property
    def after(self) -> float:
        """The seconds that nineteen of twenty steps take at most."""
        timed = sorted(self._timed.copy())
        if len(timed) < FEWEST_TIMED:
            return UNTIMED_HEDGE_S
        return max(LEAST_HEDGE_S, timed[len(timed) * 19 // 20])


# Seconds without any answer after which a query is given up.
SILENT_S = 120.0


class ShardedQuery:
    """A query to shards of a generation.

    Args:
        replicas: of all shards; shards: the numbers of those that are asked.
    """

    def __init__(self, serving: Serving, replicas: Sequence[Replicas], shards: Sequence[int], hedging: Hedging) -> None:
        self._serving, self._replicas, self._shards, self._hedging = serving, replicas, shards, hedging
        self._calls: list[ShardCall] = []
        self._combined: list[bytes] = []
        self._totals: dict[Key, Any] = {}

    def answer(self, query: str, settings: Settings, images: Sequence[ExampleImage]) -> AnswerColumns:
        """Return the answers, numbered as by the reader of the generation.

        Raises: ShardUnreachableError; ClusterError; what a search raises.
        """
        began, serving = time.perf_counter(), self._serving
        if settings.own_functions:
            raise SettingsError(
                f"{settings.own_functions[0]}: searchers of a cluster import no functions: search a copy of the index "
                "on this machine, or leave it out."
            )
        asked = packed(ClusterQuery(serving.shards[0].identity, query, settings, images, len(self._shards)))
        self._calls = [
            ShardCall(self._replicas[shard], serving.shards[shard], asked, number)
            for number, shard in enumerate(self._shards)
        ]
        try:
            for call in self._calls:
                call.begin(self._combined)
            done = self._go_through()
        finally:
            for call in self._calls:
                call.cancel()
        found = [
            ShardAnswers(
                step.columns, serving.first_documents[shard], serving.first_rows[shard], serving.first_images[shard]
            )
            for shard, step in zip(self._shards, done, strict=True)
        ]
        columns = merged_answers(found, time.perf_counter() - began)
        return replace(columns, shards=(len(self._shards), len(self._replicas)))

    def _go_through(self) -> list[SessionResult]:
        """Return the last step of every shard, after all values are combined."""
        while True:
            self._wait()
            steps = [call.step for call in self._calls]
            if needing := [call for call in self._calls if isinstance(call.step, NeedsTotals)]:
                self._give_totals(needing)
                continue
            done = [step for step in steps if isinstance(step, SessionResult)]
            if len(done) == len(steps):
                return done
            gave = [step for step in steps if isinstance(step, CombineRequest)]
            if len(gave) < len(steps):
                raise RuntimeError("the shards are at different places of the search: report it as an error")
            self._combined.append(packed(gave[0].combiner([step.value for step in gave])))
            for call in self._calls:
                call.resume(self._combined[-1])

    def _wait(self) -> None:
        """Wait until every shard has a step; ask a second copy of slow ones."""
        began = time.perf_counter()
        while pending := {each.session.fileno(): (call, each) for call in self._calls for each in call.pending}:
            can_hedge = [call for call in self._calls if call.can_hedge]
            left = self._hedging.after - (time.perf_counter() - began) if can_hedge else SILENT_S
            ready = readable(pending, left)
            if not ready:
                if not can_hedge:
                    raise ClusterError(f"no searcher has answered within {SILENT_S:g} s: look at the cluster's nodes.")
                for call in can_hedge:
                    call.hedge(self._combined)
            for file in ready:
                call, attempt = pending[file]
                if attempt not in call.pending or not call.take(attempt, self._combined):
                    continue
                self._hedging.add(time.perf_counter() - began)
                if isinstance(call.step, Failed):
                    raise raised(call.step.error)

    def _give_totals(self, calls: Sequence[ShardCall]) -> None:
        """Resume the shards that need totals: sums of the counts that they gave, unless they are known."""
        counts = {call.shard: call.step.counts for call in calls if isinstance(call.step, NeedsTotals)}
        keys = list(dict.fromkeys(key for each in counts.values() for key in each))
        self._totals.update(self._serving.totals.of(keys))
        self._learn([key for key in keys if key not in self._totals], counts)
        are_of_all = len(self._shards) == len(self._replicas)
        for call in calls:
            found = {key: self._totals[key] for key in counts[call.shard]}
            call.resume(packed(SharedTotals(found, are_of_all)))

    def _learn(self, keys: Sequence[Key], counts: dict[int, Any]) -> None:
        """Add totals by the counts of the shards; missing counts are asked for."""
        if not keys:
            return
        of_shards = [self._counts(shard, keys, counts.get(shard, {})) for shard in self._shards]
        found = {key: add(each) for key, each in zip(keys, zip(*of_shards, strict=True), strict=True)}
        self._totals.update(found)
        if len(self._shards) == len(self._replicas):
            self._serving.totals.add(found)

    def _counts(self, shard: int, keys: Sequence[Key], given: dict[Key, Any]) -> Iterable[Any]:
        missing = [key for key in keys if key not in given]
        if missing:  # the searcher knew a total that was forgotten here
            found = self._replicas[shard].counts(self._serving.shards[shard], missing)
            given = {**given, **dict(zip(missing, found, strict=True))}
        return [given[key] for key in keys]
