"""A document that is not in the index is answered with the one that was probably meant."""

from __future__ import annotations

import pytest

from engine.errors import QueryError
from engine.index.element_lookup import number_of
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
