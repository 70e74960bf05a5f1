"""Titles above elements: those of the slow way, for all elements at once, one by one, and again from the cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.index.cache import SizedCache
from engine.index.reader import IndexReader
from engine.retrieval.breadcrumbs import breadcrumbs
from tests.engine.small_index import index_of

DOCUMENTS = {
    "titled": "<article><front><article-title>The  sea</article-title></front><body><title>All</title>"
    "<sec><title>Tides</title><title>Second</title><p>high <italic>water</italic></p>"
    "<sec><p>no title</p><title>Late\n one</title></sec></sec><sec><fig><title>Tides</title></fig><p>low</p></sec>"
    "</body></article>",
    "untitled": "<article><front/><body><sec><p>nothing</p></sec></body></article>",
    "empty-title": "<article><front/><body><title/><sec><title>Reef</title><p>rock</p></sec></body></article>",
}
PAGE = "<html><body><h1>Lamps</h1><p>oil</p><h2>Wicks</h2><p>flat</p><h2>Glass</h2><p>clear</p></body></html>"


def titles_above(index: IndexReader, row: int) -> list[str]:
    """Return the titles above an element of an article without headings, by walking its tree."""
    elements = index.elements

    def parent(each: int) -> int:
        return int(elements.parent(np.array([each]))[0])

    def text(each: int) -> str:
        start, end = index.spans_of(np.array([each]))[0].tolist()
        return " ".join(index.text(document)[start:end].split())

    document = int(elements.document(np.array([row]))[0])
    root = int(elements.root(np.array([document]))[0])
    every = range(root, int(elements.end(np.array([root]))[0]))
    tags = {each: elements.tags[int(elements.tag(np.array([each]))[0])] for each in every}
    titles = [each for each in every if tags[each] in index.profile_of(document).titles]
    if not titles:
        return []
    chain = []
    while row != root:
        chain.append(row)
        row = parent(row)
    found = [text(titles[0])]
    found += [text(each[0]) for above in reversed(chain) if (each := [t for t in titles if parent(t) == above])]
    return [title for title in dict.fromkeys(found) if title]


@pytest.fixture
def index(tmp_path: Path) -> IndexReader:
    return index_of(tmp_path, DOCUMENTS, profile="auto")


@pytest.mark.parametrize("is_cached", [True, False])
def test_breadcrumbs_are_the_titles_on_the_path(index: IndexReader, is_cached: bool) -> None:
    if not is_cached:
        index.document_titles = SizedCache(lambda titles: titles.size, 0)
    documents = np.array([index.number(name) for name in ("untitled", "titled", "empty-title")])
    roots = index.elements.root(documents)
    rows = np.concatenate([np.arange(*pair) for pair in zip(roots, index.elements.end(roots), strict=True)])[::-1]
    of_rows = index.elements.document(rows)
    expected = [titles_above(index, row) for row in rows.tolist()]

    assert ["The sea", "All", "Tides", "Late one"] in expected
    assert ["Reef"] in expected
    for _ in range(2):
        assert breadcrumbs(index, of_rows, rows) == expected
    one_by_one = [breadcrumbs(index, of_rows[at : at + 1], rows[at : at + 1])[0] for at in range(len(rows))]
    assert one_by_one == expected


def test_headings_with_a_rank_are_titles_of_what_follows_them(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"page": PAGE}, profile="html")
    document = np.array([index.number("page")])
    rows = index.elements.with_tags([index.elements.tag_numbers["p"]], document)
    found = [breadcrumbs(index, document.repeat(len(rows)), rows) for _ in range(2)]

    assert found[0] == found[1]
    assert [each[-1] for each in found[0]] == ["Lamps", "Wicks", "Glass"]
