"""`foxir expand`: highlighted passages in, judged elements out."""

from __future__ import annotations

from pathlib import Path

import click

from engine.cli.console import INDEX_FOLDER, counted, json_option, listed, print_json, quiet_option, warn
from engine.cli.files import make_folder
from engine.cli.main import DONE, PARTLY
from engine.errors import AssessmentError
from engine.index.geometry import IndexGeometry
from engine.index.index import Index, open_index
from eval import Assessments, read_assessments
from eval.expand import expand, write_fol, write_xml

MOST_LISTED = 10  # documents left out that are printed


@click.command(name="expand")
@click.argument("assessments", type=click.Path(path_type=Path))
@click.option("--index", "index", required=True, type=INDEX_FOLDER, help="Index of the judged collection.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FOLDER", help="Where the files go.")
@click.option(
    "--exhaustivity",
    type=click.Choice(["1", "2"]),
    default="1",
    show_default=True,
    help="Grade of elements whose exhaustivity nobody judged; 2 makes them highly relevant, as INEX 2006 had them.",
)
@json_option
@quiet_option
def command(assessments: Path, index: Path, out: Path, exhaustivity: str, as_json: bool, quiet: bool) -> int:
    """Turn highlighted passages into judged elements.

    ASSESSMENTS holds passages: FOL qrels, or INEX XML with passages. Every element that meets one is written with its
    size and its highlighted characters, a file a topic in INEX 2005 form, and the passages as FOL qrels beside them
    (qrels.txt).
    """
    opened, judged = open_index(index), read_assessments(assessments)
    _require_common_documents(judged, opened)
    geometry = IndexGeometry(opened)
    expansion = expand(judged, geometry, exhaustivity=int(exhaustivity))
    make_folder(out)
    files = write_xml(expansion.assessments, out, collection=Path(index).stem)
    qrels = write_fol(expansion.assessments, out / "qrels.txt", geometry)
    for topic, document in expansion.left_out[:MOST_LISTED]:
        warn(f"left out: topic '{topic}': document '{document}' is not in {index}", quiet=quiet)
    if len(expansion.left_out) > MOST_LISTED:
        warn(f"left out: {len(expansion.left_out) - MOST_LISTED} more, --json lists them all", quiet=quiet)
    document_ = {
        "folder": str(out),
        "topics": len(files),
        "files": [str(file) for file in files],
        "qrels": str(qrels),
        "left_out": [{"topic": topic, "document": document} for topic, document in expansion.left_out],
    }
    if as_json:
        print_json(document_)
    else:
        click.echo(
            f"{out}: {counted(len(files), 'topic')} expanded, {counted(len(expansion.left_out), 'document')} left out"
        )
    return PARTLY if expansion.left_out else DONE


def _require_common_documents(judged: Assessments, index: Index) -> None:
    documents = [document for judgements in judged.topics.values() for document in judgements.documents]
    if all(index.number(document) is None for document in documents):
        raise AssessmentError(
            f"{judged.source}: none of its documents is in {index.folder}: it judges {listed(documents, 1)}, the index "
            f"holds {listed(index.ids, 1) or 'none'}."
        )
