"""Tolerance for rounding errors when scores are compared; the only place where it is defined."""

from __future__ import annotations

# Relative tolerance of comparisons between sums of float64 numbers. Adding the same n terms in another order changes a
# sum by less than n * 1.2e-16 of its value, so up to some 8,000 terms stay within it; levels of recall are 0.01 apart.
TOLERANCE = 1e-12

# Decimal places after which values up to 10 are rounded before they are compared for equality: the same fraction
# computed in two ways, 3 * (2/9) and 2 * (1/3), is one value.
DECIMALS = 12
