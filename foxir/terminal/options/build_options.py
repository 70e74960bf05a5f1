"""The options of `foxir index` that say how documents are read and text is indexed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from engine.collection.entities.entity_references import UNDEFINED
from engine.indexing.build_settings import CHECKS, LEAST_MEMORY
from engine.system.byte_sizes import format_bytes, parse_bytes
from engine.text.analyser import ANALYSERS, CAMEL_CASE, DIACRITICS
from engine.text.languages import STEMMERS
from foxir.terminal.command_class import headed_option
from foxir.terminal.options.options import assigned, jobs_option

TEXT = "How text is indexed"
DOCUMENTS = "Documents"

if TYPE_CHECKING:
    IntType = click.ParamType[int]
else:
    # Before 8.4, Click's ParamType is generic for type checkers only.
    IntType = click.ParamType


class MemorySize(IntType):
    """A size in memory that a build can keep to: 1G, 512M, 8000000."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the size in bytes."""
        if isinstance(value, int):
            return value
        try:
            n_bytes = parse_bytes(str(value))
        except ValueError:
            self.fail(f"'{value}' is not a size: write 512M or 1G.", param, ctx)
        if n_bytes < LEAST_MEMORY:
            size = f"{n_bytes:,} byte" if n_bytes == 1 else f"{n_bytes:,} bytes"
            least = format_bytes(LEAST_MEMORY)
            self.fail(f"'{value}' is {size}: a build needs {least} or more; for 1 GiB write 1G.", param, ctx)
        return n_bytes


OPTIONS = [
    headed_option(
        TEXT,
        "--profile",
        multiple=True,
        metavar="auto|NAME|FILE",
        show_default="auto",
        help="What tags mean: auto (by the root element), none (no inline elements, as in INEX), a name that 'foxir "
        "profile' lists, or a TOML file; repeatable: each document has the first that fits, files before names.",
    ),
    headed_option(
        TEXT,
        "--infer/--no-infer",
        default=True,
        help="Infer what tags mean that no profile names (inline, titles, headings), from their use when the index is "
        "made; 'foxir info INDEX --markup' shows it.",
    ),
    headed_option(
        TEXT,
        "--attributes",
        metavar="all|none|NAME,...",
        show_default="all",
        help="Attributes that path queries can use: all, none, or those named; ids always.",
    ),
    headed_option(
        TEXT,
        "--split",
        metavar="//TAG",
        help="Make each element of a tag a document, instead of each file: //entry, '//(article|entry)'. Their ids are "
        "FILE/1, FILE/2 ...",
    ),
    headed_option(
        TEXT, "--analyser", type=click.Choice(ANALYSERS), show_default="default", help="How text is split into words."
    ),
    headed_option(
        TEXT,
        "--stem",
        type=click.Choice(STEMMERS),
        metavar="auto|none|LANGUAGE",
        show_default="auto",
        help="Stemming of words: by the language of each text (xml:lang, else recognised), none, light (English "
        "plurals), or always by one of Snowball's stemmers, such as english or german.",
    ),
    headed_option(
        TEXT, "--stop", metavar="none|english|FILE", show_default="none", help="Stop words, which are not indexed."
    ),
    headed_option(
        TEXT,
        "--diacritics",
        type=click.Choice(DIACRITICS),
        show_default="keep",
        help="Keep accents and vowel signs, or fold letters with and without them.",
    ),
    headed_option(
        TEXT,
        "--camel-case",
        type=click.Choice(CAMEL_CASE),
        show_default="keep",
        help="Keep getElementById one word, or split it: get, Element, By, Id.",
    ),
    headed_option(
        DOCUMENTS, "--remove", multiple=True, metavar="SOURCE", help="Remove the documents of an indexed source."
    ),
    headed_option(
        DOCUMENTS,
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Do not read files of any source whose names (drafts, '*.old.xml') or paths below the source (old/*.xml) "
        "match; repeatable. --remove '!PATTERN' ends it.",
    ),
    headed_option(
        DOCUMENTS,
        "--on-error",
        type=click.Choice(["skip", "stop"]),
        default="skip",
        help="Skip and list documents that cannot be read, or stop and index nothing.",
    ),
    headed_option(
        DOCUMENTS,
        "--check",
        type=click.Choice(CHECKS),
        default="time",
        help="How changed documents are found: time compares only files whose size or modification time has changed, "
        "content compares all.",
    ),
    headed_option(
        DOCUMENTS,
        "--limit",
        "assignments",
        multiple=True,
        metavar="NAME=N",
        help="Change a limit on documents or archives, such as max_text=128M; repeatable. Messages name the limit.",
    ),
    headed_option(
        DOCUMENTS,
        "--entities",
        type=click.Path(),
        metavar="FILE",
        help="Declarations of entities that documents use without defining them: <!ENTITY name 'text'>. Those of HTML "
        "and ISO are built in.",
    ),
    headed_option(
        DOCUMENTS,
        "--catalog",
        "catalogs",
        type=click.Path(),
        multiple=True,
        metavar="FILE",
        show_default="XML_CATALOG_FILES",
        help="Catalog of local DTDs, whose entities are read; repeatable.",
    ),
    headed_option(
        DOCUMENTS,
        "--undefined-entities",
        type=click.Choice(UNDEFINED),
        show_default="auto",
        help="Refuse documents that refer to unknown entities, or keep '&name;' as text; auto keeps it where a "
        "document names a DTD, which is not read.",
    ),
    headed_option(
        DOCUMENTS,
        "--images/--no-images",
        default=True,
        help="Read the images that documents refer to (needs Pillow), for queries with example images.",
    ),
    headed_option(
        TEXT,
        "--vectors",
        metavar="none|ENCODER",
        show_default="none",
        help="Encoder, as of --semantic, whose vectors of the texts the index has, for searches by meaning "
        "(docs/semantic.md).",
    ),
    jobs_option(os.cpu_count() or 1, "Number of processes.", show_default="all cores"),
    click.option(
        "--ray",
        metavar="ADDRESS",
        help="Ray cluster whose tasks read the documents (extra cluster): its address, auto, or local for one on this "
        "machine; --memory is then that of each task.",
    ),
    click.option(
        "--memory", type=MemorySize(), default="1G", show_default=True, help="Maximum memory of all processes together."
    ),
]


def build_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command; `build_keywords` takes them."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def build_keywords(*, assignments: Sequence[str], on_error: str, split: str | None, **others: Any) -> dict[str, Any]:
    """Return the keywords of `foxir.build_index` that options ask for.

    Raises: click.UsageError.
    """
    limits = assigned("--limit", assignments, "max_text=128M")
    return {**others, "limits": limits, "split": split or (), "stop_on_error": on_error == "stop"}
