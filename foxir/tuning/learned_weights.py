"""The names of weights that a caller wants to be learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.errors import SettingsError
from engine.ranking.parts.catalogue import learned_weights
from engine.wording import did_you_mean, shown_text

# The settings that are learned.
WEIGHTS = tuple(learned_weights())


def values_to_try(names: Sequence[str]) -> Mapping[str, Sequence[float]]:
    """Return the values of each weight that are tried.

    Raises: SettingsError for no name, and for one that is not a weight.
    """
    known = learned_weights()
    if not names:
        raise SettingsError(f"no weight to learn: name some of {', '.join(known)}.")
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise SettingsError(
                f"{shown_text(name)} is not a weight that is learned: {hint}there are {', '.join(known)}."
            )
    return {name: known[name] for name in names}
