"""`foxir eval`: runs and judgements in, scores out."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import click

from engine.cli.console import INDEX_FOLDER, json_option, print_json, quiet_option, warn
from engine.cli.files import write_whole
from engine.cli.main import DONE
from engine.errors import MeasureError
from engine.index.geometry import IndexGeometry
from engine.index.index import open_index
from engine.topics import selected_ids
from eval import Assessments, read_assessments, score
from eval.assessments.judgements import Scale
from eval.measures import FAMILIES, Family, Value, family
from eval.quantisation import QUANTISATIONS
from eval.table import Table
from eval.tasks import TASKS, task_measures

USUAL = ("hixeval", "inex_eval")


@click.command(name="eval")
@click.argument("assessments", type=click.Path(path_type=Path))
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--measures", metavar="M,M", help=f"Families: {', '.join(FAMILIES)}.  [{','.join(USUAL)}]")
@click.option("--task", metavar="TASK", help=f"Measures and options of a task: {', '.join(TASKS)}.")
@click.option("--alpha", metavar="A", help="Share of text seen before that is taken off, 0 to 1; several: 0,1.")
@click.option(
    "--quant", metavar="Q,Q", help=f"Quantisations: {', '.join(dict.fromkeys(name for _, name in QUANTISATIONS))}."
)
@click.option(
    "--set", "assignments", multiple=True, metavar="OPTION=VALUE", help="An option of a measure: esl=raghavan."
)
@click.option("--at", metavar="1,5,10", help="Ranks of measures at a rank.")
@click.option(
    "--missing",
    type=click.Choice(["zero", "skip"]),
    default="zero",
    show_default=True,
    help="Judged topics that a run does not answer: count 0, or are left out.",
)
@click.option("--topics", "only", metavar="99,101-110", help="Only these topics.")
@click.option(
    "--scale",
    type=click.Choice(["2002", "2003", "2005"]),
    help="Scale of the judgements, where the file does not tell.",
)
@click.option("--index", "index", type=INDEX_FOLDER, help="Index of the judged collection: gives sizes and offsets.")
@click.option("--per-topic", is_flag=True, help="A line a topic.")
@click.option(
    "--csv", "csv_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the table, topics included."
)
@json_option
@quiet_option
def command(
    assessments: Path,
    runs: tuple[Path, ...],
    measures: str | None,
    task: str | None,
    alpha: str | None,
    quant: str | None,
    assignments: tuple[str, ...],
    at: str | None,
    missing: str,
    only: str | None,
    scale: str | None,
    index: Path | None,
    per_topic: bool,
    csv_file: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Score runs against judgements.

    ASSESSMENTS is a folder or file of INEX XML (2002-2007), or FOL qrels (2007-2010); RUN a run file in any format that
    `foxir run` writes, and in those of INEX.

    \b
      foxir eval assessments/ runs/*.xml
      foxir eval qrels.txt runs/a.fol --measures hixeval --alpha 0,1 --at 5,10 --per-topic
      foxir eval assessments/ runs/a.xml --measures inex_eval --quant strict,gen --set esl=raghavan --json
    """
    judged = read_assessments(assessments)
    if scale and scale != judged.scale:
        judged = _on_scale(judged, cast(Scale, scale))
    families, options = _wanted(measures, task, {"alpha": alpha, "quant": quant, "at": at}, assignments)
    table = score(
        judged,
        runs,
        families,
        options,
        geometry=IndexGeometry(open_index(index)) if index else None,
        missing="skip" if missing == "skip" else "zero",
        topics=selected_ids(only, list(judged.topics)) if only is not None else None,
    )
    if csv_file:
        write_whole(csv_file, table.csv())
    for notice in table.notices:
        warn(notice, quiet=quiet)
    if as_json:
        print_json(table.document())
    else:
        show_table(table, per_topic=per_topic)
    return DONE


def _on_scale(judged: Assessments, scale: Scale) -> Assessments:
    """Return the judgements with their grades read on another scale than the file's."""
    topics = {topic: replace(judgements, scale=scale) for topic, judgements in judged.topics.items()}
    return replace(judged, scale=scale, topics=topics)


def show_table(table: Table, *, per_topic: bool = False) -> None:
    """Print a table of scores on stdout."""
    from rich.console import Console  # noqa: PLC0415  (slow to import, and not needed for --json)

    from eval.terminal import show  # noqa: PLC0415

    show(table, Console(soft_wrap=False), per_topic=per_topic)


def _wanted(
    measures: str | None, task: str | None, flags: dict[str, str | None], assignments: Sequence[str]
) -> tuple[list[str], dict[str, Value | list[Value]]]:
    """Return the families and the options that are asked for; a comma in a value asks for several."""
    chosen = task_measures(task) if task is not None else None
    usual = list(chosen.measures) if chosen else list(USUAL)
    names = usual if measures is None else [name.strip() for name in measures.split(",")]
    families = [_family(name) for name in names]
    given = {name: text for name, text in flags.items() if text is not None}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise MeasureError(f"--set '{assignment}': expected OPTION=VALUE, such as --set esl=raghavan.")
        given[name.strip()] = text.strip()
    options: dict[str, Value | list[Value]] = dict(chosen.settings) if chosen and measures is None else {}
    for name, text in given.items():
        option = next((each for one in families for each in one.options if each.name == name), None)
        if option is None:
            options[name] = text  # score says which options there are
        elif option.kind == "whole numbers":
            options[name] = option.parse(text)
        else:
            options[name] = [option.parse(value.strip()) for value in text.split(",")]
    return names, options


def _family(name: str) -> Family:
    """Return a measure family by name; an unknown one gets the nearest known."""
    try:
        return family(name)
    except MeasureError as error:
        near = difflib.get_close_matches(name.lower(), FAMILIES, 1)
        raise MeasureError(f"did you mean '{near[0]}'? {error}" if near else str(error)) from None
