"""tantivy as a peer: every leaf a document, ranked by BM25 (Rust; `pip install 'foxir[bench]'`).

Run as a program it builds an index, in one thread, of the files that FTS5 reads and by the same parser:
`python -m bench.peers.tantivy_leaves INDEX FOLDER...`. It stores the number of each leaf and positions, no texts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import tantivy
from lxml import etree

from bench.peers.fts5 import PARSER, own_texts

HEAP_BYTES = 256 * 10**6
TEXT, ROW = "text", "row"


def build(folder: Path, sources: Sequence[Path]) -> dict[str, int]:
    """Make an index of all XML files in some folders and return what is in it."""
    schema = tantivy.SchemaBuilder()
    schema.add_text_field(TEXT, index_option="position")
    schema.add_unsigned_field(ROW, stored=True)
    folder.mkdir(parents=True)
    writer = tantivy.Index(schema.build(), str(folder)).writer(HEAP_BYTES, num_threads=1)
    counts = {"documents": 0, "units": 0, "skipped": 0}
    row = 0
    for path in (path for source in sources for path in sorted(source.rglob("*.xml"))):
        try:
            texts = own_texts(etree.parse(path, PARSER).getroot())
        except etree.XMLSyntaxError:
            counts["skipped"] += 1
            continue
        counts["documents"] += 1
        for place, text in enumerate(texts, row):
            if text and not text.isspace():
                document = tantivy.Document()
                document.add_text(TEXT, text)
                document.add_unsigned(ROW, place)
                writer.add_document(document)
                counts["units"] += 1
        row += len(texts)
    writer.commit()
    writer.wait_merging_threads()
    return counts


class Leaves:
    """A built index, opened for queries."""

    def __init__(self, folder: Path) -> None:
        self._index = tantivy.Index.open(str(folder))
        self._searcher = self._index.searcher()

    def ranked(self, words: Sequence[str], limit: int) -> object:
        """Return scores and addresses of the best leaves that hold any of the words, best first."""
        schema = self._index.schema
        terms = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, TEXT, word)) for word in words]
        return self._searcher.search(tantivy.Query.boolean_query(terms), limit, count=False).hits


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("index", type=Path)
    arguments.add_argument("folders", type=Path, nargs="+")
    given = arguments.parse_args()
    print(json.dumps(build(given.index, given.folders)))
