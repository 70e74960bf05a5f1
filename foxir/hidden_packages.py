"""Advice where a module of the user's hides a package that a checkout has beside foxir: `engine` or `eval`."""

from __future__ import annotations

import sys

# The packages beside foxir; installed, they are within it.
PACKAGES = ("engine", "eval")


def why_hidden(error: ModuleNotFoundError) -> str | None:
    """Return which file hides a package of foxir, and what to do; None where a module is missing for another reason."""
    package = (error.name or "").partition(".")[0]
    found = sys.modules.get(package)
    if package not in PACKAGES or found is None:
        return None
    places = [getattr(found, "__file__", None), *getattr(found, "__path__", ())]
    place = next(filter(None, places), "a module of that name")
    return (
        f"foxir's package '{package}' is hidden by {place}: rename that, or run Python where it is not found "
        f"(a script's folder and the current one are searched first)."
    )
