"""Where scores go: the terminal, LaTeX, Markdown, JSON, a CSV file, a picture, a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.console import print_json, print_result
from engine.cli.files import check_target, make_folder, write_whole
from engine.cli.visible import visible
from eval.table import Table

if TYPE_CHECKING:
    from eval.statistics.correction import Correction
    from eval.statistics.marks import Marks
    from eval.statistics.significance import Test


@dataclass(frozen=True)
class Files:
    """The files that scores are written to, None for those not asked for."""

    csv: Path | None
    picture: Path | None
    page: Path | None

    def check(self) -> None:
        """Refuse, before anything is scored, what could not be written in the end."""
        for file in (self.csv, self.picture, self.page):
            if file:
                check_target(file)
        if self.picture:
            from eval.plots.files import check_ending  # noqa: PLC0415  (slow to import)

            check_ending(self.picture)

    def write(self, table: Table, source: str, testing: Testing) -> None:
        """Write the files, those that can fail for want of something to show first."""
        text = ""
        if self.page:
            from eval.report import sections  # noqa: PLC0415  (slow to import)

            how = sections.Testing(test=testing.test, correct=testing.correct, baseline=testing.baseline)
            text = sections.report(table, source=source, testing=how)
        if self.picture:
            from eval.plots import plot  # noqa: PLC0415  (matplotlib is slow to import)

            make_folder(self.picture.parent)
            plot(table, self.picture)
        if self.page:
            write_whole(self.page, text)
        if self.csv:
            write_whole(self.csv, table.csv())


@dataclass(frozen=True)
class Form:
    """How scores are printed."""

    per_topic: bool = False
    details: bool = False
    in_json: bool = False
    in_latex: bool = False
    in_markdown: bool = False

    def check(self) -> None:
        """Refuse two forms at once."""
        if self.in_json + self.in_latex + self.in_markdown > 1:
            raise click.UsageError("--json, --latex and --markdown are three forms of one table: choose one.")

    def print(self, table: Table, marks: Marks | None) -> None:
        """Print the table on stdout."""
        if self.in_json:
            print_json(table.document())
            return
        from eval.sheets.latex import latex  # noqa: PLC0415  (not needed for --json)
        from eval.sheets.markdown import markdown  # noqa: PLC0415
        from eval.sheets.scores import Scores  # noqa: PLC0415

        scores = Scores(table, marks, per_topic=self.per_topic, details=self.details)
        if self.in_latex or self.in_markdown:
            click.echo(visible((latex if self.in_latex else markdown)(scores.sheets())), nl=False)
        else:
            print_result(scores, as_json=False)


@dataclass(frozen=True)
class Testing:
    """Which run the others are tested against, in marks behind means and in reports, and how."""

    baseline: str | None
    given_test: Test | None
    given_correct: Correction | None

    @property
    def test(self) -> Test:
        """The test asked for, Student's if none is."""
        return self.given_test or "t"

    @property
    def correct(self) -> Correction:
        """The correction asked for, Holm's if none is."""
        return self.given_correct or "holm"

    def check(self, form: Form, files: Files) -> None:
        """Refuse what would show nowhere."""
        if files.page is not None:
            return
        if self.baseline is None and (self.given_test or self.given_correct):
            raise click.UsageError("--test and --correct say how runs are tested against --baseline RUN: name one.")
        if self.baseline is not None and (form.in_json or form.per_topic):
            raise click.UsageError(
                "--baseline marks the means of printed tables, which --json and --per-topic have not: "
                "'foxir compare' gives p-values."
            )

    def of(self, table: Table, runs: Sequence[Path]) -> Testing:
        """Return the same with the baseline by its name in the table; it may be given by its file as well."""
        if self.baseline is None:
            return self
        names = list(dict.fromkeys(row.run for row in table.rows))
        by_file = dict(zip(map(str, runs), names, strict=True)) if len(names) == len(runs) else {}
        return replace(self, baseline=by_file.get(self.baseline, self.baseline))

    def marks(self, table: Table) -> Marks | None:
        """Return the marks behind the means, None without a baseline."""
        if self.baseline is None:
            return None
        from eval.statistics.marks import significance_marks  # noqa: PLC0415  (slow to import)

        return significance_marks(table, baseline=self.baseline, test=self.test, correct=self.correct)
