"""Admission control: runs searches in threads, queues a few, refuses the others; each has a limit of time."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from foxir.service.http.problems import ProblemError, overloaded

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")

# The weight of the last function in moving averages of times.
LAST = 1 / 16
# Mean deviations above the mean within which the time of a function usually is; `max_wait`s that it may take in all.
USUAL, WAITS = 2, 2
FEWER_WORDS = "ask with fewer or rarer words"


@dataclass(eq=False)
class _Task:
    """A function, the future of its result, when it came, and whether it has run for long."""

    function: Callable[[], Any]
    result: asyncio.Future[Any]
    came: float
    is_slow: bool = False


class SearchQueue:
    """Runs functions in threads of its own, first come first served; all but the functions is of one event loop.

    `at_once` functions run at a time: those of one process share the interpreter's lock, so that two together take
    longer than one after the other. Beside one that has run for twice `max_wait` another begins, up to `max_running`.

    A function that takes too long is answered for with an error; its thread is free again only when it ends, so
    that such functions cannot pile up.

    A burst may wait in the queue, of `max_waiting` functions. Once that is full there is an overload, which lasts until
    half of the queue would be free if nothing had been refused. As long as it lasts, only what is expected to wait for
    at most `max_wait`, and usually to end within twice of that, or to wait for one function, is let in; and what has
    waited for longer at its turn is refused.
    A busy hour without an overload refuses nothing: chance alone keeps a queue from being empty for hundreds of
    functions where four fifths of the time are taken.

    Source: what a function is expected to wait, and what refused ones would add to the queue, is by Little's law; to
    bound the time in a queue that does not empty is K. Nichols, V. Jacobson: Controlling queue delay, ACM Queue 10(5),
    2012; how long a function usually takes, its mean and some mean deviations, V. Jacobson: Congestion avoidance and
    control, SIGCOMM 1988.
    """

    def __init__(
        self,
        *,
        max_running: int,
        max_waiting: int,
        max_seconds: float,
        max_wait: float,
        at_once: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._threads = ThreadPoolExecutor(max_running, thread_name_prefix="foxir")
        self._max_running, self._max_waiting = max_running, max_waiting
        self._max_seconds, self._max_wait = max_seconds, max_wait
        self._at_once = min(at_once, max_running)
        self._clock = clock
        self._queue: deque[_Task] = deque()
        self._n_running = self._n_slow = 0
        self._mean = self._deviation = 0.0  # seconds of a function, and how far its time is from them
        self._between = 0.0  # seconds between the ends of two functions while there are any
        self._last_end = 0.0  # or when a function began and none was running
        self._backlog = 0.0  # in an overload, functions that would wait if none had been refused
        self._counted = 0.0  # when that was
        self.n_refused = 0
        self.n_late = 0

    @property
    def n_active(self) -> int:
        """Number of functions running or waiting."""
        return self._n_running + len(self._queue)

    async def run(
        self, function: Callable[Arguments, Value], *arguments: Arguments.args, **options: Arguments.kwargs
    ) -> Value:
        """Return the result of a function, run in a worker thread within the limits of time and of the queue.

        Raises: ProblemError 503 where too many wait, or it takes longer than `max_seconds`; what the function raises.
        """
        came = self._clock()
        self._count(came)
        if not self._has_room and (
            len(self._queue) >= self._max_waiting or self._would_be_late((len(self._queue) + 1) * self._between)
        ):
            raise self._refused()
        loop = asyncio.get_running_loop()
        result: asyncio.Future[Value] = loop.create_future()
        task = _Task(lambda: function(*arguments, **options), result, came)
        self._queue.append(task)
        self._start()
        timer = loop.call_later(self._max_seconds, self._give_up, task)
        try:
            return await result
        finally:
            timer.cancel()
            if task in self._queue:
                self._queue.remove(task)
            del task, result  # an error refers to this call and to what it was given: both are freed at once

    def _give_up(self, task: _Task) -> None:
        """Answer for a function that has taken too long; it does not begin any more."""
        if task in self._queue:
            self._queue.remove(task)
        if not task.result.done():
            self.n_late += 1
            task.result.set_exception(
                overloaded(f"the answer took longer than {self._max_seconds:g} s and was given up: {FEWER_WORDS}.")
            )

    @property
    def _has_room(self) -> bool:
        """Whether a function can begin at once."""
        return self._n_running < self._max_running and self._n_running - self._n_slow < self._at_once

    def _start(self) -> None:
        """Begin waiting functions, as far as there is room; refuse those after too long a wait."""
        while self._queue and self._has_room:
            task = self._queue.popleft()
            if self._is_too_long(self._clock() - task.came):
                task.result.set_exception(self._refused())
            else:
                self._begin(task)

    def _begin(self, task: _Task) -> None:
        loop = task.result.get_loop()
        began = self._clock()
        if not self._n_running:
            self._last_end = began
        self._n_running += 1
        timer = loop.call_later(WAITS * self._max_wait, self._goes_on, task)
        running = loop.run_in_executor(self._threads, task.function)

        def ended(running: asyncio.Future[Any]) -> None:
            timer.cancel()
            self._n_running -= 1
            self._n_slow -= task.is_slow
            now = self._clock()
            between, self._last_end = now - self._last_end, now
            self._between += (between - self._between) * (LAST if self._between else 1)
            self._learn(now - began)
            _hand_over(running, task.result)
            loop.call_soon(self._start)  # after the answer is sent: a function that runs would make it wait

        running.add_done_callback(ended)

    def _learn(self, seconds: float) -> None:
        """Take note of how long a function took."""
        if not self._mean:
            self._mean, self._deviation = seconds, seconds / 2
        self._deviation += (abs(seconds - self._mean) - self._deviation) * LAST
        self._mean += (seconds - self._mean) * LAST

    def _goes_on(self, task: _Task) -> None:
        """Let another function begin beside one that has run for long."""
        task.is_slow = True
        self._n_slow += 1
        self._start()

    def _count(self, now: float) -> None:
        """Take note of a function that has come: an overload begins with it, goes on or has ended."""
        if self._backlog:
            n_ended = (now - self._counted) / self._between if self._between else 0.0
            self._backlog = min(self._backlog - n_ended + 1, self._max_waiting)
            if self._backlog <= self._max_waiting / 2:
                self._backlog = 0.0
        elif not self._has_room and len(self._queue) >= self._max_waiting:
            self._backlog = float(self._max_waiting)
        self._counted = now

    def _is_too_long(self, waiting: float) -> bool:
        """Return whether a function that has waited for so many seconds would be refused now."""
        return self._backlog > 0 and waiting > max(self._max_wait, self._between)

    def _would_be_late(self, waiting: float) -> bool:
        """Return whether a function with this expected wait in seconds would be refused now."""
        in_time = WAITS * self._max_wait - (self._mean + USUAL * self._deviation)
        return self._backlog > 0 and waiting > max(min(self._max_wait, in_time), self._between)

    def _refused(self) -> ProblemError:
        self.n_refused += 1
        return overloaded("the service is overloaded: try again in a moment.")

    def close(self) -> None:
        """Let running functions end, drop waiting ones."""
        for task in self._queue:
            task.result.cancel()
        self._queue.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)


def _hand_over(running: asyncio.Future[Any], result: asyncio.Future[Any]) -> None:
    """Set the result of a function from its value or error, unless nobody waits for it any more."""
    if running.cancelled():
        result.cancel()
        return
    error = running.exception()
    if result.done():
        return
    if error is None:
        result.set_result(running.result())
    else:
        result.set_exception(error)
