"""Options of the commands that score: which judgements, options of measures, an index, significance tests."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click

from engine.progress import Progress
from eval import Assessments
from eval.judgements.quantisation import QUANTISATIONS
from eval.judgements.recall_base import RecallBase
from eval.measures.measure_plan import parse_options
from eval.scoring.request import Missing, ScoringRequest
from eval.statistics.significance_tests import RESAMPLES, SEED, TestName
from eval.statistics.testing_options import Correction
from eval.text.element_locator import ElementLocator
from foxir.evaluation.inputs import TopicClass, judged_topics
from foxir.terminal.command_class import count_option, headed_option
from foxir.terminal.options.options import (
    SELECTION,
    Decorator,
    assigned,
    index_option,
    locator_of,
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

scoring_option_decorators = together(
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
NAMES = (
    *("alpha", "quant", "measure_assignments", "at"),
    *("index", "only", "missing_topics", "topic_class", "recall_base", "scale"),
)


@dataclass(frozen=True)
class EvaluationOptions:
    """The judgements to score against and the options given for scoring."""

    assessments: Assessments
    option_texts: Mapping[str, str]  # options of measures as the user wrote them
    locator: ElementLocator | None
    missing: Missing
    topics: Sequence[str] | None

    def request(
        self,
        measures: Sequence[str],
        *,
        task: str | None = None,
        jobs: int = 1,
        may_leave_out: bool = False,
        progress: Progress | None = None,
    ) -> ScoringRequest:
        """Return the request for some measures under these options.

        Args:
            may_leave_out: whether families that some run cannot have are left out, as the user named none.

        Raises: MeasureError for an unknown measure or option.
        """
        return ScoringRequest.of(
            self.assessments,
            measures,
            parse_options(self.option_texts, measures),
            task=task,
            topics=self.topics,
            locator=self.locator,
            missing=self.missing,
            jobs=jobs,
            may_leave_out=may_leave_out,
            progress=progress,
        )


def scoring_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command with the argument JUDGEMENTS these options; it receives them as one argument `scoring`."""

    @functools.wraps(function)
    def with_scoring(assessments: Path, **given: Any) -> Any:
        chosen = {name: given.pop(name) for name in NAMES}
        return function(scoring=_collect(assessments, chosen), **given)

    decorated: Callable[..., Any] = scoring_option_decorators(with_scoring)
    return decorated


def given_measure_options(chosen: Mapping[str, Any]) -> dict[str, str]:
    """Return the options of measures that were given, as text by name.

    Raises: click.UsageError.
    """
    given = {name: chosen[name] for name in ("alpha", "quant", "at") if chosen.get(name) is not None}
    return {**given, **assigned("--measure-option", chosen["measure_assignments"], "esl=raghavan")}


def _collect(assessments: Path, chosen: dict[str, Any]) -> EvaluationOptions:
    given = given_measure_options(chosen)
    locator, selection = locator_of(chosen["index"]), (chosen[name] for name in ("topic_class", "recall_base", "scale"))
    judged, topics = judged_topics(assessments, locator, chosen["only"], *selection)
    return EvaluationOptions(judged, given, locator, chosen["missing_topics"], topics)
