"""The tables of settings in docs/scoring.md and docs/formats.md, generated from the settings and their options.

`python -m bench.settings_tables`, in the root of a checkout, writes each table between its two marks in the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from engine.settings.definitions import IMAGES, KINDS, SCORING, SEARCH, SEMANTIC
from engine.settings.kinds.number_types import Number
from engine.settings.settings import default_settings
from foxir.terminal.options.search_options import settings_options

PAGES: Mapping[str, tuple[str, ...]] = {
    "docs/scoring.md": tuple(SCORING),
    "docs/formats.md": (*SEARCH, *IMAGES, *SEMANTIC),
}
BEGIN, END = "<!-- settings, written by python -m bench.settings_tables -->", "<!-- end of settings -->"
# Numbers without a bound that anyone would reach.
MANY = 100_000


def with_table(text: str, names: tuple[str, ...]) -> str:
    """Return the text of a page with the table of some settings between its marks."""
    table = "\n".join(("| setting | default | values | |", "|---|---|---|---|", *_rows(names)))
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: f"{BEGIN}\n{table}\n{END}", text, flags=re.DOTALL)


def _rows(names: tuple[str, ...]) -> Iterator[str]:
    defaults = {**default_settings().to_dict(), **default_settings().all_values()}
    options = _options()
    for name in names:
        option = options[name]
        flag = next(each for each in option.opts if each.startswith("--"))
        default = str(defaults[name]).lower() if isinstance(defaults[name], bool) else str(defaults[name])
        cells = (f"`{flag}`", f"`{default.removesuffix('.0')}`", _values(name, option), str(option.help))
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _options() -> dict[str, click.Option]:
    def nothing() -> None: ...

    command = click.command()(settings_options(nothing))
    return {str(each.name): each for each in command.params if isinstance(each, click.Option)}


def _values(name: str, option: click.Option) -> str:
    """Return the values of a setting in short: words, a range, or what stands for them in the help."""
    kind = KINDS[name]
    if option.is_flag:
        return "`true`, `false`"
    if isinstance(kind, Number) and kind.highest <= MANY:
        absent = f"`{kind.absent}`, " if kind.absent else ""
        return f"{absent}{kind.lowest:g} to {kind.highest:g}"
    if isinstance(option.type, click.Choice):
        return ", ".join(f"`{choice}`" for choice in option.type.choices)
    return f"`{option.metavar}`"


def main() -> None:
    """Write the tables into their pages."""
    for page, names in PAGES.items():
        path = Path(page)
        path.write_text(with_table(path.read_text(encoding="utf-8"), names), encoding="utf-8")


if __name__ == "__main__":
    main()
