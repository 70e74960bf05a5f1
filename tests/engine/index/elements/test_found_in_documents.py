"""Header rows, headings and tags are found in the documents of a question; in all once that is no more work."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import engine.index.elements.element_columns
from engine.index.elements.found_in_documents import FoundInDocuments
from engine.index.reader import IndexReader
from tests.engine.small_index import grown_index

N_DOCUMENTS = 4
TABLE = "<table><tr><th>Light</th></tr><tr><td>Skomvik, the outermost of all, first lit in 1887</td></tr></table>"
HEADINGS = "<h1>Lights</h1><p>the keeper of the light wrote it down</p><h2>Fog</h2><p>and rang the bell</p>"


@pytest.fixture(autouse=True)
def _searches_take_nothing_but_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.index.elements.element_columns, "A_SEARCH", 0)


@pytest.fixture
def index() -> Iterator[IndexReader]:
    documents = {str(n): f"<a>{HEADINGS * n}{TABLE}</a>" for n in range(N_DOCUMENTS)}
    with grown_index([documents], profile_text='headings = ["h1", "h2"]') as index:
        yield index


class Recorder:
    """Returns the documents that it is asked for, and records them."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def __call__(self, documents: np.ndarray) -> list[int]:
        self.asked.append(documents.tolist())
        return self.asked[-1]


def test_all_documents_are_searched_once_as_many_elements_were(index: IndexReader) -> None:
    find = Recorder()
    found: FoundInDocuments[list[int]] = FoundInDocuments(index.elements)
    for asked, expected in (([1], [1]), ([0, 2], [0, 2]), ([3], [3]), ([0], [0, 1, 2, 3]), ([1], [0, 1, 2, 3])):
        assert found.of(np.array(asked), find) == expected

    assert find.asked == [[1], [0, 2], [3], [0, 1, 2, 3]]


def test_a_search_of_few_elements_counts_as_one_of_many(index: IndexReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.index.elements.element_columns, "A_SEARCH", index.elements.row_base[-1])
    assert FoundInDocuments[list[int]](index.elements).of(np.array([1]), Recorder()) == [0, 1, 2, 3]


def test_of_an_index_of_many_elements_nothing_is_kept(index: IndexReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.index.elements.element_columns, "MOST_CACHED", index.elements.row_base[-1] - 1)
    find = Recorder()
    found: FoundInDocuments[list[int]] = FoundInDocuments(index.elements)
    for _ in range(3):
        found.of(np.array([1]), find)

    assert find.asked == [[1]] * 3


def test_elements_of_a_tag_are_the_same_in_few_documents_and_in_all(index: IndexReader) -> None:
    elements, tags = index.elements, [index.elements.tag_numbers[tag] for tag in ("p", "tr")]
    expected = [row for row in range(int(elements.row_base[-1])) if elements.tag(np.array([row]))[0] in tags]
    for _ in range(3):
        for document in range(N_DOCUMENTS):
            here = [row for row in expected if elements.document(np.array([row]))[0] == document]
            assert elements.with_tags(tags, np.array([document])).tolist() == here
    assert elements.with_tags(tags, np.arange(N_DOCUMENTS)).tolist() == expected


def test_tags_in_headings_are_those_of_the_documents_that_are_asked_for_and_then_of_all() -> None:
    documents = {"0": "<a><h1>Light <b>house</b></h1></a>", "1": "<a><h1>Fog <u>bell</u></h1><i>sea</i></a>"}
    with grown_index([documents], profile_text='headings = ["h1"]') as index:
        found = [index.elements.tags_in(["h1"], np.array([number])) for number in (0, 1, 0)]
        tags = np.array(index.elements.tags)

    assert [tags[mask].tolist() for mask in found] == [["b", "h1"], ["h1", "u"], ["b", "h1", "u"]]


def test_what_is_found_in_a_document_is_the_same_alone_and_among_all(index: IndexReader) -> None:
    documents = [np.array([number]) for number in range(N_DOCUMENTS)]
    alone = (
        [index.following_scopes(each) for each in documents[:-1]],
        [index.header_rows.of(each) for each in documents[:-1]],
    )
    every = index.following_scopes(np.arange(N_DOCUMENTS)), index.header_rows.of(np.arange(N_DOCUMENTS))
    assert len(every[0].headings) == 2 * sum(range(N_DOCUMENTS))
    assert len(every[1].rows) == N_DOCUMENTS
    for document, scopes, header_rows in zip(documents, *alone, strict=False):
        again = index.following_scopes(document)
        of_document = index.elements.document(again.headings) == document
        assert [each[of_document].tolist() for each in again[:3]] == [each.tolist() for each in scopes[:3]]
        assert [each.tolist() for each in again[3:]] == [each.tolist() for each in scopes[3:]]
        is_here = index.elements.document(every[1].rows) == document
        assert [each[is_here].tolist() for each in every[1]] == [each.tolist() for each in header_rows]
