"""The plain text of documents, and where its characters come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import foxir
from engine.index.reader import open_reader
from foxir.chunks.collection import Collection

PAGE = (
    '<TEI><teiHeader/><text><p>to the<lb/>lighthouse, a cap<lb break="no"/>stan</p> <p><lb/>and '
    "<hi>fo</hi>g<lb/> </p></text></TEI>"
)


def test_a_blank_line_sets_blocks_apart_and_a_blank_words_at_a_break(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(PAGE, encoding="utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "index", stem="none")
    collection = Collection(open_reader(tmp_path / "index"))
    plain, text = collection.plain[0], collection.text(0)

    assert plain.text.rstrip() == "to the lighthouse, a capstan\n\nand fog"
    for word in ("the", "lighthouse", "capstan", "fog"):
        place = int(plain.source(np.array([plain.text.index(word)]))[0])
        assert text[place : place + len(word)] == word
