"""What eval, compare and correlate share: which judgements, under which options, with which index."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click

from engine.cli.console import INDEX_FOLDER
from engine.cli.geometry import geometry_of
from engine.cli.judging import OPTIONS as JUDGING
from engine.cli.judging import Judging
from engine.errors import MeasureError
from engine.topics import selected_ids
from eval import Assessments, read_assessments
from eval.geometry import Geometry
from eval.measures import Family, Value
from eval.quantisation import QUANTISATIONS
from eval.scoring import Missing

Settings = Mapping[str, Value | list[Value]]

OPTIONS = [
    click.option("--alpha", metavar="A", help="Share of text seen before that is taken off, 0 to 1; several: 0,1."),
    click.option(
        "--quant", metavar="Q,Q", help=f"Quantisations: {', '.join(dict.fromkeys(name for _, name in QUANTISATIONS))}."
    ),
    click.option(
        "--set",
        "assignments",
        multiple=True,
        metavar="OPTION=VALUE",
        help="An option of a measure: esl=raghavan; `foxir measures NAME` lists them.",
    ),
    click.option("--at", metavar="1,5,10", help="Ranks of measures at a rank."),
    click.option(
        "--missing",
        type=click.Choice(get_args(Missing)),
        default="zero",
        show_default=True,
        help="Judged topics that a run does not answer: count 0, or are left out.",
    ),
    click.option("--topics", "only", metavar="99,101-110", help="Only these topics."),
    *JUDGING,
    click.option(
        "--index", "index", type=INDEX_FOLDER, help="Index of the judged collection: gives sizes and offsets."
    ),
]
NAMES = ("alpha", "quant", "assignments", "at", "missing", "only", "topic_class", "recall_base", "scale", "index")


@dataclass(frozen=True)
class Scoring:
    """Judgements as they are to be scored against, and what measures need beside them."""

    assessments: Assessments
    given: Mapping[str, str]  # options of measures, as they were written
    geometry: Geometry | None
    missing: Missing
    topics: Sequence[str] | None

    def settings(self, families: Sequence[Family], base: Settings | None = None) -> dict[str, Value | list[Value]]:
        """Return the options of some families that are asked for; a comma in a value asks for several."""
        settings: dict[str, Value | list[Value]] = dict(base or {})
        for name, text in self.given.items():
            option = next((each for one in families for each in one.options if each.name == name), None)
            if option is None:
                settings[name] = text  # whoever scores says which options there are
            elif option.kind == "whole numbers":
                settings[name] = option.parse(text)
            else:
                settings[name] = [option.parse(value.strip()) for value in text.split(",")]
        return settings


def scoring_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command that takes ASSESSMENTS the options above; it gets them, read, as `scoring`."""

    @functools.wraps(function)
    def with_scoring(assessments: Path, **given: Any) -> Any:
        chosen = {name: given.pop(name) for name in NAMES}
        return function(scoring=_collect(assessments, chosen), **given)

    for option in reversed(OPTIONS):
        with_scoring = option(with_scoring)
    return with_scoring


def _collect(assessments: Path, chosen: dict[str, Any]) -> Scoring:
    judging = Judging(chosen["topic_class"], chosen["recall_base"], chosen["scale"])
    judged = judging.on_scale(read_assessments(assessments))
    geometry = geometry_of(chosen["index"])
    asked = selected_ids(chosen["only"], list(judged.topics)) if chosen["only"] is not None else None
    judged, topics = judging.chosen(judged, geometry, asked)
    given = {name: chosen[name] for name in ("alpha", "quant", "at") if chosen[name] is not None}
    for assignment in chosen["assignments"]:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise MeasureError(f"--set '{assignment}': expected OPTION=VALUE, such as --set esl=raghavan.")
        given[name.strip()] = text.strip()
    return Scoring(judged, given, geometry, chosen["missing"], topics)
