"""`foxir export`: queries in, lines of JSON with the answers' texts out."""

from __future__ import annotations

from pathlib import Path

import click

from engine.answers.topic_run import topic_query
from engine.settings import Settings
from engine.topics import read_topics
from engine.wording import counted
from foxir.results.elements import NeighbourName
from foxir.searching.exporting import export, json_lines
from foxir.searching.token_budget import token_counter
from foxir.terminal.command_class import FoxirCommand, count_option, headed_option
from foxir.terminal.console import progress_bar, warn, warn_excluded
from foxir.terminal.control_characters import say
from foxir.terminal.exit_status import DONE, PARTLY
from foxir.terminal.options.options import (
    FILE,
    OUTPUT,
    index_argument,
    open_filled_index,
    out_option,
    quiet_option,
    topics_option,
)
from foxir.terminal.options.search_options import check_image_weight, neighbours_option, settings_options
from foxir.terminal.output_files import check_target, is_stdout, other_ending, write_whole

QUERIES, BUDGET = "Queries", "Budget"
MOST_NOTICES = 10  # about queries that are printed


@click.command(
    name="export",
    cls=FoxirCommand,
    usual="--queries --topics --out --jsonl --top --token-budget --tokenizer --word-budget --neighbours --unit",
)
@index_argument
@click.argument("topics", type=FILE, required=False)
@headed_option(QUERIES, "--queries", type=FILE, metavar="FILE", help="The queries, in place of TOPICS.")
@topics_option(QUERIES)
@out_option("Where to write.", required=False, default=Path("-"), show_default="stdout")
@headed_option(
    OUTPUT,
    "--jsonl/--json",
    "as_lines",
    default=True,
    show_default=False,
    help="A line of JSON for each query (the default), or one array of them all.",
)
@count_option(OUTPUT, "-n", "-k", "--top", default=10, help="Answers per query.")
@count_option(
    BUDGET, "--token-budget", default=None, help="Maximum tokens of all answers to a query; needs --tokenizer."
)
@headed_option(
    BUDGET,
    "--tokenizer",
    metavar="NAME",
    help="Counts tokens: a file tokenizer.json, an encoding of tiktoken (cl100k_base), or module:function.",
)
@neighbours_option("Elements around each answer, with their texts: parent, children, previous, next.")
@settings_options
@quiet_option
def command(
    index: Path,
    topics: Path | None,
    queries: Path | None,
    out: Path,
    as_lines: bool,
    only: str | None,
    top: int,
    token_budget: int | None,
    tokenizer: str | None,
    neighbours: tuple[NeighbourName, ...],
    settings: Settings,
    quiet: bool,
) -> int:
    """Write the answers to queries with their texts, a line of JSON for each query.

    TOPICS, or --queries, are the queries: text with one in each line, or an id, a tab and a query; or topics of INEX. A
    line has query_id, query and answers; an answer has its text, document, path, start, end, words, breadcrumb, score,
    rank and the checksum of the text; with --tokenizer, its tokens too. --word-budget bounds the words of all answers.
    Without a budget or --max-per-article, at most three are of one document while others have any.

    \b
    Examples:
      foxir export demo.foxir topics/co --unit sentence --out answers.jsonl
      foxir export demo.foxir --queries queries.txt --jsonl --word-budget 300
      foxir export demo.foxir queries.txt --unit sentence --neighbours parent,next --out answers.jsonl
      foxir export demo.foxir queries.txt --token-budget 2000 --tokenizer tokenizer.json --out answers.jsonl
    Not made by 'foxir demo': queries.txt, tokenizer.json.
    """
    if token_budget is not None and tokenizer is None:
        raise click.UsageError("--token-budget: needs --tokenizer, which counts the tokens.")
    named = topics or queries
    if named is None or None not in (topics, queries):
        raise click.UsageError("name the queries once, as TOPICS or with --queries FILE.")
    check_target(out)
    count_tokens = None if tokenizer is None else token_counter(tokenizer)
    found = read_topics(named, only)
    opened = open_filled_index(index)
    check_image_weight(opened.reader, (topic_query(topic, settings) for topic in found.topics), settings)
    with progress_bar(quiet=quiet) as progress:
        exported = export(
            opened,
            found,
            settings,
            k=top,
            token_budget=token_budget,
            count_tokens=count_tokens,
            neighbours=neighbours,
            progress=progress,
        )
        rows = list(exported)
    lines = list(json_lines(rows if as_lines else [rows]))
    write_whole(out, "".join(f"{line}\n" for line in lines))
    if other := _other_ending(out, as_lines=as_lines):
        warn(other, quiet=quiet)
    problems: list[object] = list(found.problems)
    problems += [f"topic '{row['query_id']}': {row['error']}" for row in rows if "error" in row]
    warn_excluded(problems, quiet=quiet)
    told = [f"topic '{row['query_id']}': {notice}" for row in rows for notice in row.get("notices", ())]
    for notice in [*found.notices, *told[:MOST_NOTICES]]:
        warn(notice, quiet=quiet)
    if (more := len(told) - MOST_NOTICES) > 0:
        warn(f"{more} more notices about queries are in the lines of JSON.", quiet=quiet)
    if not is_stdout(out):
        say(f"{out}: {counted(len(rows), 'query', 'queries')}")
    return PARTLY if problems else DONE


def _other_ending(out: Path, *, as_lines: bool) -> str:
    if as_lines:
        return other_ending(out, "lines of JSON", (".jsonl", ".ndjson"), "name it .jsonl, or write .json with --json")
    return other_ending(out, "an array of JSON", (".json",), "name it .json, or write .jsonl without --json")
