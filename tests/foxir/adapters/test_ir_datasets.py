"""The datasets of ir_datasets."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")
pytest.importorskip("ir_datasets", exc_type=ImportError)

import ir_datasets
import ir_measures

import foxir
from foxir.adapters import datasets
from foxir.adapters.measures import FoxirProvider, HiXAP
from tests.foxir.adapters.examples import run_example
from tests.foxir.conftest import ROOT, Sample


def test_the_sample_has_documents_queries_and_qrels(sample: Sample) -> None:
    dataset = ir_datasets.load("foxir/sample")
    documents = {document.doc_id: document.text for document in dataset.docs_iter()}

    assert dataset.docs_count() == len(documents) == len(sample.index)
    assert documents["jats/fx-006"] == sample.index.text("jats/fx-006")
    assert dataset.docs_store().get("jats/fx-006").text == documents["jats/fx-006"]
    assert dataset.docs_store().get_many(["jats/fx-006", "nowhere"]).keys() == {"jats/fx-006"}
    assert len(dataset.queries) == 19
    first = next(dataset.qrels_iter())
    document, _, span = first.doc_id.rpartition("#")
    start, length = map(int, span.split(":"))
    assert (first.relevance, first.size) == (1, len(documents[document]))
    assert documents[document][start : start + length].strip()


def test_a_dataset_of_a_closed_index_says_so(sample: Sample) -> None:
    index = foxir.open_index(sample.folder / "sample.foxir")
    name = f"closed-{id(index)}"
    dataset = datasets.register(name, index, ROOT / "topics/co", ROOT / "topics/qrels.txt")
    index.close()
    for use in (dataset.docs_count, lambda: next(dataset.docs_iter()), lambda: next(dataset.qrels_iter())):
        with pytest.raises(foxir.ClosedIndexError, match="open it again"):
            use()


def test_a_collection_is_registered_under_its_name(sample: Sample) -> None:
    name = f"mine-{id(sample)}"
    dataset = datasets.register(name, sample.index, ROOT / "topics/co", ROOT / "topics/qrels.txt")

    assert ir_datasets.load(f"foxir/{name}").docs_count() == dataset.docs_count() == len(sample.index)
    with pytest.raises(foxir.ArgumentError, match="choose another name"):
        datasets.register(name, sample.index, ROOT / "topics/co", ROOT / "topics/qrels.txt")


def test_its_qrels_are_measured(sample: Sample) -> None:
    qrels = ir_datasets.load("foxir/sample").qrels_iter()
    rows = [ir_measures.ScoredDoc("1", "ieee/na/1998/n1012#82:69", 1.0)]

    assert FoxirProvider(sample.index).calc_aggregate([HiXAP], qrels, rows)[HiXAP] > 0


def test_the_example_of_the_page_runs(sample: Sample, tmp_path: Path) -> None:
    run_example("ir_datasets", sample, tmp_path)
