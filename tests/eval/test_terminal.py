import io

from rich.console import Console

from eval import Row, Table
from eval.terminal import show

OPTIONS = {"alpha": 1.0}
TABLE = Table(
    (
        Row("one", "hixeval", "AP", OPTIONS, {"7": 0.5, "8": None}),
        Row("one", "hixeval", "P[0.50]", OPTIONS, {"7": 0.1, "8": None}, is_detail=True),
        Row("two", "hixeval", "AP", OPTIONS, {"7": 0.25, "8": None}),
    )
)


def shown(*, colour=False, width=80, **options):
    text = io.StringIO()
    show(
        TABLE,
        Console(file=text, width=width, force_terminal=colour, color_system="standard" if colour else None),
        **options,
    )
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_one_line_a_run_with_four_decimals_and_the_name_of_the_mean():
    assert shown() == ["hixeval  alpha=1", "run     MAP", "one  0.5000", "two  0.2500"]


def test_the_best_run_is_bold():
    lines = shown(colour=True)

    assert "\x1b[1m0.5000" in lines[2]
    assert "\x1b[1m0.2500" not in lines[3]


def test_topics_and_details_are_shown_when_asked_for():
    lines = shown(per_topic=True, details=True)

    assert lines[1].split() == ["run", "topic", "MAP", "P[0.50]"]
    assert lines[2].split() == ["one", "7", "0.5000", "0.1000"]
    assert lines[3].split() == ["one", "8", "-", "-"]
    assert lines[4].split() == ["one", "all", "0.5000", "0.1000"]
    assert lines[5].split() == ["two", "7", "0.2500", "-"]


def test_measures_that_do_not_fit_go_on_below():
    assert shown(width=14, details=True) == [
        "hixeval  alpha=1", "run     MAP", "one  0.5000", "two  0.2500", "run  P[0.50]", "one   0.1000", "two        -"
    ]  # fmt: skip
