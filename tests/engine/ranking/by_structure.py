"""Settings of tests about orders by structure: what is not given is the thesis's, whatever the engine's defaults."""

from __future__ import annotations

from typing import Any

BY_STRUCTURE = {"rank_by": "structure", "similarity": "pcosine", "overlap": "keep"}


def by_structure(**settings: Any) -> dict[str, Any]:
    """Return settings under which structure orders elements inside articles that are ranked by pivoted cosine."""
    return {**BY_STRUCTURE, **settings}
