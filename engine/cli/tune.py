"""`foxir tune`: the best settings of a grid on judged topics, and what they can be trusted for."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import click

from engine.cli.console import (
    index_argument,
    json_option,
    listed,
    print_json,
    print_result,
    progress_bar,
    quiet_option,
    warn,
)
from engine.cli.grouped import GroupedCommand
from engine.cli.index_search import GenerationGeometry, IndexSearch, generation_of
from engine.cli.judging import OPTIONS as JUDGING
from engine.cli.judging import Judging
from engine.cli.main import DONE, PARTLY
from engine.cli.opening import open_filled_index
from engine.cli.options import settings_options
from engine.cli.scoring import Scoring
from engine.cli.tune_files import Files, identity
from engine.errors import MeasureError, TopicError
from engine.settings import Settings
from engine.topics import TopicFile, read_topics
from eval import Assessments, read_assessments
from eval.geometry import Geometry
from eval.measure_names import measure_name
from eval.recall_base import RecallBase
from eval.statistics.significance import RESAMPLES, SEED
from eval.tuning import Method, Scorer, read_grid, scorer, tune

FEW = 5  # topics that a notice names


def _judging_options(function: Callable[..., Any]) -> Callable[..., Any]:
    return functools.reduce(lambda decorated, option: option(decorated), reversed(JUDGING), function)


@click.command(name="tune", cls=GroupedCommand)
@index_argument
@click.argument("topics", type=click.Path(path_type=Path))
@click.argument("assessments", type=click.Path(path_type=Path))
@click.option(
    "--grid", "grid_file", required=True, type=click.Path(path_type=Path), metavar="FILE", help="What to try."
)
@click.option("--measure", required=True, metavar="M", help="AP, F@10, nxCG@25, inex_eval:AP ...; more is better.")
@click.option("--alpha", metavar="A", help="Share of text seen before that is taken off, 0 to 1.")
@click.option("--quant", metavar="Q", help="Quantisation: strict, gen ...")
@click.option(
    "--option", "measure_options", multiple=True, metavar="OPTION=VALUE", help="An option of the measure: esl=raghavan."
)
@_judging_options
@click.option("--topics", "only", metavar="99,101-110", help="Only these topics.")
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Folds of topics.")
@click.option(
    "--search",
    "method",
    type=click.Choice(get_args(Method)),
    default="grid",
    show_default=True,
    help="Every point on every topic, or successive halving.",
)
@click.option("--seed", type=click.IntRange(min=0), default=SEED, show_default=True, help="Of folds and bootstrap.")
@click.option(
    "--resamples", type=click.IntRange(min=1), default=RESAMPLES, show_default=True, help="Of bootstrap intervals."
)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that search.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Settings file for the best settings.")
@click.option(
    "--journal", type=click.Path(path_type=Path), metavar="FILE", help="Keeps scores, to go on from.  [OUT.journal]"
)
@click.option("--plot", "picture", type=click.Path(path_type=Path), metavar="FILE", help="The surface: SVG, PNG, PDF.")
@settings_options
@json_option
@quiet_option
def command(
    index: Path,
    topics: Path,
    assessments: Path,
    grid_file: Path,
    measure: str,
    alpha: str | None,
    quant: str | None,
    measure_options: tuple[str, ...],
    topic_class: str,
    recall_base: RecallBase,
    scale: str | None,
    only: str | None,
    folds: int,
    method: Method,
    seed: int,
    resamples: int,
    jobs: int,
    out: Path | None,
    journal: Path | None,
    picture: Path | None,
    settings: Settings,
    as_json: bool,
    quiet: bool,
) -> int:
    """Find the best settings of a grid on judged topics, and say what they will do on others.

    The file of --grid is TOML: a setting and its values a line, or a range. All other settings are as the options
    say, and what the best of the grid is compared with. Each topic is also scored under settings that were chosen
    without it: their mean is the honest estimate.

    \b
      k1 = {from = 0.4, to = 2.0, step = 0.4}
      b = [0.2, 0.35, 0.5, 0.75]
    \b
      foxir tune wiki.foxir topics/co judged --grid okapi.toml --measure AP --similarity okapi --out tuned.toml
      foxir run wiki.foxir topics/co --settings tuned.toml --out runs/tuned.xml
    """
    files = Files(out, journal, picture)
    files.check({"--grid": grid_file, "TOPICS": topics, "ASSESSMENTS": assessments})
    generation = generation_of(open_filled_index(index))
    geometry, judging = GenerationGeometry(generation), Judging(topic_class, recall_base, scale)
    found, judged = read_topics(topics, only), judging.on_scale(read_assessments(assessments))
    common = _common_topics(found, judged)
    judged, of_class = judging.chosen(judged, geometry, common)
    chosen = common if of_class is None else list(of_class)
    given = {"alpha": alpha, "quant": quant, **_assigned(measure_options)}
    scoring = _scorer(judged, measure, given, geometry)
    search = IndexSearch(generation, {topic.topic_id: topic for topic in found.topics}, settings, scoring.needs_offsets)
    grid = read_grid(grid_file, search.settings)
    with files.journal(identity(search, scoring, assessments, judging)) as kept, progress_bar(quiet=quiet) as progress:
        tuning = tune(
            search,
            scoring,
            grid,
            topics=chosen,
            folds=folds,
            seed=seed,
            method=method,
            resamples=resamples,
            jobs=jobs,
            journal=kept,
            progress=progress,
            check=search.settings,
        )
        best = search.settings(tuning.best)
        files.write(tuning, best, judging)
    for notice in (*judged.notices, *map(str, found.problems), *_unused(found, judged, common)):
        warn(notice, quiet=quiet)
    if as_json:
        print_json({**tuning.to_dict(), "settings": best.to_dict(), "out": None if out is None else str(out)})
        for notice in tuning.notices:
            warn(notice, quiet=quiet)
    else:
        print_result(tuning, as_json=False, quiet=quiet)
        if out is not None:
            click.echo(f"\n{out}: the best settings, for --settings {out}")
    return PARTLY if found.problems else DONE


def _common_topics(found: TopicFile, judged: Assessments) -> list[str]:
    """Return the topics that are asked and judged.

    Raises: TopicError when there is none.
    """
    common = [topic.topic_id for topic in found.topics if topic.topic_id in judged.topics]
    if not common:
        asked = next((topic.topic_id for topic in found.topics), "none")
        raise TopicError(
            f"none of {len(found.topics)} topics is judged in {judged.source}: asked is topic {asked!r}, judged is "
            f"topic {next(iter(judged.topics), 'none')!r}."
        )
    return common


def _unused(found: TopicFile, judged: Assessments, chosen: Sequence[str]) -> list[str]:
    """Return what to say of topics that are only asked, or only judged."""
    not_judged = [topic.topic_id for topic in found.topics if topic.topic_id not in judged.topics]
    not_asked = [topic for topic in judged.topics if topic not in set(chosen)]
    told = ((not_judged, "not judged"), (not_asked, "judged but not asked"))
    return [f"left out, {why}: topic {listed(topics, FEW)}" for topics, why in told if topics]


def _assigned(assignments: Sequence[str]) -> dict[str, str]:
    """Return the options of the measure that are given by name."""
    given = {}
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise MeasureError(f"--option '{assignment}': expected OPTION=VALUE, such as --option esl=raghavan.")
        given[name] = value
    return given


def _scorer(judged: Assessments, measure: str, given: Mapping[str, Any], geometry: Geometry) -> Scorer:
    """Return what scores by the measure under the options that are given."""
    options = {name: value for name, value in given.items() if value is not None}
    settings = Scoring(judged, options, geometry, "zero", None).settings([measure_name(measure).family])
    return scorer(judged, measure, settings, geometry)
