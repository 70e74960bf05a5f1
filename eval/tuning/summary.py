"""What a settings file says of how its settings were chosen."""

from eval.measures import Value
from eval.tuning.ranges import text
from eval.tuning.result import Tuning

SEARCHES = {"grid": "every point on every topic", "halving": "successive halving"}


def summary(tuning: Tuning) -> list[str]:
    """Return the measure, the estimate with its interval, what was varied and the topics, line by line."""
    surface, estimate, gain = tuning.surface, tuning.estimate, tuning.gain
    ranges = (f"{name} ({text(values[0])} ... {text(values[-1])})" for name, values in surface.parameters.items())
    options = " ".join(f"{name}={_plain(value)}" for name, value in tuning.options.items() if value is not None)
    return [
        f"Chosen by foxir tune: {tuning.measure} {options}".rstrip(),
        f"Varied: {', '.join(ranges)}: {len(surface.grid.points)} settings, {SEARCHES[tuning.method]}",
        f"Best on all {len(tuning.topics)} topics: {tuning.chosen.mean:.4f}; before tuning: {tuning.base.mean:.4f}",
        f"Honest estimate, {len(tuning.folds)} folds, seed {tuning.seed}: {estimate.mean:.4f}, {tuning.level:.0%} "
        f"interval {estimate.low:.4f} to {estimate.high:.4f}",
        f"Gain: {gain.mean:+.4f}, {gain.low:+.4f} to {gain.high:+.4f}, p {tuning.p:.4f}"
        + (", within noise" if tuning.is_within_noise else ""),
        f"Topics: {' '.join(tuning.topics)}",
    ]


def _plain(value: Value) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else text(value) if value is not None else "none"
