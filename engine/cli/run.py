"""`foxir run`: topics in, a run file out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click

from engine.cli.console import counted, index_argument, json_option, print_json, progress_bar, quiet_option, warn
from engine.cli.files import check_target, make_folder
from engine.cli.grouped import GroupedCommand
from engine.cli.main import DONE, PARTLY
from engine.cli.opening import open_filled_index
from engine.cli.options import settings_options
from engine.errors import TopicError
from engine.runs import write_run
from engine.settings import Settings
from engine.tasks import TASKS
from engine.topic_run import run_topics
from engine.topics import TopicProblem, read_topics

MOST_NAMED = 20  # topics without an answer; `--json` has all


@click.command(name="run", cls=GroupedCommand)
@index_argument
@click.argument("topics", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The run file.")
@click.option("--task", metavar="TASK", help=f"Settings of a task: {', '.join(TASKS)}.")
@click.option("--run-id", metavar="ID", help="Name of the run.  [the file's name]")
@click.option("--format", "format_", type=click.Choice(["inex", "fol", "trec"]), default="inex", show_default=True)
@click.option("--topics", "only", metavar="99,101-110", help="Only these topics.")
@settings_options
@json_option
@quiet_option
def command(
    index: Path,
    topics: Path,
    out: Path,
    task: str | None,
    run_id: str | None,
    format_: Literal["inex", "fol", "trec"],
    only: str | None,
    settings: Settings,
    as_json: bool,
    quiet: bool,
) -> int:
    """Answer all topics of a file or folder and write a run file.

    TOPICS are INEX topics of any year, or text: a query a line, or an id, a tab and a query. The run file says how it
    was made.

    \b
      foxir run wiki.foxir topics/co --out runs/tpf.xml --answers nCRE --heuristic TPF
      foxir run wiki.foxir topics/co --out runs/h.xml --named H-oCRE-MpE
      foxir run wiki.foxir queries.txt --out runs/a.fol --format fol --task CO.Focussed
    """
    check_target(out)
    opened = open_filled_index(index)
    found = read_topics(topics, only)
    with progress_bar(quiet=quiet) as progress:
        run, problems = run_topics(
            opened,
            found.topics,
            settings,
            run_id=run_id or out.name.partition(".")[0],
            task=task or "",
            with_offsets=format_ == "fol",
            progress=progress,
        )
    problems = [*found.problems, *problems]
    if not run.rankings:
        raise TopicError(_none_answered(problems, only))
    make_folder(out.parent)
    write_run(run, out, format_)
    for problem in problems:
        warn(str(problem), quiet=quiet)
    empty = [topic for topic, ranking in run.rankings.items() if not len(ranking)]
    if empty:
        warn(f"without an answer: {_named(empty)}", quiet=quiet)
    document = {
        "run": run.run_id,
        "file": str(out),
        "format": format_,
        "topics": len(run.rankings),
        "results": run.n_results,
        "without_answers": empty,
        "problems": [str(problem) for problem in problems],
        "settings": settings.to_dict(),
    }
    if as_json:
        print_json(document)
    else:
        click.echo(f"{out}: {counted(run.n_results, 'result')} for {counted(len(run.rankings), 'topic')}")
    return PARTLY if problems else DONE


def _none_answered(problems: Sequence[TopicProblem], only: str | None) -> str:
    """Return why there is no run: the first topic that was asked for, before files that hold none."""
    n_topics = len({problem.topic_id for problem in problems if problem.topic_id})
    first = next((problem for problem in problems if problem.topic_id), problems[0])
    asked = f" among '{only}'" if only is not None else ""
    if n_topics > 1:
        return f"none of {n_topics} topics{asked} can be answered, the first is {first}"
    return f"no topic{asked} can be answered: {first}"


def _named(topics: Sequence[str]) -> str:
    """Return topics by their ids, in a list that stays short."""
    more = f" and {len(topics) - MOST_NAMED} more" if len(topics) > MOST_NAMED else ""
    return f"topic{'s' if len(topics) > 1 else ''} {', '.join(topics[:MOST_NAMED])}{more}"
