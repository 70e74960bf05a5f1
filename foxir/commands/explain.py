"""`foxir explain`: why an element is an answer, or why not."""

from __future__ import annotations

from pathlib import Path

import click

from engine.index.elements.element_lookup import STRETCH
from engine.settings import Settings
from foxir.searching.example_images import images_of
from foxir.searching.opened_index import search_stages
from foxir.terminal.command_class import headed_option
from foxir.terminal.console import print_json
from foxir.terminal.control_characters import say, visible_line
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import OUTPUT, image_option, index_argument, json_option, open_filled_index
from foxir.terminal.options.query_argument import QueryCommand, typed_query
from foxir.terminal.options.search_options import check_image_weight, settings_options


@click.command(
    name="explain",
    cls=QueryCommand,
    usual="--stages --similarity --answers --unit --in --where --syntax --rank-by --synonyms --settings",
)
@index_argument
@click.argument("words", nargs=-1, required=True, metavar="QUERY... DOCUMENT PATH")
@image_option
@headed_option(OUTPUT, "--stages", is_flag=True, help="Print the stages of the search instead, with counts and times.")
@settings_options
@json_option
def command(
    index: Path, words: tuple[str, ...], images: tuple[str, ...], stages: bool, settings: Settings, as_json: bool
) -> int:
    """Explain why an element is returned for a query, and at which rank, or why it is not.

    QUERY is as in 'foxir search'; DOCUMENT and PATH, the last two arguments, name the element as 'foxir search' prints
    it; PATH may be '#ID' (xml:id or id), or OFFSET:LENGTH: the characters of an answer, or of any text, whose smallest
    element is then explained. With --stages, all arguments are the query; 'foxir search' computes some stages together,
    with the same answers in less time.

    \b
    Examples:
      foxir explain demo.foxir 'fog signal range' jats/fx-006 '/article[1]/body[1]/sec[5]/p[1]'
      foxir explain demo.foxir fog signal range jats/fx-006 '/article[1]/body[1]'
      foxir explain demo.foxir fog signal range jats/fx-006 5456:27
      foxir explain demo.foxir 'fog signal range' --stages
    """
    if stages:
        if len(words) > 2 and words[-1].startswith("/"):
            raise click.UsageError("--stages is about the whole search: leave DOCUMENT and PATH out.")
        return _print_stages(index, typed_query(words), images, settings, as_json=as_json)
    *query, document, path = ("", "", *words)
    if not (query[2:] or (images and document)) or not _is_place(path):
        raise click.UsageError(
            f"the last argument is '{path}', expected DOCUMENT and PATH after the query, as 'foxir search' prints "
            "them: jats/fx-006 '/article[1]/body[1]', or OFFSET:LENGTH, such as 5456:27. Or add --stages."
        )
    opened, asked = open_filled_index(index), typed_query(query[2:])
    check_image_weight(opened.reader, [asked], settings, images)
    explanation = opened.explain(asked, document, path, settings, image=images)
    if as_json:
        print_json(explanation.to_dict())
    else:
        say("\n".join(map(visible_line, explanation.lines())))
    return DONE


def _is_place(path: str) -> bool:
    return path.startswith(("/", "#")) or STRETCH.fullmatch(path) is not None


def _print_stages(index: Path, query: str, images: tuple[str, ...], settings: Settings, *, as_json: bool) -> int:
    opened = open_filled_index(index)
    check_image_weight(opened.reader, [query], settings, images)
    found = search_stages(opened, query, settings, images_of(images))
    if as_json:
        print_json(
            {
                "query": query,
                "interpretation": found.interpretation,
                "stages": [stage.to_dict() for stage in found.stages],
                "seconds": round(found.seconds, 6),
            }
        )
    else:
        for stage in found.stages:
            count = "" if stage.count is None else f"{stage.count:,}"
            say(visible_line(f"{stage.name:<10} {count:>7}  {stage.value}, {stage.milliseconds:.1f} ms"))
        if dropped := found.dropped_words:
            say(visible_line(f"{'dropped':<10} {len(dropped):>7}  function words of the query: {', '.join(dropped)}"))
    return DONE
