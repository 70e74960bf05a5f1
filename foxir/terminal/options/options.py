"""Arguments and options that several commands share, each defined once; opening the index that an argument names."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.errors import empty_index
from engine.index.generation import is_index
from engine.index.joined import SEPARATOR, parts_of, place_of
from engine.notices import Notice
from engine.object_store.url import SCHEMES, is_url
from engine.wording import shortened
from foxir.terminal.command_class import GENERAL, LeadingArgument, count_option, headed_option
from foxir.terminal.console import warn

if TYPE_CHECKING:
    from foxir.searching.opened_index import Index

Decorator = Callable[[Any], Any]


class IndexArgument(LeadingArgument):
    """The index that a command reads; several that follow one another are one."""

    def prepared(self, args: list[str], *, has_query: bool) -> list[str]:
        """Return the arguments with one index."""
        return with_one_index(args, has_query=has_query)


def with_one_index(args: list[str], *, has_query: bool) -> list[str]:
    """Return the arguments with all indexes that come first as one, their places with commas between.

    After the first, an index is what is written like one, the folder `x.foxir`, `./x` or `folder/x`, or a URL, and is
    one: another argument is a word, or what else the command takes.

    Args:
        has_query: whether words follow, so that what is called `x.foxir` may be one; else it is named as no index.
    """
    first = next((number for number, arg in enumerate(args) if all(map(_is_index, parts_of(arg)))), len(args))
    after = first + 1
    while after < len(args) and _is_meant(args[after], has_query=has_query):
        after += 1
    if after < len(args) and re.fullmatch(r"[^\s-][^\s:]*\.foxir/?", args[after]):
        warn(Notice("no_second_index", {"word": shortened(args[after])}))
    return [*args[:first], SEPARATOR.join(args[first:after]), *args[after:]] if after - first > 1 else args


def _is_meant(text: str, *, has_query: bool) -> bool:
    has_name = text.rstrip("/").endswith(".foxir")
    return not text.startswith("-") and (has_name or "/" in text) and ((has_name and not has_query) or _is_index(text))


def _is_index(text: str) -> bool:
    scheme, separator, _ = text.partition("://")
    try:
        return is_index(Path(text)) or (bool(separator) and scheme.lower() in SCHEMES and text.endswith(".foxir"))
    except (OSError, ValueError):  # no name of a folder, but a long query
        return False


class IndexFolder(click.Path):
    """The folder of an index; of a URL of object storage, the local copy, brought to the newest generation.

    opens: False to leave a URL as it is, for commands that write.
    """

    def __init__(self, *, opens: bool = True) -> None:
        super().__init__(path_type=Path, readable=False)  # whoever reads it says what is closed
        self._opens = opens

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the folder of an index, or of several with commas between; a URL is fetched into a local copy."""
        parts = parts_of(value) if isinstance(value, str) else (value,)
        if not self._opens and len(parts) > 1 and all(is_index(Path(part)) for part in parts):
            self.fail(f"'{value}' names several indexes: write one.", param, ctx)
        if self._opens and len(parts) > 1:
            return place_of([self.convert(part, param, ctx) for part in parts])
        if not is_url(value):
            if not os.path.isfile(value):
                return super().convert(value, param, ctx)
            from engine.index.missing_index import missing_index  # noqa: PLC0415  (rarely needed)

            self.fail(str(missing_index(Path(value))), param, ctx)
        if not self._opens:
            return value
        from engine.object_store.mirror import open_mirror  # noqa: PLC0415
        from foxir.terminal.console import progress_bar  # noqa: PLC0415  (rarely needed)

        with progress_bar(quiet=False) as progress:
            return open_mirror(value, progress)


INDEX_FOLDER = IndexFolder()
INDEX_PLACE = IndexFolder(opens=False)
FILE = click.Path(path_type=Path)

OUTPUT = "Output"
SELECTION = "Judgements and topics"

