from __future__ import annotations

import io
import re

import pytest
from lxml import html as reader
from rich.console import Console

from eval import ScoreRow, ScoreTable
from eval.output.tables import Cell, Column, PrintableResult, PrintedTable, rounded
from eval.output.tables.markup import html, latex, markdown
from eval.output.tables.score_tables import PrintedScores, mean_tables, topic_tables
from eval.statistics.run_comparison import significance_marks
from eval.statistics.testing_options import SignificanceTesting

SIGN = SignificanceTesting("sign")

SHEET = PrintedTable.of(
    "50% of_all",
    ["run", Column("P@5", 4), Column("n", 0)],
    [["a_b", Cell(0.5, "↑", is_best=True), 12], ["c|<d>", None, 7]],
    notes=["p < 0.05"],
)


class Shown(PrintableResult):
    def to_dict(self):
        return {"sheet": SHEET.title}

    def tables(self):
        return (SHEET, SHEET)


def lines(width=80):
    text = io.StringIO()
    Console(file=text, width=width, force_terminal=False).print(Shown())
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_a_terminal_shows_aligned_columns_and_room_for_marks():
    assert lines()[:5] == ["50% of_all", "run       P@5    n", "a_b    0.5000↑  12", "c|<d>       –    7", "p < 0.05"]


def test_results_show_all_their_tables():
    assert lines().count("50% of_all") == 2


def test_a_result_as_text_is_its_tables():
    assert str(Shown()).splitlines() == lines(width=120)
    assert repr(Shown()) == "Shown('50% of_all')"


def test_columns_that_do_not_fit_go_on_below_under_the_same_heads():
    assert lines(width=15)[1:7] == [
        "run       P@5",
        "a_b    0.5000↑",
        "c|<d>       –",
        "run     n",
        "a_b    12",
        "c|<d>   7",
    ]


def test_latex_is_ruled_by_booktabs_and_escaped():
    assert latex([SHEET]) == (
        "\\begin{table}\n"
        "  \\centering\n"
        "  \\caption{50\\% of\\_all}\n"
        "  \\begin{tabular}{lrr}\n"
        "    \\toprule\n"
        "    run & P@5 & n \\\\\n"
        "    \\midrule\n"
        "    a\\_b & \\textbf{0.5000}$^{\\uparrow}$ & 12 \\\\\n"
        "    c|\\textless{}d\\textgreater{} & -- & 7 \\\\\n"
        "    \\bottomrule\n"
        "  \\end{tabular}\n"
        "  \\par\\smallskip{\\footnotesize p \\textless{} 0.05}\n"
        "\\end{table}\n"
    )


def test_markdown_is_aligned_and_escaped():
    assert markdown([SHEET]).splitlines() == [
        *("**50% of\\_all**", "", "| run      |         P@5 |   n |", "| -------- | ----------: | --: |"),
        *("| a\\_b     | **0.5000**↑ |  12 |", "| c\\|\\<d\\> |           – |   7 |", "", "p \\< 0.05"),
    ]


def test_html_is_escaped_and_says_what_marks_mean():
    table = reader.fromstring(html(SHEET)).find(".//table")

    assert [[cell.text_content() for cell in row] for row in table.iter("tr")] == [
        ["run", "P@5", "n"],
        ["a_b", "0.5000↑", "12"],
        ["c|<d>", "–", "7"],
    ]
    assert table.find(".//sup").get("title") == "significantly better"
    assert table.findtext(".//td/b") == "0.5000"


def test_rows_must_fit_their_columns():
    with pytest.raises(ValueError, match="a row of 1 cells under 2 columns"):
        PrintedTable.of("t", ["a", "b"], [["x"]])


def test_numbers_for_programs_have_fifteen_digits():
    assert (rounded(1 / 3), rounded(None)) == (0.333333333333333, None)


TOPICS = [str(n) for n in range(8)]


def row(run, value, measure="AP", **options):
    return ScoreRow(run, "hixeval", measure, options, {t: value + n / 1000 for n, t in enumerate(TOPICS)})


TABLE = ScoreTable(
    (
        row("base", 0.5, alpha=1.0),
        row("base", 0.7, "P[0.50]", alpha=1.0),
        row("base", 0.2, alpha=0.0),
        row("worse", 0.3, alpha=1.0),
        row("worse", 0.4, alpha=0.0),
    )
)


def test_means_of_runs_with_the_best_bold_and_the_rest_marked_against_the_first():
    one, two = mean_tables(TABLE, marks=significance_marks(TABLE, SIGN))

    assert [table.title for table in (one, two)] == ["hixeval  alpha=1", "hixeval  alpha=0"]
    assert [column.name for column in one.columns] == ["run", "MAP", "P[0.50]"]
    assert one.rows[0][1] == Cell(pytest.approx(0.5035), "", is_best=True)
    assert one.rows[1][1] == Cell(pytest.approx(0.3035), "↓", is_best=False)
    assert one.rows[1][2] == Cell(None)
    assert two.rows[1][1].mark == "↑"
    assert one.notes == ("↑ ↓ significantly better, worse than base: sign test, no correction, p < 0.05",)


def test_points_of_long_curves_are_omitted_by_default():
    detailed = ScoreTable(
        (*TABLE.rows[:1], ScoreRow("base", "hixeval", "P[0.01]", {"alpha": 1.0}, {"0": 1.0}, is_detail=True))
    )

    assert len(mean_tables(detailed)[0].columns) == 2
    assert len(mean_tables(detailed, details=True)[0].columns) == 3


def test_scores_are_shown_as_means_or_by_topic_and_written_as_the_table():
    marks = significance_marks(TABLE, SIGN)

    assert PrintedScores(TABLE, marks).tables() == mean_tables(TABLE, marks=marks)
    assert PrintedScores(TABLE, per_topic=True).tables() == topic_tables(TABLE)
    assert PrintedScores(TABLE).json() == TABLE.json()


def test_topics_down_and_runs_across():
    table = topic_tables(TABLE)[0]

    assert table.title == "hixeval  alpha=1  AP"
    assert table.texts()[0] == ["0", "0.5000", "0.3000"]
    assert table.texts()[-1] == ["mean", "0.5035", "0.3035"]
    assert [row[1].is_best for row in table.rows] == [True] * 9


def test_a_correction_counts_the_runs_beside_the_baseline():
    # 8 of 8 topics: p = 2/256; three runs against the baseline: 6/256 < 0.05; seven: 14/256 > 0.05
    for n, mark in ((3, "↓"), (7, "")):
        table = ScoreTable((row("base", 0.5), *(row(f"r{i}", 0.3) for i in range(n))))
        assert significance_marks(table, SignificanceTesting("sign", "bonferroni")).of(table.rows[1]) == mark


def test_another_run_may_be_the_baseline_and_one_alone_needs_no_note():
    marks = significance_marks(TABLE, SIGN, baseline="worse")

    assert marks.of(TABLE.rows[0]) == "↑"
    assert significance_marks(ScoreTable(TABLE.rows[:1])).note == ""
    with pytest.raises(Exception, match=re.escape("there is no run 'x' to compare with; the runs are: base, worse.")):
        significance_marks(TABLE, baseline="x")
