"""Cells of the tables of real collections, read off pages by a browser under their headers, equal those of the XML."""

from __future__ import annotations

import random
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from lxml import etree

import foxir
from foxir.service.options import ServiceOptions
from tests.foxir.service.browser import chromium
from tests.foxir.service.living import running
from tests.shared_data import shared

# Archive -> files of it that are read, one of so many. JATS, HTML, DocBook.
COLLECTIONS = {
    "data/trials/collection.tar.xz": (30, 3),
    "data/tables/collection.tar.xz": (12, 2),
    "data/speed/docbook-php-manual.tar.xz": (300, 20),
}
N_CELLS = 20
# The cell in each row and column of each table on a page, as browsers form it, beside the number of rows in its head.
_GRIDS = """() => [...document.querySelectorAll('#text table')].map((table) => {
  const grid = [];
  let n_head = 0;
  for (const group of [...table.children].filter(({tagName}) => /^T(BODY|HEAD|FOOT)$/.test(tagName))) {
    const first = grid.length, rows = [...group.children];
    if (group.tagName === 'THEAD') n_head += rows.length;
    rows.forEach(() => grid.push({}));
    rows.forEach((row, number) => {
      let column = 0;
      for (const cell of row.children) {
        while (column in grid[first + number]) column += 1;
        for (let down = 0; down < Math.min(cell.rowSpan || rows.length, rows.length - number); down += 1)
          for (let right = 0; right < cell.colSpan; right += 1)
            grid[first + number + down][column + right] ??= cell.textContent;
        column += cell.colSpan;
      }
    });
  }
  return [n_head, grid];
})"""


class Table(NamedTuple):
    """A table of the source: rows of its head, the text in each row and column, and the paths of its rows."""

    n_head: int
    grid: list[dict[int, str]]
    paths: list[str]


class Shown(NamedTuple):
    """A cell as a reader finds it: its text, the texts above it in the head, the first of its row."""

    text: str
    above: list[str]
    beside: str


def _name(element: Any) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _path(element: Any) -> str:
    above = [*reversed([*element.iterancestors()]), element]
    return "".join(f"/{_name(each)}[{1 + len([*each.itersiblings(each.tag, preceding=True)])}]" for each in above)


def _number(value: str | None) -> int:
    return int(value) if value and value.isdigit() else 1


def table_of(source: Any) -> Table:
    """Return a table of the source, with its spans (HTML and CALS) resolved."""
    columns, spans, last = {}, {}, 0
    for each in source.iter("{*}colspec"):
        last = int(each.get("colnum") or last + 1)
        columns[each.get("colname")] = last - 1
    for each in source.iter("{*}spanspec"):
        spans[each.get("spanname")] = each.get("namest"), each.get("nameend")
    groups: list[list[Any]] = []
    n_head = 0
    for each in source:
        rows = [each] if _name(each) in ("tr", "row") else [row for row in each if _name(row) in ("tr", "row")]
        n_head += len(rows) if _name(each) == "thead" else 0
        if rows and rows[0] is each and groups and groups[-1][0].getparent() is source:
            groups[-1] += rows
        elif rows:
            groups.append(rows)
    grid: list[dict[int, str]] = []
    for rows in groups:
        first = len(grid)
        grid += [{} for _ in rows]
        for number, row in enumerate(rows):
            column = 0
            for cell in filter(_name, row):
                begin, end = spans.get(cell.get("spanname"), (cell.get("namest"), cell.get("nameend")))
                column = max(column, columns.get(begin or cell.get("colname") or "", 0))
                width = columns[end] - columns[begin] + 1 if begin and end else _number(cell.get("colspan"))
                height = int(cell.get("morerows", 0)) + 1 if cell.get("morerows") else _number(cell.get("rowspan"))
                while column in grid[first + number]:
                    column += 1
                for line in grid[first + number : first + min(number + (height or len(rows)), len(rows))]:
                    for each in range(column, column + width):
                        line.setdefault(each, "".join(cell.itertext()))
                column += width
    return Table(n_head, grid, [_path(row) for rows in groups for row in rows])


def tables_of(root: Any) -> list[Table]:
    """Return the tables of a document."""
    found = (each for each in root.iter() if _name(each) in ("table", "tgroup", "informaltable", "entrytbl"))
    return [table for table in map(table_of, found) if table.grid]


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())


def _words(text: str) -> str:
    """Return the words of a text; items of a list in a cell are set apart by semicolons, which are left out."""
    return " ".join(["", *text.replace(";", " ").split(), ""])


def shown(n_head: int, grid: list[Any], row: int, column: Any) -> Shown:
    """Return a cell with its headers."""
    above = [_plain(line.get(column)) for line in grid[:n_head]]
    return Shown(_plain(grid[row].get(column)), above, _plain(grid[row].get(type(column)(0))))


def documents_of(archive: Path, n: int, step: int) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of files of an archive."""
    with tarfile.open(archive, "r|xz") as files:
        read = 0
        for each in files:
            if each.isfile() and each.name.endswith(".xml"):
                read += 1
                if read % step == 0:
                    opened = files.extractfile(each)
                    assert opened is not None
                    yield Path(each.name).stem + f"-{read}", opened.read()
                if read >= n * step:
                    return


@pytest.mark.long
@pytest.mark.parametrize("archive", [pytest.param(each, marks=pytest.mark.shared_data(each)) for each in COLLECTIONS])
def test_cells_drawn_at_random_are_read_under_their_headers(archive: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    known: dict[str, list[Table]] = {}
    for name, content in documents_of(shared(archive), *COLLECTIONS[archive]):
        (source / f"{name}.xml").write_bytes(content)
        known[name] = tables_of(etree.fromstring(content, etree.XMLParser(huge_tree=True)))
    foxir.build_index(source, into=tmp_path / "made.foxir")
    cells = [
        (name, number, row, column)
        for name, tables in known.items()
        for number, (n_head, grid, _) in enumerate(tables)
        for row in range(n_head, len(grid))
        for column, text in grid[row].items()
        if text.strip()
    ]
    drawn = random.Random(47).sample(cells, N_CELLS)
    options = ServiceOptions((tmp_path / "made.foxir",), quiet=True)
    with chromium() as browser, running(options) as port, foxir.open_index(tmp_path / "made.foxir") as index:
        page = browser.new_page()
        read = {name: _grids_of(page, port, name) for name, *_ in drawn}
        wrong = []
        for name, number, row, column in drawn:
            n_head, grid, paths = known[name][number]
            wanted = shown(n_head, grid, row, column)
            found = shown(*read[name][number], row, str(column))
            line = index.element(name, paths[row]).readable_text
            if found != wanted or _words(wanted.text) not in _words(line):
                wrong.append((name, number, row, column, wanted, found, line))
    assert wrong == []


def _grids_of(page: Any, port: int, document: str) -> list[Any]:
    """Return the tables of all parts of a document."""
    found: list[Any] = []
    address: str | None = f"/read?{urlencode({'document': document})}"
    while address:
        page.goto(f"http://127.0.0.1:{port}{address}")
        found += page.evaluate(_GRIDS)
        following = page.query_selector("a[rel=next]")
        address = following.get_attribute("href") if following else None
    return found
