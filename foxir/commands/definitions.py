"""`foxir profile`, `foxir named`, `foxir similarity`: what the names of settings mean."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from engine.collection.profiles.profile import AUTO, INFERRED, NONE
from engine.collection.profiles.profile_files import load_profile, profile_names, profile_text
from engine.errors import ProfileError
from engine.index.generation import is_index
from engine.index.reader import open_reader
from engine.settings.settings import Settings
from engine.settings.tasks import NAMED, named_settings
from engine.similarity.description import BLOCK, as_dict, prefix
from engine.similarity.expression import Expression
from engine.similarity.named_expressions import NAMED_PRESETS, OURS, TABLE_A9, Approach, named_expression
from engine.wording import counted
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.console import print_json
from foxir.terminal.control_characters import say
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import json_option


@click.command(name="profile", cls=FoxirCommand)
@click.argument("name", required=False, metavar="[NAME|FILE|INDEX]")
@click.option("--root", metavar="TAG", help="Of an index: the vocabulary with this root, where there are several.")
def profile_command(name: str | None, root: str | None) -> int:
    """List the profiles, or print one as a TOML file: a known one, or what an index has inferred of its tags.

    A profile says what the tags of a vocabulary mean. To change one, print it into a file and edit that, or write a
    file that begins with extends = "tei": its lists are added to those of the profile, a name after - is removed.

    \b
    Examples:
      foxir profile
      foxir profile tei
      foxir profile letters.foxir
      foxir index my.foxir letters --profile my.toml
    Not made by 'foxir demo': letters, letters.foxir, my.toml.
    """
    if name is None:
        names = ", ".join(each for each in profile_names() if each not in (AUTO, NONE))
        say(
            f"{AUTO}: chooses one of the others for each document, by its root element\n"
            f"{NONE}: no tag is inline, skipped or a title\n"
            f"vocabularies: {names}"
        )
        return DONE
    say((_of_index(Path(name), root) if is_index(Path(name)) else profile_text(load_profile(name))).rstrip("\n"))
    return DONE


def _of_index(index: Path, root: str | None) -> str:
    """Return the inferred profile of an index as a TOML file; with several vocabularies, that of the root's tag."""
    inferred = open_reader(index).profile.inferred or ()
    found = [each for each in inferred if root in (None, each.root) and each.profile.name.startswith(INFERRED)]
    roots = ", ".join(dict.fromkeys(each.root for each in inferred if each.profile.name.startswith(INFERRED)))
    if not found:
        what = f"nothing about the root '{root}' (known roots: {roots or 'none'})" if root else "nothing"
        raise ProfileError(f"{index}: {what} was inferred: known profiles name its tags, or it was built without.")
    if len(found) > 1:
        raise ProfileError(f"{index}: has several inferred vocabularies: add --root with one of {roots}.")
    return f"# Inferred from {counted(found[0].documents, 'document')} with the root {found[0].root}.\n" + profile_text(
        found[0].profile
    )


@click.command(name="named", cls=FoxirCommand)
@json_option
def named_command(as_json: bool) -> int:
    """List the runs of the thesis that --named reproduces, with the settings in which each differs.

    \b
    Examples:
      foxir named
      foxir run demo.foxir topics/co --named H-oCRE-MpE --out runs/thesis.xml
    """
    settings = {name: Settings.from_options(**named_settings(name)).to_dict() for name in NAMED}
    if as_json:
        print_json({"runs": [{"run": name, "settings": each} for name, each in settings.items()]})
        return DONE
    shared = _shared(list(settings.values()))
    width = max(map(len, settings))
    for name, each in settings.items():
        click.echo(f"{name:<{width}}  {_listed({key: value for key, value in each.items() if key not in shared})}")
    click.echo(f"\nAll of them: {_listed(shared)}")
    return DONE


def _shared(settings: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the settings that have one value in all runs."""
    return {key: value for key, value in settings[0].items() if all(each.get(key) == value for each in settings)}


def _listed(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())


GROUPS = {"Table A.9 of the thesis": TABLE_A9, "Presets that rank articles": NAMED_PRESETS, "Ours": OURS}
WIDEST = 120


@click.command(name="similarity", cls=FoxirCommand)
@click.argument("expression", required=False, metavar="[NAME|Q-EXPRESSION]")
@json_option
def similarity_command(expression: str | None, as_json: bool) -> int:
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
    if not definition["letters"]:
        yield from _terms(definition, prefix(expression))
        yield from ("Try", f"  {definition['example']}")
        return
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
        for name, each in shown:
            yield f"  {name:<{width}}  {each['line']}; {_legal(each['legal'])}" if each["legal"] else f"  {name}"
        yield ""


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _legal(legal: list[Any]) -> str:
    return " or ".join(legal) if isinstance(legal[0], str) else f"{legal[0]:g} to {legal[1]:g}"


def _wrapped(begin: str, text: str) -> list[str]:
    width = max(60, min(WIDEST, shutil.get_terminal_size((WIDEST, 0)).columns))
    return textwrap.wrap(text, width, initial_indent=begin, subsequent_indent=" " * len(begin), break_long_words=False)
