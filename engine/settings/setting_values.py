"""The settings as a record and as keywords, made of their rows.

Their static types are in `setting_values.pyi`, which `python -m bench.settings_tables` writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import partial
from typing import Any, TypedDict

from engine.records import dataclass
from engine.settings.catalogue import ROWS, Setting
from engine.settings.defaults import default_values
from engine.settings.given import SimilarityOptions


def record(rows: Sequence[Setting]) -> type:
    """Return the frozen dataclass with a field for each setting, with its default."""
    made = {row.name: field(default_factory=partial(_default, row)) for row in rows}
    about = "The settings, typed; None means no bound, or a value that is estimated."
    names = {"__annotations__": dict.fromkeys(made, Any), "__doc__": about, "__module__": __name__}
    return dataclass(frozen=True, repr=False)(type("SettingValues", (), {**names, **made}))


def _default(row: Setting) -> Any:
    known = default_values()
    return known[row.name] if row.name in known else row.kind.parse(row.name, row.default)


SettingValues = record(ROWS)
SettingOptions = TypedDict(
    "SettingOptions",
    {**SimilarityOptions.__annotations__, **dict.fromkeys([row.name for row in ROWS], Any)},
    total=False,
)
