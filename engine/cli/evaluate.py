"""`foxir eval`: runs and judgements in, scores out."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from engine.cli.console import INDEX_FOLDER, json_option, print_result, progress_bar, quiet_option, warn
from engine.cli.geometry import open_geometry
from engine.cli.main import DONE, PARTLY
from engine.cli.score_output import Files, Form, Testing
from engine.cli.scoring import Scoring, scoring_options
from engine.cli.status import status
from eval import score
from eval.measures import FAMILIES, family
from eval.scoring import Progress
from eval.statistics.correction import Correction
from eval.statistics.significance import Test
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
@click.option("--baseline", metavar="RUN", help="Mark means that differ significantly from those of this run.")
@click.option("--test", type=click.Choice(get_args(Test)), help="Test against the baseline.  [t]")
@click.option("--correct", type=click.Choice(get_args(Correction)), help="For many runs against the baseline.  [holm]")
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
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes, for many runs.")
@json_option
@quiet_option
def command(
    scoring: Scoring,
    runs: tuple[Path, ...],
    measures: str | None,
    task: str | None,
    per_topic: bool,
    details: bool,
    baseline: str | None,
    test: Test | None,
    correct: Correction | None,
    csv_file: Path | None,
    latex: bool,
    markdown: bool,
    picture: Path | None,
    page: Path | None,
    check_against: Path | None,
    jobs: int,
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
      foxir eval assessments/ runs/*.xml --baseline runs/a.xml --report scores.html
    """
    if check_against:
        if runs:
            raise click.UsageError("--check compares the judgements with the collection: leave the runs out.")
        return _check(scoring, check_against, as_json=as_json)
    if not runs:
        raise click.UsageError("Missing argument 'RUN...'.")
    form, files = Form(per_topic, details, as_json, latex, markdown), Files(csv_file, picture, page)
    testing = Testing(baseline, test, correct)
    form.check()
    files.check()
    testing.check(form, files)
    with progress_bar(quiet=quiet) as progress:
        table = _scored(scoring, runs, measures, task, jobs, progress)
    testing = testing.of(table, runs)
    marks = testing.marks(table)
    files.write(table, str(scoring.assessments.source), testing)
    for notice in table.notices:
        warn(notice, quiet=quiet)
    form.print(table, marks)
    return status(table.notices)


def _scored(
    scoring: Scoring, runs: tuple[Path, ...], measures: str | None, task: str | None, jobs: int, progress: Progress
) -> Table:
    chosen = task_measures(task) if task is not None else None
    usual = list(chosen.measures) if chosen else list(USUAL)
    names = usual if measures is None else [name.strip() for name in measures.split(",")]
    settings = scoring.settings(
        [family(name) for name in names], chosen.settings if chosen and measures is None else None
    )
    return score(
        scoring.assessments,
        runs,
        names,
        settings,
        geometry=scoring.geometry,
        missing=scoring.missing,
        topics=scoring.topics,
        jobs=jobs,
        progress=progress,
    )


def _check(scoring: Scoring, index: Path, *, as_json: bool) -> int:
    from eval.check import check  # noqa: PLC0415  (not needed to score)

    result = check(scoring.assessments, open_geometry(index))
    print_result(result, as_json=as_json)
    return PARTLY if result.differences else DONE
