"""Commands over judgements alone: `foxir simulate`, `foxir relevance`, `foxir agreement`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import click

from engine.cli.console import INDEX_FOLDER, json_option, print_result, quiet_option
from engine.cli.files import check_target, make_folder
from engine.cli.geometry import geometry_of
from engine.cli.main import DONE
from engine.cli.status import status
from eval.agreement import agreement
from eval.relevance_tables.command import By, relevance
from eval.simulate import LIMIT, SimulatedKind, simulate

index_option = click.option(
    "--index", "index", type=INDEX_FOLDER, help="Index of the judged collection: gives sizes and offsets."
)


@click.command(name="simulate")
@click.argument("assessments", type=click.Path(path_type=Path))
@click.option("--kind", required=True, type=click.Choice(get_args(SimulatedKind)), help="What the run returns.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The run file.")
@click.option("--format", "format_", type=click.Choice(["inex", "fol", "trec"]), help="[inex; fol for passages]")
@click.option("--limit", type=click.IntRange(min=1), default=LIMIT, show_default=True, help="Results a topic.")
@index_option
@json_option
@quiet_option
def simulate_command(
    assessments: Path,
    kind: SimulatedKind,
    out: Path,
    format_: Literal["inex", "fol", "trec"] | None,
    limit: int,
    index: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Write the run that a perfect system would make of one kind of answer, best first by F.

    passage: the highlighted passages; bep: best entry points; fullrb: all relevant elements; ea, pa, ba, na: elements
    of one point of the relevance scale (exactly, partially, broadly, narrowly relevant).

    \b
      foxir simulate assessments/ --kind fullrb --out runs/fullrb.xml
    """
    check_target(out)
    make_folder(out.parent)
    chosen = format_ or ("fol" if kind == "passage" else "inex")
    result = simulate(assessments, kind=kind, out=out, limit=limit, geometry=geometry_of(index), format=chosen)
    print_result(result, as_json=as_json, quiet=quiet)
    return DONE


@click.command(name="relevance")
@click.argument("assessments", type=click.Path(path_type=Path))
@click.option("--by", type=click.Choice(get_args(By)), multiple=True, help="Which tables.  [all]")
@click.option("--mapping", metavar="M1 ... M20", help="From the grades of 2002-2004 to the relevance scale.")
@index_option
@json_option
@quiet_option
def relevance_command(
    assessments: Path, by: tuple[By, ...], mapping: str | None, index: Path | None, as_json: bool, quiet: bool
) -> int:
    """Say how the relevant elements of judgements are distributed: by grade, name, exhaustivity and overlap.

    \b
      foxir relevance assessments/ --by name
    """
    result = relevance(assessments, by=by or None, mapping=mapping, geometry=geometry_of(index))
    print_result(result, as_json=as_json, quiet=quiet)
    return status(result.notices)


@click.command(name="agreement")
@click.argument("first", type=click.Path(path_type=Path), metavar="ASSESSMENTS")
@click.argument("second", type=click.Path(path_type=Path), metavar="ASSESSMENTS")
@index_option
@json_option
@quiet_option
def agreement_command(first: Path, second: Path, index: Path | None, as_json: bool, quiet: bool) -> int:
    """Say how far two sets of judgements of the same topics agree: documents, elements, characters, grades.

    \b
      foxir agreement mine/ yours/
    """
    result = agreement(first, second, geometry=geometry_of(index))
    print_result(result, as_json=as_json, quiet=quiet)
    return status(result.notices)
