"""The usual options come first in the help, and none is missing from it."""

from __future__ import annotations

import re

import click
import pytest

from foxir.terminal import commands
from foxir.terminal.command_class import USUAL
from tests.foxir.commands.command import foxir


@pytest.mark.parametrize("name", ["search", "index", "run", "eval"])
def test_the_ten_usual_options_are_first_in_the_help_and_all_are_in_it(name: str) -> None:
    shown = foxir(name, "--help").out
    sections = re.split(r"\n(?=[A-Z][\w ]+:\n  +-)", shown)[1:]

    assert sections[0].startswith(f"{USUAL}:\n")
    assert len(re.findall(r"^  -", sections[0], re.MULTILINE)) == 10
    rows = "\n".join(re.findall(r"^  -.*", shown, re.MULTILINE))
    listed = re.findall(r"(?<![\w-])--[a-z][\w-]*", rows)
    command = commands.foxir.get_command(click.Context(commands.foxir), name)
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    assert {max(each.opts, key=len) for each in options} <= set(listed)
