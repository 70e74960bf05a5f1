"""The retriever of LangChain, and LangChain's own tests of retrievers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain_core")

from foxir.adapters.langchain import FoxirRetriever
from tests.foxir.adapters.examples import run_example
from tests.foxir.adapters.vectors import QUERY as BY_MEANING
from tests.foxir.adapters.vectors import SETTINGS, index_with_vectors
from tests.foxir.conftest import Sample

pytestmark = pytest.mark.filterwarnings("ignore")

QUERY = "how far can a fog signal be heard"

try:
    from langchain_tests.integration_tests import RetrieversIntegrationTests
except ImportError:
    RetrieversIntegrationTests = None


if RetrieversIntegrationTests is not None:

    class TestConformance(RetrieversIntegrationTests):  # type: ignore[misc, valid-type]
        """What LangChain asks of every retriever."""

        @pytest.fixture(autouse=True)
        def of_the_sample(self, sample: Sample) -> None:
            self.__class__.folder = sample.folder / "sample.foxir"

        @property
        def retriever_constructor(self) -> type[FoxirRetriever]:
            return FoxirRetriever

        @property
        def retriever_constructor_params(self) -> dict[str, Any]:
            return {"index": self.folder, "k": 4}

        @property
        def retriever_query_example(self) -> str:
            return QUERY


def test_a_document_cites_its_answer(sample: Sample) -> None:
    retriever = FoxirRetriever(index=sample.index, k=3, settings={"passages": True})
    documents = retriever.invoke(QUERY)
    answers = sample.index.search(QUERY, passages=True, max_answers=3)

    assert [document.page_content for document in documents] == [answer.readable_text for answer in answers]
    for document, answer in zip(documents, answers, strict=True):
        assert document.id == f"{answer.document}#{answer.start}:{answer.size}"
        assert document.metadata["path"] == answer.path
        assert document.metadata["breadcrumb"] == answer.breadcrumb


def test_asynchronous_calls_return_the_same(sample: Sample) -> None:
    retriever = FoxirRetriever(index=sample.index)

    assert asyncio.run(retriever.ainvoke(QUERY, k=2)) == retriever.invoke(QUERY, k=2)


def test_a_budget_bounds_all_texts(sample: Sample) -> None:
    retriever = FoxirRetriever(index=sample.index, token_budget=90, count_tokens=lambda text: len(text.split()))
    documents = retriever.invoke(QUERY)

    assert documents
    assert sum(len(document.page_content.split()) for document in documents) <= 90


def test_the_example_of_the_page_runs(sample: Sample, tmp_path: Path) -> None:
    run_example("LangChain", sample, tmp_path)


def test_the_example_of_budgets_runs(sample: Sample, tmp_path: Path) -> None:
    run_example("Budgets", sample, tmp_path)


def test_answers_by_meaning(tmp_path: Path) -> None:
    with index_with_vectors(tmp_path) as index:
        found = FoxirRetriever(index=index, k=4, settings=SETTINGS).invoke(BY_MEANING)
        assert [each.metadata["document"] for each in found] == list(index.search(BY_MEANING, **SETTINGS).documents)
