"""State shared by the handlers of requests: open indexes, threads, sessions, counts."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import ParamSpec, TypeVar

from starlette.requests import Request
from starlette.responses import Response

import foxir
from engine.columns.checked_folder import reads_columns
from engine.query_limits import check_time, limited
from engine.settings import default_settings
from engine.system.byte_sizes import format_bytes
from foxir.searching.index_contents import profile_counts
from foxir.service.http.admission import SearchQueue
from foxir.service.http.authentication import COOKIE, Session, Sessions, read_tokens
from foxir.service.http.metrics import Metrics
from foxir.service.http.problems import ProblemError, not_found, overloaded
from foxir.service.indexes import Indexes
from foxir.service.json.records import IndexStatus, ServiceStatus
from foxir.service.judging.desk import Desk
from foxir.service.options import ServiceOptions

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")
logger = logging.getLogger("foxir.service")

# Image files that are received at a time.
MOST_UPLOADS = 4
# Bytes and seconds of a file of judgements, an export or an evaluation, and how many wait for their turn.
MOST_MEMORY, MOST_SECONDS, MOST_WAITING = 1 << 30, 60.0, 4
# Seconds for which a thread waits until a part is used, as by a client that takes it slowly.
LONGEST_USE = 0.01


class ServiceState:
    """One running service in one process."""

    def __init__(self, options: ServiceOptions) -> None:
        options.check()
        self.options = options
        self.indexes = Indexes(options)
        self.metrics = Metrics()
        self.work = SearchQueue(
            max_running=options.max_running,
            max_waiting=options.max_waiting,
            max_seconds=options.max_seconds,
            max_wait=options.max_wait,
            at_once=1 if options.ray is None else options.max_running,  # a cluster searches elsewhere
        )
        self._aside = SearchQueue(
            max_running=1, max_waiting=MOST_WAITING, max_seconds=MOST_SECONDS + 1, max_wait=MOST_SECONDS
        )
        tokens = None if options.token_file is None else read_tokens(options.token_file)
        self.desk: Desk | None = None
        if options.judgements is not None and options.topic_file is not None:
            self.desk = Desk(options, options.judgements, options.topic_file)
        self.sessions = Sessions(options.secret if self.desk is None else self.desk.store.secret(), tokens)
        self.version = foxir.__version__
        self.settings_tag = (
            "" if options.settings is None else hashlib.sha256(repr(options.settings).encode()).hexdigest()
        )
        self.is_stopping = False
        self._n_uploads = 0
        self._kinds: dict[str, tuple[str, dict[str, int]]] = {}

    @property
    def judges(self) -> bool:
        """Whether this service has topics to judge."""
        return self.desk is not None

    async def run(
        self, function: Callable[Arguments, Value], *arguments: Arguments.args, **options: Arguments.kwargs
    ) -> Value:
        """Return what a function over indexes returns, computed in a thread.

        Raises: ProblemError 503 under too much load, and where it takes longer than it may, 413 where it needs more
            memory: it has stopped then, too.
        """
        most = (self.options.settings or default_settings()).max_query_memory

        def bounded() -> Value:
            with limited(most, self.options.max_seconds):
                return reads_columns(function)(*arguments, **options)

        try:
            return await self.work.run(copy_context().run, bounded)  # the context has the path before addresses
        except foxir.QueryTimeError:
            raise overloaded(f"it took longer than {self.options.max_seconds:g} s and was given up.") from None
        except foxir.QueryLimitError:
            raise ProblemError(
                413, f"it needs more than {format_bytes(most or 0)} of memory: ask for less.", "size"
            ) from None

    async def run_in_parts(self, function: Callable[[], Iterator[Value]]) -> AsyncGenerator[Value]:
        """Yield what a generator over indexes yields, computed in a thread as by `run`, which raises the same.

        It goes on once a part is used: otherwise its thread would keep the interpreter from the one that sends.
        """
        loop = asyncio.get_running_loop()
        parts: asyncio.Queue[tuple[Value, threading.Event] | None] = asyncio.Queue()
        is_wanted = True

        def compute() -> None:
            for part in function():
                used = threading.Event()
                loop.call_soon_threadsafe(parts.put_nowait, (part, used))
                used.wait(LONGEST_USE)
                if not is_wanted:
                    return

        running = asyncio.ensure_future(self.run(compute))
        running.add_done_callback(lambda _: parts.put_nowait(None))
        try:
            while (found := await parts.get()) is not None:
                part, used = found
                try:
                    yield part
                except GeneratorExit:
                    is_wanted = False
                    raise
                finally:
                    used.set()
            await running
        finally:
            running.cancel()

    async def run_aside(
        self, function: Callable[Arguments, Value], *arguments: Arguments.args, **options: Arguments.kwargs
    ) -> Value:
        """Return what a function over many judgements returns: one at a time, beside the searches.

        Raises: ProblemError 503 under too much load and where it takes too long, 413 where it needs too much memory; it
            has stopped then.
        """
        deadline = time.monotonic() + MOST_SECONDS

        def bounded() -> Value:
            with limited(MOST_MEMORY, deadline - time.monotonic()):
                check_time()
                return function(*arguments, **options)

        try:
            return await self._aside.run(copy_context().run, bounded)
        except foxir.QueryTimeError:
            raise overloaded(f"it took longer than {MOST_SECONDS:g} s and was given up; nothing was done.") from None
        except foxir.QueryLimitError:
            raise ProblemError(
                413, f"it needs more than {format_bytes(MOST_MEMORY)} of memory: split it.", "size"
            ) from None

    @contextmanager
    def uploading(self) -> Iterator[None]:
        """Count an upload while it is received; raises ProblemError 503 where too many are, as each takes memory."""
        if self._n_uploads >= MOST_UPLOADS:
            raise overloaded("too many files are being received: try again in a moment.")
        self._n_uploads += 1
        try:
            yield
        finally:
            self._n_uploads -= 1

    async def keep_current(self) -> None:
        """Take up new generations for as long as the service runs, in one thread."""
        loop, one = asyncio.get_running_loop(), ThreadPoolExecutor(1, "refresh")
        try:
            while True:
                await asyncio.sleep(self.options.refresh_seconds)
                try:
                    await loop.run_in_executor(one, self.indexes.refresh)
                except Exception:  # of any kind: requests go on, and the next try may succeed
                    logger.exception("the indexes could not be looked at")
        finally:
            one.shutdown(wait=False)

    def status(self, n_running: int) -> ServiceStatus:
        """Return the open indexes and the counts; n_running: searches running or waiting, without this call."""
        return ServiceStatus(
            version=self.version,
            indexes=[self._index_status(name) for name in self.indexes.names],
            judging=self.judges,
            searches_running=n_running,
            searches_refused=self.work.n_refused,
            searches_over_time=self.work.n_late,
        )

    def _index_status(self, name: str) -> IndexStatus:
        snapshot = self.indexes.snapshot(name)
        opened = next(each for each in self.indexes if each.name == name)
        try:
            is_current = snapshot.index.is_current
        except foxir.FoxirError:
            is_current = False
        if self._kinds.get(name, ("",))[0] != snapshot.tag:
            self._kinds[name] = snapshot.tag, dict(profile_counts(snapshot.reader))
        return IndexStatus(
            name=name,
            generation=snapshot.generation.number,
            documents=snapshot.reader.n_documents,
            elements=snapshot.reader.manifest.statistics.elements,
            images=snapshot.reader.images.n_images,
            kinds=self._kinds[name][1],
            is_current=is_current,
            problem=opened.problem,
        )

    def close(self) -> None:
        """Stop threads and release files."""
        self.is_stopping = True
        self.work.close()
        self._aside.close()
        self.indexes.close()
        if self.desk is not None:
            self.desk.close()


def state_of(request: Request) -> ServiceState:
    """Return the state of the service that a request came to."""
    state: ServiceState = request.app.state.service
    return state


def session_of(request: Request) -> Session:
    """Return the session of a request."""
    session: Session | None = request.scope.get("foxir.session")
    return session or Session("")


def desk_of(request: Request) -> Desk:
    """Return the desk of assessors; raises ProblemError 404 on a service without topics."""
    desk = state_of(request).desk
    if desk is None:
        raise not_found("this service has nothing to judge: start it with --judgements DB --topic-file FILE.")
    return desk


def with_cookie(request: Request, response: Response, cookie: str) -> Response:
    """Set the cookie of a session, which scripts cannot read and pages of other origins do not send."""
    secure = "https" in (request.url.scheme, request.headers.get("x-forwarded-proto"))  # a proxy says the latter
    response.set_cookie(COOKIE, cookie, max_age=30 * 86400, httponly=True, samesite="strict", secure=secure)
    return response
