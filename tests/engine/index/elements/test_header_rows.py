"""The first rows of a table name its columns: which rows are header rows, and that they are headings of the table."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from lxml import etree

from engine.explain.explain import explain
from engine.index.elements.header_rows import MOST_GROUPS
from engine.index.locator import element_paths
from engine.settings import Settings
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.trust.soak import effort

FILLER = "as the keeper of the light wrote it down in the log of the year by his own hand"


def header_rows(markup: str, profile_text: str = "") -> list[tuple[str, str]]:
    """Return the path of each header row and of its table."""
    with grown_index(
        [{"d": f"<a>{markup}</a>", "other": "<a><tr>of no table</tr></a>"}], profile_text=profile_text
    ) as index:
        found = index.header_rows.of(np.arange(index.n_slots))
        assert found.ends.tolist() == index.elements.end(found.rows).tolist()
        return list(zip(element_paths(index, found.rows), element_paths(index, found.tables), strict=True))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<table><tr><th>Light</th></tr><tr><td>Skomvik</td></tr></table>", [("table[1]/tr[1]", "table[1]")]),
        ("<table><tr><td>Light</td></tr><tr><td>Skomvik</td></tr></table>", [("table[1]/tr[1]", "table[1]")]),
        (
            "<table><caption>Lights</caption><thead><tr><th>Light</th></tr></thead><tbody><tr><td>x</td></tr></tbody></table>",
            [("table[1]/thead[1]/tr[1]", "table[1]")],
        ),
        (
            "<table><title>T</title><tgroup><thead><row><entry>Light</entry></row></thead></tgroup></table>",
            [("table[1]/tgroup[1]/thead[1]/row[1]", "table[1]")],
        ),
        (
            "<simpletable><sthead><stentry>Light</stentry></sthead><strow><stentry>x</stentry></strow></simpletable>",
            [("simpletable[1]/sthead[1]", "simpletable[1]")],
        ),
        # an empty row names nothing
        (
            "<table><tr/><tr><td> </td></tr><tr><td>Light</td></tr><tr><td>Skomvik</td></tr></table>",
            [("table[1]/tr[3]", "table[1]")],
        ),
        # layout: the row contains a table, which has a header row of its own
        (
            "<table><tr><td><table><tr>Light</tr><tr>Skomvik</tr></table></td></tr><tr><td>x</td></tr></table>",
            [("table[1]/tr[1]/td[1]/table[1]/tr[1]", "table[1]/tr[1]/td[1]/table[1]")],
        ),
        # a title over the names of the columns: two rows; a third one never counts
        (
            "<table><tr>Lights</tr><tr><td>Name</td></tr><tr>A</tr><tr><td>Skomvik</td><td>12 m</td></tr></table>",
            [("table[1]/tr[1]", "table[1]"), ("table[1]/tr[2]", "table[1]")],
        ),
        # the second row, which is long, has most of the words with the first
        (
            "<table><tr>Lights</tr><tr>of the north coast</tr><tr>Skomvik 12</tr></table>",
            [("table[1]/tr[1]", "table[1]")],
        ),
        # a layout row is followed by no header
        ("<table><tr><td><table/>Light</td></tr><tr>Name</tr><tr>Skomvik twelve metres high</tr></table>", []),
        # a table in the caption has rows of its own
        (
            "<table><caption><table><tr>a</tr><tr>b</tr></table></caption><tr>Name</tr><tr>Skomvik 12 m</tr></table>",
            [("table[1]/caption[1]/table[1]/tr[1]", "table[1]/caption[1]/table[1]"), ("table[1]/tr[1]", "table[1]")],
        ),
        # content, since most words of the table are in it
        ("<table><tr><td>Light and flag</td></tr><tr><td>Skomvik one</td></tr></table>", []),
        # what sums up the other rows may come before these
        (
            "<table><tfoot><g><tr>12</tr></g></tfoot><tbody><tr><td>Light</td></tr><tr><td>12</td></tr></tbody></table>",
            [("table[1]/tbody[1]/tr[1]", "table[1]")],
        ),
        (
            "<choicetable><chhead><choptionhd>Key</choptionhd></chhead><chrow><choption>F1</choption></chrow></choicetable>",
            [("choicetable[1]/chhead[1]", "choicetable[1]")],
        ),
        ("<tr>no table</tr><table>no row</table>", []),
        ("<table><g><g><g><tr>too deep</tr></g></g></g></table>", []),
    ],
)
def test_which_rows_are_header_rows(markup, expected):
    assert MOST_GROUPS == 2
    assert header_rows(markup) == [(f"/a[1]/{row}", f"/a[1]/{table}") for row, table in expected]


GROUPS = st.sampled_from(["g", "tfoot", "tbody"])
ROWS = st.deferred(
    lambda: st.tuples(st.just("tr"), st.lists(st.one_of(st.text("xy ", max_size=9), TABLES), max_size=2))
)
IN_GROUPS = st.recursive(ROWS, lambda inner: st.tuples(GROUPS, st.lists(inner, max_size=3)), max_leaves=5)
TABLES = st.deferred(lambda: st.tuples(st.just("table"), st.lists(IN_GROUPS, max_size=4)))


def markup_of(node) -> str:
    return node if isinstance(node, str) else f"<{node[0]}>{''.join(map(markup_of, node[1]))}</{node[0]}>"


def plain_header_rows(root) -> set[str]:
    """Return the paths of header rows, table by table, straight from the definition."""
    found = set()
    tree = etree.ElementTree(root)
    for table in root.iter("table"):
        rows = []
        for row in table.iter("tr"):
            around = list(row.iterancestors())
            between = around[: next(place for place, each in enumerate(around) if each.tag == "table" or each is root)]
            is_in_foot = any(each.tag == "tfoot" for each in between)
            is_of_table = around[len(between)] is table and len(between) <= MOST_GROUPS
            if is_of_table and not is_in_foot and words_in(row):
                rows.append(row)
        for number in (1, 2):
            headers = rows[:number]
            is_layout = any(row.find(".//table") is not None for row in headers)
            if len(headers) == number and not is_layout and 2 * sum(map(words_in, headers)) <= words_in(table):
                found.add(tree.getpath(headers[-1]))
            else:
                break
    return found


def words_in(element) -> int:
    return len(re.findall(r"[xy]+", " ".join(element.itertext())))


@given(st.lists(TABLES, min_size=1, max_size=2))
@hypothesis_settings(max_examples=effort(20, 3000, thorough=600), deadline=None)
@pytest.mark.long
def test_header_rows_equal_their_definition(tables):
    markup = "".join(map(markup_of, tables))
    found = {re.sub(r"\[1\]", "", row) for row, _ in header_rows(markup)}

    assert found == {re.sub(r"\[1\]", "", path) for path in plain_header_rows(etree.fromstring(f"<a>{markup}</a>"))}


def test_a_profile_names_tables_and_rows():
    markup = "<grid><line>Light</line><line>Skomvik</line></grid><table><tr>Light</tr></table>"

    assert header_rows(markup, 'tables = ["grid"]\nrows = ["line"]\n') == [("/a[1]/grid[1]/line[1]", "/a[1]/grid[1]")]
    assert header_rows(markup, 'inline = ["line"]\ntables = ["grid"]\nrows = ["line"]\n') == []
    assert header_rows(markup, "rows = []\n") == []


@pytest.mark.parametrize("group", ["<g><i>{}</i></g>", "<i><g>{}</g></i>", "<g>{}</g>", "<g><g>{}</g></g>"])
def test_a_header_row_in_a_short_group_or_an_inline_element_is_a_heading(tmp_path, group):
    row = f"<tr><td>{FILLER}</td></tr>"
    table = f"<table>{group.format('<tr><td>lamp</td></tr>')}{row}{row}</table>"
    (tmp_path / "own.toml").write_text('inline = ["i"]\n')
    index = index_of(tmp_path, {"d": f"<a><s>{table}</s></a>", "e": "<a>fog</a>"}, profile=str(tmp_path / "own.toml"))

    found = explain(index, "lamp", "d", "/a[1]/s[1]/table[1]", Settings.from_options())

    (headings,) = [part for part in found.element.details if part.name == "headings"]
    assert headings.facts["terms"] == ["lamp"]
    assert "headings and first rows of tables with lamp" in headings.description


def test_what_lies_in_header_rows():
    with grown_index(
        [{"d": "<a><table><tr><td>one</td><td>two</td></tr><tr><td>three four</td></tr></table></a>"}]
    ) as index:
        found = index.header_rows.of(np.arange(1)).include(np.arange(7))

    assert found.tolist() == [False, False, True, True, True, False, False]


NAMES = "<td>Light</td><td>Keeper</td><td>Height</td>"


@pytest.mark.parametrize(
    ("first", "second", "marked", "titles"),
    [
        ("<tr><th>Light</th></tr>", "<tr><th>Name</th><th>Height</th></tr>", [True, True], [1, 2]),
        ("<tr><th>Light</th></tr>", "<tr><th>North</th></tr>", [True, False], [1]),  # the name of a section
        ("<tr><th>Light</th></tr>", "<tr><th>Name</th><td>12</td></tr>", [True, False], [1]),
        ("<tr><th>Light</th><td>Skomvik</td></tr>", "<tr><th>Height</th><td>12</td></tr>", [False, False], []),
        ("<tr><td>Light</td><td>Skomvik</td></tr>", "<tr><td>Height</td><td>12</td></tr>", [False, False], []),
        (f"<tr>{NAMES}</tr>", f"<tr>{NAMES}</tr>", [False, False], [1]),
        (f"<tr>{NAMES}</tr>", "<tr><th>Name</th><th>of it</th></tr>", [False, True], [1, 2]),
        ("<thead><tr><td>Light</td></tr>", "<tr><td>Name</td></tr></thead>", [True, True], [1, 2]),
        ("<thead><tr><td>Light</td></tr></thead>", "<tr><td>Skomvik</td></tr>", [True], [1]),  # the first of the data
        (f"<strow>{NAMES}</strow>", "<tr><td>Skomvik</td></tr>", [True], [1]),
    ],
)
def test_which_header_rows_are_marked_and_name_columns(first, second, marked, titles):
    table = f"<table>{first}{second}<tr><td>{FILLER}</td></tr></table>"
    with grown_index([{"d": f"<a>{table}{table}</a>"}]) as index:
        found = index.header_rows.of(np.arange(1))
        paths = element_paths(index, found.rows.compress(found.are_titles))

    assert found.are_marked.tolist() == marked * 2
    assert [int(path[-2]) for path in paths] == titles * 2


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """A table with the word lamp in its header row, and a longer one with the word twice in another row."""
    row = f"<tr><td>{FILLER}</td></tr>"
    named = f"<table><thead><tr><td>lamp {FILLER}</td></tr></thead>{row}{row}{row}</table>"
    other = f"<table>{row}<tr><td>{FILLER} lamp and lamp {FILLER}</td></tr>{row}</table>"
    fog = f"<a><p>{FILLER} fog</p></a>"
    documents = {"d": f"<a><s>{other}</s><s>{named}</s><s>{FILLER}</s></a>", "fog": fog, "more": fog}
    return index_of(tmp_path_factory.mktemp("tables"), documents)


@pytest.mark.parametrize(("header_rows", "place"), [(True, 2), (False, 1)])
def test_a_table_with_a_word_in_its_header_row_comes_first(index, header_rows, place):
    best = answers_to(index, "lamp", answers="//table", header_rows=header_rows)[0]

    assert best.path == f"/a[1]/s[{place}]/table[1]"


@pytest.mark.parametrize(("header_rows", "named"), [(True, [["lamp"]]), (False, [])])
def test_an_explanation_names_the_words_of_header_rows(index, header_rows, named):
    found = explain(index, "lamp", "d", "/a[1]/s[2]/table[1]", Settings.from_options(header_rows=header_rows))

    assert [part.facts["terms"] for part in found.element.details if part.name == "headings"] == named
