"""Correlation of measures over runs: rank correlations, and agreement of their significant differences."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import MeasureError
from engine.notices import Message, Notice
from engine.runs import Run
from eval.numbers import ratio
from eval.output.tables import Column, PrintableResult, PrintedTable, rounded
from eval.scoring.request import ScoringRequest
from eval.statistics.run_comparison import compare_series
from eval.statistics.score_series import ScoreSeries, score_series
from eval.statistics.testing_options import SignificanceTesting


@dataclass(frozen=True)
class Kendall:
    """Kendall's rank correlation: concordant and discordant pairs, and both treatments of ties.

    tau-a = (concordant - discordant) / all pairs; tau-b divides by sqrt of (pairs not tied in x)(pairs not tied in y).
    None where there is no such pair.
    """

    concordant: int
    discordant: int
    tau_a: float | None
    tau_b: float | None
    p: float | None


@dataclass(frozen=True)
class Spearman:
    """Spearman's rank correlation with mean ranks for ties; None if all values of one list are equal."""

    rho: float | None
    p: float | None


def spearman(x: Sequence[float], y: Sequence[float]) -> Spearman:
    """Return Spearman's rank correlation of two lists of equal length, with its two-sided p-value (t, n - 2)."""
    _check(x, y)
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Spearman(None, None)
    from scipy.stats import rankdata, spearmanr  # noqa: PLC0415 - slow to import

    if len(x) == 2:  # two runs always lie on a line: nothing to test
        return Spearman(float(np.sign((x[1] - x[0]) * (y[1] - y[0]))), None)
    found = spearmanr(rankdata(x), rankdata(y))
    return Spearman(float(found.statistic), float(found.pvalue))


def kendall(x: Sequence[float], y: Sequence[float]) -> Kendall:
    """Return Kendall's rank correlation of two lists of equal length, with the two-sided p-value of tau-b."""
    _check(x, y)
    n = len(x)
    first, second = np.triu_indices(n, 1)
    dx, dy = (
        np.sign(np.subtract(*np.asarray(x)[[first, second]])),
        np.sign(np.subtract(*np.asarray(y)[[first, second]])),
    )
    concordant, discordant = int((dx * dy > 0).sum()), int((dx * dy < 0).sum())
    if not len(first):
        return Kendall(0, 0, None, None, None)
    tau_a = (concordant - discordant) / len(first)
    untied = int((dx != 0).sum()) * int((dy != 0).sum())
    if not untied:
        return Kendall(concordant, discordant, tau_a, None, None)
    from scipy.stats import kendalltau  # noqa: PLC0415 - slow to import

    found = kendalltau(x, y)
    return Kendall(
        concordant, discordant, tau_a, (concordant - discordant) / float(np.sqrt(untied)), float(found.pvalue)
    )


def _check(x: Sequence[float], y: Sequence[float]) -> None:
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values beside {len(y)}")


@dataclass(frozen=True)
class Correlation:
    """Two measures over the runs for which both have a mean; ``decisions`` take ``y`` as the truth."""

    x: str
    y: str
    n_runs: int
    spearman: Spearman
    kendall: Kendall
    decisions: DecisionAgreement


