"""Comment lines of a settings file: how its settings were tuned."""

from __future__ import annotations

from collections.abc import Iterator

from eval.measures import OptionValue
from eval.tuning.cross_validated import CrossValidated
from eval.tuning.grid_values import text
from eval.tuning.tuning_result import Tuning

SEARCHES = {"grid": "every point on every topic", "halving": "successive halving"}


def summary(tuning: CrossValidated) -> list[str]:
    """Return the measure, the estimate with its confidence interval, the varied settings and the topics as lines."""
    estimate, gain = tuning.estimate, tuning.gain
    doubt = ", a loss" if tuning.gain.high < 0 else ", within noise" if tuning.is_within_noise else ""
    options = " ".join(f"{name}={_plain(value)}" for name, value in tuning.options.items() if value is not None)
    return [
        f"Chosen by foxir tune: {tuning.measure} {options}".rstrip(),
        *_varied(tuning),
        f"Best on all {len(tuning.topics)} topics: {tuning.chosen.mean:.4f}; before tuning: {tuning.base.mean:.4f}",
        f"Cross-validated estimate, {len(tuning.folds)} folds, seed {tuning.seed}: {estimate.mean:.4f}, "
        f"{tuning.level:.0%} interval {estimate.low:.4f} to {estimate.high:.4f}",
        f"Gain: {gain.mean:+.4f}, {gain.low:+.4f} to {gain.high:+.4f}, p {tuning.p:.4f}{doubt}",
        f"Topics: {' '.join(tuning.topics)}",
    ]


def _varied(tuning: CrossValidated) -> Iterator[str]:
    if isinstance(tuning, Tuning):
        surface = tuning.surface
        ranges = (f"{name} ({text(values[0])} ... {text(values[-1])})" for name, values in surface.parameters.items())
        yield f"Varied: {', '.join(ranges)}: {len(surface.grid.points)} settings, {SEARCHES[tuning.method]}"
    else:
        yield f"Learned: {tuning.best_label}"


def _plain(value: OptionValue) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else text(value) if value is not None else "none"
