"""The own text of an element has the words that the index numbers there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.index.reader import IndexReader
from engine.index.texts.own_text import own_offsets, own_text
from engine.settings import Settings
from tests.engine.check_answers import search
from tests.engine.small_index import index_of

ARTICLE = """<article><front/><body><p>See <xref>Table 1 and <italic>2</italic></xref> for the lamps that burn,
10<sup>9</sup>times<fn><p>By<sup>a</sup> night.</p></fn> many things.</p></body></article>"""


@pytest.mark.long
def test_the_words_of_own_texts_are_those_of_the_index(sample: IndexReader) -> None:
    elements = sample.elements
    rows = np.concatenate([np.arange(*span) for span in zip(*spans_of(sample), strict=True)])
    rows = rows[(elements.n_own_words(rows) > 0) & ~elements.is_inline(rows)]
    documents = elements.document(rows).tolist()
    texts = [own_text(sample, document, row) for document, row in zip(documents, rows.tolist(), strict=True)]

    assert len(rows) > 1000
    assert [len(sample.analyser.forms_of(text)) for text in texts] == elements.n_own_words(rows).tolist()


def spans_of(index: IndexReader) -> tuple[list[int], list[int]]:
    roots = index.elements.root(np.arange(index.n_documents))
    return roots.tolist(), index.elements.end(roots).tolist()


def test_text_in_marks_of_notes_and_references_is_own_text(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"d": ARTICLE}, profile="jats")
    row = int(index.elements.with_tags([index.elements.tag_numbers["p"]], index.live_documents)[0])
    own, text = own_text(index, 0, row), index.text(0)

    shown = " ".join(own.replace("\1", "|").split())
    assert shown == "See |Table 1 and 2| for the lamps that burn, 10|9|times| many things.|"
    letters = [
        text[offset] for offset, character in zip(own_offsets(index, 0, row), own, strict=True) if character != "\1"
    ]
    assert "".join(letters) == own.replace("\1", "")
    for word in ("=lamps", "=things", "=many", "=table", "=burn"):
        assert [answer.path for answer in search(index, word, Settings())] == ["/article[1]/body[1]/p[1]"]
    assert not len(search(index, "=lamp", Settings()))
