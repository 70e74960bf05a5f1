"""`foxir run`: topics in, a run file out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from engine.answers.topic_run import topic_query, topic_search
from engine.errors import TopicError
from engine.notices import Notice, about
from engine.runs import format_of, n_written, read_run, write_run
from engine.runs.run_files import Format
from engine.settings import TASKS, Settings
from engine.topics import Topic, TopicProblem, read_topics
from engine.wording import counted
from foxir.searching.opened_index import Index, answered_topics
from foxir.searching.run_origin import RunChoices, difference
from foxir.terminal.command_class import FoxirCommand, headed_option
from foxir.terminal.console import print_json, progress_bar, warn, warn_excluded
from foxir.terminal.control_characters import say
from foxir.terminal.exit_status import DONE, PARTLY
from foxir.terminal.options.options import (
    OUTPUT,
    index_argument,
    jobs_option,
    json_option,
    open_filled_index,
    out_option,
    quiet_option,
    topics_argument,
    topics_option,
)
from foxir.terminal.options.search_options import check_image_weight, settings_options
from foxir.terminal.output_files import (
    check_one_stdout,
    check_target,
    is_stdout,
    is_stream,
    other_run_ending,
    written_file,
)

# What a file's name loses to become the identifier of the run: `runs/v1.3.fol.gz` is v1.3.
ENDINGS = (".xml", ".fol", ".trec", ".txt", ".run")
MOST_NOTICES = 5
MOST_REASONS, MOST_NAMED = 5, 20  # topics without an answer: those with a reason, and other ids; `--json` has all ids


@click.command(
    name="run",
    cls=FoxirCommand,
    usual="--out --format --topics --topic-fields --task --like --run-id --unit --max-answers --settings",
)
@index_argument
@topics_argument
@topics_option("Topics and task")
@headed_option("Topics and task", "--task", metavar="TASK", help=f"Settings of an INEX task: {', '.join(TASKS)}.")
@headed_option(
    "Topics and task",
    "--topic-fields",
    metavar="FIELDS",
    help="Fields of topics that make the query, with weights: title^2,desc,narr.",
)
@headed_option(
    "Sets of settings",
    "--like",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="A run file whose settings, task, scores and topic fields are used; a notice says where the index differs.",
)
@out_option("The run file.")
@headed_option(OUTPUT, "--run-id", metavar="ID", show_default="the file's name", help="Identifier of the run.")
@headed_option(
    OUTPUT,
    "--format",
    "format_",
    type=click.Choice(get_args(Format)),
    show_default="by the name: .fol, .trec, else inex",
    help="INEX XML, the text format of INEX 2009-2010, or TREC (documents only).",
)
@headed_option(
    OUTPUT,
    "--scores",
    "with_scores",
    is_flag=True,
    help="Write the scores of elements as rsv, instead of numbers that fall evenly with the rank.",
)
@jobs_option(os.cpu_count() or 1, "Number of processes, where topics are many.", show_default="all cores")
@settings_options
@json_option
@quiet_option
def command(
    index: Path,
    topics: Path,
    out: Path,
    task: str | None,
    run_id: str | None,
    format_: Format | None,
    with_scores: bool,
    only: str | None,
    topic_fields: str | None,
    like: Path | None,
    jobs: int,
    settings: Settings,
    as_json: bool,
    quiet: bool,
) -> int:
    """Answer all topics of a file or folder and write a run file.

    TOPICS are topics of INEX or TREC, a table with a header (qid,query), JSON with a topic per line, or text: a query
    in each line, or an id, a tab and a query. An INEX run file records what made it: settings, foxir's version, and how
    the index was made; beside .fol and .trec, a file .json does. --like repeats a run.

    \b
    Examples:
      foxir run demo.foxir topics/co --out runs/default.xml
      foxir run demo.foxir topics/co --out runs/thesis.xml --named H-oCRE-MpE
      foxir run demo.foxir topics/co --out runs/again.xml --like runs/thesis.xml
      foxir run demo.foxir topics/co --topics 1-3 --task CO.Focussed --format trec --out -
    """
    check_one_stdout(("--json", as_json), ("--out", is_stdout(out)))
    check_target(out)
    chosen = format_ or format_of(out)
    opened = open_filled_index(index)
    former = None if like is None else read_run(like)
    given = RunChoices(task or "", with_scores, topic_fields or "").like(former)
    found = given.queries(read_topics(topics, only), settings)
    check_image_weight(opened.reader, (topic_query(topic, settings) for topic in found.topics), settings)
    with progress_bar(quiet=quiet) as progress:
        run, problems = answered_topics(
            opened,
            found.topics,
            settings,
            run_id=run_id or ("foxir" if is_stream(out) else _run_id(out.name)),
            task=given.task,
            with_offsets=chosen == "fol",
            with_scores=given.with_scores,
            topic_fields=given.topic_fields,
            jobs=jobs,
            progress=progress,
        )
    problems = [*found.problems, *problems]
    if not run.rankings:
        raise TopicError(_none_answered(problems, only))
    with written_file(out) as file:
        write_run(run, file, chosen)
    if other := other_run_ending(out, format_):
        warn(other, quiet=quiet)
    differs = None if former is None else difference(former, run)
    if differs is not None:
        warn(differs, quiet=quiet)
    warn_excluded(problems, quiet=quiet, are_in_json=as_json)
    for doubt in found.notices:
        warn(doubt, quiet=quiet)
    for notice in run.notices[:MOST_NOTICES]:
        warn(notice, quiet=quiet)
    if len(run.notices) > MOST_NOTICES:
        warn(f"{len(run.notices) - MOST_NOTICES} more notices about queries; --json has all.", quiet=quiet)
    empty = [topic for topic, ranking in run.rankings.items() if not len(ranking)]
    without = set(empty[:MOST_REASONS])
    for topic in found.topics:
        if topic.topic_id in without:
            warn(_why_empty(opened, topic, settings), quiet=quiet)
    if more := empty[MOST_REASONS:]:
        warn(f"no answer either: {_named(more)}", quiet=quiet)
    n_results = n_written(run, chosen)
    document = {
        "run": run.run_id,
        "file": str(out),
        "format": chosen,
        "topics": len(run.rankings),
        "results": n_results,
        "without_answers": empty,
        "problems": problems,
        "notices": [*([] if differs is None else [differs]), *found.notices, *run.notices],
        "settings": settings.to_dict(),
        "origin": dict(run.origin),
    }
    if as_json:
        print_json(document)
    elif not is_stdout(out):
        others = f", of {run.n_results:,} results," if n_results < run.n_results else ""
        what = "document" if chosen == "trec" else "result"
        say(f"{out}: {counted(n_results, what)}{others} for {counted(len(run.rankings), 'topic')}")
    return PARTLY if problems else DONE


def _none_answered(problems: Sequence[TopicProblem], only: str | None) -> Notice:
    """Return why there is no run: by the first requested topic, else by the first file without topics."""
    n_topics = len({problem.topic_id for problem in problems if problem.topic_id})
    first = next((problem for problem in problems if problem.topic_id), problems[0])
    return Notice("no_topic_answered", {"topics": max(1, n_topics), "only": only or "", "first": first.notice})


def _why_empty(index: Index, topic: Topic, settings: Settings) -> Notice:
    """Return why a topic has no answers, with its query."""
    answers = index.search(*topic_search(topic, settings))
    return about(f"topic {topic.topic_id}, {answers.query!r}", answers.reason or "")


def _named(topics: Sequence[str]) -> str:
    """Return topic ids, the first MOST_NAMED of them."""
    more = f" and {len(topics) - MOST_NAMED} more" if len(topics) > MOST_NAMED else ""
    return f"topic{'s' if len(topics) > 1 else ''} {', '.join(topics[:MOST_NAMED])}{more}"


def _run_id(name: str) -> str:
    """Return the name of a run file without what says its format, the whole name if nothing else is left."""
    stem = name[:-3] if name.lower().endswith(".gz") else name
    ending = next((ending for ending in ENDINGS if stem.lower().endswith(ending)), "")
    return stem[: len(stem) - len(ending)] or name
