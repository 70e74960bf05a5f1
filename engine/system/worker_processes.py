"""Worker processes: they run functions, and end with their parent."""

from __future__ import annotations

import multiprocessing
import multiprocessing.context
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from engine.system.process import end_with_parent

Unit = TypeVar("Unit")
Value = TypeVar("Value")
# Has a worker call a function, and returns a function that waits for its value.
Start = Callable[..., Callable[[], Any]]

# Units of work that wait for a worker, for each: the values of all others are read while the first one is computed.
WAITING = 4


@contextmanager
def worker_processes(
    jobs: int, module: str, initialise: Callable[..., None], *arguments: Any, may_fork: bool = False
) -> Iterator[Start]:
    """Yield a function that has a worker call another one, and returns a function that waits for the result.

    Args:
        module: imported once for all workers, where they are not forked from this process.
        initialise: is called in each worker with the arguments, before all else.
        may_fork: whether workers may begin with a copy of this process, if it has a single thread.

    Raises: BrokenProcessPool if a worker dies; what `initialise` raised, where a result is waited for.
    """
    pool = ProcessPoolExecutor(jobs, _process_context(module, may_fork=may_fork), _initialise, (initialise, arguments))

    def start(function: Callable[..., Any], *of_call: Any, **options: Any) -> Callable[[], Any]:
        with _interrupts_deferred():
            return pool.submit(_call, function, *of_call, **options).result

    try:
        yield start
    finally:
        pool.shutdown(cancel_futures=True)


def in_order(start: Start, jobs: int, function: Callable[[Unit], Value], units: Iterable[Unit]) -> Iterator[Value]:
    """Yield the values of a function for units of work, in their order; workers compute the next ones meanwhile."""
    left = iter(units)
    running = deque(start(function, unit) for unit in islice(left, WAITING * jobs))
    while running:
        yield running.popleft()()
        running.extend(start(function, unit) for unit in islice(left, 1))


def _process_context(module: str, *, may_fork: bool) -> multiprocessing.context.BaseContext:
    """Return the start method of workers: fork in a single-threaded process, if that is allowed, else forkserver.

    Windows has spawn alone.

    Forking a process with threads may copy a lock that another thread holds, and then the worker would never get it.
    """
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    if may_fork and threading.active_count() == 1 and len(list(Path("/proc/self/task").glob("*"))) == 1:
        return multiprocessing.get_context("fork")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([module])
    return context


# Of a worker process that could not be initialised: why.
_failed: list[Exception] = []


def _call(function: Callable[..., Any], *of_call: Any, **options: Any) -> Any:
    """Return the value of a function in a worker process; raises what its initialisation raised."""
    if _failed:
        raise _failed[0]
    return function(*of_call, **options)


def _initialise(initialise: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """Initialise a worker process: the parent reports an interrupt, and the worker ends with it.

    What is raised is kept for the parent, as the pool would print it here, and say only that a process died.
    """
    _failed.clear()
    try:
        initialise(*arguments)
    except Exception as error:
        _failed.append(error)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    end_with_parent()


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Defer interrupts (SIGINT) to the end of the context, so that none hits a worker before it is initialised.

    Windows sends them to all processes of a console at once, and cannot defer them.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
