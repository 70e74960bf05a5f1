"""`foxir index`: files in, an index out."""

from __future__ import annotations

import os
from pathlib import Path

import click

from engine.analysis import ANALYSERS, STEMMERS, make_analyser
from engine.cli.console import (
    INDEX_FOLDER,
    MemorySize,
    bytes_in_words,
    counted,
    json_option,
    print_json,
    progress_bar,
    quiet_option,
    warn,
)
from engine.cli.main import DONE, PARTLY
from engine.cli.visible import say
from engine.collection.limits import Limits
from engine.collection.profile import load_profile
from engine.collection.report import IngestReport
from engine.collection.sources import Skipped
from engine.index.builder import BuildSettings, update_index

MOST_LISTED = 10  # skipped files that are printed; all stand in ingest.json


@click.command(name="index")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--into", "into", required=True, type=INDEX_FOLDER, metavar="INDEX", help="Folder of the index.")
@click.option(
    "--profile",
    metavar="auto|NAME|FILE",
    help="What tags mean: auto (by root element), none (every element for itself, the INEX setting), inex-ieee, jats, "
    "tei, docbook, dita, or a TOML file.  [auto]",
)
@click.option("--analyser", type=click.Choice(ANALYSERS), help="How text becomes words.  [default]")
@click.option("--stem", type=click.Choice(STEMMERS), help="Stemming.  [none]")
@click.option("--stop", metavar="none|english|FILE", help="Words that are not indexed.  [none]")
@click.option("--forget", multiple=True, metavar="SOURCE", help="Take a source's documents out of the index.")
@click.option(
    "--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default="all cores", help="Processes."
)
@click.option("--memory", type=MemorySize(), default="1G", show_default=True, help="Memory of all processes together.")
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="NAME=N",
    help="A limit on documents or archives: max_text=128M; repeatable. A refusal names the limit that it was for.",
)
@click.option(
    "--on-error",
    type=click.Choice(["skip", "stop"]),
    default="skip",
    show_default=True,
    help="A document that cannot be read is left out and listed, or nothing is indexed.",
)
@json_option
@quiet_option
def command(
    sources: tuple[str, ...],
    into: Path,
    profile: str | None,
    analyser: str | None,
    stem: str | None,
    stop: str | None,
    forget: tuple[str, ...],
    jobs: int,
    memory: int,
    assignments: tuple[str, ...],
    on_error: str,
    as_json: bool,
    quiet: bool,
) -> int:
    """Index XML files into a folder, or bring the index there up to date.

    SOURCE is a file, a folder, a quoted pattern ('texts/**/*.xml'), an archive (.zip, .tar, .tar.gz, .tar.xz, .tar.zst)
    or @LIST, a file with a source a line. An index remembers its sources: without SOURCE all of them are read again,
    and only what changed is indexed.

    \b
      foxir index articles/ --into wiki.foxir
      foxir index inex-1.8/ --into inex.foxir --profile none
      foxir index --into wiki.foxir                  # bring up to date
    """
    settings = BuildSettings(
        analyser=make_analyser(analyser or "default", stem or "none", stop or "none")
        if analyser or stem or stop
        else None,
        profile=load_profile(profile) if profile else None,
        jobs=jobs,
        memory=memory,
        stop_on_error=on_error == "stop",
        limits=Limits.from_assignments(assignments),
    )
    with progress_bar(quiet=quiet) as progress:
        report = update_index(into, sources, settings, forget=forget, progress=progress)
    for skipped in report.skipped[:MOST_LISTED]:
        warn(f"left out: {_where(skipped)}: {skipped.reason}", quiet=quiet)
    if len(report.skipped) > MOST_LISTED:
        warn(f"left out: {len(report.skipped) - MOST_LISTED} more, see {into / 'ingest.json'}", quiet=quiet)
    if not report.documents:
        warn(f"{into}: the index is empty: its sources hold no document that can be read.", quiet=quiet)
    if as_json:
        print_json(report.to_dict())
    else:
        say(summary(report, into))
    return PARTLY if report.skipped else DONE


def _where(skipped: Skipped) -> str:
    return f"{skipped.file}:{skipped.line}" if skipped.line else skipped.file


def summary(report: IngestReport, into: Path) -> str:
    """Return what an index holds now and what this build did, in two lines."""
    speed = f" ({report.bytes / 1e6 / report.seconds:.1f} MB/s)" if report.bytes and report.seconds else ""
    read = f"read {counted(report.read, 'document')}, {bytes_in_words(report.bytes)}, in {report.seconds:.1f} s{speed}"
    dropped = f"dropped {counted(report.dropped, 'document or old version', 'documents or old versions')}"
    done = [line for line, count in ((read, report.read), (dropped, report.dropped)) if count] or ["nothing changed"]
    return (
        f"{into}: {counted(report.documents, 'document')}, {counted(report.elements, 'element')}, "
        f"{counted(report.leaves, 'leaf', 'leaves')}, {counted(report.terms, 'term')}\n"
        f"{'; '.join(done)}; {len(report.skipped):,} left out"
    )
