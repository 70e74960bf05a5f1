"""The version of the index format that this foxir writes and reads."""

from __future__ import annotations

FORMAT = 6
