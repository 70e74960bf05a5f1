"""Output of commands: JSON and tables on stdout, progress and warnings on stderr."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import click

from engine.notices import Message, Notice
from foxir.terminal.commands import color_setting
from foxir.terminal.control_characters import Visible, say, sentence_of, visible_json, visible_line

PATIENCE = 2.0  # seconds before a progress bar appears
MOST_EXCLUDED = 10  # reasons for exit status 1 that --quiet leaves
UNBROKEN = 100_000  # columns of a table that goes to a pipe or file


def print_json(document: Any) -> None:
    """Print one JSON document on stdout; an infinite number is the word "inf", as options take it; notices are text."""
    form: dict[str, Any] = {"ensure_ascii": False, "indent": 2, "allow_nan": False, "default": sentence_of}
    try:
        text = json.dumps(document, **form)
    except ValueError:  # infinite numbers are rare, so the document is copied only then
        text = json.dumps(_with_infinity_in_words(document), **form)
    click.echo(visible_json(text).encode("utf-8", "backslashreplace"))


def _with_infinity_in_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_infinity_in_words(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_infinity_in_words(each) for each in value]
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def print_result(result: Any, *, as_json: bool, quiet: bool = False, err: bool = False) -> None:
    """Print the result of an evaluation command (eval's `Result`): its values as JSON, or its tables.

    Args:
        err: tables go to stderr, as stdout is the file that the command writes.
    """
    if as_json:
        print_json(with_notices(result))
    elif not (err and quiet):
        print_tables(result, err=err)
    print_notices(getattr(result, "notices", ()), quiet=quiet)


def with_notices(result: Any) -> dict[str, Any]:
    """Return the values of a result for JSON, with its notices for the sentences of the command line."""
    document: dict[str, Any] = result.to_dict()
    return {**document, "notices": list(result.notices)} if "notices" in document else document


def print_tables(result: Any, *, err: bool = False) -> None:
    """Print tables as wide as the terminal, or unbroken to a pipe or file."""
    from rich.console import Console  # noqa: PLC0415  (slow to import, and not needed for --json)

    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() else UNBROKEN
    # Rich drops the colours alone where NO_COLOR is set; a table is as plain as other output.
    system: Literal["auto"] | None = None if color_setting() is False else "auto"
    Console(stderr=err, width=width, color_system=system).print(Visible(result))


def warn(message: object, *, quiet: bool = False) -> None:
    """Print a warning on stderr: text, or a notice."""
    if not quiet:
        say(message, err=True)


def warn_excluded(reasons: Sequence[object], *, quiet: bool, are_in_json: bool = False) -> None:
    """Print the exclusions, the reasons for exit status 1.

    `quiet` leaves the first MOST_EXCLUDED and a count; none of those that the JSON on stdout has.
    """
    if quiet and are_in_json:
        return
    shown = reasons[:MOST_EXCLUDED] if quiet else reasons
    for reason in shown:
        warn(reason)
    if more := len(reasons) - len(shown):
        warn(f"and {more:,} more")


def print_notices(notices: Sequence[Message], *, quiet: bool) -> None:
    """Print the notices of an evaluation on stderr; `quiet` leaves doubts."""
    for notice in notices:
        warn(notice, quiet=quiet and not (isinstance(notice, Notice) and notice.kind != "hint"))


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Give a progress callback (stage, done, total); the bar appears on a terminal after two seconds."""
    if quiet or not sys.stderr.isatty():
        yield lambda _stage, _done, _total: None
        return
    began = time.monotonic()
    shown: dict[str, Any] = {}

    def show(stage: str, done: int, total: int) -> None:
        if not shown and time.monotonic() - began < PATIENCE:
            return
        if not shown:
            shown["bar"] = _rich_progress()
            shown["bar"].start()
        if shown.get("stage") != stage:
            shown["stage"] = stage
            shown["task"] = shown["bar"].add_task(visible_line(stage), total=total)
        shown["bar"].update(shown["task"], completed=done, total=total)

    try:
        yield show
    finally:
        if shown:
            shown["bar"].stop()


@contextmanager
def waiting(what: str, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Show on a terminal, after two seconds, what is waited for, until the block or the function it is given ends."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    lock, shown, is_over = threading.Lock(), contextlib.ExitStack(), threading.Event()

    def show() -> None:
        with lock:
            if not is_over.is_set():
                shown.enter_context(_rich_waiting(what))

    def end() -> None:
        with lock:
            is_over.set()
            shown.close()

    patience = threading.Timer(PATIENCE, show)
    patience.daemon = True
    patience.start()
    try:
        yield end
    finally:
        patience.cancel()
        end()


def _rich_waiting(what: str) -> Any:
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    shown = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,  # what is written meanwhile is not part of it
        redirect_stderr=False,
    )
    shown.add_task(visible_line(what), total=None)
    return shown


def _rich_progress() -> Any:
    from rich.console import Console  # noqa: PLC0415  (slow to import, and only where there is something to show)
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    return Progress(
        TextColumn("{task.description}", markup=False),  # archive names may look like markup
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
