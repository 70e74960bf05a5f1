"""The retriever, the artifact and the dataset of PyTerrier, and PyTerrier's own tests of transformers.

The notebook of docs: kept without output, and its cells run in their order.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.foxir.conftest import ROOT

pytestmark = pytest.mark.filterwarnings("ignore")
pytest.importorskip("pyterrier", exc_type=ImportError)

import ir_measures
import pandas as pd
import pyterrier as pt
from pyterrier.testing import TransformerTestCase

import foxir
from foxir.adapters import measures
from foxir.adapters.judged_collection import sample_collection
from foxir.adapters.pyterrier import Retriever
from tests.foxir.adapters.changing_index import assert_refuses, built
from tests.foxir.adapters.examples import run_example
from tests.foxir.adapters.vectors import QUERY as BY_MEANING
from tests.foxir.adapters.vectors import SETTINGS, index_with_vectors
from tests.foxir.conftest import Sample


class TestConformance(TransformerTestCase):
    """What PyTerrier asks of every transformer."""

    @staticmethod
    def get_transformer() -> Retriever:
        return Retriever(sample_collection().index)


del TransformerTestCase


def test_results_are_the_answers(sample: Sample) -> None:
    found = Retriever(sample.index, num_results=5, text=True).search("fog signal")
    answers = sample.index.search("fog signal", max_answers=5)

    assert found["docno"].tolist() == [f"{answer.document}#{answer.start}:{answer.size}" for answer in answers]
    assert found["rank"].tolist() == [0, 1, 2, 3, 4]
    assert found["score"].tolist() == answers.scores.tolist()
    assert found["text"].tolist() == [answer.readable_text for answer in answers]


def test_articles_are_ranked_by_their_best_element(sample: Sample) -> None:
    found = Retriever(sample.index, units="articles").search("fog signal")
    documents = sample.index.search("fog signal").documents

    assert found["docno"].tolist() == list(dict.fromkeys(documents))


def test_pipelines_keep_columns_and_cut(sample: Sample) -> None:
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["fog signal", "lens"], "asked": ["a", "b"]})
    found = (Retriever(sample.index) % 2)(topics)

    assert found["asked"].tolist() == ["a", "a", "b", "b"]
    assert found["qid"].tolist() == ["1", "1", "2", "2"]


def test_an_index_is_an_artifact(sample: Sample) -> None:
    artifact = pt.Artifact.load(str(sample.folder / "sample.foxir"))
    found = artifact.retriever(passages=True, num_results=3).search("fog signal")

    assert found["path"].tolist() == list(sample.index.search("fog signal", passages=True, max_answers=3).paths)


def test_an_index_of_shards_is_an_artifact_and_other_folders_are_none(tmp_path: Path) -> None:
    built(tmp_path / "one.foxir", "sea tide")
    foxir.build_index(tmp_path / "source", into=tmp_path / "shards.foxir", shards=2, profile="none")

    assert pt.Artifact.load(str(tmp_path / "shards.foxir")).retriever().search("tide")["document"].tolist() == ["0"]
    with pytest.raises(Exception, match="No implementation found that supports the artifact"):
        pt.Artifact.load(str(tmp_path / "source"))


def test_an_experiment_gives_the_values_of_score() -> None:
    dataset = pt.get_dataset("foxir:sample")
    collection = sample_collection()
    measures.use_index(collection.index)
    try:
        topics, qrels = dataset.get_topicsqrels()
        found = pt.Experiment(
            [Retriever(collection.index, num_results=50)],
            topics[:4],
            qrels,
            [measures.HiXF @ 10, measures.HiXAP, ir_measures.NumRet],
            names=["foxir"],
        )
    finally:
        measures.use_index(None)
    run = collection.index.run(collection.topics.topics[:4], max_answers=50)
    table = foxir.score(collection.assessments, run, ["F@10", "AP"], index=collection.index, only=list(run.rankings))

    assert found["HiXF@10"][0] == pytest.approx(table.value("F@10"), abs=1e-12)
    assert found["HiXAP"][0] == pytest.approx(table.value("AP"), abs=1e-12)
    assert found["NumRet"][0] == run.n_results


def test_the_dataset_lists_its_documents() -> None:
    dataset = pt.get_dataset("foxir:sample")
    documents = list(dataset.get_corpus_iter())

    assert len(documents) == len(sample_collection().index)
    assert dataset.get_index().retriever(num_results=1).search("fog")["rank"].tolist() == [0]
    with pytest.raises(KeyError):
        pt.get_dataset("foxir:nothing")


def test_an_experiment_stays_with_its_generation_until_the_index_is_closed(tmp_path: Path) -> None:
    folder = built(tmp_path / "x.foxir", "sea tide")
    retriever = Retriever(folder, text=True)
    built(folder, "sea tide", "fog and tide")

    assert retriever.search("tide")["text"].tolist() == ["sea tide"]
    assert sorted(Retriever(folder, text=True).search("tide")["text"]) == ["fog and tide", "sea tide"]
    assert_refuses(lambda query: retriever.search(query)["text"].tolist())
    retriever.index.close()
    with pytest.raises(foxir.ClosedIndexError, match="open it again"):
        retriever.search("tide")
    measures.use_index(index := foxir.open_index(folder))
    try:
        index.close()
        qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["0#0:3"], "relevance": [1]})
        with pytest.raises(foxir.ClosedIndexError, match="open it again"):
            ir_measures.calc_aggregate([measures.HiXAP], qrels, [ir_measures.ScoredDoc("1", "0", 1.0)])
    finally:
        measures.use_index(None)


@pytest.mark.parametrize("query", ["", "  ", None, float("nan"), "//p[about(., fog"])
def test_a_query_that_cannot_be_answered_is_named(sample: Sample, query: object) -> None:
    topics = pd.DataFrame({"qid": ["1", "c7"], "query": ["fog", query]})

    with pytest.raises(foxir.QueryError, match=r"qid c7: (the query is empty|query, position 17)"):
        Retriever(sample.index)(topics)


def test_wrong_values_are_named(sample: Sample) -> None:
    with pytest.raises(foxir.ArgumentError, match="units"):
        Retriever(sample.index, units="words")  # type: ignore[arg-type]
    with pytest.raises(foxir.ArgumentError, match="num_results"):
        Retriever(sample.index, num_results=0)


def test_the_example_of_the_page_runs(sample: Sample, tmp_path: Path) -> None:
    run_example("PyTerrier", sample, tmp_path)


def test_answers_by_meaning(tmp_path: Path) -> None:
    with index_with_vectors(tmp_path) as index:
        found = Retriever(index, SETTINGS).search(BY_MEANING)
        assert found["docno"].map(lambda each: each[0]).tolist() == list(index.search(BY_MEANING, **SETTINGS).documents)


NOTEBOOK = ROOT / "docs/five_runs.ipynb"


def code_cells() -> list[dict[str, Any]]:
    return [cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


def test_a_notebook_is_kept_without_output() -> None:
    assert code_cells()
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code_cells())


def test_the_cells_run_and_show_five_scored_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyterrier", exc_type=ImportError)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells()):
        exec(compile("".join(cell["source"]), f"{NOTEBOOK.name}, cell {number}", "exec"), names)

    table = names["table"]
    assert table["name"].tolist() == list(names["ways"])
    assert ((table["HiXAP"] > 0.2) & (table["HiXAP"] < 0.7)).all()
    assert table["HiXAP"].nunique() == 5
    assert [len(bars) for bars in names["axes"].containers] == [5, 5]
