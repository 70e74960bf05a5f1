"""Frames of answers, runs, scores and assessments."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import foxir
from foxir.adapters import frames
from foxir.adapters.frames import ScoredRow, run_of_rows
from foxir.adapters.hosts import Host, MissingHostError
from foxir.adapters.judged_collection import JudgedRow, assessments_of_rows, judged_rows
from tests.foxir.adapters.examples import run_example
from tests.foxir.conftest import ROOT, Sample


def test_rows_of_a_run_are_ranked_by_score_and_ties_keep_their_order() -> None:
    rows = [
        ScoredRow("1", "b#/p[1]", 1.0),
        ScoredRow("1", "a#3:4", 2.0),
        ScoredRow("1", "c", 1.0),
        ScoredRow("2", "a", 0),
    ]
    run = run_of_rows(rows, "mine")

    assert run.run_id == "mine"
    assert list(run.rankings) == ["1", "2"]
    assert list(run.rankings["1"].documents) == ["a", "b", "c"]
    assert list(run.rankings["1"].paths) == [None, "/p[1]", None]
    assert run.rankings["1"].starts.tolist() == [3, -1, -1]
    assert run.rankings["1"].lengths.tolist() == [4, -1, -1]


@pytest.mark.parametrize("score", ["high", None, math.nan, math.inf])
def test_a_score_that_is_no_number_is_refused(score: Any) -> None:
    with pytest.raises(foxir.RunFormatError, match="topic '1'"):
        run_of_rows([ScoredRow("1", "a", score)])


def test_judged_rows_are_the_highlighted_passages(sample: Sample) -> None:
    qrels = foxir.read_assessments(ROOT / "topics/qrels.txt")
    rows = list(judged_rows(qrels))

    assert sum(row.relevance for row in rows) == sum(len(each.passages) for each in qrels.topics.values())
    assert rows[0] == JudgedRow("1", "ieee/na/1998/n1012#82:69", 1, 6333)
    again = assessments_of_rows(rows)
    for topic, judgements in qrels.topics.items():
        assert again.topics[topic].documents == judgements.documents
        assert again.topics[topic].lengths.tolist() == judgements.lengths.tolist()
        assert again.topics[topic].passages.starts.tolist() == judgements.passages.starts.tolist()
        assert again.topics[topic].passages.lengths.tolist() == judgements.passages.lengths.tolist()


def test_a_judged_path_is_located_by_the_index(sample: Sample) -> None:
    answer = sample.index.search("fog signal")[0]
    rows = [JudgedRow("1", f"{answer.document}#{answer.path}", 1), JudgedRow("1", "jats/fx-001", 0)]
    passages = assessments_of_rows(rows, sample.index).topics["1"].passages

    assert (passages.starts.tolist(), passages.lengths.tolist()) == ([answer.start], [answer.size])
    with pytest.raises(foxir.AssessmentError, match="give the index"):
        assessments_of_rows(rows)
    with pytest.raises(foxir.AssessmentError, match="'jats/fx-001#/p' is not in the index"):
        assessments_of_rows([JudgedRow("1", "jats/fx-001#/p", 1)], sample.index)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (JudgedRow("1", "a#0:5", math.nan), "relevance of 'a#0:5' is nan: expected a number"),
        (JudgedRow("1", "a#0:5", "high"), "relevance of 'a#0:5' is 'high'"),  # type: ignore[arg-type]
        (JudgedRow("1", "a#0:5", 1, "big"), "size of 'a#0:5' is 'big': expected a whole number"),  # type: ignore[arg-type]
        (JudgedRow("1", "a#0:5", 1, 2.5), "size of 'a#0:5' is 2.5"),  # type: ignore[arg-type]
    ],
)
def test_judgements_that_are_no_numbers_are_refused(row: JudgedRow, message: str) -> None:
    with pytest.raises(foxir.AssessmentError, match=message):
        assessments_of_rows([row])


def test_a_missing_size_is_not_known() -> None:
    rows = [JudgedRow("1", "a#0:5", 1, math.nan), JudgedRow("1", "b", 1, 80.0)]  # type: ignore[arg-type]
    judged = assessments_of_rows(rows).topics["1"]

    assert judged.lengths.tolist() == [-1, 80]
    assert judged.passages.lengths.tolist() == [5, 80]


def test_an_answer_frame_has_the_columns_of_the_answers(sample: Sample) -> None:
    pytest.importorskip("pandas")
    answers = sample.index.search("fog signal", max_answers=5)
    frame = answers.to_frame(text=True)

    assert frame["rank"].tolist() == [1, 2, 3, 4, 5]
    assert frame["document"].tolist() == list(answers.documents)
    assert frame["path"].tolist() == list(answers.paths)
    assert frame[["start", "end"]].values.tolist() == answers.spans.tolist()
    assert frame["text"].tolist() == [answer.text for answer in answers]


def test_a_run_frame_is_read_back(sample: Sample) -> None:
    pytest.importorskip("pandas")
    frame = frames.run_frame(sample.run)

    assert frames.run_of_frame(frame, sample.run.run_id).rankings == dict(sample.run.rankings)
    located = frames.run_frame(sample.run, index=sample.index)
    assert located["doc_id"].str.fullmatch(r".+#\d+:\d+").all()
    assert (located["start"] >= 0).all()
    assert frame.equals(sample.run.to_frame())


def test_a_table_frame_has_a_row_for_each_topic(sample: Sample) -> None:
    pandas = pytest.importorskip("pandas")
    frame = sample.table.to_frame()
    assert frame.equals(frames.table_frame(sample.table))
    mean = frame[(frame["run"] == "scored") & (frame["measure"] == "AP")]["value"].mean()

    assert isinstance(frame, pandas.DataFrame)
    assert mean == pytest.approx(sample.table.value("AP", run="scored"), abs=1e-15)


def test_a_table_frame_is_read_back(sample: Sample) -> None:
    pytest.importorskip("pandas")
    judged, options = ROOT / "topics/qrels.txt", {"alpha": [0.25, 1.0], "overlapping": "union", "quant": "gen"}
    table = foxir.score(judged, sample.run, ["AP", "AiP", "nxCG@5"], options=options, index=sample.index)
    undefined = foxir.ScoreRow("other", "trec", "RR", {}, {"1": None, "2": 0.5})
    again = frames.table_of_frame(foxir.ScoreTable((*table.rows, undefined)).to_frame())

    assert again.rows == (*table.rows, undefined)
    assert again.value("AP", options={"alpha": 0.25}) == table.value("AP", options={"alpha": 0.25})
    part = frames.table_of_frame(table.to_frame().query("measure == 'AiP' and query_id in ('1', '2')"))
    (row,) = part.rows
    assert dict(row.topics) == {topic: table.select(measure="AiP").rows[0].topics[topic] for topic in ("1", "2")}


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("value", "high", "topic 1: the value is 'high': expected a number"),
        ("family", "hixevil", "no measure family 'hixevil'"),
        ("options", "beta=1", "has no option 'beta'"),
        ("options", "alpha=much", "alpha=much: expected"),
    ],
)
def test_a_frame_of_no_scores_is_refused(sample: Sample, column: str, value: str, message: str) -> None:
    pytest.importorskip("pandas")
    frame = sample.table.to_frame().query("family == 'hixeval'").astype({"value": object})

    with pytest.raises(foxir.MeasureError, match=message):
        frames.table_of_frame(frame.assign(**{column: value}))
    with pytest.raises(foxir.MeasureError, match=f"the frame of scores has no column '{column}'"):
        frames.table_of_frame(frame.drop(columns=column))


def test_a_frame_without_a_column_is_refused(sample: Sample) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"qid": ["1"], "doc_id": ["a"], "score": [1.0]})

    with pytest.raises(foxir.RunFormatError, match="no column 'query_id': expected query_id, doc_id, score"):
        frames.run_of_frame(frame)
    with pytest.raises(foxir.AssessmentError, match="no column 'query_id'"):
        frames.assessments_of_frame(frame)


def test_a_program_that_is_missing_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, sample: Sample) -> None:
    missing = Host("pandas", "no-such-distribution", "pandas", (2, 2), (4,))
    monkeypatch.setattr("engine.system.host_programs.PANDAS", missing)

    for make in (sample.table.to_frame, sample.run.to_frame, sample.index.search("fog").to_frame):
        with pytest.raises(
            MissingHostError, match=r"pandas is not installed .*pip install '\.\[pandas\]' in a checkout"
        ):
            make()


@pytest.mark.parametrize(("first", "last"), [((999,), (1000,)), ((0,), (1,))])
def test_another_version_of_a_program_is_named(first: tuple[int, ...], last: tuple[int, ...]) -> None:
    host = Host("pytest", "pytest", "test", first, last)

    with pytest.raises(
        MissingHostError, match=rf"pytest {pytest.__version__} is installed .* foxir needs {first[0]}\.0"
    ):
        host.require()


def test_the_example_of_the_page_runs(sample: Sample, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    run_example("pandas", sample, tmp_path)
