"""`foxir index`: files in, an index out; `foxir compact`: the segments of an index merged."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from engine.collection.ingest_report import REPORT, IngestReport
from engine.collection.sources.patterns import is_pattern
from engine.collection.xml_reader import undefined_entity_in
from engine.errors import IndexFormatError
from engine.index.generation import MOST_SHARDS, is_index, read_generation
from engine.index.missing_index import missing_index, other_files
from engine.system.byte_sizes import rounded_bytes
from engine.wording import counted, shortened
from foxir.building import build_index, compact_index
from foxir.terminal.command_class import GENERAL, FoxirCommand, WholeNumber, headed_option
from foxir.terminal.console import print_json, progress_bar, warn, with_notices
from foxir.terminal.control_characters import say
from foxir.terminal.exit_status import DONE, PARTLY
from foxir.terminal.options.build_options import MemorySize, build_keywords, build_options
from foxir.terminal.options.options import INDEX_PLACE, json_option, quiet_option

MOST_LISTED = 10  # skipped files that are printed; ingest.json lists all
MOST_NAMED = 5  # entities that are printed
FEW = 2  # files with undefined entities that are listed one by one


def ignored_files(ignored: Mapping[str, int]) -> str:
    """Return a line on the files that were not looked at, the most frequent extensions first.

    >>> ignored_files({".docx": 2, ".png": 11})
    '13 files not looked at: .png 11, .docx 2'
    """
    most = sorted(ignored.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name} {count:,}" for name, count in most[:MOST_LISTED])
    more = f" and {len(most) - MOST_LISTED} other extensions" if len(most) > MOST_LISTED else ""
    return f"{counted(sum(ignored.values()), 'file')} not looked at: {shown}{more}"


def images_read(images: Mapping[str, int]) -> str:
    """Return a line on images: the number read, and the fate of the other references to images.

    >>> images_read({"read": 64, "missing": 2, "elsewhere": 1})
    '64 images read, 2 references to images that are missing, 1 reference to images elsewhere, which are not fetched'
    """
    read, refused, missing, elsewhere = (images.get(name, 0) for name in ("read", "refused", "missing", "elsewhere"))
    parts = (
        (read, f"{counted(read, 'image')} read"),
        (refused, f"{counted(refused, 'image')} left out"),
        (missing, f"{counted(missing, 'reference')} to images that are missing"),
        (elsewhere, f"{counted(elsewhere, 'reference')} to images elsewhere, which are not fetched"),
    )
    return ", ".join(part for count, part in parts if count) or "images not read"


def summary(report: IngestReport, index: Path | str) -> str:
    """Return two lines: the totals of an index, and the work of this build."""
    speed = f" ({rounded_bytes(report.bytes / report.seconds)}/s)" if report.bytes and report.seconds else ""
    read = f"read {counted(report.read, 'document')}, {rounded_bytes(report.bytes)}, in {report.seconds:.1f} s{speed}"
    dropped = f"removed {counted(report.dropped, 'document or old version', 'documents or old versions')}"
    done = [line for line, count in ((read, report.read), (dropped, report.dropped)) if count] or [
        "no document changed"
    ]
    return (
        f"{index}: {counted(report.documents, 'document')}, {counted(report.elements, 'element')}, "
        f"{counted(report.leaves, 'leaf', 'leaves')}, {counted(report.terms, 'term')}\n"
        f"{'; '.join(done)}; {len(report.skipped):,} skipped"
        f"{f'; {ignored_files(report.ignored)}' if report.ignored else ''}"
        f"{f'; {images_read(report.images)}' if report.images else ''}"
    )


def left_out(report: IngestReport, index: Path | str) -> Iterator[str]:
    """Yield the files skipped by a build, a reason for exit status 1; many with undefined entities in one line."""
    listed, entities = list(report.skipped), Counter[str]()
    lacking = [(skipped, name) for skipped in listed if (name := undefined_entity_in(skipped.reason))]
    if len(lacking) > FEW:
        entities.update(name for _, name in lacking)
        those = {id(skipped) for skipped, _ in lacking}
        listed = [skipped for skipped in listed if id(skipped) not in those]
    for skipped in listed[:MOST_LISTED]:
        place = f"{skipped.file}:{skipped.line}" if skipped.line else skipped.file
        yield f"skipped: {place}: {skipped.reason}"
    listing = index / REPORT if isinstance(index, Path) else f"the newest object in {index}/reports"
    if len(listed) > MOST_LISTED:
        yield f"skipped: {len(listed) - MOST_LISTED} more, see {listing}"
    if entities:
        names = ", ".join(f"{shortened(name)} {count:,}" for name, count in entities.most_common(MOST_NAMED))
        more = ", ..." if len(entities) > MOST_NAMED else ""
        yield (
            f"skipped: {counted(len(lacking), 'file')} with undefined entities ({names}{more}), see {listing}: "
            "--undefined-entities keep reads them and keeps these references as text; --entities FILE says what they "
            "stand for."
        )


@click.command(
    name="index",
    cls=FoxirCommand,
    usual="--into --profile --stem --exclude --remove --split --images --jobs --memory --quiet",
)
@click.argument("folders", nargs=-1, type=click.Path(), metavar="INDEX [SOURCE]...")
@click.option("--into", type=INDEX_PLACE, metavar="INDEX", help="The index; with --into, all arguments are sources.")
@click.option(
    "--shards",
    type=WholeNumber(1, MOST_SHARDS),
    metavar="N",
    help="Divide a new index into N shards, for a collection too large for one machine (docs/scale.md).",
)
@build_options
@json_option
@quiet_option
def command(
    folders: tuple[str, ...], into: Path | str | None, shards: int | None, as_json: bool, quiet: bool, **given: Any
) -> int:
    """Index XML files, or bring an index up to date.

    INDEX is the folder of the index, made if missing. SOURCE is a file, a folder, a quoted pattern
    ('texts/**/*.xml'), an archive (.zip, .tar, .tar.gz, .tar.xz, .tar.zst) or @LIST, a file with one source in each
    line. An index remembers its sources and what is excluded: without SOURCE, all of them are read again and what
    changed is indexed. What cannot be read is skipped and listed; the exit status is then 1.

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
    Not made by 'foxir demo': dictionary.xml, s3://bucket.
    """
    index, sources = (into, folders) if into else _index_and_sources(folders)
    _refuse_indexes(sources)
    if not into:
        _refuse_source(index, sources)
    if not sources and isinstance(index, Path) and not is_index(index):
        raise IndexFormatError(f"no source: {missing_index(index)}")
    keywords = build_keywords(**given)
    with progress_bar(quiet=quiet) as progress:
        report = build_index(*sources, into=index, shards=shards, progress=progress, **keywords)
    for note in report.notices:
        warn(note, quiet=quiet)
    for reason in left_out(report, index):
        warn(reason, quiet=quiet and as_json)  # the report lists them
    is_empty = not report.documents and not given["remove"]
    if not report.documents:
        empty = f"{index}: the index is empty: its sources contain no document that can be read."
        warn(empty, quiet=quiet and (as_json or not is_empty))
    if as_json:
        print_json(with_notices(report))
    else:
        say(summary(report, index))
    return PARTLY if report.skipped or is_empty else DONE


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


def _refuse_source(index: Path | str, sources: Sequence[str]) -> None:
    """Refuse a folder with other files as the index of one source that does not exist: they were probably exchanged.

    Raises: click.UsageError.
    """
    if len(sources) != 1 or is_pattern(sources[0]) or os.path.exists(sources[0].removeprefix("@")):
        return
    if isinstance(index, Path) and index.is_dir() and not is_index(index) and other_files(index):
        raise click.UsageError(
            f"{index}: is a folder with other files, not an index, and there is no {sources[0]}. "
            f"INDEX comes first: foxir index {shlex.quote(sources[0])} {shlex.quote(str(index))}."
        )


@click.command(name="compact", cls=FoxirCommand)
@click.argument("index", type=INDEX_PLACE)
@headed_option(GENERAL, "--memory", type=MemorySize(), default="1G", help="Maximum memory.")
@json_option
@quiet_option
def compact_command(index: Path | str, memory: int, as_json: bool, quiet: bool) -> int:
    """Merge all segments of an index, or of each shard, into one and drop deleted documents; answers do not change.

    \b
    Example:
      foxir compact demo.foxir
    """
    before = read_generation(_folder(index))
    with progress_bar(quiet=quiet) as progress:
        compact_index(index, memory=memory, progress=progress)
    after = read_generation(_folder(index))
    deleted = sum(len(entry.deleted) for entry in before.segments)
    document = {
        "index": str(index),
        "segments_before": len(before.segments),
        "segments": len(after.segments),
        "deleted_documents_dropped": deleted,
        "generation": after.generation,
    }
    if as_json:
        print_json(document)
    else:
        say(
            f"{index}: {counted(len(before.segments), 'segment')} -> {len(after.segments)}, "
            f"{counted(deleted, 'deleted document')} dropped"
        )
    return DONE


def _folder(index: Path | str) -> Path:
    """Return the folder of an index, or of its local copy."""
    if isinstance(index, Path):
        return index
    from engine.object_store.mirror import open_mirror  # noqa: PLC0415  (an extra)

    return open_mirror(index)
