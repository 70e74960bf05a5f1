"""Which choices does a search have?

Names, legal values and defaults of settings, read from options, TOML files and run headers.
"""

from __future__ import annotations

from engine.settings.kinds.length import Length
from engine.settings.kinds.tag_selector import TagSelector
from engine.settings.options import SettingOptions
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
