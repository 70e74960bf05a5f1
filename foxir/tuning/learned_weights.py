"""The weights that are learned, and the values of each that are tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.errors import SettingsError
from engine.ranking.rescoring import WEIGHTS
from engine.wording.did_you_mean import did_you_mean
from engine.wording.shown_values import shown_text

LADDERS: Mapping[str, Sequence[float]] = {
    "article_weight": (0, 0.3, 0.6, 1.2, 2.4, 4.8, 9.6, 19.2),
    "parent_weight": (0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9),  # below 1, where scores have a bound
    "heading_weight": (0, 0.25, 0.5, 1, 2, 4),
    "neighbour_weight": (0, 0.1, 0.2, 0.4, 0.8, 1.6),
    "coverage": (0, 0.1, 0.2, 0.4, 0.8, 1.6),
}


def check_weights(names: Sequence[str]) -> None:
    """Raise SettingsError for no name, and for one that is not a weight."""
    if not names:
        raise SettingsError(f"no weight to learn: name some of {', '.join(WEIGHTS)}.")
    for name in names:
        if name not in LADDERS:
            hint = did_you_mean(name, WEIGHTS)
            raise SettingsError(
                f"{shown_text(name)} is not a weight that is learned: {hint}there are {', '.join(WEIGHTS)}."
            )
