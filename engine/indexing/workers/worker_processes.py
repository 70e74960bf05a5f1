"""Worker processes: they run functions, end with their parent, and hold no lock of it."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.errors import CollectionError
from engine.index.write_lock import leave_locks_to_parent
from engine.notices import Notice
from engine.system.process import end_with_parent


@contextmanager
def worker_processes(jobs: int) -> Iterator[Callable[..., Callable[[], Any]]]:
    """Yield a function that has a worker call another one, and returns a function that waits for the result.

    Raises: CollectionError if a worker dies.
    """
    pool = ProcessPoolExecutor(jobs, mp_context=_process_context(), initializer=initialise_worker)

    def start(function: Callable[..., Any], *arguments: Any, **options: Any) -> Callable[[], Any]:
        with interrupts_deferred():
            return pool.submit(function, *arguments, **options).result

    try:
        yield start
    except BrokenProcessPool:
        raise CollectionError(Notice("reader_died")) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _process_context() -> multiprocessing.context.BaseContext:
    """Return the start method of workers: fork in a single-threaded process, else forkserver.

    Forking a process with threads may copy a lock that another thread holds, and then the worker would never get it.
    """
    if threading.active_count() == 1 and len(list(Path("/proc/self/task").glob("*"))) == 1:
        return multiprocessing.get_context("fork")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["engine.indexing.workers.build_worker"])
    return context


def initialise_worker() -> None:
    """Initialise a worker process: it ends with its parent and holds no lock."""
    leave_locks_to_parent()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent reports the interrupt
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    end_with_parent()


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Defer interrupts (SIGINT) to the end of the context, so that none hits a worker before it is initialised."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
