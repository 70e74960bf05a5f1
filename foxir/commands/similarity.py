"""`foxir similarity`: the similarity functions and their definitions, letter by letter."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import Any

import click

from engine.similarity.description import BLOCK, as_dict, prefix
from engine.similarity.expression import Expression
from engine.similarity.named_expressions import NAMED_PRESETS, OURS, TABLE_A9, Approach, named_expression
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.console import print_json
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import json_option

GROUPS = {"Table A.9 of the thesis": TABLE_A9, "Presets that rank articles": NAMED_PRESETS, "Ours": OURS}
WIDEST = 120


@click.command(name="similarity", cls=FoxirCommand)
@click.argument("expression", required=False, metavar="[NAME|Q-EXPRESSION]")
@json_option
def command(expression: str | None, as_json: bool) -> int:
    """List similarity functions, or show the definition of one: its formula, every letter in words, its parameters.

    \b
    Examples:
      foxir similarity
      foxir similarity multinomial
      foxir similarity 'C[FC]--T[EA-AHA-AAA]'
    """
    if expression is None:
        if as_json:
            print_json({"approaches": [_row(group, each) for group, rows in GROUPS.items() for each in rows]})
        else:
            click.echo("\n".join(_list()))
        return DONE
    found = named_expression(expression)
    if as_json:
        print_json(as_dict(found))
    else:
        click.echo("\n".join(_page(found)))
    return DONE


def _row(group: str, approach: Approach) -> dict[str, str]:
    return {
        "name": approach.name,
        "expression": approach.expression,
        "line": approach.line,
        "group": group,
        "source": approach.source,
    }


def _list() -> Iterator[str]:
    for group, rows in GROUPS.items():
        yield group
        for name, line, expression, source in rows:
            yield f"  {name:<19}  {expression:<35}  {line}" + (f" ({source})" if source != "foxir" else "")
        yield ""
    yield "D[...] scores documents, T[...] text nodes, E[...] element nodes; C[...] constructs scores of elements."
    yield "foxir similarity NAME or foxir similarity 'D[BB-ABF-BAA]' says what one computes."


def _page(expression: Expression) -> Iterator[str]:
    definition = as_dict(expression)
    yield f"{definition['name']}  {definition['expression']}" if definition["name"] else definition["expression"]
    yield f"scores {definition['scores']}"
    yield ""
    yield from _wrapped("  S = ", definition["formula"])
    yield ""
    symbols = [each["symbol"] for each in definition["letters"]]
    formulas = [each["formula"] for each in definition["letters"]]
    widths = max(map(len, symbols)), max(len(each) for each in formulas if len(each) <= 44)
    part = None
    for each in definition["letters"]:
        if each["part"] != part and len({other["part"] for other in definition["letters"]}) > 1:
            part = each["part"]
            yield f"  {HEADINGS[part]}"
        explanation = each["line"] + ("" if each["origin"] == "given" else f" ({each['origin']})")
        begin = f"  {each['letter']}  {each['symbol']:<{widths[0]}} = "
        if len(each["formula"]) <= widths[1]:
            yield f"{begin}{each['formula']:<{widths[1]}}   {explanation}"
        else:
            yield f"{begin}{each['formula']}"
            yield f"{'':<{len(begin) + widths[1]}}   {explanation}"
    yield ""
    yield from _terms(definition, prefix(expression))
    yield "Try"
    yield f"  {definition['example']}"
    if notes := [
        note for origin, note in NOTES.items() if any(each["origin"] == origin for each in definition["letters"])
    ]:
        yield ""
        yield from notes


NOTES = {
    "rebuilt": "rebuilt: its table is lost from the thesis's text; see bench/notebook/similarity_sources.md.",
    "ours": "ours: an extension, not a letter of the thesis.",
}


HEADINGS = {"C": "constructed", "D": "from documents", "T": "from text nodes", "E": "from element nodes"}


def _terms(definition: dict[str, Any], before: str) -> Iterator[str]:
    """Yield the symbols and the parameters; settings prefix the parameters' names (`element_`)."""
    if definition["symbols"]:
        width = max(len(each["symbol"]) for each in definition["symbols"])
        yield "Symbols"
        yield from (f"  {each['symbol']:<{width}}  {each['meaning']}" for each in definition["symbols"])
        yield ""
    if definition["parameters"]:
        shown = [(f"{each['name']}={_value(each['default'])}", each) for each in definition["parameters"]]
        width = max(len(name) for name, _ in shown)
        has_block = any(each["name"] == BLOCK for each in definition["parameters"])
        yield f"Parameters (--param {before}NAME=VALUE{'; block: --block-words' if has_block else ''})"
        yield from (f"  {name:<{width}}  {each['line']}; {_legal(each['legal'])}" for name, each in shown)
        yield ""


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _legal(legal: list[Any]) -> str:
    return " or ".join(legal) if isinstance(legal[0], str) else f"{legal[0]:g} to {legal[1]:g}"


def _wrapped(begin: str, text: str) -> list[str]:
    width = max(60, min(WIDEST, shutil.get_terminal_size((WIDEST, 0)).columns))
    return textwrap.wrap(text, width, initial_indent=begin, subsequent_indent=" " * len(begin), break_long_words=False)
