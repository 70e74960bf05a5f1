"""Path queries: the elements they select, by interval and tag arithmetic on sets of rows."""

from __future__ import annotations

from engine.structure.readings import read_structure
from engine.structure.unknown_names import missing_names

__all__ = ["missing_names", "read_structure"]
