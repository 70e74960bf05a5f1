"""Searches in threads: some at a time, some that wait, the others refused; none waits for longer than its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from foxir.service.problems import overloaded

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


class Work:
    """Runs functions in threads of its own.

    A function that takes too long is answered for with an error; its thread is free again only when it ends, so
    that such functions cannot pile up.
    """

    def __init__(self, *, max_running: int, max_waiting: int, max_seconds: float) -> None:
        self._threads = ThreadPoolExecutor(max_running, thread_name_prefix="foxir")
        self._most = max_running + max_waiting
        self._max_seconds = max_seconds
        self.n_active = 0
        self.n_refused = 0
        self.n_late = 0

    async def run(
        self, function: Callable[Arguments, Value], *arguments: Arguments.args, **options: Arguments.kwargs
    ) -> Value:
        """Return the result of a function, run in a worker thread within the limits of time and of the queue.

        Raises: ProblemError 503 where too many wait, or it takes longer than `max_seconds`; what the function raises.
        """
        if self.n_active >= self._most:
            self.n_refused += 1
            raise overloaded("the service has more to do than it can: try again in a moment.")
        self.n_active += 1
        future = asyncio.get_running_loop().run_in_executor(self._threads, lambda: function(*arguments, **options))
        future.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._max_seconds)
        except TimeoutError:
            if future.done():  # the function itself raised it
                raise
            self.n_late += 1
            future.cancel()  # has an effect if it still waits for a thread
            raise overloaded(
                f"the answer took longer than {self._max_seconds:g} s and was given up: ask with fewer or rarer words."
            ) from None

    def _done(self, future: asyncio.Future[Value]) -> None:
        self.n_active -= 1
        if not future.cancelled():
            future.exception()  # is retrieved, also where nobody waits any more

    def close(self) -> None:
        """Let what runs end, drop what waits."""
        self._threads.shutdown(wait=False, cancel_futures=True)
