"""The tables of settings in docs/scoring.md and docs/formats.md, and of the parts of a score, generated from the code.

`python -m bench.settings_tables`, in the root of a checkout, writes each table between its two marks in the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from engine.ranking.parts.catalogue import parts
from engine.settings.definitions import IMAGES, KINDS, SCORING, SEARCH, SEMANTIC
from engine.settings.kinds.number_types import Number
from engine.settings.settings import default_settings
from foxir.terminal.options.search_options import settings_options

PAGES: Mapping[str, tuple[str, ...]] = {
    "docs/scoring.md": tuple(SCORING),
    "docs/formats.md": (*SEARCH, *IMAGES, *SEMANTIC),
}
BEGIN, END = "<!-- settings, written by python -m bench.settings_tables -->", "<!-- end of settings -->"
PARTS_BEGIN, PARTS_END = "<!-- parts, written by python -m bench.settings_tables -->", "<!-- end of parts -->"
# Numbers without a bound that anyone would reach.
MANY = 100_000


def with_table(text: str, names: tuple[str, ...]) -> str:
    """Return the text of a page with the table of some settings between its marks."""
    table = "\n".join(("| setting | values, the default first | |", "|---|---|---|", *_rows(names)))
    return _between(_between(text, BEGIN, END, table), PARTS_BEGIN, PARTS_END, table_of_parts())


def table_of_parts() -> str:
    """Return the table of the parts of the score of an element, in the order in which they are added."""
    rows = (
        f"| {f'`{part.setting}`' if part.setting else '1'}{' x focus' if part.has_focus else ''} | {part.formula} | "
        f"{part.source} |"
        for part in parts()
    )
    return "\n".join(("| weight | part of the score of an element e | source |", "|---|---|---|", *rows))


def _between(text: str, begin: str, end: str, table: str) -> str:
    """Return a text with a table between two marks, if it has these."""
    return re.sub(f"{re.escape(begin)}.*{re.escape(end)}", lambda _: f"{begin}\n{table}\n{end}", text, flags=re.DOTALL)


def _rows(names: tuple[str, ...]) -> Iterator[str]:
    defaults = {**default_settings().to_dict(), **default_settings().all_values()}
    options = _options()
    for name in names:
        option = options[name]
        flag = next(each for each in option.opts if each.startswith("--"))
        cells = (f"`{flag}`", _values(name, defaults[name], option), str(option.help))
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _options() -> dict[str, click.Option]:
    def nothing() -> None: ...

    command = click.command()(settings_options(nothing))
    return {str(each.name): each for each in command.params if isinstance(each, click.Option)}


def _values(name: str, default: object, option: click.Option) -> str:
    """Return the values of a setting in short: the default, then words, a range, or the metavar of the option."""
    kind = KINDS[name]
    first = str(default).lower() if isinstance(default, bool) else str(default).removesuffix(".0")
    if option.is_flag:
        others = ["true", "false"]
    elif isinstance(option.type, click.Choice):
        others = [str(choice) for choice in option.type.choices]
    elif isinstance(kind, Number) and kind.highest <= MANY:
        return f"`{first}`, {kind.lowest:g} to {kind.highest:g}"
    else:
        others = str(option.metavar).split("|")
    return ", ".join(f"`{value}`" for value in [first, *(value for value in others if value != first)])


def main() -> None:
    """Write the tables into their pages."""
    for page, names in PAGES.items():
        path = Path(page)
        path.write_text(with_table(path.read_text(encoding="utf-8"), names), encoding="utf-8")


if __name__ == "__main__":
    main()
