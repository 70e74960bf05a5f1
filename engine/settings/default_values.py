"""The default values of settings, from TOML files beside this one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engine.settings.definitions import KINDS, PREFIX
from engine.settings.kinds.parameter_mapping import ParameterMapping

DEFAULTS = "defaults.toml"
# Of rankings whose weights do not adapt to the query: what differs.
WITHOUT_FOCUS = "defaults_without_focus.toml"


@cache
def default_values(file: str = DEFAULTS) -> Mapping[str, Any]:
    """Return the settings in a file, typed; parameters of the element similarity are one of them."""
    values = tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))
    settings: dict[str, Any] = {
        each: kind.parse(each, values.pop(each)) for each, kind in KINDS.items() if each in values
    }
    element_parameters = {each.removeprefix(PREFIX): value for each, value in values.items()}
    return MappingProxyType({**settings, "element_parameters": ParameterMapping(element_parameters)})
