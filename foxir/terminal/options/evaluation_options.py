"""Options of the commands that score: which judgements, which options of measures, which index."""

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
from eval.measures.measure_plan import parse_options
from eval.scoring.request import Missing, ScoringRequest
from eval.text.element_locator import ElementLocator
from foxir.evaluation.inputs import judged_topics
from foxir.terminal.command_class import headed_option
from foxir.terminal.options.judgement_options import judging_options
from foxir.terminal.options.options import SELECTION, assigned, index_option, locator_of, together, topics_option

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
