"""`foxir judgements to-elements`: highlighted passages in, judged elements out."""

from __future__ import annotations

from pathlib import Path

import click

from engine.errors import AssessmentError
from engine.index.locator import IndexLocator
from engine.index.reader import IndexReader, open_reader
from engine.wording import counted, listed
from eval import Assessments, read_assessments
from eval.judgements.element_expansion import expand, write_fol, write_xml
from eval.judgements.judgements import NOT_JUDGED
from foxir.terminal.command_class import FoxirCommand, headed_option
from foxir.terminal.console import print_json, warn
from foxir.terminal.control_characters import say
from foxir.terminal.exit_status import DONE, PARTLY
from foxir.terminal.options.options import (
    SELECTION,
    json_option,
    judgements_argument,
    out_option,
    quiet_option,
    required_index_option,
)
from foxir.terminal.output_files import is_stream, make_folder

MOST_LISTED = 10  # skipped documents that are printed


@click.command(name="to-elements", cls=FoxirCommand)
@judgements_argument
@required_index_option()
@headed_option(
    SELECTION,
    "--exhaustivity",
    type=click.Choice(["1", "2", "none"]),
    default="1",
    help="Grade of elements without judged exhaustivity; 2 makes them highly relevant, as in INEX 2006; none scores "
    "them as passages are scored.",
)
@out_option("Folder for the judgements: a file for each topic, and qrels.txt.", metavar="FOLDER")
@json_option
@quiet_option
def command(assessments: Path, index: Path, out: Path, exhaustivity: str, as_json: bool, quiet: bool) -> int:
    """Derive judged elements from highlighted passages.

    JUDGEMENTS contain passages: FOL qrels, or INEX XML with passages. Every element that overlaps a passage is written
    with its size and its number of highlighted characters, in INEX 2005 form, a file for each topic; the passages are
    written beside them as FOL qrels (qrels.txt).

    \b
    Example:
      foxir judgements to-elements topics/qrels.txt --index demo.foxir --out judged
    """
    if is_stream(out):
        raise click.UsageError(f"--out {out}: several files are written: name a folder.")
    opened, judged = open_reader(index), read_assessments(assessments)
    _require_common_documents(judged, opened)
    locator = IndexLocator(opened)
    expansion = expand(judged, locator, exhaustivity=NOT_JUDGED if exhaustivity == "none" else int(exhaustivity))
    make_folder(out)
    files = write_xml(expansion.assessments, out, collection=Path(index).stem)
    qrels = write_fol(expansion.assessments, out / "qrels.txt", locator)
    quiet = quiet and as_json  # what was left out is told in any case
    for topic, document in expansion.skipped[:MOST_LISTED]:
        warn(f"skipped: topic '{topic}': document '{document}' is not in {index}", quiet=quiet)
    if len(expansion.skipped) > MOST_LISTED:
        warn(f"skipped: {len(expansion.skipped) - MOST_LISTED} more, --json lists them all", quiet=quiet)
    document_ = {
        "folder": str(out),
        "topics": len(files),
        "files": [str(file) for file in files],
        "qrels": str(qrels),
        "skipped": [{"topic": topic, "document": document} for topic, document in expansion.skipped],
    }
    if as_json:
        print_json(document_)
    else:
        say(f"{out}: {counted(len(files), 'topic')} expanded, {counted(len(expansion.skipped), 'document')} skipped")
    return PARTLY if expansion.skipped else DONE


def _require_common_documents(judged: Assessments, index: IndexReader) -> None:
    documents = [document for judgements in judged.topics.values() for document in judgements.documents]
    if all(index.number(document) is None for document in documents):
        raise AssessmentError(
            f"{judged.source}: none of its documents is in {index.folder}: it judges {listed(documents, 1)}, the index "
            f"contains {listed(index.ids, 1) or 'none'}."
        )
