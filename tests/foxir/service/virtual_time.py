"""An event loop with a virtual clock, and an executor whose functions take the seconds that they return."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

Value = TypeVar("Value")


class _Jumping(selectors.DefaultSelector):
    """Waits for no time; the clock goes on instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if not found:
            assert timeout is not None, "nothing will happen any more"
            self.now += timeout
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on a clock of its own."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the seconds since it began."""
        return self._jumping.now


class Processor(Executor):
    """Runs functions that return how many seconds they take; those that run together share the processor."""

    def __init__(self, *_: object, **__: object) -> None:
        self._left: dict[Future[Any], float] = {}
        self._counted = 0.0
        self._next: asyncio.TimerHandle | None = None

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        done: Future[Any] = Future()
        self._count()
        self._left[done] = function(*arguments, **options)
        self._plan()
        return done

    def _count(self) -> None:
        now = asyncio.get_running_loop().time()
        for each in self._left:
            self._left[each] -= (now - self._counted) / len(self._left)
        self._counted = now

    def _plan(self) -> None:
        if self._next is not None:
            self._next.cancel()
        if self._left:
            first = min(self._left, key=self._left.__getitem__)
            seconds = max(0.0, self._left[first]) * len(self._left)
            self._next = asyncio.get_running_loop().call_later(seconds, self._end, first)

    def _end(self, done: Future[Any]) -> None:
        self._count()
        seconds = self._left.pop(done)
        done.set_result(seconds)
        self._plan()


def run_virtually(scenario: Callable[[VirtualLoop], Coroutine[Any, Any, Value]]) -> Value:
    """Return the result of a coroutine function, called with the loop that runs it."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        return runner.run(scenario(loop))
