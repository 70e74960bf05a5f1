"""The help lists the usual options of a command, and all where these are asked for."""

from __future__ import annotations

import re

import click
import pytest

from foxir.terminal.command_class import GENERAL, USUAL
from tests.foxir.commands.command import foxir
from tests.foxir.commands.test_cli_names import command_of

OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def sections_of(shown: str) -> list[tuple[str, set[str]]]:
    """Return the headings of options in a help, and the options in their rows."""
    found = re.split(r"\n(?=[A-Z][\w ]+:\n  +-)", shown)[1:]
    rows = ["\n".join(re.findall(r"^  -.*", each, re.MULTILINE)) for each in found]
    return [(each.partition(":")[0], set(OPTION.findall(row))) for each, row in zip(found, rows, strict=True)]


@pytest.mark.parametrize("name", ["search", "explain", "run", "export", "tune", "chunks eval", "index", "eval"])
def test_the_help_has_ten_options_and_help_all_has_all_of_them(name: str) -> None:
    (usual, first), (general, rest) = sections_of(foxir(*name.split(), "--help").out)
    (usual_of_all, same), *others = sections_of(foxir(*name.split(), "--help-all").out)
    command = command_of(name)
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]

    assert (usual, usual_of_all, general, others[-1][0]) == (USUAL, USUAL, GENERAL, GENERAL)
    assert first == same
    assert len([each for each in options if first & {*each.opts}]) == 10
    assert rest == {"--help", "--help-all"} <= others[-1][1]
    assert {max(each.opts, key=len) for each in options} <= set.union(same, *(listed for _, listed in others))


def test_a_command_of_few_options_shows_them_all_by_either_name() -> None:
    assert foxir("show", "--help").out == foxir("show", "--help-all").out
    assert "--help-all" not in foxir("show", "--help").out


def test_help_all_of_a_group_has_the_commands_of_its_groups() -> None:
    usual, every = foxir("--help").out, foxir("--help-all").out

    assert "--help-all" in usual
    assert "judgements check" in every
    assert "judgements check" not in usual
    assert foxir("chunks", "--help-all").out == foxir("chunks", "--help").out
