"""The component of Haystack."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")
pytest.importorskip("haystack", exc_type=ImportError)

from haystack import Pipeline

import foxir
from foxir.adapters.element_retriever import ElementRetriever
from foxir.adapters.haystack import FoxirRetriever
from tests.foxir.adapters.examples import run_example
from tests.foxir.adapters.vectors import QUERY as BY_MEANING
from tests.foxir.adapters.vectors import SETTINGS, index_with_vectors
from tests.foxir.conftest import Sample

QUERY = "how far can a fog signal be heard"


def test_a_pipeline_returns_the_answers(sample: Sample) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", FoxirRetriever(sample.index, {"passages": True}, top_k=3))
    documents = pipeline.run({"retriever": {"query": QUERY, "top_k": 2}})["retriever"]["documents"]
    answers = sample.index.search(QUERY, passages=True, max_answers=2)

    assert [document.content for document in documents] == [answer.readable_text for answer in answers]
    assert [document.score for document in documents] == answers.scores.tolist()
    assert [document.meta["path"] for document in documents] == list(answers.paths)


def test_a_pipeline_is_written_and_read(sample: Sample) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", FoxirRetriever(sample.index, {"passages": True}, top_k=3))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["foxir.adapters.haystack"])
    component = again.get_component("retriever")

    assert component.to_dict() == pipeline.get_component("retriever").to_dict()
    assert len(component.run(QUERY)["documents"]) == 3


def count_words(text: str) -> int:
    return len(text.split())


def test_documents_fit_a_budget_of_tokens(sample: Sample) -> None:
    component = FoxirRetriever(sample.index, {"passages": True}, token_budget=60, count_tokens=count_words)
    found = component.run(QUERY)["documents"]

    assert len(found) > 1
    assert sum(count_words(document.content) for document in found) <= 60
    expected = ElementRetriever.of(sample.index, {"passages": True}, token_budget=60, count_tokens=count_words)
    assert [document.content for document in found] == [answer.readable_text for answer in expected.retrieve(QUERY)]


def test_a_budget_is_written_and_read_with_its_counting_function(sample: Sample) -> None:
    pipeline = Pipeline()
    pipeline.add_component("r", FoxirRetriever(sample.index, token_budget=90, count_tokens=count_words))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["foxir.adapters.haystack"]).get_component("r")

    assert (again.token_budget, again.count_tokens) == (90, f"{__name__}:count_words")
    contents = [each.content for each in again.run(QUERY)["documents"]]
    assert contents == [each.content for each in pipeline.get_component("r").run(QUERY)["documents"]]
    with pytest.raises(foxir.ArgumentError, match="has no name in a module"):
        FoxirRetriever(sample.index, token_budget=90, count_tokens=lambda text: 1).to_dict()
    with pytest.raises(TypeError, match="needs count_tokens"):
        FoxirRetriever(sample.index, token_budget=90)


def test_no_documents_at_all_are_refused(sample: Sample) -> None:
    with pytest.raises(foxir.ArgumentError, match="top_k: expected a whole number from 1"):
        FoxirRetriever(sample.index, top_k=0)
    with pytest.raises(foxir.ArgumentError, match="top_k: expected a whole number from 1"):
        FoxirRetriever(sample.index).run(QUERY, top_k=0)


def test_the_example_of_the_page_runs(sample: Sample, tmp_path: Path) -> None:
    run_example("Haystack", sample, tmp_path)


def test_answers_by_meaning(tmp_path: Path) -> None:
    with index_with_vectors(tmp_path) as index:
        found = FoxirRetriever(index, SETTINGS, top_k=4).run(BY_MEANING)["documents"]
        assert [each.score for each in found] == index.search(BY_MEANING, **SETTINGS).scores.tolist()
