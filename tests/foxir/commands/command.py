"""Calls of `foxir`, in this process (fast) or in a process of its own (as from a shell)."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from foxir.terminal.main import main

ROOT = Path(__file__).parents[3]
COLLECTIONS, TOPICS = ROOT / "collections", ROOT / "topics"
START = [sys.executable, "-c", "from foxir.terminal.main import main; main()"]


class Outcome(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The JSON document on stdout; NaN and infinities, which JSON does not have, fail the test."""

        def refuse(name: str) -> None:
            raise AssertionError(f"{name} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


class Demonstration(NamedTuple):
    """A folder that was empty before `foxir demo`, what that printed, and the names in the folder afterwards."""

    folder: Path
    outcome: Outcome
    names: list[str]


def foxir(*arguments: str | Path) -> Outcome:
    written = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(stream, "utf-8", write_through=True) for stream in written)
    status: Any = "no exit"
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code
    return Outcome(status, *(stream.getvalue().decode("utf-8") for stream in written))


def on_terminal(*arguments: str | Path, **variables: str) -> str:
    """Return what a command prints on a terminal of xterm, or of the kind and with the variables that are given."""
    with (
        terminal() as (screen, shown),
        patch.dict(os.environ, {"TERM": "xterm", **variables}),
        open(screen, "w", encoding="utf-8", closefd=False) as out,
        contextlib.redirect_stdout(out),
        pytest.raises(SystemExit) as end,
    ):
        main([str(argument) for argument in arguments])
    assert not end.value.code
    return shown.decode()


@contextlib.contextmanager
def terminal() -> Iterator[tuple[int, bytearray]]:
    """Yield the descriptor of a terminal to write to; what it showed is known when all who write have ended."""
    ours, theirs = pty.openpty()
    shown = bytearray()

    def read() -> None:
        with contextlib.suppress(OSError):  # the other end is closed
            while chunk := os.read(ours, 4096):
                shown.extend(chunk)

    reader = Thread(target=read)
    reader.start()
    try:
        yield theirs, shown
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)


def foxir_process(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*START, *map(str, arguments)], capture_output=True, cwd=options.pop("cwd", ROOT), check=False, **options
    )


def refused(outcome: Outcome, *words: str) -> None:
    """Assert that a request was refused: status 2, one line on stderr that contains the words, nothing on stdout."""
    assert outcome.status == 2, outcome
    assert outcome.out == ""
    assert len(outcome.err.splitlines()) == 1, outcome.err
    assert outcome.err.startswith("foxir")
    assert [word for word in words if word not in outcome.err] == [], outcome.err
