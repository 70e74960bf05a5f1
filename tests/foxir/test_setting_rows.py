"""A setting is one row: options, help, keywords, the record, addresses and docs are made of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click
import pytest

from bench.settings_tables import PAGES, TYPES, static_types, with_table
from engine.settings import Settings, default_settings
from engine.settings.catalogue import ANSWERS, ROWS, Setting
from engine.settings.kinds.value_types import Count
from engine.settings.setting_values import record
from foxir.service.json.api import setting_parameters
from foxir.terminal.options.search_options import options

TOY = Setting("max_toys", Count(absent="all"), 7, ANSWERS, "Toys of an answer; see {max_answers}.")
ROOT = Path(__file__).parents[2]


def command_with(rows: Any) -> click.Command:
    def nothing() -> None: ...

    function: Any = nothing
    for option in reversed(options(rows)):
        function = option(function)
    made: click.Command = click.command()(function)
    return made


def test_a_new_row_is_an_option_with_help() -> None:
    made = next(each for each in command_with((*ROWS, TOY)).params if each.name == "max_toys")

    assert isinstance(made, click.Option)
    assert (made.opts, made.metavar, made.help) == (["--max-toys"], "N|all", "Toys of an answer; see --max-answers.")


def test_a_new_row_is_a_keyword_and_a_field() -> None:
    stub = static_types((*ROWS, TOY))

    assert record((*ROWS, TOY))().max_toys == 7
    assert '    max_toys: int | Literal["all"] | None\n' in stub
    assert "    max_toys: int | None = ...\n" in stub


def test_a_new_row_is_a_parameter_of_an_address() -> None:
    made = next(each for each in setting_parameters((*ROWS, TOY)) if each.name == "max_toys")

    assert made.about == "Toys of an answer; see max_answers. Default: 7."


def test_a_new_row_is_in_the_docs() -> None:
    page, rows = next(iter(PAGES.items()))
    text = with_table((ROOT / page).read_text("utf-8"), [*rows, TOY])

    assert "| `--max-toys` | `7`, `N`, `all` | Toys of an answer; see --max-answers. |" in text


def test_static_types_are_those_of_the_rows() -> None:
    assert (ROOT / TYPES).read_text("utf-8") == static_types(ROWS), "python -m bench.settings_tables"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_defaults_are_legal_and_those_of_the_record(row: Setting) -> None:
    typed = row.kind.parse(row.name, row.default)

    assert getattr(default_settings(), row.name) == typed
    assert row.fixed is None or row.kind.parse(row.name, row.fixed) != typed


def test_help_of_settings_has_each() -> None:
    assert {row.name for row in ROWS} < {each.name for each in dataclasses.fields(Settings)}
    assert all(f"    {row.name}: " in (Settings.__doc__ or "") for row in ROWS)
