"""`foxir explain`: why an element is an answer, or why not."""

from __future__ import annotations

from pathlib import Path

import click

from engine.explain.explain import explain
from engine.retrieval.stages import search_stages
from engine.settings import Settings
from foxir.cli.command_class import FoxirCommand, headed_option
from foxir.cli.console import print_json
from foxir.cli.control_characters import say, visible_line
from foxir.cli.exit_status import DONE
from foxir.cli.open_index import open_filled_index
from foxir.cli.options import OUTPUT, index_argument, json_option
from foxir.cli.query_argument import one_query_argument
from foxir.cli.search_options import settings_options


@click.command(name="explain", cls=FoxirCommand)
@index_argument
@one_query_argument
@click.argument("document", required=False)
@click.argument("path", required=False)
@headed_option(OUTPUT, "--stages", is_flag=True, help="Print the stages of the search instead, with counts and times.")
@settings_options
@json_option
def command(
    index: Path, query: str, document: str | None, path: str | None, stages: bool, settings: Settings, as_json: bool
) -> int:
    """Explain why an element is returned for a query, and at which rank, or why it is not.

    QUERY is one argument, or '-' to read it from stdin; DOCUMENT and PATH name the element as 'foxir search' prints it.
    With --stages, neither is needed.

    \b
    Examples:
      foxir explain demo.foxir 'fog signal range' jats/fx-006 '/article[1]/body[1]/sec[5]/p[1]'
      foxir explain demo.foxir 'fog signal range' jats/fx-006 '/article[1]/body[1]'
      foxir explain demo.foxir 'fog signal range' --stages
    """
    if stages:
        if document is not None:
            raise click.UsageError("--stages is about the whole search: leave DOCUMENT and PATH out.")
        return _print_stages(index, query, settings, as_json=as_json)
    if document is None or path is None:
        raise click.UsageError("Missing argument 'DOCUMENT' or 'PATH': name an element, or add --stages.")
    explanation = explain(open_filled_index(index), query, document, path, settings)
    if as_json:
        print_json(explanation.to_dict())
    else:
        say("\n".join(map(visible_line, explanation.lines())))
    return DONE


def _print_stages(index: Path, query: str, settings: Settings, *, as_json: bool) -> int:
    answers, stages = search_stages(open_filled_index(index), query, settings)
    if as_json:
        print_json(
            {
                "query": query,
                "interpretation": answers.interpretation,
                "stages": [stage.to_dict() for stage in stages],
                "seconds": round(answers.seconds, 6),
            }
        )
    else:
        for stage in stages:
            count = "" if stage.count is None else f"{stage.count:,}"
            say(visible_line(f"{stage.name:<10} {count:>7}  {stage.value}, {stage.milliseconds:.1f} ms"))
    return DONE
