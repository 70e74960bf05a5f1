"""Whether the values of an explanation are computed from those below them."""

from __future__ import annotations

import pytest

from engine.ranking.parts.part import Explanation


def assert_adds_up(explanation: Explanation, *, exactly: bool = True) -> None:
    """Every sum in a tree is the sum of its details from left to right, every product that of its factor and detail.

    Propagated scores and those of articles and images are so up to rounding, as docs/json.md says.
    """
    if explanation.sums and explanation.value is not None and explanation.details:
        total = 0.0
        for detail in explanation.details:
            total += detail.value or 0.0
        are_leaves = any(detail.name == "leaf" for detail in explanation.details if "path" in detail.facts)
        is_exact = exactly and not are_leaves and explanation.name not in ("image", "group")
        expected = explanation.value if is_exact else pytest.approx(explanation.value, rel=1e-12, abs=1e-12)
        assert total == expected, explanation.description
    if "factor" in explanation.facts and explanation.details:
        (inner,) = explanation.details
        assert explanation.value == explanation.facts["factor"] * inner.value, explanation.description
    for detail in explanation.details:
        assert_adds_up(detail, exactly=exactly)
