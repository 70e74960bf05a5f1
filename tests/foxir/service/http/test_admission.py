"""Functions in threads: their turns, and what is refused."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any
from unittest.mock import patch

import pytest

from foxir.service.http.admission import SearchQueue
from foxir.service.http.problems import ProblemError


def test_what_is_too_much_is_refused_at_once() -> None:
    async def scenario() -> tuple[list[object], int]:
        work = SearchQueue(max_running=1, max_waiting=1, max_seconds=5, max_wait=1)
        go_on = threading.Event()
        tasks = [asyncio.create_task(work.run(go_on.wait, 5)) for _ in range(4)]
        await asyncio.sleep(0)
        await asyncio.wait(tasks[2:])
        go_on.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        again = await work.run(lambda: "free")
        work.close()
        return [*found, again], work.n_refused

    found, n_refused = asyncio.run(scenario())

    assert found[:2] == [True, True]
    assert [each.status for each in found[2:4] if isinstance(each, ProblemError)] == [503, 503]
    assert (found[4], n_refused) == ("free", 2)


def test_what_takes_too_long_is_given_up_and_keeps_its_place_until_it_ends() -> None:
    async def scenario() -> list[object]:
        work = SearchQueue(max_running=1, max_waiting=0, max_seconds=0.01, max_wait=1)
        go_on = threading.Event()
        late = await asyncio.gather(work.run(go_on.wait, 5), return_exceptions=True)
        busy = await asyncio.gather(work.run(lambda: 1), return_exceptions=True)
        go_on.set()
        while work.n_active:
            await asyncio.sleep(0.001)
        work._max_seconds = 5
        after = await work.run(lambda: 2)
        work.close()
        return [*late, *busy, after]

    late, busy, after = asyncio.run(scenario())

    assert isinstance(late, ProblemError)
    assert "longer than 0.01 s" in late.detail
    assert isinstance(busy, ProblemError)
    assert dict(busy.headers) == {"Retry-After": "1"}
    assert after == 2


@pytest.mark.parametrize(("max_wait", "expected"), [(60.0, 1), (0.01, 2)])
def test_a_function_begins_beside_another_only_when_that_takes_long(max_wait: float, expected: int) -> None:
    running = [0, 0]  # at present, at most

    def function(go_on: threading.Event) -> None:
        running[0] += 1
        running[1] = max(running)
        go_on.wait(5)
        running[0] -= 1

    async def scenario() -> None:
        work = SearchQueue(max_running=2, max_waiting=3, max_seconds=5, max_wait=max_wait)
        go_on = threading.Event()
        tasks = [asyncio.create_task(work.run(function, go_on)) for _ in range(4)]
        deadline = time.monotonic() + 5
        while running[0] < expected and time.monotonic() < deadline:
            await asyncio.sleep(0.001)
        go_on.set()
        await asyncio.gather(*tasks)
        work.close()

    asyncio.run(scenario())

    assert running == [0, expected]


class AtOnce(Executor):
    """Runs functions where they are submitted, so that their order does not depend on when a thread has its turn."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(function(*arguments, **options))
        return done


def test_an_answer_is_sent_before_the_next_function_begins() -> None:
    events: list[str] = []

    async def answer(work: SearchQueue, name: str) -> None:
        await work.run(events.append, f"{name} runs")
        events.append(f"{name} is sent")

    async def scenario() -> None:
        with patch("foxir.service.http.admission.ThreadPoolExecutor", AtOnce):
            work = SearchQueue(max_running=2, max_waiting=9, max_seconds=5, max_wait=1)
        await asyncio.gather(*(answer(work, name) for name in "abc"))
        work.close()

    asyncio.run(scenario())

    assert events == [f"{name} {event}" for name in "abc" for event in ("runs", "is sent")]


class Queue:
    """A queue of one thread by a clock of its own, on which each function takes 10, and at most 25 may be waited."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waited: list[tuple[float, float]] = []  # when a function began, and how long it had waited
        self.n_refused = 0
        with patch("foxir.service.http.admission.ThreadPoolExecutor", AtOnce):
            self.work = SearchQueue(max_running=1, max_waiting=8, max_seconds=60, max_wait=25, clock=lambda: self.now)

    async def ask(self) -> None:
        came = self.now

        def function() -> None:
            self.waited.append((self.now, self.now - came))
            self.now += 10

        try:
            await self.work.run(function)
        except ProblemError:
            self.n_refused += 1

    async def burst(self, size: int) -> None:
        await asyncio.gather(*(self.ask() for _ in range(size)))

    async def keep_asking(self, until: float) -> None:
        while self.now < until:
            await self.ask()
            await asyncio.sleep(0)


def test_a_burst_waits_and_in_a_lasting_overload_nothing_waits_for_long() -> None:
    async def scenario() -> Queue:
        queue = Queue()
        await queue.burst(9)
        assert (len(queue.waited), queue.n_refused) == (9, 0)
        await asyncio.gather(*(queue.keep_asking(1000) for _ in range(12)))
        n_refused, n_served = queue.n_refused, len(queue.waited)
        queue.now += 50  # in which half of a full queue is done
        await queue.burst(9)
        assert (len(queue.waited), queue.n_refused) == (n_served + 9, n_refused)
        queue.work.close()
        return queue

    queue = asyncio.run(scenario())

    overload = [waited for began, waited in queue.waited if 90 < began < 1000]
    assert max(overload) <= 25
    assert len(overload) > 80  # the thread is never without work
    assert queue.n_refused > 0


def test_who_gives_up_while_waiting_leaves_the_queue() -> None:
    async def scenario() -> list[int]:
        work = SearchQueue(max_running=1, max_waiting=2, max_seconds=0.05, max_wait=60)
        go_on = threading.Event()
        late = await asyncio.gather(*(work.run(go_on.wait, 5) for _ in range(3)), return_exceptions=True)
        counts = [work.n_active, work.n_late, work.n_refused]
        go_on.set()
        work.close()
        assert [getattr(each, "status", None) for each in late] == [503] * 3
        return counts

    assert asyncio.run(scenario()) == [1, 3, 0]


def test_what_a_function_was_given_is_freed_with_its_error_at_once() -> None:
    class Upload:
        pass

    def fails(upload: Upload) -> None:
        raise ValueError

    async def scenario() -> bool:
        work, upload = SearchQueue(max_running=1, max_waiting=1, max_seconds=5, max_wait=1), Upload()
        given = weakref.ref(upload)
        with pytest.raises(ValueError, match=r"^$"):
            await work.run(fails, upload)
        del upload
        await work.run(lambda: 1)  # the thread forgets the one before
        await asyncio.sleep(0)
        work.close()
        return given() is None

    gc.disable()
    try:
        assert asyncio.run(scenario())
    finally:
        gc.enable()
