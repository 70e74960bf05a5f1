"""Calls of `foxir`, in this process (fast) or in a process of its own (as from a shell)."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from foxir.cli.main import main

ROOT = Path(__file__).parents[3]
COLLECTIONS, TOPICS = ROOT / "collections", ROOT / "topics"
START = [sys.executable, "-c", "from foxir.cli.main import main; main()"]


class Outcome(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The JSON document on stdout; NaN and infinities, which JSON does not have, fail the test."""

        def refuse(name: str) -> None:
            raise AssertionError(f"{name} is no JSON")

        return json.loads(self.out, parse_constant=refuse)


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
