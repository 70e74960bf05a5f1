"""Scores of foxir and of BM25 over the same units, on the questions of a benchmark."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import foxir
from bench.published.conversion import Questions
from bench.published.units import Found, units_found
from foxir import TagSelector
from foxir.chunks.comparison import ChunkComparison

RETRIEVERS = ("bm25", "bm25+4")
PASSAGES, SIBLINGS = "foxir, passages", "foxir, siblings"

# The values of each measure on all questions, by system.
Scores = dict[str, dict[str, list[float]]]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: its questions, what is measured, and published figures.

    checkout: the repository that has its data. units: the tags that are retrieved; None for answers of every size.
    spans: measures of text, of the family span. of_units: measures of whole units, by name.
    published: rows of figures with their source, in the order of the measures.
    """

    checkout: str
    questions: Callable[[Path], Iterator[Questions]]
    paragraphs: str
    units: TagSelector | None = None
    spans: Sequence[str] = ()
    of_units: Mapping[str, Callable[[Found], float]] = field(default_factory=dict)
    published: Sequence[tuple[str, Sequence[float]]] = ()

    @property
    def measures(self) -> list[str]:
        """The names of all measures."""
        return [*self.spans, *self.of_units]

    def report(self, folder: Path, progress: Callable[[str], None]) -> str:
        """Return the scores of every system on the questions of a checkout as Markdown; "" if it has none."""
        scores = self._scores(folder, progress)
        return _table(self, scores) if scores else ""

    def _scores(self, folder: Path, progress: Callable[[str], None]) -> Scores:
        scores: Scores = {}
        for number, questions in enumerate(self.questions(folder), 1):
            progress(f"{number}: {len(questions.documents)} documents, {len(questions.asked)} questions")
            for system, values in self._scores_of(questions).items():
                of_system = scores.setdefault(system, {})
                for measure, found in values.items():
                    of_system.setdefault(measure, []).extend(found)
        return scores

    def _scores_of(self, questions: Questions) -> Scores:
        """Return the scores on questions that are asked of the same documents."""
        comparison = compared(questions, self.paragraphs, self.units, self.spans or ("R@5",))
        # Sentences are no whole units.
        runs = [run for run in comparison.runs if not self.units or run.run_id != PASSAGES]
        scores: Scores = {run.run_id: {} for run in runs}
        for row in comparison.table.rows:
            if row.measure in self.spans and row.run in scores:
                scores[row.run][row.measure] = [value or 0.0 for value in row.topics.values()]
        for run in runs:
            found = [
                units_found(run.rankings.get(str(number)), units)
                for number, (_, units) in enumerate(questions.asked, 1)
            ]
            for name, measure in self.of_units.items():
                scores[run.run_id][name] = [measure(each) for each in found]
        return scores


def compared(questions: Questions, paragraphs: str, units: TagSelector | None, spans: Sequence[str]) -> ChunkComparison:
    """Return the runs of every system on questions that are asked of the same documents, and their scores."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        questions.write(folder)
        foxir.build_index(folder / "documents", into=folder / "index")
        with foxir.open_index(folder / "index") as index:
            return foxir.evaluate_chunks(
                index,
                questions.topics,
                questions.judgements(folder),
                paragraphs,
                RETRIEVERS,
                settings=foxir.make_settings(task="CO.Focussed", answers=units or "auto"),
                measures=[f"span:{measure}" for measure in spans],
            )


def _table(benchmark: Benchmark, scores: Scores) -> str:
    """Return the means as Markdown, published figures below."""
    n_questions = len(next(iter(next(iter(scores.values())).values())))
    lines = [
        f"| {n_questions} questions | {' | '.join(benchmark.measures)} |",
        "|---|" + "---:|" * len(benchmark.measures),
    ]
    for system, values in scores.items():
        means = (math.fsum(values[measure]) / n_questions for measure in benchmark.measures)
        lines.append(f"| {system} | {' | '.join(f'{100 * mean:.1f}' for mean in means)} |")
    lines += [
        f"| *{name}* | {' | '.join('–' if math.isnan(value) else f'{value:.1f}' for value in values)} |"
        for name, values in benchmark.published
    ]
    return "\n".join(lines)
