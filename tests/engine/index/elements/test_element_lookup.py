"""A document that is not in the index is answered with the one that was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import QueryError
from engine.index.elements.element_lookup import number_of, row_of
from engine.index.elements.nearest_tag import nearest_tag
from tests.engine.small_index import index_of


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("f", "d/f.tei"),
        ("f.xml", "d/f.tei"),
        ("g", "e/g"),
        ("e/g.xml", "e/g"),
        ("x/f.tei", "d/f.tei"),
        ("d/f.tie", "d/f.tei"),
    ],
)
def test_an_unknown_document_is_answered_with_one_of_the_same_name(asked, meant, tmp_path):
    source = tmp_path / "source" / "d"
    source.mkdir(parents=True)
    (source / "f.tei").write_text("<a>sea</a>")
    index = index_of(tmp_path, {"e/g": "<a>fog</a>", "e/g.v2": "<a>fog</a>"})

    with pytest.raises(QueryError, match=f"did you mean '{meant}'"):
        number_of(index, asked)


def test_an_element_is_found_by_its_id(tmp_path):
    long = "x" * 200
    index = index_of(
        tmp_path,
        {
            "a": f'<a><p n="s1">fog</p><p id="s1"/><p xml:id="s2">sea <b id="s2">in</b></p><p id="{long}"/></a>',
            "b": '<a><p id="s1">fog</p><p id="introduction"/></a>',
            "c": "<a>fog</a>",
        },
    )

    assert row_of(index, "a", "s1") == row_of(index, "a", "#s1") == row_of(index, "a", "/a/p[2]")
    assert row_of(index, "a", "s2") == row_of(index, "a", "/a/p[3]")  # the first of two
    assert row_of(index, "a", long) == row_of(index, "a", "/a/p[4]")
    assert row_of(index, "b", "s1") == row_of(index, "b", "/a/p")
    with pytest.raises(
        QueryError, match=r"'introdction': expected a path .*, or the id .* 'b': did you mean 'introduction'\?$"
    ):
        row_of(index, "b", "introdction")
    with pytest.raises(QueryError, match=r"or the id of an element of document 'c', which has none\.$"):
        row_of(index, "c", "s1")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("section", "sec"),  # which it lengthens, before a tag that is as similar
        ("sections", "sec"),
        ("art", "article-meta"),  # of several that it shortens, the most frequent
        ("paragraph", "p"),  # the word for it, before similar letters
        ("Paragraphs", "p"),
        ("captoin", "caption"),
        ("TITLE", "title"),
        ("xyz", None),
    ],
)
def test_a_tag_that_shortens_an_unknown_one_was_meant_before_a_similar_one(
    tmp_path: Path, name: str, meant: str | None
) -> None:
    metadata = "<article-meta><title>x</title></article-meta>"
    others = "<caption>x</caption><sec>x</sec><graphic/><p>x</p><p>x</p><ip1>x</ip1>"
    index = index_of(tmp_path, {"a": f"<article><s>x</s>{2 * metadata}{others}</article>"})

    assert nearest_tag(index, name) == meant
