"""How is a query answered, as far as the user decides? The settings: a row each, read from options, files and headers.

Other packages read typed values (`Settings`); choices that depend on the query are in `engine.planning`.
"""

from __future__ import annotations

from engine.settings.kinds.values import Length, TagSelector
from engine.settings.setting_values import SettingOptions
from engine.settings.settings import Settings, computed_once, default_settings
from engine.settings.settings_files import read_settings
from engine.settings.tasks import NAMED, TASKS, named_settings, task_settings

__all__ = [
    "NAMED",
    "TASKS",
    "Length",
    "SettingOptions",
    "Settings",
    "TagSelector",
    "computed_once",
    "default_settings",
    "named_settings",
    "read_settings",
    "task_settings",
]
