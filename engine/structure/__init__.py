"""Which elements does a path query select?

Interval and tag arithmetic on sets of rows, in four readings from strict to vague; no tree is walked.
"""

from __future__ import annotations

from engine.structure.readings import read_structure
from engine.structure.unknown_names import missing_names

__all__ = ["missing_names", "read_structure"]
