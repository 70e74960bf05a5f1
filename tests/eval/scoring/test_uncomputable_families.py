"""A family that cannot be computed for a run leaves the others; a run without any is refused.

The measures of a table are named as rows have them, as tables print them, or with their family.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import MeasureError
from engine.notices import Notice, about
from eval.scoring.request import ScoringRequest
from eval.scoring.score import score_runs
from eval.scoring.score_table import ScoreRow, ScoreTable
from tests.eval.score_in_one_call import score
from tests.notice_codes import codes

QRELS = "1 Q0 a 120 1000 0 0:120\n2 Q0 a 50 1000 0 0:50\n"
RUN = """<inex-submission participant-id="x" run-id="{name}" task="CO.Focussed" query="automatic">
 <topic-fields title="yes" castitle="no" description="no" narrative="no" ontopic_keywords="no"/>
 <description/><collections><collection>c</collection></collections>
{topics}
</inex-submission>"""
TOPIC = '<topic topic-id="{n}"><result><file>a</file>{place}<rank>1</rank><rsv>1.0</rsv></result></topic>'
PATH, OFFSETS = "<path>/a[1]</path>", '<fol offset="0" length="100"/>'


def run(folder: Path, name: str, *places: str) -> Path:
    topics = "\n".join(TOPIC.format(n=n, place=place) for n, place in enumerate(places, 1))
    file = folder / f"{name}.xml"
    file.write_text(RUN.format(name=name, topics=topics))
    return file


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    file = tmp_path / "qrels.txt"
    file.write_text(QRELS)
    return file


def needs_paths(mixed: Path) -> Notice:
    return Notice("needs_paths", {"place": f"{mixed}:5: topic '2'", "family": "overlap"})


def test_what_can_be_computed_is_and_the_rest_has_no_value(tmp_path, qrels):
    mixed, elements = run(tmp_path, "mixed", PATH, OFFSETS), run(tmp_path, "elements", PATH, PATH)

    table = score(qrels, [mixed, elements], ["overlap", "trec:AP"])

    assert table.value("AP", run="mixed") == table.value("AP", run="elements") == 1
    assert [table.value(name, run="elements") for name in "OADP"] == [0] * 4
    assert [table.value(name, run="mixed") for name in "OADP"] == [None] * 4
    refusal = Notice("no_element_measure", {"reason": needs_paths(mixed)})
    refused = Notice("not_computed", {"reason": refusal}, "exclusion")
    assert [notice for notice in table.notices if notice.kind == "exclusion"] == [about("mixed", refused)]


def test_a_family_that_no_run_has_values_of_is_named_only(tmp_path, qrels):
    table = score(qrels, [run(tmp_path, "offsets", OFFSETS, OFFSETS)], ["overlap", "trec:AP"])

    assert {row.family for row in table.rows} == {"trec"}
    assert codes(table.notices).count("not_computed") == 1


def test_a_family_that_nobody_named_is_left_out_if_some_run_cannot_have_it(tmp_path, qrels):
    mixed, elements = run(tmp_path, "mixed", PATH, OFFSETS), run(tmp_path, "elements", PATH, PATH)

    def scored(*runs):
        return score_runs(ScoringRequest.of(qrels, ["overlap", "trec:AP"], may_leave_out=True), runs)

    table = scored(elements, mixed)
    assert {row.family for row in table.rows} == {"trec"}
    fields = {"family": "overlap", "reason": needs_paths(mixed)}
    assert Notice("left_out", {**fields, "has_others": True}) in table.notices

    assert Notice("left_out", {**fields, "has_others": False}) in scored(mixed).notices
    assert {row.family for row in scored(elements).rows} == {"overlap", "trec"}
    assert "left_out" not in codes(scored(elements).notices)


def test_a_run_without_any_family_is_refused(tmp_path, qrels):
    passages = run(tmp_path, "passages", OFFSETS, PATH)

    with pytest.raises(MeasureError, match="is a passage of text; overlap scores whole elements"):
        score(qrels, [run(tmp_path, "elements", PATH, PATH), passages], ["overlap"])


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
