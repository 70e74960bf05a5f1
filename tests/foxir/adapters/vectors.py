"""An index with vectors, and settings by which the order of its answers by meaning differs from that by words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import foxir

TOY = "tests.engine.semantic.toy_encoder:encode"
QUERY = "sea fog"
SETTINGS = {"semantic": TOY, "semantic_weight": 9}
DOCUMENTS = {
    "a": "<art><p>sea fog over the quay, and the lamp of the harbour is lit for whoever comes home late.</p></art>",
    "b": "<art><p>fog, fog and sea: jjj kkk zzz xxx jjj kkk zzz xxx jjj kkk zzz xxx qqq vvv www</p></art>",
    "c": "<art><p>a fog so dense as sea foam goes off as soon as a fog of seas does, as of Sofa.</p></art>",
    "d": "<art><p>the keeper wrote of the sea, of the bell, and of nothing besides the two.</p></art>",
}


@contextmanager
def index_with_vectors(folder: Path) -> Iterator[foxir.Index]:
    """Yield an open index below a folder, of which the answers by meaning are in another order."""
    (folder / "source").mkdir()
    for name, markup in DOCUMENTS.items():
        (folder / "source" / f"{name}.xml").write_text(markup, "utf-8")
    foxir.build_index(folder / "source", into=folder / "v.foxir", vectors=TOY, profile="none")
    with foxir.open_index(folder / "v.foxir") as index:
        by_words = index.search(QUERY).documents
        assert sorted(by_words) == sorted(index.search(QUERY, **SETTINGS).documents)
        assert by_words != index.search(QUERY, **SETTINGS).documents
        yield index
