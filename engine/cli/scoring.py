"""What eval, compare and correlate share: which judgements, under which options, with which index."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast, get_args

import click

from engine.cli.console import INDEX_FOLDER
from engine.cli.geometry import geometry_of
from engine.errors import MeasureError
from engine.topics import selected_ids
from eval import Assessments, read_assessments
from eval.assessments.judgements import Scale
from eval.elements import with_elements, with_sizes
from eval.geometry import Geometry
from eval.measures import Family, Value
from eval.quantisation import QUANTISATIONS
from eval.recall_base import RecallBase, topic_class, with_recall_base
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
    click.option(
        "--topic-class",
        type=click.Choice(["all", "broad", "narrow"]),
        default="all",
        show_default=True,
        help="Topics whose most general answers are mostly whole articles (broad), or mostly parts (narrow).",
    ),
    click.option(
        "--recall-base",
        type=click.Choice(get_args(RecallBase)),
        default="full",
        show_default=True,
        help="Judged elements that count: all, the least or the most specific highly relevant ones, best entry points.",
    ),
    click.option(
        "--scale",
        type=click.Choice(["2002", "2003", "2005"]),
        help="Scale of the judgements, where the file does not tell.",
    ),
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
    judged = read_assessments(assessments)
    if chosen["scale"] and chosen["scale"] != judged.scale:
        judged = _on_scale(judged, cast(Scale, chosen["scale"]))
    geometry = geometry_of(chosen["index"])
    topics = selected_ids(chosen["only"], list(judged.topics)) if chosen["only"] is not None else None
    if chosen["topic_class"] != "all" or chosen["recall_base"] != "full":
        judged = _complete(judged, chosen["recall_base"], geometry)
    if chosen["topic_class"] != "all":
        topics = _of_class(judged, chosen["topic_class"], topics)
    if chosen["recall_base"] != "full":
        judged = _restricted(judged, chosen["recall_base"])
    given = {name: chosen[name] for name in ("alpha", "quant", "at") if chosen[name] is not None}
    for assignment in chosen["assignments"]:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise MeasureError(f"--set '{assignment}': expected OPTION=VALUE, such as --set esl=raghavan.")
        given[name.strip()] = text.strip()
    return Scoring(judged, given, geometry, chosen["missing"], topics)


def _on_scale(judged: Assessments, scale: Scale) -> Assessments:
    """Return the judgements with their grades read on another scale than the file's.

    Raises: MeasureError where the file tells: grades of 2002-2004 are no highlighted text, and the other way round.
    """
    grades = ("2002", "2003")
    if (judged.scale in grades) != (scale in grades) and any(
        len(judgements.elements) or len(judgements.passages) for judgements in judged.topics.values()
    ):
        found = "grades of 2002-2004" if judged.scale in grades else "highlighted text of 2005 on"
        raise MeasureError(f"{judged.source}: its judgements are {found}, they cannot be read on the scale of {scale}.")
    topics = {topic: replace(judgements, scale=scale) for topic, judgements in judged.topics.items()}
    return replace(judged, scale=scale, topics=topics)


def _complete(judged: Assessments, recall_base: RecallBase, geometry: Geometry | None) -> Assessments:
    """Return the judgements with all judged elements, and with their sizes where the recall base asks for them."""
    topics = {topic: with_elements(judgements, geometry) for topic, judgements in judged.topics.items()}
    if recall_base == "bep":
        topics = {topic: with_sizes(judgements, geometry) for topic, judgements in topics.items()}
    return replace(judged, topics=topics)


def _of_class(judged: Assessments, wanted: str, topics: Sequence[str] | None) -> list[str]:
    """Return the topics of one class, of all or of those asked for."""
    asked = list(judged.topics) if topics is None else topics
    chosen = [topic for topic in asked if topic_class(judged.topics[topic]) == wanted]
    if not chosen:
        raise MeasureError(f"{judged.source}: none of the {len(asked)} topics is {wanted}.")
    return chosen


def _restricted(judged: Assessments, recall_base: RecallBase) -> Assessments:
    """Return the judgements with the elements of one recall base."""
    topics = {topic: with_recall_base(judgements, recall_base) for topic, judgements in judged.topics.items()}
    return replace(judged, topics=topics)
