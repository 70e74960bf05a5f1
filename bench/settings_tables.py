"""What is written of the settings and of the parts of a score: tables in the docs, and the static types of settings.

`python -m bench.settings_tables`, in the root of a checkout, writes the tables between two marks in each page, and
engine/settings/setting_values.pyi.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

from engine.ranking.parts.catalogue import parts
from engine.settings import choices
from engine.settings.catalogue import FIELDS_ROWS, IMAGES_ROWS, ROWS, SCORING_ROWS, SEARCH_ROWS, SEMANTIC_ROWS, Setting
from engine.settings.kinds.value_types import Choice, Flag, Kind, Number
from foxir.messages.command_line import option_of

PAGES: Mapping[str, Sequence[Setting]] = {
    "docs/scoring.md": SCORING_ROWS,
    "docs/formats.md": (*SEARCH_ROWS, *FIELDS_ROWS, *IMAGES_ROWS, *SEMANTIC_ROWS),
}
TYPES = "engine/settings/setting_values.pyi"
BEGIN, END = "<!-- settings, written by python -m bench.settings_tables -->", "<!-- end of settings -->"
PARTS_BEGIN, PARTS_END = "<!-- parts, written by python -m bench.settings_tables -->", "<!-- end of parts -->"
# Numbers without a bound that anyone would reach.
MANY = 100_000
# Types by the words that they allow.
NAMES = {get_args(each): name for name, each in vars(choices).items() if get_args(each) and name[0].isupper()}


def with_table(text: str, rows: Sequence[Setting]) -> str:
    """Return the text of a page with the table of some settings between its marks."""
    table = "\n".join(("| setting | values, the default first | |", "|---|---|---|", *map(_line, rows)))
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


def _line(row: Setting) -> str:
    effect = ", ".join(f"`{value}`: {share:g}" for value, share in row.effect.items())
    about = row.described(option_of) + (f" ({effect})" if effect else "")
    cells = (f"`{option_of(row.name)}`", _values(row), about)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _values(row: Setting) -> str:
    """Return the values of a setting in short: the default, then words, a range, or the metavar of the option."""
    kind = row.kind
    first = str(row.default).lower() if isinstance(row.default, bool) else str(row.default)
    if isinstance(kind, Flag):
        others = ["true", "false"]
    elif isinstance(kind, Choice) and not kind.takes_others:
        others = list(kind.names)
    elif isinstance(kind, Number) and kind.highest <= MANY:
        return f"`{first}`, {kind.lowest:g} to {kind.highest:g}"
    else:
        others = row.metavar.split("|")
    return ", ".join(f"`{value}`" for value in [first, *(value for value in others if value != first)])


def static_types(rows: Sequence[Setting]) -> str:
    """Return the module of the types of settings: the keywords of a search, and the record."""
    names = sorted({NAMES[each.kind.names] for each in rows if isinstance(each.kind, Choice)} - {"AnswerKind"})
    return TEMPLATE.format(
        choices="".join(f"    {name},\n" for name in sorted([*names, "AnswerSelection"])),
        keywords="".join(f"    {row.name}: {_or_none(row.kind, _keyword(row.kind), with_word=True)}\n" for row in rows),
        fields="".join(f"    {row.name}: {_or_none(row.kind, _typed(row.kind))} = ...\n" for row in rows),
    )


def _typed(kind: Kind) -> str:
    return NAMES[kind.names].replace("AnswerKind", "AnswerSelection") if isinstance(kind, Choice) else kind.typed


def _keyword(kind: Kind) -> str:
    return _typed(kind) if isinstance(kind, Choice) else kind.keyword


def _or_none(kind: Kind, name: str, *, with_word: bool = False) -> str:
    if kind.absent is None:
        return name
    return f'{name} | Literal["{kind.absent}"] | None' if with_word and "str" not in name else f"{name} | None"


TEMPLATE = """# Written by `python -m bench.settings_tables` of engine/settings/catalogue.py.
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Literal

from engine.fields.conditions import Where
from engine.records import dataclass
from engine.settings.catalogue import Setting
from engine.settings.choices import (
{choices})
from engine.settings.given import SimilarityOptions
from engine.settings.kinds.values import Length, PartWeights, TagSelector

def record(rows: Sequence[Setting]) -> type: ...

class SettingOptions(SimilarityOptions, total=False):
{keywords}
@dataclass(frozen=True, repr=False)
class SettingValues:
{fields}"""


def main() -> None:
    """Write the tables and the types."""
    for page, rows in PAGES.items():
        path = Path(page)
        path.write_text(with_table(path.read_text(encoding="utf-8"), rows), encoding="utf-8")
    Path(TYPES).write_text(static_types(ROWS), encoding="utf-8")


if __name__ == "__main__":
    main()
