"""`foxir expand`: highlighted passages in, judged elements out."""

from __future__ import annotations

from pathlib import Path

import click

from engine.cli.console import json_option, print_json, quiet_option, warn
from engine.cli.main import DONE, PARTLY
from engine.index.geometry import IndexGeometry
from engine.index.index import open_index
from eval import read_assessments
from eval.expand import expand, write_fol, write_xml


@click.command(name="expand")
@click.argument("assessments", type=click.Path(path_type=Path))
@click.option(
    "--index", "index", required=True, type=click.Path(path_type=Path), help="Index of the judged collection."
)
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FOLDER", help="Where the files go.")
@json_option
@quiet_option
def command(assessments: Path, index: Path, out: Path, as_json: bool, quiet: bool) -> int:
    """Turn highlighted passages into judged elements.

    ASSESSMENTS holds passages: FOL qrels, or INEX XML with passages. Every element that meets one is written with its
    size and its highlighted characters, a file a topic in INEX 2005 form, and the passages as FOL qrels beside them
    (qrels.txt).
    """
    opened = open_index(index)
    expansion = expand(read_assessments(assessments), IndexGeometry(opened))
    out.mkdir(parents=True, exist_ok=True)
    files = write_xml(expansion.assessments, out, collection=Path(index).stem)
    qrels = write_fol(expansion.assessments, out / "qrels.txt")
    for topic, document in expansion.left_out:
        warn(f"left out: topic {topic!r}: document {document!r} is not in {index}", quiet=quiet)
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
        click.echo(f"{out}: {len(files)} topics expanded, {len(expansion.left_out)} documents left out")
    return PARTLY if expansion.left_out else DONE
