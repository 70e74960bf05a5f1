"""SQLite FTS5 as a peer: every leaf a document (or every article), queried with OR.

Run as a program it builds a database: `fts5.py DATABASE FOLDER... [--unit article]`; its CPU time is what it is
measured by, so it is written to be as quick as Python around SQLite can be: one parse, one pass over the tree, one
transaction, no journal, nothing synchronous.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree

PARSER = etree.XMLParser(
    remove_comments=True,
    remove_pis=True,
    no_network=True,
    load_dtd=False,
    resolve_entities="internal",  # type: ignore[arg-type]  # its stub knows only true and false
    huge_tree=True,
)
TOKENISER = "unicode61 remove_diacritics 0"  # Unicode letters and digits, case folded: the words that foxir finds
SCHEMA = """
PRAGMA journal_mode = off;
PRAGMA synchronous = off;
PRAGMA locking_mode = exclusive;
CREATE TABLE document (first_row INTEGER PRIMARY KEY, path TEXT);
"""


def build(database: Path, folders: Sequence[Path], unit: str) -> dict[str, int]:
    """Make a database of all XML files in some folders and return what is in it.

    Row ids are elements, numbered through the collection, so an answer's document (the last `first_row` that is not
    above it) and its element are known without looking anything up in the text.
    """
    files = [path for folder in folders for path in sorted(folder.rglob("*.xml"))]
    counts = {"documents": 0, "units": 0, "skipped": 0}
    connection = sqlite3.connect(database, isolation_level=None)
    connection.executescript(SCHEMA)
    stored = "" if unit == "leaf" else ", content=''"
    connection.execute(f"CREATE VIRTUAL TABLE unit USING fts5(text, tokenize='{TOKENISER}'{stored})")
    connection.execute("BEGIN")
    documents: list[tuple[int, str]] = []
    units = _units(files, unit, documents, counts)
    connection.executemany("INSERT INTO unit(rowid, text) VALUES (?, ?)", units)
    connection.executemany("INSERT INTO document VALUES (?, ?)", documents)
    connection.execute("COMMIT")
    connection.close()
    return counts


def _units(
    files: Sequence[Path], unit: str, documents: list[tuple[int, str]], counts: dict[str, int]
) -> Iterator[tuple[int, str]]:
    """Yield row and text of every leaf (or article), and note every document that could be read."""
    first_row = 0
    for path in files:
        try:
            root = etree.parse(path, PARSER).getroot()
        except etree.XMLSyntaxError:
            counts["skipped"] += 1
            continue
        texts = own_texts(root)
        documents.append((first_row, str(path)))
        counts["documents"] += 1
        if unit == "article":
            counts["units"] += 1
            yield first_row, " ".join(filter(None, texts))
        else:
            for row, text in enumerate(texts, first_row):
                if text and not text.isspace():
                    counts["units"] += 1
                    yield row, text
        first_row += len(texts)


def own_texts(root: etree._Element) -> list[str | None]:
    """Return, an element in document order, the text it holds itself: before, between and after its children."""
    elements = list(root.iter())
    texts = [element.text for element in elements]
    rows = {element: row for row, element in enumerate(elements)}
    for element in elements[1:]:
        if tail := element.tail:
            row = rows[element.getparent()]  # type: ignore[index]  # only the root has no parent
            texts[row] = f"{texts[row]} {tail}" if texts[row] else tail
    return texts


class Database:
    """A built database, opened for queries, its postings merged to one list a term first."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("INSERT INTO unit(unit) VALUES ('optimize')")

    def matches(self, words: Sequence[str]) -> list[tuple[int]]:
        """Return all units that hold any of the words, in the order of their rows."""
        return self._connection.execute("SELECT rowid FROM unit WHERE unit MATCH ?", (any_of(words),)).fetchall()

    def ranked(self, words: Sequence[str], limit: int) -> list[tuple[int]]:
        """Return the best units by BM25, best first."""
        query = "SELECT rowid FROM unit WHERE unit MATCH ? ORDER BY rank LIMIT ?"
        return self._connection.execute(query, (any_of(words), limit)).fetchall()


def any_of(words: Sequence[str]) -> str:
    """Return the FTS5 expression that matches any of the words."""
    return " OR ".join(f'"{word}"' for word in words)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("database", type=Path)
    arguments.add_argument("folders", type=Path, nargs="+")
    arguments.add_argument("--unit", choices=("leaf", "article"), default="leaf")
    given = arguments.parse_args()
    print(json.dumps(build(given.database, given.folders, given.unit)))
