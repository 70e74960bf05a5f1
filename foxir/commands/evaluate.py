"""`foxir eval`, `foxir compare`: scores of runs, significance of their differences; `foxir measures`: definitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from eval.measures import FAMILIES
from eval.measures.measure_names import measure_name
from eval.measures.measure_plan import TASKS, task_measures
from eval.measures.reference_page import as_dict, citations, page
from eval.scoring.request import DOCUMENT_FAMILIES, USUAL
from eval.statistics.significance_tests import TestName
from eval.statistics.testing_options import Correction
from foxir.evaluation.scoring import compare, score, score_usual
from foxir.terminal.command_class import FoxirCommand, headed_option
from foxir.terminal.console import print_json, print_notices, progress_bar
from foxir.terminal.exit_status import DONE, status
from foxir.terminal.options.evaluation_options import (
    MEASURES,
    TESTS,
    correction_option,
    level_option,
    named_measures,
    resampling_options,
    scoring_keywords,
    scoring_options,
    significance_test_option,
)
from foxir.terminal.options.options import (
    FILE,
    OUTPUT,
    jobs_option,
    json_option,
    judgements_argument,
    latex_option,
    markdown_option,
    plot_option,
    quiet_option,
    runs_argument,
)
from foxir.terminal.output_files import check_one_stdout
from foxir.terminal.score_output import BaselineTesting, Form, ScoreFiles, form_options


@click.command(
    name="eval",
    cls=FoxirCommand,
    usual="--index --topics --measures --per-topic --baseline --plot --json --latex --markdown --task",
)
@judgements_argument
@runs_argument()
@headed_option(
    MEASURES,
    "--measures",
    metavar="M,M",
    show_default=f"{','.join(USUAL)}, those that all runs can have",
    help=f"Measures (AP, P@10, inex_eval:AP) or families of them: {', '.join(FAMILIES)}.",
)
@headed_option(
    MEASURES, "--task", metavar="TASK", help=f"Measures and options of an INEX task instead: {', '.join(TASKS)}."
)
@scoring_options
@headed_option(
    TESTS, "--baseline", metavar="RUN", help="Mark the means that differ significantly from those of this run."
)
@significance_test_option(help="Test of differences from the baseline.", show_default="t")
@correction_option(show_default="holm")
@headed_option(OUTPUT, "--per-topic", is_flag=True, help="Print the score of every topic (-q of trec_eval).")
@headed_option(OUTPUT, "--details", is_flag=True, help="Print all points of long curves too.")
@headed_option(
    OUTPUT, "--csv", "csv_file", type=FILE, metavar="FILE", help="Write means and topics as CSV; '-' is stdout."
)
@latex_option
@markdown_option
@plot_option("Draw the scores")
@headed_option(OUTPUT, "--report", "page", type=FILE, metavar="FILE", help="Write everything to one HTML page.")
@json_option
@quiet_option
@jobs_option(1, "Number of processes, for many runs.")
def command(
    assessments: Path,
    runs: tuple[Path, ...],
    measures: str | None,
    task: str | None,
    per_topic: bool,
    details: bool,
    baseline: str | None,
    test: TestName | None,
    correction: Correction | None,
    csv_file: Path | None,
    latex: bool,
    markdown: bool,
    picture: Path | None,
    page: Path | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Score runs against relevance judgements.

    JUDGEMENTS is a folder or file of INEX XML (2002-2007), FOL qrels (2007-2010), or TREC qrels, which judge whole
    documents and suffice for --measures trec, or official, ndcg, P.5,10 ... of trec_eval. RUN is a run file in INEX
    XML, the text format of INEX 2009-2010, or TREC form.

    \b
    Examples:
      foxir eval topics/qrels.txt runs/*.xml --index demo.foxir --measures hixeval:AP,hixeval:F@10
      foxir eval topics/qrels.txt runs/scored.xml --index demo.foxir --measures hixeval --alpha 0,1 --at 5,10
      foxir eval runs/assessments runs/scored.xml --measures inex_eval --quant gen --measure-option esl=raghavan --json
      foxir eval runs/assessments runs/*.xml --index demo.foxir --baseline fulltext --report scores.html
    """
    form, files = Form(per_topic, details, as_json, latex, markdown), ScoreFiles(csv_file, picture, page)
    testing = BaselineTesting(baseline, test, correction)
    form.check()
    files.check(form)
    testing.check(form, files)
    with progress_bar(quiet=quiet) as progress:
        given["progress"] = progress
        if measures is not None:
            names = named_measures(measures)
            table = score(assessments, runs, names, **scoring_keywords(given, names))
        elif task is not None:
            table = score(assessments, runs, task=task, **scoring_keywords(given, task_measures(task).measures))
        else:
            table = score_usual(assessments, runs, **scoring_keywords(given, (*USUAL, *DOCUMENT_FAMILIES[:1])))
    testing = testing.of(table, runs)
    marks = testing.marks(table)
    files.write(table, str(assessments), testing)
    print_notices((*table.notices, *(marks.notices if marks else ())), quiet=quiet)
    if not files.use_stdout:
        form.print(table, marks)
    return status(table.notices)


@click.command(name="compare", cls=FoxirCommand)
@judgements_argument
@runs_argument("RUN RUN...")
@headed_option(
    MEASURES, "--measure", required=True, metavar="M", help="Measure to compare: AP, F@10, nxCG@25, inex_eval:AP ..."
)
@significance_test_option("t")
@correction_option("holm")
@level_option
@resampling_options
@scoring_options
@form_options
@quiet_option
def compare_command(
    assessments: Path, runs: tuple[Path, ...], measure: str, form: Form, quiet: bool, **given: Any
) -> int:
    """Test every pair of runs for a significant difference under one measure.

    \b
    Examples:
      foxir compare runs/assessments runs/scored.xml runs/fulltext.xml --measure AP --index demo.foxir
      foxir compare runs/assessments runs/*.xml --measure F@10 --index demo.foxir --test wilcoxon --correction holm
    """
    result = compare(assessments, runs, measure, **scoring_keywords(given, [measure]))
    form.print_result(result, quiet=quiet)
    return status(result.notices)


@click.command(name="measures", cls=FoxirCommand)
@click.argument("name", required=False)
@headed_option(OUTPUT, "--cite", is_flag=True, help="Print the publications that define it, or all, as BibTeX.")
@json_option
def measures_command(name: str | None, cite: bool, as_json: bool) -> int:
    """List the families of evaluation measures, or define one, named by itself or by a measure of it.

    A definition has formula, options and source.

    \b
    Examples:
      foxir measures
      foxir measures xcg
      foxir measures AiP --cite
    """
    families = [measure_name(name).family] if name else list(FAMILIES.values())
    check_one_stdout(("--cite", cite), ("--json", as_json))
    if cite:
        click.echo(citations(families), nl=False)
    elif as_json:
        document: Any = [as_dict(each) for each in families]
        print_json(document[0] if name else {"families": document})
    elif name:
        click.echo(page(families[0]).removeprefix("## ").replace("`", ""), nl=False)
    else:
        width = max(map(len, FAMILIES))
        for each in families:
            click.echo(f"{each.name:<{width}}  {each.line}")
        click.echo("\n'foxir measures NAME' shows the formula of one and its options.")
    return DONE
