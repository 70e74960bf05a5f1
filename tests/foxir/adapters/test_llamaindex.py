"""The retriever of LlamaIndex."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")
pytest.importorskip("llama_index.core", exc_type=ImportError)

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeRelationship

from foxir.adapters.llamaindex import FoxirRetriever
from tests.foxir.adapters.examples import run_example
from tests.foxir.adapters.vectors import QUERY as BY_MEANING
from tests.foxir.adapters.vectors import SETTINGS, index_with_vectors
from tests.foxir.conftest import Sample

QUERY = "how far can a fog signal be heard"


def test_nodes_are_the_answers(sample: Sample) -> None:
    retriever = FoxirRetriever(sample.index, {"passages": True}, k=3)
    nodes = retriever.retrieve(QUERY)
    answers = sample.index.search(QUERY, passages=True, max_answers=3)

    assert isinstance(retriever, BaseRetriever)
    assert [node.text for node in nodes] == [answer.readable_text for answer in answers]
    assert [node.score for node in nodes] == answers.scores.tolist()
    assert [(node.node.start_char_idx, node.node.end_char_idx) for node in nodes] == list(map(tuple, answers.spans))


def test_nodes_are_related_to_their_neighbours(sample: Sample) -> None:
    (node,) = FoxirRetriever(sample.index, k=1).retrieve("fog signal range")
    answer = sample.index.search("fog signal range")[0]
    related = node.node.relationships

    assert related[NodeRelationship.SOURCE].node_id == answer.document
    assert answer.element.parent is not None
    assert related[NodeRelationship.PARENT].node_id == f"{answer.document}#{answer.element.parent.path}"
    for relation, element in (
        (NodeRelationship.PREVIOUS, answer.element.previous),
        (NodeRelationship.NEXT, answer.element.next),
    ):
        assert (relation in related) == (element is not None)
        assert element is None or related[relation].metadata["path"] == element.path


def test_the_example_of_the_page_runs(sample: Sample, tmp_path: Path) -> None:
    run_example("LlamaIndex", sample, tmp_path)


def test_answers_by_meaning(tmp_path: Path) -> None:
    with index_with_vectors(tmp_path) as index:
        nodes = FoxirRetriever(index, SETTINGS, k=4).retrieve(BY_MEANING)
        assert [each.score for each in nodes] == index.search(BY_MEANING, **SETTINGS).scores.tolist()
