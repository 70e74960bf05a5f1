"""`foxir correlate`: do measures order runs alike?"""

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


@click.command(name="correlate")
@click.argument("assessments", type=click.Path(path_type=Path))
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN RUN...")
@click.option("--measures", required=True, metavar="M,M", help="Measures: AP,nxCG@10,inex_eval:AP.")
@click.option(
    "--test", type=click.Choice(get_args(Test)), default="bootstrap", show_default=True, help="Test of pairs."
)
@click.option(
    "--correct", type=click.Choice(get_args(Correction)), default="by", show_default=True, help="For many pairs."
)
@click.option("--level", type=float, default=0.05, show_default=True, help="Significant below this p.")
@click.option(
    "--resamples", type=click.IntRange(min=1), default=RESAMPLES, show_default=True, help="bootstrap, randomisation."
)
@click.option("--seed", type=int, default=SEED, show_default=True, help="Of bootstrap and randomisation.")
@click.option(
    "--reliability", "by_subsets", is_flag=True, help="How reliable each measure is over four subsets of topics."
)
@click.option(
    "--plot", "picture", type=click.Path(path_type=Path), metavar="FILE", help="Draw the heat map: SVG, PNG, PDF."
)
@scoring_options
@json_option
@quiet_option
def command(
    scoring: Scoring,
    runs: tuple[Path, ...],
    measures: str,
    test: Test,
    correct: Correction,
    level: float,
    resamples: int,
    seed: int,
    by_subsets: bool,
    picture: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Say how alike measures order the runs, and how alike they tell pairs of runs apart.

    \b
      foxir correlate assessments/ runs/*.xml --measures AP,F@10,inex_eval:AP
      foxir correlate assessments/ runs/*.xml --measures AP,xcg:MAep --reliability
    """
    from eval.statistics import correlate, reliability  # noqa: PLC0415  (scipy is slow to import)

    names = [name.strip() for name in measures.split(",")]
    shared = {
        "measures": names,
        "level": level,
        "resamples": resamples,
        "seed": seed,
        "settings": scoring.settings([measure_name(name).family for name in names]),
        "geometry": scoring.geometry,
        "missing": scoring.missing,
        "topics": scoring.topics,
    }
    if by_subsets:
        if picture:
            raise click.UsageError("--plot draws how measures correlate, --reliability does not ask for it.")
        subsets = reliability(scoring.assessments, runs, test=test, **shared)  # type: ignore[arg-type]
        print_result(subsets, as_json=as_json, quiet=quiet)
        return status(subsets.notices)
    result = correlate(scoring.assessments, runs, test=test, correct=correct, **shared)  # type: ignore[arg-type]
    if picture:
        from eval.plots import plot_correlations, save  # noqa: PLC0415  (matplotlib is slow to import)

        save(plot_correlations(result), picture)
    print_result(result, as_json=as_json, quiet=quiet)
    return status(result.notices)
