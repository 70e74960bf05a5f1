"""Compares measures over many runs: rank correlations, and whether they decide alike about pairs of runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from engine.errors import MeasureError
from engine.runs import Run
from eval.assessments import Assessments
from eval.geometry import Geometry
from eval.measures import Settings
from eval.scoring import Missing
from eval.sheets import Column, Result, Sheet, rounded
from eval.statistics.compare import LEVEL, compare_series, describe
from eval.statistics.correction import Correction
from eval.statistics.correlation import Kendall, Spearman, kendall, spearman
from eval.statistics.decisions import Agreement, agreement_of_decisions
from eval.statistics.series import Series, score_series
from eval.statistics.significance import RESAMPLES, SEED, STANDARD, Resampling, Test


@dataclass(frozen=True)
class Correlation:
    """Two measures over the runs that both have a mean for; ``decisions`` take ``y`` for the truth."""

    x: str
    y: str
    n_runs: int
    spearman: Spearman
    kendall: Kendall
    decisions: Agreement


@dataclass(frozen=True)
class Correlations(Result):
    """Every pair of measures."""

    measures: tuple[str, ...]
    n_pairs: int
    test: Test
    correction: Correction
    level: float
    pairs: tuple[Correlation, ...]
    notices: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"measures", "run_pairs", "test", "correct", "level", "pairs": [...]}``."""
        return {
            "measures": list(self.measures),
            "run_pairs": self.n_pairs,
            "test": self.test,
            "correct": self.correction,
            "level": self.level,
            "pairs": [_pair(pair) for pair in self.pairs],
        }

    def sheets(self) -> tuple[Sheet, ...]:
        """Return the correlations, the matrix of tau if there are three measures or more, and the decisions."""
        ranks = Sheet.of(
            f"Rank correlation over {max((pair.n_runs for pair in self.pairs), default=0)} runs",
            ["measure", "measure", *(Column(name, 4) for name in ("Spearman", "Kendall tau-b", "tau-a"))],
            [[p.x, p.y, p.spearman.rho, p.kendall.tau_b, p.kendall.tau_a] for p in self.pairs],
            n_heads=2,
        )
        decisions = Sheet.of(
            f"Pairs of runs told apart: {describe(self.test, self.correction)}, p < {self.level:g}",
            [
                "predicts",
                "truth",
                *(Column(name, 0) for name in ("told apart", "in truth", "both")),
                *(Column(name, 4) for name in ("precision", "recall", "F1")),
            ],
            [
                [p.x, p.y, d.predicted, d.truth, d.common, d.precision, d.recall, d.f1]
                for p, d in ((pair, pair.decisions) for pair in self.pairs)
            ],
            notes=[f"{self.n_pairs} pairs of runs; the other way round precision and recall change places"],
            n_heads=2,
        )
        return (ranks, self.matrix(), decisions) if len(self.measures) > 2 else (ranks, decisions)

    def matrix(self) -> Sheet:
        """Return Kendall's tau-b of every measure with every other."""
        tau = {(p.x, p.y): p.kendall.tau_b for p in self.pairs}
        return Sheet.of(
            "Kendall tau-b",
            ["measure", *(Column(name, 4) for name in self.measures)],
            [[x, *(1.0 if x == y else tau.get((x, y), tau.get((y, x))) for y in self.measures)] for x in self.measures],
        )


def correlate(
    assessments: Assessments | str | Path,
    runs: Sequence[Run | str | Path],
    *,
    measures: Sequence[str],
    test: Test = "bootstrap",
    correct: Correction = "by",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    settings: Settings | None = None,
    geometry: Geometry | None = None,
    missing: Missing = "zero",
    topics: Sequence[str] | None = None,
) -> Correlations:
    """Return how alike measures order the runs, and how alike they tell pairs of runs apart.

    A list of values for an option makes a measure count once for each value, so ``measures=["inex_eval:AP"]`` with
    ``settings={"quant": ["strict", "gen"]}`` compares two quantisations. Test and correction are those of Ogilvie &
    Lalmas unless others are named.

    Raises: MeasureError for fewer than two measures or two runs.
    """
    if len(runs) < 2:
        raise MeasureError(f"{len(runs)} run given: expected two or more.")
    series, notices = score_series(
        assessments, runs, measures, settings, geometry=geometry, missing=missing, topics=topics
    )
    return correlate_series(series, test, correct, level, Resampling(resamples, seed), notices)


def correlate_series(
    series: Sequence[Series],
    test: Test = "bootstrap",
    correction: Correction = "by",
    level: float = LEVEL,
    resampling: Resampling = STANDARD,
    notices: tuple[str, ...] = (),
) -> Correlations:
    """Return the correlations of all pairs of series."""
    if len(series) < 2:
        raise MeasureError(
            "one measure given: expected two or more (--measures AP,iAP), or several values of an option."
        )
    told_apart = {s.label: compare_series(s, test, correction, level, resampling).significant for s in series}
    pairs = []
    for x, y in combinations(series, 2):
        x_means, y_means = x.means, y.means
        both = [(x_means[run], y_means.get(run)) for run in x_means]
        known = [(a, b) for a, b in both if a is not None and b is not None]
        left, right = [a for a, _ in known], [b for _, b in known]
        decisions = agreement_of_decisions(told_apart[x.label], told_apart[y.label])
        pairs.append(Correlation(x.label, y.label, len(known), spearman(left, right), kendall(left, right), decisions))
    n_runs = len(series[0].runs)
    labels = tuple(s.label for s in series)
    return Correlations(labels, n_runs * (n_runs - 1) // 2, test, correction, level, tuple(pairs), notices)


def _pair(pair: Correlation) -> dict[str, Any]:
    return {
        "x": pair.x,
        "y": pair.y,
        "runs": pair.n_runs,
        "spearman": {"rho": rounded(pair.spearman.rho), "p": rounded(pair.spearman.p)},
        "kendall": {
            "concordant": pair.kendall.concordant,
            "discordant": pair.kendall.discordant,
            "tau_a": rounded(pair.kendall.tau_a),
            "tau_b": rounded(pair.kendall.tau_b),
            "p": rounded(pair.kendall.p),
        },
        "decisions": {
            "x": pair.decisions.predicted,
            "y": pair.decisions.truth,
            "both": pair.decisions.common,
            "precision": rounded(pair.decisions.precision),
            "recall": rounded(pair.decisions.recall),
            "f1": rounded(pair.decisions.f1),
        },
    }
