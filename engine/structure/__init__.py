"""Which elements does a path query select?

Interval and tag arithmetic on sets of rows, in four readings from strict to vague; no tree is walked.
"""

from __future__ import annotations

from engine.structure.readings import missing_names, read_structure

__all__ = ["missing_names", "read_structure"]
