"""`foxir index`: files in, an index out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from engine.collection.entities import UNDEFINED
from engine.collection.ingest_report import IngestReport
from engine.collection.limits import Limits
from engine.collection.sources.exclusions import exclusion
from engine.errors import IndexFormatError
from engine.index.build_settings import CHECKS, BuildSettings, requested_analyser, requested_entities, requested_profile
from engine.index.generation import is_index
from engine.index.missing_index import missing_index
from engine.index.sharded_manifest import MOST_SHARDS
from engine.index.updating import update
from engine.text.analyser import ANALYSERS, CAMEL_CASE, DIACRITICS
from engine.text.stemmers import STEMMERS
from foxir.cli.command_class import FoxirCommand, WholeNumber, headed_option
from foxir.cli.console import print_json, progress_bar, warn
from foxir.cli.control_characters import say
from foxir.cli.exit_status import DONE, PARTLY
from foxir.cli.index_summary import summary, warnings
from foxir.cli.memory_size import MemorySize
from foxir.cli.options import INDEX_PLACE, jobs_option, json_option, quiet_option
from foxir.ray_batch_reader import batch_reader

TEXT = "How text is indexed"
DOCUMENTS = "Documents"


@click.command(name="index", cls=FoxirCommand)
@click.argument("folders", nargs=-1, type=click.Path(), metavar="INDEX [SOURCE]...")
@click.option("--into", type=INDEX_PLACE, metavar="INDEX", help="The index; with --into, all arguments are sources.")
@click.option(
    "--shards",
    type=WholeNumber(1, MOST_SHARDS),
    metavar="N",
    help="Divide a new index into N shards, for a collection too large for one machine (docs/scale.md).",
)
@headed_option(
    TEXT,
    "--profile",
    metavar="auto|NAME|FILE",
    show_default="auto",
    help="What tags mean: auto (by the root element), none (no inline elements, as in INEX), inex-ieee, jats, "
    "tei, docbook, dita, html, or a TOML file.",
)
@headed_option(
    TEXT,
    "--attributes",
    metavar="all|none|NAME,...",
    show_default="all",
    help="Attributes that path queries can use: all, none, or those named; ids always.",
)
@headed_option(
    TEXT,
    "--split",
    metavar="//TAG",
    help="Make each element of a tag a document, instead of each file: //entry, '//(article|entry)'. Their ids are "
    "FILE/1, FILE/2 ...",
)
@headed_option(
    TEXT, "--analyser", type=click.Choice(ANALYSERS), show_default="default", help="How text is split into words."
)
@headed_option(
    TEXT,
    "--stem",
    type=click.Choice(STEMMERS),
    metavar="auto|none|LANGUAGE",
    show_default="auto",
    help="Stemming of words: by the language of each text (xml:lang, else recognised), none, light (English plurals), "
    "or always by one of Snowball's stemmers, such as english or german.",
)
@headed_option(
    TEXT, "--stop", metavar="none|english|FILE", show_default="none", help="Stop words, which are not indexed."
)
@headed_option(
    TEXT,
    "--diacritics",
    type=click.Choice(DIACRITICS),
    show_default="keep",
    help="Keep accents and vowel signs, or fold letters with and without them.",
)
@headed_option(
    TEXT,
    "--camel-case",
    type=click.Choice(CAMEL_CASE),
    show_default="keep",
    help="Keep getElementById one word, or split it: get, Element, By, Id.",
)
@headed_option(
    DOCUMENTS, "--remove", multiple=True, metavar="SOURCE", help="Remove the documents of an indexed source."
)
@headed_option(
    DOCUMENTS,
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Do not read files of any source whose names (drafts, '*.old.xml') or paths below the source (old/*.xml) "
    "match; repeatable. --remove '!PATTERN' ends it.",
)
@headed_option(
    DOCUMENTS,
    "--on-error",
    type=click.Choice(["skip", "stop"]),
    default="skip",
    help="Skip and list documents that cannot be read, or stop and index nothing.",
)
@headed_option(
    DOCUMENTS,
    "--check",
    type=click.Choice(CHECKS),
    default="time",
    help="How changed documents are found: time compares only files whose size or modification time has changed, "
    "content compares all.",
)
@headed_option(
    DOCUMENTS,
    "--limit",
    "assignments",
    multiple=True,
    metavar="NAME=N",
    help="Change a limit on documents or archives, such as max_text=128M; repeatable. Messages name the limit.",
)
@headed_option(
    DOCUMENTS,
    "--entities",
    type=click.Path(),
    metavar="FILE",
    help="Declarations of entities that documents use without defining them: <!ENTITY name 'text'>. Those of HTML and "
    "ISO are built in.",
)
@headed_option(
    DOCUMENTS,
    "--catalog",
    "catalogs",
    type=click.Path(),
    multiple=True,
    metavar="FILE",
    show_default="XML_CATALOG_FILES",
    help="Catalog of local DTDs, whose entities are read; repeatable.",
)
@headed_option(
    DOCUMENTS,
    "--undefined-entities",
    type=click.Choice(UNDEFINED),
    show_default="refuse",
    help="Refuse documents that refer to unknown entities, or keep '&name;' as text.",
)
@headed_option(
    DOCUMENTS,
    "--images/--no-images",
    default=True,
    help="Read the images that documents refer to (needs Pillow), for queries with example images.",
)
@jobs_option(os.cpu_count() or 1, "Number of processes.", show_default="all cores")
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Ray cluster whose tasks read the documents (extra cluster): its address, auto, or local for one on this "
    "machine; --memory is then that of each task.",
)
@click.option(
    "--memory", type=MemorySize(), default="1G", show_default=True, help="Maximum memory of all processes together."
)
@json_option
@quiet_option
def command(
    folders: tuple[str, ...],
    into: Path | str | None,
    shards: int | None,
    profile: str | None,
    attributes: str | None,
    split: str | None,
    analyser: str | None,
    stem: str | None,
    stop: str | None,
    diacritics: str | None,
    camel_case: str | None,
    remove: tuple[str, ...],
    exclude: tuple[str, ...],
    jobs: int,
    ray: str | None,
    memory: int,
    assignments: tuple[str, ...],
    entities: str | None,
    catalogs: tuple[str, ...],
    undefined_entities: str | None,
    images: bool,
    on_error: str,
    check: str,
    as_json: bool,
    quiet: bool,
) -> int:
    """Index XML files, or bring an index up to date.

    INDEX is the folder of the index, made if missing. SOURCE is a file, a folder, a quoted pattern
    ('texts/**/*.xml'), an archive (.zip, .tar, .tar.gz, .tar.xz, .tar.zst) or @LIST, a file with one source in each
    line. An index remembers its sources and what is excluded: without SOURCE, all of them are read again and what
    changed is indexed.

    \b
    Examples:
      foxir index sample.foxir collections
      foxir index sample.foxir                       # bring up to date
      foxir index collections --into sample.foxir    # the same as the first
      foxir index dictionary.foxir dictionary.xml --split //entry
      foxir index plain.foxir collections/jats --profile none --stem english
      foxir index sample.foxir collections --exclude drafts --exclude '*.old.xml'
      foxir index sample.foxir --remove collections
      foxir index collections --into large.foxir --shards 8
      foxir index collections --into s3://bucket/large.foxir   # extra s3; docs/scale.md
      foxir index collections --into large.foxir --ray auto    # extra cluster
    """
    index, sources = (into, folders) if into else _index_and_sources(folders)
    _refuse_indexes(sources)
    if not sources and isinstance(index, Path) and not is_index(index):
        raise IndexFormatError(f"no source: {missing_index(index)}")
    sources = [*sources, *map(exclusion, exclude)]
    settings = BuildSettings(
        analyser=requested_analyser(analyser, stem, stop, diacritics, camel_case),
        profile=requested_profile(profile, attributes, split),
        jobs=jobs,
        memory=memory,
        stop_on_error=on_error == "stop",
        check=check,
        limits=Limits.from_assignments(assignments),
        entities=requested_entities(entities, catalogs, undefined_entities),
        images=images,
        reader=batch_reader(ray),
    )
    with progress_bar(quiet=quiet) as progress:
        report = _updater(index)(sources, settings, n_shards=shards, forget=remove, progress=progress)
    for warning in warnings(report, index):
        warn(warning, quiet=quiet)
    if as_json:
        print_json(report.to_dict())
    else:
        say(summary(report, index))
    is_empty = not report.documents and not remove
    return PARTLY if report.skipped or is_empty else DONE


def _updater(index: Path | str) -> Callable[..., IngestReport]:
    """Return the function that updates an index in a folder, or in object storage."""
    if isinstance(index, Path):
        return partial(update, index)
    from engine.object_store.publishing import update_remote  # noqa: PLC0415  (an extra)

    return partial(update_remote, index)


def _index_and_sources(folders: Sequence[str]) -> tuple[Path | str, Sequence[str]]:
    """Return the first argument as the folder of the index, and the others as sources.

    Raises: click.UsageError when the first is missing or is a file.
    """
    if not folders:
        raise click.MissingParameter(param_hint="'INDEX'", param_type="argument")
    try:
        return INDEX_PLACE.convert(folders[0], None, None), folders[1:]
    except click.BadParameter as error:
        error.param_hint = "'INDEX'"
        raise


def _refuse_indexes(sources: Sequence[str]) -> None:
    """Refuse an index as a source: INDEX and SOURCE were probably exchanged.

    Raises: click.UsageError.
    """
    for source in sources:
        if is_index(Path(source)):
            raise click.UsageError(
                f"{source}: is an index, not a source. "
                "Expected: foxir index INDEX SOURCE... or foxir index SOURCE... --into INDEX."
            )
