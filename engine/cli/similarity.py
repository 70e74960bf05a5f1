"""`foxir similarity`: which scoring approaches there are, and what one computes, letter by letter."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import Any

import click

from engine.cli.console import json_option, print_json
from engine.cli.main import DONE
from engine.similarity.approaches import OURS, PRESETS, TABLE_A9, Approach, named_expression
from engine.similarity.explanation import BLOCK, as_dict, prefix
from engine.similarity.expression import Expression

GROUPS = {
    "Table A.9 of the thesis": TABLE_A9,
    "Presets that rank articles": PRESETS,
    "Ours": OURS,
}
WIDEST = 120


@click.command(name="similarity")
@click.argument("expression", required=False, metavar="[NAME|Q-EXPRESSION]")
@json_option
def command(expression: str | None, as_json: bool) -> int:
    """List scoring approaches, or say what one computes: every letter in words, the whole formula, its parameters.

    \b
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
    told = as_dict(expression)
    yield f"{told['name']}  {told['expression']}" if told["name"] else told["expression"]
    yield f"scores {told['scores']}"
    yield ""
    yield from _wrapped("  S = ", told["formula"])
    yield ""
    symbols = [each["symbol"] for each in told["letters"]]
    formulas = [each["formula"] for each in told["letters"]]
    widths = max(map(len, symbols)), max(len(each) for each in formulas if len(each) <= 44)
    part = None
    for each in told["letters"]:
        if each["part"] != part and len({other["part"] for other in told["letters"]}) > 1:
            part = each["part"]
            yield f"  {HEADINGS[part]}"
        told_as = each["line"] + ("" if each["origin"] == "given" else f" ({each['origin']})")
        begin = f"  {each['letter']}  {each['symbol']:<{widths[0]}} = "
        if len(each["formula"]) <= widths[1]:
            yield f"{begin}{each['formula']:<{widths[1]}}   {told_as}"
        else:
            yield f"{begin}{each['formula']}"
            yield f"{'':<{len(begin) + widths[1]}}   {told_as}"
    yield ""
    yield from _terms(told, prefix(expression))
    yield "Try"
    yield f"  {told['example']}"
    if notes := [note for origin, note in NOTES.items() if any(each["origin"] == origin for each in told["letters"])]:
        yield ""
        yield from notes


NOTES = {
    "rebuilt": "rebuilt: its table is lost from the thesis's text; docs/similarity.md says from what.",
    "ours": "ours: an extension, no letter of the thesis.",
}


HEADINGS = {
    "C": "constructed",
    "D": "from documents",
    "T": "from text nodes",
    "E": "from element nodes",
}


def _terms(told: dict[str, Any], before: str) -> Iterator[str]:
    """Yield the symbols and the parameters, whose names as settings have something before them."""
    if told["symbols"]:
        width = max(len(each["symbol"]) for each in told["symbols"])
        yield "Symbols"
        yield from (f"  {each['symbol']:<{width}}  {each['meaning']}" for each in told["symbols"])
        yield ""
    if told["parameters"]:
        shown = [(f"{each['name']}={_value(each['default'])}", each) for each in told["parameters"]]
        width = max(len(name) for name, _ in shown)
        has_block = any(each["name"] == BLOCK for each in told["parameters"])
        yield f"Parameters (--set {before}NAME=VALUE{'; the block: --set block=WORDS|0.8x' if has_block else ''})"
        yield from (f"  {name:<{width}}  {each['line']}; {_legal(each['legal'])}" for name, each in shown)
        yield ""


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _legal(legal: list[Any]) -> str:
    return " or ".join(legal) if isinstance(legal[0], str) else f"{legal[0]:g} to {legal[1]:g}"


def _wrapped(begin: str, text: str) -> list[str]:
    width = max(60, min(WIDEST, shutil.get_terminal_size((WIDEST, 0)).columns))
    return textwrap.wrap(text, width, initial_indent=begin, subsequent_indent=" " * len(begin), break_long_words=False)
