"""Every command that a message advises can be copied: its options exist, and what it requires is named."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from foxir.messages import command_line
from foxir.terminal.commands import COMMANDS
from tests.foxir.messages.examples import EXAMPLES

ROOT = Path(__file__).parents[3]
NAMES = "|".join(sorted(COMMANDS, key=len, reverse=True))
CALL = re.compile(rf"\bfoxir (?P<name>{NAMES})(?P<words>(?: +(?:'[^']*'|[^\s'\";:()]+))*)")
# An argument, not prose: a name in capitals, a path, a quotation, a value of the program (VALUE), `...` for more.
ARGUMENT = re.compile(r"'.*'|[A-Z_]{3,}|\S*[./]\S+|VALUE\S*")


class Advice(NamedTuple):
    """A command with its words in a text of a program, and where that is."""

    place: str
    name: str
    words: tuple[str, ...]


def advised() -> Iterator[Advice]:
    """Yield every command with arguments in texts of the packages that are not docstrings, and in sentences."""
    for example in EXAMPLES:
        yield from advised_in(command_line.sentence(example), example.code)
    for package in ("engine", "eval", "foxir"):
        for file in sorted((ROOT / package).rglob("*.py")):
            if file.name in ("reference_page.py",):  # a page of the documentation
                continue
            text = file.read_text("utf-8")
            if "foxir " not in text:
                continue
            nodes = list(ast.walk(ast.parse(text)))
            docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
            parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
            for node in nodes:
                if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in docstrings | parts:
                    yield from advised_in(text_of(node), f"{file.relative_to(ROOT)}:{node.lineno}")


def advised_in(text: str, place: str) -> Iterator[Advice]:
    for found in CALL.finditer(text):
        if words := words_of(found["name"], re.findall(r"'[^']*'|\S+", found["words"])):
            yield Advice(place, found["name"], words)


def text_of(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "VALUE" for part in node.values)
    return node.value if isinstance(node.value, str) else ""


def words_of(name: str, words: list[str]) -> tuple[str, ...]:
    """Return the first words that are of the command and not of the sentence around it."""
    options = {option: each for each in command_of(name).params for option in (*each.opts, *each.secondary_opts)}
    found: list[str] = []
    takes_value = False
    for word in words:
        option = options.get(word.rstrip(".,"))
        if not (takes_value or word.startswith("-") or ARGUMENT.fullmatch(word)):
            break
        found.append(word.strip("'").rstrip(".,"))
        takes_value = not takes_value and isinstance(option, click.Option) and not option.is_flag
        if word.endswith((".", ",")):
            break
    return tuple(found)


def command_of(name: str) -> click.Command:
    module, attribute = COMMANDS[name].place.split(":")
    command: click.Command = getattr(importlib.import_module(module), attribute)
    return command


def refusal(advice: Advice) -> str | None:
    """Return what the command says of the words that are advised, None where it takes them."""
    try:
        command_of(advice.name).make_context(advice.name, [word for word in advice.words if word != "..."])
    except click.UsageError as error:
        return f"{advice.place}: foxir {advice.name} {' '.join(advice.words)}: {error.format_message()}"
    return None


@pytest.mark.long
def test_advised_commands_can_be_copied() -> None:
    found = list(dict.fromkeys(advised()))

    assert len(found) > 20
    assert {"index", "info", "eval", "judgements check", "runs convert"} <= {advice.name for advice in found}
    assert [refused for advice in found if (refused := refusal(advice))] == []
