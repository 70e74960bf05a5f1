"""Options of significance tests, shared by eval, compare, correlate and tune."""

from __future__ import annotations

from typing import Any, get_args

import click

from eval.statistics.significance_tests import RESAMPLES, SEED, TestName
from eval.statistics.testing_options import Correction
from foxir.terminal.command_class import count_option, headed_option
from foxir.terminal.options.options import Decorator, together

TESTS = "Significance tests"


def significance_test_option(
    default: TestName | None = None, *, help: str = "Test of each pair of runs.", **attributes: Any
) -> Decorator:
    """Return the option that chooses a test; without a default it is None unless given."""
    attributes.setdefault("show_default", True)
    return headed_option(
        TESTS, "--test", type=click.Choice(get_args(TestName)), default=default, help=help, **attributes
    )


def correction_option(default: Correction | None = None, **attributes: Any) -> Decorator:
    """Return the option that chooses how p-values are adjusted for several tests."""
    attributes.setdefault("show_default", True)
    return headed_option(
        TESTS,
        "--correction",
        type=click.Choice(get_args(Correction)),
        default=default,
        help="Adjustment of the p-values when several pairs are tested; by is Benjamini-Yekutieli.",
        **attributes,
    )


level_option = headed_option(
    TESTS, "--level", type=float, default=0.05, help="A difference is significant if p is below it."
)
resampling_options = together(
    count_option(
        TESTS, "--resamples", default=RESAMPLES, help="Samples drawn by the bootstrap and randomisation tests."
    ),
    count_option(
        TESTS,
        "--seed",
        minimum=0,
        default=SEED,
        help="Seed of the random numbers; the same seed gives the same p-values.",
    ),
)
