"""`foxir eval`: runs and judgements in, scores out."""

from __future__ import annotations

from pathlib import Path

import click

from engine.cli.console import INDEX_FOLDER, json_option, print_json, print_result, quiet_option, warn
from engine.cli.files import write_whole
from engine.cli.main import DONE, PARTLY
from engine.cli.scoring import Scoring, named_family, scoring_options
from engine.index.geometry import IndexGeometry
from engine.index.index import open_index
from eval import score
from eval.check import check
from eval.measures import FAMILIES
from eval.table import Table
from eval.tasks import TASKS, task_measures

USUAL = ("hixeval", "inex_eval")


@click.command(name="eval")
@click.argument("assessments", type=click.Path(path_type=Path))
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--measures", metavar="M,M", help=f"Families: {', '.join(FAMILIES)}.  [{','.join(USUAL)}]")
@click.option("--task", metavar="TASK", help=f"Measures and options of a task: {', '.join(TASKS)}.")
@scoring_options
@click.option("--per-topic", is_flag=True, help="A line a topic.")
@click.option("--details", is_flag=True, help="All points of long curves too.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the table, topics too.")
@click.option("--latex", is_flag=True, help="Print the table in LaTeX (booktabs).")
@click.option("--markdown", is_flag=True, help="Print the table in Markdown.")
@click.option("--plot", "picture", type=click.Path(path_type=Path), metavar="FILE", help="Draw it: SVG, PNG or PDF.")
@click.option(
    "--report", "page", type=click.Path(path_type=Path), metavar="FILE", help="Write all of it as one HTML page."
)
@click.option(
    "--check",
    "check_against",
    type=INDEX_FOLDER,
    metavar="INDEX",
    help="Compare judgements with the collection; no RUN.",
)
@json_option
@quiet_option
def command(
    scoring: Scoring,
    runs: tuple[Path, ...],
    measures: str | None,
    task: str | None,
    per_topic: bool,
    details: bool,
    csv_file: Path | None,
    latex: bool,
    markdown: bool,
    picture: Path | None,
    page: Path | None,
    check_against: Path | None,
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
      foxir eval assessments/ runs/*.xml --report scores.html
    """
    if check_against:
        return _check(scoring, check_against, as_json=as_json)
    if not runs:
        raise click.UsageError("Missing argument 'RUN...'.")
    table = _scored(scoring, runs, measures, task)
    if csv_file:
        write_whole(csv_file, table.csv())
    _draw(table, picture, page, str(scoring.assessments.source))
    for notice in table.notices:
        warn(notice, quiet=quiet)
    if as_json:
        print_json(table.document())
    elif latex or markdown:
        click.echo(_as_text(table, in_latex=latex, per_topic=per_topic, details=details), nl=False)
    else:
        _show(table, per_topic=per_topic, details=details)
    return DONE


def _scored(scoring: Scoring, runs: tuple[Path, ...], measures: str | None, task: str | None) -> Table:
    chosen = task_measures(task) if task is not None else None
    usual = list(chosen.measures) if chosen else list(USUAL)
    names = usual if measures is None else [name.strip() for name in measures.split(",")]
    settings = scoring.settings(
        [named_family(name) for name in names], chosen.settings if chosen and measures is None else None
    )
    return score(
        scoring.assessments,
        runs,
        names,
        settings,
        geometry=scoring.geometry,
        missing=scoring.missing,
        topics=scoring.topics,
    )


def _check(scoring: Scoring, index: Path, *, as_json: bool) -> int:
    result = check(scoring.assessments, IndexGeometry(open_index(index)))
    print_result(result, as_json=as_json)
    return PARTLY if result.differences else DONE


def _draw(table: Table, picture: Path | None, page: Path | None, source: str) -> None:
    if picture:
        from eval.plots import plot  # noqa: PLC0415  (matplotlib is slow to import)

        plot(table, picture)
    if page:
        from eval.report import report  # noqa: PLC0415

        write_whole(page, report(table, source=source))


def _as_text(table: Table, *, in_latex: bool, per_topic: bool, details: bool) -> str:
    from eval.sheets.latex import latex  # noqa: PLC0415  (not needed for --json)
    from eval.sheets.markdown import markdown  # noqa: PLC0415
    from eval.sheets.scores import score_sheets, topic_sheets  # noqa: PLC0415

    sheets = topic_sheets(table, details=details) if per_topic else score_sheets(table, details=details)
    return (latex if in_latex else markdown)(sheets)


def _show(table: Table, *, per_topic: bool, details: bool) -> None:
    from rich.console import Console  # noqa: PLC0415  (slow to import, and not needed for --json)

    from eval.terminal import show  # noqa: PLC0415

    show(table, Console(soft_wrap=False), per_topic=per_topic, details=details)