@dataclass(frozen=True, repr=False)
class Correlations(PrintableResult):
    """The correlations of all pairs of measures."""

    measures: tuple[str, ...]
    n_pairs: int
    testing: SignificanceTesting
    pairs: tuple[Correlation, ...]
    notices: tuple[Message, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"measures", "run_pairs", "test", "correct", "level", "pairs": [...]}``."""
        return {
            "measures": list(self.measures),
            "run_pairs": self.n_pairs,
            "test": self.testing.test,
            "correct": self.testing.correction,
            "level": self.testing.level,
            "pairs": [_pair(pair) for pair in self.pairs],
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return the rank correlations, the tau matrix for three or more measures, and the agreement of decisions."""
        ranks = PrintedTable.of(
            f"Rank correlation over {max((pair.n_runs for pair in self.pairs), default=0)} runs",
            ["measure", "measure", *(Column(name, 4) for name in ("Spearman", "Kendall tau-b", "tau-a"))],
            [[p.x, p.y, p.spearman.rho, p.kendall.tau_b, p.kendall.tau_a] for p in self.pairs],
            n_heads=2,
        )
        decisions = PrintedTable.of(
            f"Significantly different pairs of runs: {self.testing}, p < {self.testing.level:g}",
            [
                "predicts",
                "truth",
                *(Column(name, 0) for name in ("predicted", "in truth", "both")),
                *(Column(name, 4) for name in ("precision", "recall", "F1")),
            ],
            [
                [p.x, p.y, d.predicted, d.truth, d.common, d.precision, d.recall, d.f1]
                for p, d in ((pair, pair.decisions) for pair in self.pairs)
            ],
            notes=[
                f"{self.n_pairs} pairs of runs; with the roles swapped, precision and recall change places",
                *self.testing.caveats,
            ],
            n_heads=2,
        )
        return (ranks, self.matrix(), decisions) if len(self.measures) > 2 else (ranks, decisions)

    def matrix(self) -> PrintedTable:
        """Return Kendall's tau-b of every measure with every other."""
        tau = {(p.x, p.y): p.kendall.tau_b for p in self.pairs}
        return PrintedTable.of(
            "Kendall tau-b",
            ["measure", *(Column(name, 4) for name in self.measures)],
            [[x, *(1.0 if x == y else tau.get((x, y), tau.get((y, x))) for y in self.measures)] for x in self.measures],
        )


# Test and correction of Ogilvie & Lalmas, CIKM 2006.
OGILVIE_LALMAS = SignificanceTesting("bootstrap", "by")


def correlate(
    request: ScoringRequest, runs: Sequence[Run | str | Path], testing: SignificanceTesting = OGILVIE_LALMAS
) -> Correlations:
    """Return the rank correlations of measures over runs, and the agreement of their significant differences.

    A measure counts once for each requested combination of option values, so a request for ``inex_eval:AP`` with
    ``{"quant": ["strict", "gen"]}`` compares two quantisations.

    Raises: MeasureError for fewer than two measures or two runs.
    """
    if len(runs) < 2:
        raise MeasureError(f"{len(runs)} run given: expected two or more.")
    series, notices = score_series(request, runs)
    return correlate_series(series, testing, notices)


def correlate_series(
    series: Sequence[ScoreSeries], testing: SignificanceTesting = OGILVIE_LALMAS, notices: tuple[Message, ...] = ()
) -> Correlations:
    """Return the correlations of all pairs of series."""
    if len(series) < 2:
        raise MeasureError(Notice("one_measure"))
    significant = {one.label: compare_series(one, testing).significant for one in series}
    pairs = []
    for x, y in combinations(series, 2):
        x_means, y_means = x.means, y.means
        both = [(x_means[run], y_means.get(run)) for run in x_means]
        known = [(a, b) for a, b in both if a is not None and b is not None]
        left, right = [a for a, _ in known], [b for _, b in known]
        decisions = agreement_of_decisions(significant[x.label], significant[y.label])
        pairs.append(Correlation(x.label, y.label, len(known), spearman(left, right), kendall(left, right), decisions))
    n_runs = len(series[0].runs)
    return Correlations(tuple(s.label for s in series), n_runs * (n_runs - 1) // 2, testing, tuple(pairs), notices)


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


@dataclass(frozen=True)
class DecisionAgreement:
    """Precision, recall and F1 of the significant pairs of one measure as predictions of another; None if undefined."""

    predicted: int
    truth: int
    common: int
    precision: float | None
    recall: float | None
    f1: float | None


def agreement_of_decisions(predicted: Set[tuple[str, str]], truth: Set[tuple[str, str]]) -> DecisionAgreement:
    """Return the agreement of two sets of significant pairs (better, worse).

    A pair that is significant under both but in opposite order counts as two different pairs.
    """
    common = len(predicted & truth)
    n_predicted, n_true = len(predicted), len(truth)
    precision, recall = ratio(common, n_predicted), ratio(common, n_true)
    return DecisionAgreement(n_predicted, n_true, common, precision, recall, ratio(2 * common, n_predicted + n_true))
