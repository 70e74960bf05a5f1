"""Options of the commands that score: which judgements, options of measures, an index, significance tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import click

from eval.judgements.quantisation import QUANTISATIONS
from eval.judgements.recall_base import RecallBase
from eval.measures.measure_names import translated
from eval.measures.measure_plan import parse_options
from eval.scoring.request import Missing
from eval.statistics.significance_tests import RESAMPLES, SEED, TestName
from eval.statistics.testing_options import Correction
from foxir.evaluation.inputs import TopicClass
from foxir.terminal.command_class import count_option, headed_option
from foxir.terminal.options.options import (
    SELECTION,
    Decorator,
    assigned,
    index_option,
    together,
    topics_option,
)

judging_options = together(
    headed_option(
        SELECTION,
        "--recall-base",
        type=click.Choice(get_args(RecallBase)),
        default="full",
        help="Judged elements that count: all, the most general or most specific highly relevant ones, or best entry "
        "points.",
    ),
    headed_option(
        SELECTION,
        "--topic-class",
        type=click.Choice(get_args(TopicClass)),
        default="all",
        help="Topics whose most general relevant elements are mostly whole articles (broad) or mostly parts (narrow).",
    ),
    headed_option(
        SELECTION,
        "--scale",
        type=click.Choice(["2002", "2003", "2005"]),
        help="Scale of the grades where the file does not say: the INEX year that introduced it.",
    ),
)


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


MEASURES = "Measures"

measure_options = together(
    headed_option(
        MEASURES,
        "--alpha",
        metavar="A,A",
        help="Penalty for text that the run returned before, 0 (none) to 1; each value gives a table."
        "  [default: by measure]",
    ),
    headed_option(
        MEASURES,
        "--quant",
        metavar="Q,Q",
        help=f"Quantisations of grades: {', '.join(dict.fromkeys(name for _, name in QUANTISATIONS))}."
        "  [default: by measure]",
    ),
    headed_option(
        MEASURES,
        "--measure-option",
        "measure_assignments",
        multiple=True,
        metavar="OPTION=VALUE",
        help="Another option of a measure, such as esl=raghavan; repeatable; 'foxir measures NAME' lists them.",
    ),
)

scoring_options = together(
    measure_options,
    headed_option(MEASURES, "--at", metavar="1,5,10", help="Cutoff ranks of P@r, nxCG@r ...  [default: by measure]"),
    index_option(),
    topics_option(),
    headed_option(
        SELECTION,
        "--missing-topics",
        type=click.Choice(get_args(Missing)),
        default="zero",
        help="Judged topics that a run does not answer: they score 0, or are left out of the mean.",
    ),
    judging_options,
)


def scoring_keywords(given: Mapping[str, Any], measures: Sequence[str]) -> dict[str, Any]:
    """Return the keywords of a call that scores: what a command was given, with the options of the measures as values.

    Raises: click.UsageError, MeasureError.
    """
    texts = {name: given[name] for name in ("alpha", "quant", "at") if given.get(name) is not None}
    texts |= assigned("--measure-option", given["measure_assignments"], "esl=raghavan")
    others = {
        name: value for name, value in given.items() if name not in ("alpha", "quant", "at", "measure_assignments")
    }
    return {**others, "options": parse_options(texts, measures)}


def named_measures(names: str) -> list[str]:
    """Return the measures that an option names, between commas; in `P.5,10` these are cut-offs of trec_eval."""
    return list(translated([name.strip() for name in names.split(",")]))