index_argument = click.argument("index", cls=IndexArgument, type=INDEX_FOLDER)
topics_argument = click.argument("topics", type=FILE)
judgements_argument = click.argument("assessments", type=FILE, metavar="JUDGEMENTS")

json_option = headed_option(OUTPUT, "--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
latex_option = headed_option(OUTPUT, "--latex", is_flag=True, help="Print the tables in LaTeX (booktabs).")
markdown_option = headed_option(OUTPUT, "--markdown", is_flag=True, help="Print the tables in Markdown.")
quiet_option = headed_option(
    OUTPUT,
    *("-q", "--quiet"),
    is_flag=True,
    help="No progress and no notes on stderr, except warnings of doubtful numbers and of input that was left out.",
)


def runs_argument(metavar: str = "RUN...", *, required: bool = True) -> Decorator:
    """Return the argument for one or more run files."""
    return click.argument("runs", nargs=-1, required=required, type=FILE, metavar=metavar)


def out_option(help: str, *, required: bool = True, metavar: str = "FILE", **attributes: Any) -> Decorator:
    """Return the option of a command's output; `-` is stdout unless it is a folder."""
    if metavar == "FILE":
        help += " '-' writes to stdout."
    return headed_option(OUTPUT, "-o", "--out", required=required, type=FILE, metavar=metavar, help=help, **attributes)


def topics_option(heading: str = SELECTION) -> Decorator:
    """Return the option that selects topics by id."""
    return headed_option(
        heading, "--topics", "only", metavar="99,101-110,CU01-CU03", help="Use only these topics, by id or range."
    )


def index_option(help: str = "Index of the judged collection; supplies element sizes and offsets.") -> Decorator:
    """Return the option that names the index of the collection, for judgements and runs that need it."""
    return headed_option(SELECTION, "--index", type=INDEX_FOLDER, metavar="INDEX", help=help)


def required_index_option(help: str = "Index of the judged collection.") -> Decorator:
    """Return the option --index for commands that require it."""
    return headed_option(SELECTION, "--index", required=True, type=INDEX_FOLDER, metavar="INDEX", help=help)


def plot_option(help: str) -> Decorator:
    """Return the option --plot."""
    return headed_option(OUTPUT, "--plot", "picture", type=FILE, metavar="FILE", help=f"{help} (.svg, .png or .pdf).")


def jobs_option(default: int, help: str, **attributes: Any) -> Decorator:
    """Return the option that sets the number of processes."""
    return count_option(GENERAL, "-j", "--jobs", default=default, help=help, **attributes)


def together(*decorators: Decorator) -> Decorator:
    """Return one decorator that applies several, the first one outermost."""

    def apply(function: Any) -> Any:
        return functools.reduce(lambda decorated, decorator: decorator(decorated), reversed(decorators), function)

    return apply


def assigned(option: str, assignments: Sequence[str], example: str) -> dict[str, str]:
    """Return the values of a repeatable option OPTION=VALUE, by name.

    Raises: click.UsageError for one without an equals sign.
    """
    given = {}
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise click.UsageError(f"{option} '{assignment}': expected OPTION=VALUE, such as {option} {example}.")
        given[name] = value
    return given


image_option = click.option(
    "--image",
    "images",
    multiple=True,
    metavar="FILE",
    help="Example image: find elements with similar images, as well as those about the words; repeatable.",
)


def open_typed(folder: Path) -> Index:
    """Return the index in a folder; raises IndexFormatError when it cannot be read."""
    from engine.index.reader import open_reader  # noqa: PLC0415  (a build searches nothing)
    from foxir.searching.opened_index import Index  # noqa: PLC0415

    return Index(open_reader(folder))


def open_filled_index(folder: Path) -> Index:
    """Return the index in a folder, which must contain documents.

    Raises: IndexFormatError when it cannot be read, or is empty.
    """
    index = open_typed(folder)
    if not len(index):
        raise empty_index(folder)
    return index
