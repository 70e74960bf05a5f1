"""Output of scores and of comparisons: the terminal, LaTeX, Markdown, JSON, a CSV file, a picture, a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eval.scoring.score_table import ScoreTable
from foxir.terminal.console import print_json, print_notices, print_tables
from foxir.terminal.control_characters import visible
from foxir.terminal.options.options import json_option, latex_option, markdown_option
from foxir.terminal.output_files import check_one_stdout, check_target, is_stdout, make_folder, write_whole

if TYPE_CHECKING:
    from eval.output.tables import PrintableResult
    from eval.statistics.run_comparison import SignificanceMarks
    from eval.statistics.significance_tests import TestName
    from eval.statistics.testing_options import Correction, SignificanceTesting


@dataclass(frozen=True)
class ScoreFiles:
    """The files that scores are written to, None for those not requested."""

    csv: Path | None
    picture: Path | None
    page: Path | None

    @property
    def use_stdout(self) -> bool:
        """Whether one of the files is stdout; then nothing else is printed there."""
        return is_stdout(self.csv) or is_stdout(self.page)

    def check(self, form: Form) -> None:
        """Refuse paths that cannot be written, before anything is scored."""
        check_one_stdout(
            *(("--csv", is_stdout(self.csv)), ("--report", is_stdout(self.page))),
            *(("--json", form.in_json), ("--latex", form.in_latex), ("--markdown", form.in_markdown)),
        )
        for file in (self.csv, self.picture, self.page):
            if file:
                check_target(file)
        if self.picture:
            from eval.output.plots.style import check_ending  # noqa: PLC0415  (slow to import)

            check_ending(self.picture)

    def write(self, table: ScoreTable, source: str, testing: BaselineTesting) -> None:
        """Write the report, the picture and the CSV; first what is refused where no measure has a value."""
        text = ""
        if self.page:
            from eval.output.report import report  # noqa: PLC0415  (slow to import)

            text = report(table, source=source, testing=testing.significance, baseline=testing.baseline)
        if self.picture:
            from eval.output.plots import plot  # noqa: PLC0415  (matplotlib is slow to import)

            make_folder(self.picture.parent)
            plot(table, self.picture)
        if self.page:
            write_whole(self.page, text)
        if self.csv:
            write_whole(self.csv, table.csv())


@dataclass(frozen=True)
class Form:
    """Form of printed scores and of the results of other evaluations."""

    per_topic: bool = False
    details: bool = False
    in_json: bool = False
    in_latex: bool = False
    in_markdown: bool = False

    def check(self) -> None:
        """Refuse several output formats at once."""
        if self.in_json + self.in_latex + self.in_markdown > 1:
            raise click.UsageError("--json, --latex and --markdown are forms of the same table: choose one.")

    def print(self, table: ScoreTable, marks: SignificanceMarks | None) -> None:
        """Print the table on stdout."""
        if self.in_json:
            print_json(table.to_dict())
            return
        from eval.output.tables.score_tables import PrintedScores  # noqa: PLC0415  (not needed for --json)

        self._print_tables(PrintedScores(table, marks, per_topic=self.per_topic, details=self.details))

    def print_result(self, result: PrintableResult, *, quiet: bool = False, err: bool = False) -> None:
        """Print the result of another evaluation, and its notices.

        Args:
            err: tables for people go to stderr, as stdout is the file that the command writes.
        """
        if self.in_json:
            print_json(result.to_dict())
        elif not (err and quiet):
            self._print_tables(result, err=err)
        print_notices(getattr(result, "notices", ()), quiet=quiet)

    def _print_tables(self, result: PrintableResult, *, err: bool = False) -> None:
        if not self.in_latex and not self.in_markdown:
            print_tables(result, err=err)
            return
        from eval.output.tables.markup import latex, markdown  # noqa: PLC0415  (not needed for the terminal)

        click.echo(visible((latex if self.in_latex else markdown)(result.tables())), nl=False)


def form_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add --latex, --markdown and --json to a command, which gets them as one `form`."""

    @wraps(command)
    def with_form(*arguments: Any, latex: bool, markdown: bool, as_json: bool, **options: Any) -> int:
        form = Form(in_json=as_json, in_latex=latex, in_markdown=markdown)
        form.check()
        return command(*arguments, form=form, **options)

    with_options: Callable[..., int] = latex_option(markdown_option(json_option(with_form)))
    return with_options


@dataclass(frozen=True)
class BaselineTesting:
    """The baseline that other runs are tested against, and the test; for the marks after means, and for reports."""

    baseline: str | None
    given_test: TestName | None
    given_correction: Correction | None

    @property
    def significance(self) -> SignificanceTesting:
        """The test and correction, Student's t test and Holm's correction if none are given."""
        from eval.statistics.testing_options import SignificanceTesting  # noqa: PLC0415  (slow to import)

        return SignificanceTesting(self.given_test or "t", self.given_correction or "holm")

    def check(self, form: Form, files: ScoreFiles) -> None:
        """Refuse options without effect on the output."""
        if files.page is not None:
            return
        if self.baseline is None and (self.given_test or self.given_correction):
            raise click.UsageError("--test and --correction need a baseline to test against: add --baseline RUN.")
        if self.baseline is not None and (form.in_json or form.per_topic):
            raise click.UsageError(
                "--baseline marks the means of printed tables, which --json and --per-topic do not print: "
                "'foxir compare JUDGEMENTS RUN RUN --measure AP' gives p-values."
            )

    def of(self, table: ScoreTable, runs: Sequence[Path]) -> BaselineTesting:
        """Return a copy whose baseline is named by run id, also if it was given as a file."""
        if self.baseline is None:
            return self
        names = list(dict.fromkeys(row.run for row in table.rows))
        by_file = dict(zip(map(str, runs), names, strict=True)) if len(names) == len(runs) else {}
        return replace(self, baseline=by_file.get(self.baseline, self.baseline))

    def marks(self, table: ScoreTable) -> SignificanceMarks | None:
        """Return the marks after the means, None without a baseline."""
        if self.baseline is None:
            return None
        from eval.statistics.run_comparison import significance_marks  # noqa: PLC0415  (slow to import)

        return significance_marks(table, self.significance, baseline=self.baseline)
