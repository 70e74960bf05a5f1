"""When output is styled: the conventions of NO_COLOR, FORCE_COLOR and TERM=dumb."""

from __future__ import annotations

import os
from collections.abc import Mapping


def color_setting(environ: Mapping[str, str] = os.environ) -> bool | None:
    """Return False if the environment asks for plain text, True for styles, None if the output stream decides.

    A variable that is empty counts as unset; NO_COLOR takes precedence over FORCE_COLOR.
    """
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return False if environ.get("TERM") == "dumb" else None
