"""The measures of a table are named as rows have them, as tables print them, or with their family."""

from __future__ import annotations

import pytest

from engine.errors import MeasureError
from eval.scoring.score_table import ScoreRow, ScoreTable

MEASURES = [("hixeval", "AP"), ("hixeval", "P@5"), ("focused", "AiP"), ("ric", "AgP"), ("hixeval-group", "AP(element)")]
TABLE = ScoreTable(
    tuple(ScoreRow("r", family, name, {}, {"1": value / 10}) for value, (family, name) in enumerate(MEASURES))
)


@pytest.mark.parametrize(
    ("names", "value"),
    [
        (("AP", "MAP", "hixeval:AP", "hixeval:MAP"), 0.0),
        (("P@5", "hixeval:P@5"), 0.1),
        (("AiP", "MAiP", "focused:MAiP"), 0.2),
        (("AgP", "MAgP"), 0.3),
        (("AP(element)", "MAP(element)"), 0.4),
    ],
)
def test_a_measure_has_the_names_that_are_printed(names: tuple[str, ...], value: float) -> None:
    assert [TABLE.value(name) for name in names] == [value] * len(names)
    assert {TABLE.select(measure=name) == TABLE.select(measure=names[0]) for name in names} == {True}


@pytest.mark.parametrize(("name", "meant"), [("MAiPP", "MAiP"), ("maip", "MAiP"), ("P@6", "P@5"), ("x:AP", "AP")])
def test_another_name_is_refused_with_those_there_are(name: str, meant: str) -> None:
    for ask in (TABLE.value, lambda measure: TABLE.select(measure=measure)):
        with pytest.raises(MeasureError) as refused:
            ask(name)
        assert f"measure {name!r} is not in the table: did you mean '" in str(refused.value)
        assert meant in str(refused.value).partition("?")[0]
        assert "it has MAP, P@5, MAiP, MAgP, MAP(element)." in str(refused.value)


def test_a_family_without_the_measure_has_no_rows_and_an_unknown_run_is_refused() -> None:
    assert TABLE.select(measure="AP", family="ric").rows == ()
    with pytest.raises(MeasureError, match="run 'other' is not in the table: it has 'r'"):
        TABLE.select(measure="AP", run="other")
    assert ScoreTable(()).select(measure="AP").rows == ()
