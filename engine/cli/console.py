"""What commands say: JSON on stdout, progress and warnings on stderr."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from engine.cli.visible import Visible, say, visible_json, visible_line

PATIENCE = 2.0  # seconds without progress that a person does not mind


def print_json(document: Any) -> None:
    """Print one JSON document on stdout; an infinite number is the word "inf", as options take it."""
    form: dict[str, Any] = {"ensure_ascii": False, "indent": 2, "allow_nan": False}
    try:
        text = json.dumps(document, **form)
    except ValueError:  # few documents hold an infinite number; large ones are not copied for it
        text = json.dumps(_with_infinity_in_words(document), **form)
    click.echo(visible_json(text).encode("utf-8", "backslashreplace"))


def _with_infinity_in_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_infinity_in_words(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_infinity_in_words(each) for each in value]
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def print_result(result: Any, *, as_json: bool, quiet: bool = False) -> None:
    """Print what an evaluation command returns (eval's `Result`): its values as JSON, or its tables."""
    if not as_json:
        from rich.console import Console  # noqa: PLC0415  (slow to import, and not needed for --json)

        Console(soft_wrap=False).print(Visible(result))
    else:
        print_json(result.to_dict())
    for notice in getattr(result, "notices", ()):
        warn(notice, quiet=quiet)


def listed(names: Sequence[str], most: int = 10) -> str:
    """Return names as a list that stays short, whatever their number and length."""
    shown = [f"'{name if len(name) <= 40 else name[:39] + '…'}'" for name in names[:most]]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with what it counts: 1 document, 1,232 documents."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def times(count: int) -> str:
    """Return how often, in words."""
    return "once" if count == 1 else f"{count} times"


def warn(message: str, *, quiet: bool = False) -> None:
    """Print a warning on stderr."""
    if not quiet:
        say(message, err=True)


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Give a function that shows progress on stderr: (stage, done, total); nothing before two seconds have passed."""
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


def _rich_progress() -> Any:
    from rich.console import Console  # noqa: PLC0415  (slow to import, and only where there is something to show)
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    return Progress(
        TextColumn("{task.description}", markup=False),  # names of archives stand in it
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def bytes_in_words(count: float) -> str:
    """Return a number of bytes as a person reads it."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


class MemorySize(click.ParamType[int]):
    """A size in memory: 1G, 512M, 800000."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the size in bytes."""
        if isinstance(value, int):
            return value
        text = str(value).strip().upper().removesuffix("B").removesuffix("I")
        number, unit = (text[:-1], text[-1]) if text[-1:] in UNITS and text else (text, "")
        try:
            size = float(number) * UNITS[unit]
        except ValueError:
            size = 0
        if not 0 < size < float("inf"):
            self.fail(f"'{value}' is no size: write 512M or 1G.", param, ctx)
        return int(size)


INDEX_FOLDER = click.Path(path_type=Path, file_okay=False)
index_argument = click.argument("index", type=INDEX_FOLDER)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress and no warnings on stderr.")
