"""When a second copy of a shard is asked because the first one is slow."""

from __future__ import annotations

from collections import deque

# Steps of which the slowest twentieth tells when a second copy is asked, and seconds that this takes at least.
N_TIMED, LEAST_HEDGE_S, FEWEST_TIMED = 400, 0.05, 40
# Seconds after which it is asked while too few steps were timed.
UNTIMED_HEDGE_S = 1.0


class Hedging:
    """The times of the last steps of all queries.

    Source: Dean and Barroso, The tail at scale, CACM 56(2), 2013: hedged requests.
    """

    def __init__(self) -> None:
        self._timed: deque[float] = deque(maxlen=N_TIMED)

    def add(self, seconds: float) -> None:
        """Note how long a step took."""
        self._timed.append(seconds)

    @property
    def after(self) -> float:
        """The seconds that nineteen of twenty steps take at most."""
        timed = sorted(self._timed.copy())
        if len(timed) < FEWEST_TIMED:
            return UNTIMED_HEDGE_S
        return max(LEAST_HEDGE_S, timed[len(timed) * 19 // 20])
