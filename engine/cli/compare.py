"""`foxir compare`: do runs really differ?"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from engine.cli.console import json_option, print_result, quiet_option
from engine.cli.scoring import Scoring, scoring_options
from engine.cli.status import status
from eval.measure_names import measure_name
from eval.statistics.correction import Correction
from eval.statistics.significance import RESAMPLES, SEED, Test


@click.command(name="compare")
@click.argument("assessments", type=click.Path(path_type=Path))
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN RUN...")
@click.option("--measure", required=True, metavar="M", help="AP, F@10, nxCG@25, inex_eval:AP ...")
@click.option("--test", type=click.Choice(get_args(Test)), default="t", show_default=True, help="Test of each pair.")
@click.option(
    "--correct", type=click.Choice(get_args(Correction)), default="none", show_default=True, help="For many pairs."
)
@click.option("--level", type=float, default=0.05, show_default=True, help="Significant below this p.")
@click.option(
    "--resamples", type=click.IntRange(min=1), default=RESAMPLES, show_default=True, help="bootstrap, randomisation."
)
@click.option("--seed", type=int, default=SEED, show_default=True, help="Of bootstrap and randomisation.")
@scoring_options
@json_option
@quiet_option
def command(
    scoring: Scoring,
    runs: tuple[Path, ...],
    measure: str,
    test: Test,
    correct: Correction,
    level: float,
    resamples: int,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> int:
    """Test every pair of runs for a significant difference under a measure.

    \b
      foxir compare assessments/ runs/a.xml runs/b.xml --measure AP
      foxir compare assessments/ runs/*.xml --measure F@10 --test wilcoxon --correct holm
    """
    from eval.statistics import compare  # noqa: PLC0415  (scipy is slow to import)

    result = compare(
        scoring.assessments,
        runs,
        measure=measure,
        test=test,
        correct=correct,
        level=level,
        resamples=resamples,
        seed=seed,
        settings=scoring.settings([measure_name(measure).family]),
        geometry=scoring.geometry,
        missing=scoring.missing,
        topics=scoring.topics,
    )
    print_result(result, as_json=as_json, quiet=quiet)
    return status(result.notices)
