"""Significance tests as callers specify them: names and numbers, checked."""

from __future__ import annotations

from typing import get_args

from eval.statistics.significance_tests import RESAMPLES, SEED, Resampling, TestName
from eval.statistics.testing_options import SIGNIFICANCE_LEVEL, Correction, SignificanceTesting
from foxir import arguments


def significance_testing(
    test: object,
    correction: object,
    level: object = SIGNIFICANCE_LEVEL,
    resamples: object = RESAMPLES,
    seed: object = SEED,
) -> SignificanceTesting:
    """Return the checked options of a significance test; raises TypeError, ArgumentError."""
    return SignificanceTesting(
        arguments.choice("test", test, get_args(TestName)),
        arguments.choice("correction", correction, get_args(Correction)),
        arguments.share("level", level),
        Resampling(arguments.resamples(resamples), arguments.seed(seed)),
    )
