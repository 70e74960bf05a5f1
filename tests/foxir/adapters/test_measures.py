"""The measures of ir_measures are those of foxir."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import ir_measures
import pytest

import foxir
from foxir.adapters import measures
from foxir.adapters.frames import ScoredRow
from foxir.adapters.judged_collection import JudgedRow, judged_rows
from tests.foxir.adapters.examples import run_example
from tests.foxir.conftest import ROOT, Sample

# Judged; the run answers the first two.
TOPICS = ["1", "2", "3"]

# A measure of ir_measures, and the measure and options of foxir that it is.
SAME = [
    (measures.HiXF(alpha=1) @ 10, "hixeval:F@10", {}),
    (measures.HiXP(alpha=0.5, seen="literal") @ 3, "hixeval:P@3", {"alpha": 0.5, "seen": "literal"}),
    (measures.HiXR @ 5, "hixeval:R@5", {}),
    (measures.HiXAP, "hixeval:AP", {}),
    (measures.HiXAP(alpha=0.0), "hixeval:AP", {"alpha": 0.0}),
    (measures.HiXiAP(precision="text"), "hixeval:iAP", {"precision": "text"}),
    (measures.iP @ 0.01, "focused:iP[0.01]", {}),
    (measures.AiP, "focused:AiP", {}),
    (measures.AgP(overlapping="union"), "ric:AgP", {"overlapping": "union"}),
    (measures.gP(overlapping="union", beta=1.0) @ 3, "ric:gP[3]", {"overlapping": "union", "beta": 1.0}),
    (measures.gR(overlapping="union") @ 3, "ric:gR[3]", {"overlapping": "union"}),
    (measures.nxCG(quant="gen") @ 10, "xcg:nxCG@10", {"quant": "gen"}),
    (measures.MAep, "xcg:MAep", {}),
    (measures.iMAep, "xcg:iMAep", {}),
]


@pytest.fixture(autouse=True)
def no_index() -> Iterator[None]:
    yield
    measures.use_index(None)


def rows_of(run: foxir.Run) -> list[ScoredRow]:
    return [
        ScoredRow(topic, f"{document}#{path}", float(rsv))
        for topic, ranking in run.rankings.items()
        for document, path, rsv in zip(ranking.documents, ranking.paths, ranking.rsv, strict=True)
    ]


@pytest.fixture(scope="module")
def qrels() -> list[object]:
    judged = foxir.read_assessments(ROOT / "topics/qrels.txt")
    rows = [row for row in judged_rows(judged) if row.query_id in TOPICS]
    return [ir_measures.Qrel(row.query_id, row.doc_id, int(row.relevance)) for row in rows]


@pytest.fixture(scope="module")
def run(sample: Sample) -> foxir.Run:
    return sample.index.run(ROOT / "topics/co", run_id="removed", only="1-2", max_answers=50)


@pytest.mark.parametrize(("measure", "name", "options"), SAME, ids=[str(measure) for measure, _, _ in SAME])
def test_values_are_those_of_score(
    measure: measures.FocusedMeasure,
    name: str,
    options: dict[str, object],
    sample: Sample,
    run: foxir.Run,
    qrels: list[object],
) -> None:
    table = foxir.score(ROOT / "topics/qrels.txt", run, name, options=options, index=sample.index, only=TOPICS)  # type: ignore[arg-type]
    found = measures.FoxirProvider(sample.index).calc([measure], qrels, rows_of(run))
    (row,) = table.rows

    assert found.aggregated[measure] == pytest.approx(row.value, abs=1e-12)
    by_topic = {metric.query_id: metric.value for metric in found.per_query}
    assert by_topic.keys() == row.topics.keys()
    for topic, value in row.topics.items():
        assert by_topic[topic] == pytest.approx(math.nan if value is None else value, abs=1e-12, nan_ok=True)


def test_the_default_pipeline_computes_them_beside_others(sample: Sample, run: foxir.Run, qrels: list[object]) -> None:
    measures.use_index(sample.index)
    found = ir_measures.calc_aggregate([measures.HiXAP, ir_measures.P @ 5], qrels, rows_of(run))

    alone = measures.FoxirProvider(sample.index).calc_aggregate([measures.HiXAP], qrels, rows_of(run))
    assert found == {measures.HiXAP: alone[measures.HiXAP], ir_measures.P @ 5: 0.0}


@pytest.mark.xfail(sys.version_info >= (3, 14), raises=AttributeError, reason="ir_measures uses ast.Num, now removed")
def test_measures_are_parsed_by_name() -> None:
    assert ir_measures.parse_measure("HiXF(alpha=0.5)@10") == measures.HiXF(alpha=0.5) @ 10
    assert ir_measures.parse_measure("iP@0.1") == measures.iP @ 0.1
    assert (
        ir_measures.parse_measure("HiXEval(alpha=0)@10")
        == measures.HiXEval(alpha=0) @ 10
        == measures.HiXF(alpha=0) @ 10
    )
    with pytest.raises(AssertionError, match="alpha"):
        ir_measures.calc_aggregate([measures.HiXAP(alpha="much")], [], [])


def test_a_measure_that_needs_an_index_says_so(run: foxir.Run, qrels: list[object]) -> None:
    with pytest.raises(foxir.MeasureError, match=r"HiXAP is computed from the elements.*use_index"):
        ir_measures.calc_aggregate([measures.HiXAP], qrels, rows_of(run))
    with pytest.raises(foxir.MeasureError, match=r"results without offsets.*use_index"):
        ir_measures.calc_aggregate([measures.AiP], qrels, rows_of(run))


def test_the_index_of_other_documents_is_refused_and_missing_documents_are_named(
    qrels: list[object], tmp_path: Path
) -> None:
    (tmp_path / "xml/jats").mkdir(parents=True)
    (tmp_path / "xml/other.xml").write_text("<article><p>fog</p></article>")
    foxir.build_index(tmp_path / "xml", into=tmp_path / "other.foxir")
    measures.use_index(tmp_path / "other.foxir")
    with pytest.raises(foxir.MeasureError, match="none of its relevant documents is in the index"):
        ir_measures.calc_aggregate([measures.HiXAP], qrels, [])

    shutil.copy(ROOT / "collections/jats/fx-006.xml", tmp_path / "xml/jats")
    foxir.build_index(tmp_path / "xml", into=tmp_path / "some.foxir")
    measures.use_index(tmp_path / "some.foxir")
    with pytest.warns(UserWarning, match="relevant documents that are not in the index"):
        ir_measures.calc_aggregate([measures.HiXAP], qrels, [])


def test_passages_need_no_index(qrels: list[object]) -> None:
    rows = [ScoredRow("1", "ieee/na/1998/n1012#82:69", 2.0), ScoredRow("1", "ieee/na/1998/n1012#0:82", 1.0)]

    found = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measures.iP @ 0.0], qrels, rows)}
    assert found["1"] == 1.0
    assert found["2"] == 0.0


@pytest.mark.parametrize("recall", [0.015, 1.01, -0.01])
def test_recall_between_the_levels_is_refused(recall: float) -> None:
    with pytest.raises(AssertionError, match=f"recall={recall}"):
        ir_measures.calc_aggregate([measures.iP @ recall], [], [])


def test_sizes_are_taken_from_rows_and_frames() -> None:
    rows, run = [JudgedRow("1", "a", 1, 100)], [ScoredRow("1", "a#0:50", 1.0)]
    expected = {measures.iP @ 0.5: 1.0, measures.iP @ 0.51: 0.0}

    assert ir_measures.calc_aggregate(list(expected), rows, run) == expected
    pandas = pytest.importorskip("pandas")
    assert ir_measures.calc_aggregate(list(expected), pandas.DataFrame(rows), run) == expected


def test_no_results_are_zeros(sample: Sample, qrels: list[object]) -> None:
    measures.use_index(sample.index)

    assert ir_measures.calc_aggregate([measures.HiXAP], qrels, []) == {measures.HiXAP: 0.0}


def test_the_example_of_the_page_runs(sample: Sample, tmp_path: Path) -> None:
    run_example("ir_measures", sample, tmp_path)
