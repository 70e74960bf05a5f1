"""`foxir show`: a document, an element or a stretch of text, as text or as the XML it was read from."""

from __future__ import annotations

from pathlib import Path

import click

from engine.wording import counted
from foxir.results.shown_text import ShownText, find_text
from foxir.terminal.command_class import FoxirCommand, count_option, headed_option
from foxir.terminal.console import print_json
from foxir.terminal.control_characters import visible, visible_line
from foxir.terminal.exit_status import DONE
from foxir.terminal.open_index import open_filled_index
from foxir.terminal.options.options import OUTPUT, index_argument, json_option


@click.command(name="show", cls=FoxirCommand)
@index_argument
@click.argument("document", metavar="DOCUMENT")
@click.argument("place", required=False, metavar="[PATH|ID|OFFSET:LENGTH]")
@headed_option(OUTPUT, "--text", "text_only", is_flag=True, help="Print the text alone, without a heading.")
@headed_option(OUTPUT, "--xml", "as_xml", is_flag=True, help="Print the XML of the element as written in the source.")
@count_option(OUTPUT, "--context", minimum=0, default=0, help="Number of characters to print before and after it.")
@json_option
def command(
    index: Path, document: str, place: str | None, text_only: bool, as_xml: bool, context: int, as_json: bool
) -> int:
    """Show a document, one of its elements, or a stretch of its text.

    DOCUMENT and PATH are as 'foxir search' prints them; a step without a number is the first of its name. ID is an
    xml:id or id. OFFSET:LENGTH are characters of the document's text; --xml then prints the smallest element around
    them. The text is that of the index; --xml reads the source, which must not have changed since.

    \b
    Examples:
      foxir show demo.foxir jats/fx-006 '/article[1]/body[1]/sec[5]/p[1]'
      foxir show demo.foxir jats/fx-006 /article/body/sec --text
      foxir show demo.foxir jats/fx-006 s3a
      foxir show demo.foxir jats/fx-006 5456:27 --context 80
      foxir show demo.foxir jats/fx-006 '/article[1]/body[1]/sec[5]/p[1]' --xml
    """
    if as_xml and text_only:
        raise click.UsageError("--xml and --text are two forms of the same element: choose one.")
    if as_xml and context:
        raise click.UsageError("--context adds text before and after, which --xml does not print: leave one out.")
    opened = open_filled_index(index)
    shown = find_text(opened.reader, document, place)
    if as_xml:
        source = shown.element.source()
        if as_json:
            print_json({**shown.to_dict(0), **source._asdict()})
        else:
            click.echo(visible(source.xml))
    elif as_json:
        print_json(shown.to_dict(context))
    else:
        if not text_only:
            click.echo(_heading(shown))
        before, text, after = (visible(part) for part in shown.readable_texts(context))
        marked = click.style(text, bold=True) if before or after else text
        click.echo(f"{before}{marked}{after}")
    return DONE


def _heading(shown: ShownText) -> str:
    """Return the place of the text, in lines as those of 'foxir search'."""
    element = shown.element
    head = f"{click.style(visible_line(element.document), bold=True)} {visible_line(element.path)}"
    facts = f"characters {shown.start}-{shown.end}"
    if shown.is_element:
        facts += f" · {counted(element.words, 'word')}"
    facts += f" · profile {shown.index.profile_of(shown.number).name}"
    lines = [head, click.style(f"     {visible_line(facts)}", dim=True)]
    if element.breadcrumb:
        lines.append("     " + " › ".join(map(visible_line, element.breadcrumb)))
    return "\n".join([*lines, ""])
