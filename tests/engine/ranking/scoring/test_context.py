"""The context of elements: read from the element table, with and without kernels, it is what the other columns say."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine.indexing.segment_writer
from engine.explain.explain import explain
from engine.index.elements.element_table import TableMask
from engine.index.elements.headings import (
    LONGEST_OF_TITLES,
    LONGEST_TITLE,
    MOST_OF_DOCUMENT,
    MOST_OF_TITLES,
    NO_FOLLOWING_SCOPES,
)
from engine.index.reader import IndexReader
from engine.kernels.table import without_kernels
from engine.ranking.scoring.context import NEIGHBOUR_BLOCKS, Context, context_of, neighbours_in
from engine.settings import Settings
from engine.structure.inline_elements import NONE, own_words
from tests.engine.similarity.random_input import trees_of
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.reference.similarity import Node
from tests.trust.soak import effort

OF_TABLES = 'inline = ["i"]\ntables = ["a"]\nrows = ["b"]\n'
PROFILES = (
    *("", 'inline = ["i"]\ntitles = ["b"]\n', 'inline = ["i"]\ntitles = ["a"]\nheadings = ["b", "c"]\n'),
    *(OF_TABLES, f'{OF_TABLES}titles = ["c"]\n', 'tables = ["a", "i"]\nrows = ["b", "c"]\nheadings = ["i"]\n'),
)

collections = st.lists(trees_of("abci"), min_size=1, max_size=4)
lengths = st.sampled_from([(0, 1), (1, 1), (1, 3), (2, 4), (5, 5), (30, 30)])
masks = st.builds(lambda words, *options: TableMask(*words, *options), lengths, st.booleans(), st.booleans())


def markup(node: Node) -> str:
    return f"<{node.name}>{' '.join(node.words)} {' '.join(map(markup, node.children))}</{node.name}>"


def plain(context: Context) -> list[Any]:
    """Return the columns of a context as lists."""
    columns = context[: Context._fields.index("scopes")]
    return [column.tolist() for column in (*columns, *context.scopes)]


class Expected:
    """The elements of an index that count, one by one, from other columns than the table."""

    def __init__(self, index: IndexReader, mask: TableMask, inline: set[int]) -> None:
        self.mask, self.inline, self.is_of_tables = mask, inline, mask.with_headings and mask.with_header_rows
        elements, rows = index.elements, np.arange(index.elements.row_base[-1])
        self.parents, self.words = elements.parent(rows).tolist(), elements.n_words(rows).tolist()
        self.are_inline = elements.is_inline(rows).tolist()
        self.tags = [elements.tags[number] for number in elements.tag(rows).tolist()]
        self.titles, self.ends = index.profile.title_and_heading_tags, elements.end(rows).tolist()
        self.title_rows = [
            row
            for row in rows.tolist()
            if self.tags[row] in index.profile.title_text_tags
            and not self.are_inline[row]
            and self.parents[row] != row
            and self.words[row] <= LONGEST_TITLE
        ]
        headers = index.header_rows.of(index.live_documents)
        self.tables = dict(zip(headers.rows.tolist(), headers.tables.tolist(), strict=True))
        for groups, table in zip(headers.groups.tolist(), headers.tables.tolist(), strict=True):
            self.tables.update((group, table) for group in groups if group >= 0)

    def around(self, row: int) -> int:
        """Return the nearest element around one that is not inline; of a root, itself."""
        while self.are_inline[row := self.parents[row]]:
            pass
        return row

    def counts(self, row: int) -> bool:
        if self.parents[row] == row or row in self.inline:
            return True
        if self.are_inline[row]:
            return False
        is_title = self.mask.with_headings and self.tags[row] in self.titles and self.words[row] <= LONGEST_TITLE
        of_table = self.is_of_tables and row in self.tables and self.words[self.tables[row]] >= self.mask.min_words
        return self.words[row] >= self.mask.min_words or is_title or of_table

    def is_mostly_titles(self, row: int) -> bool:
        root = row
        while self.parents[root] != root:
            root = self.parents[root]
        most = MOST_OF_TITLES if self.words[root] <= LONGEST_OF_TITLES else MOST_OF_DOCUMENT
        return row != root and self.has_titles(row, MOST_OF_TITLES) and not self.has_titles(root, most)

    def has_titles(self, row: int, most: float) -> bool:
        """Return whether an element is in a title, or has more than a share of its words in titles."""
        is_in_title = any(title <= row < self.ends[title] for title in self.title_rows)
        inside = [title for title in self.title_rows if row <= title < self.ends[row]]
        outermost = [title for title in inside if not any(other < title < self.ends[other] for other in inside)]
        return is_in_title or sum(self.words[title] for title in outermost) > most * self.words[row]

    def rows(self, chosen: list[int]) -> list[int]:
        """Return the elements that count and are or contain some."""
        found = {*chosen}
        for row in chosen:
            while (row := self.parents[row]) not in found:
                found.add(row)
        return sorted(filter(self.counts, found))


@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@given(
    st.lists(collections, min_size=1, max_size=2),
    st.sampled_from(PROFILES),
    masks,
    st.integers(1, 9),
    st.booleans(),
    st.data(),
)
def test_as_the_other_columns_say(
    steps: Any, profile: str, mask: TableMask, read_at_a_time: int, with_inline: bool, data: st.DataObject
) -> None:
    sources = [{f"{number:02}": markup(tree) for number, tree in enumerate(step)} for step in steps]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine.indexing.segment_writer, "READ_AT_A_TIME", read_at_a_time)
        with grown_index(sources, profile_text=profile) as index:
            elements, n_elements = index.elements, int(index.elements.row_base[-1])
            is_chosen = data.draw(st.lists(st.booleans(), min_size=n_elements, max_size=n_elements))
            chosen = np.flatnonzero(np.array(is_chosen, np.bool_))
            documents = np.unique(elements.document(chosen))
            are_inline = chosen.compress(elements.is_inline(chosen))
            inline = own_words(index, are_inline) if with_inline else NONE
            expected = Expected(index, mask, set(inline.rows.tolist()))
            following = index.following_scopes(documents) if mask.with_headings else NO_FOLLOWING_SCOPES

            with without_kernels():
                context = context_of(index, chosen, documents, mask, inline, following=following)
            found = context_of(index, chosen, documents, mask, inline, following=following)

            assert plain(found) == plain(context)
            blocks = mask.neighbour_words / NEIGHBOUR_BLOCKS
            beside = [each.tolist() for each in neighbours_in(context, blocks)]
            assert [each.tolist() for each in neighbours_in(found, blocks)] == beside
            rows = context.rows.tolist()
            assert rows == expected.rows(chosen.tolist())
            parents = [
                rows.index(around) if (around := expected.around(row)) in rows else place
                for place, row in enumerate(rows)
            ]
            assert context.parents.tolist() == parents
            assert context.ends.tolist() == elements.end(context.rows).tolist()
            assert documents.take(context.document).tolist() == elements.document(context.rows).tolist()
            assert context.is_mostly_titles.tolist() == [expected.is_mostly_titles(row) for row in rows]


# A group of rows of a table is no answer: the names of its columns stand outside it.


LIGHTS = (("Skomvik", 38), ("Fyr", 12), ("Lindesnes", 50), ("Kullen", 88), ("Skagen", 44))
HEAD = "<thead><tr><th>Name of the light</th><th>Height of the light above the sea, in metres</th></tr></thead>"
BODY = "".join(f"<tr><td>{name} with its old lantern</td><td>{height} metres</td></tr>" for name, height in LIGHTS)
NOTE = "<p>The lights of the coast were built one after the other, and the last of them stands on the cape.</p>"


def table(body: str = "tbody") -> str:
    return f"<table>{HEAD}<{body}>{BODY}</{body}></table>"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    documents = {"d": f"<a><s>{NOTE}{table()}</s></a>", "fog": f"<a>{NOTE}</a>", "more": f"<a>{NOTE}{NOTE}</a>"}
    return index_of(tmp_path_factory.mktemp("groups"), documents)


@pytest.mark.parametrize("kernels", [nullcontext, without_kernels])
@pytest.mark.parametrize("passages", [False, True])
@pytest.mark.parametrize("query", ["lindesnes kullen", "lindesnes metres lantern", "kullen"])
def test_the_table_is_the_answer(index, query, passages, kernels):
    with kernels():
        best = answers_to(index, query, passages=passages)[0]

    assert best.path == "/a[1]/s[1]/table[1]"


def test_a_group_of_rows_can_be_asked_for(index):
    assert [each.path for each in answers_to(index, "kullen", answers="//tbody")] == ["/a[1]/s[1]/table[1]/tbody[1]"]
    found = answers_to(index, "kullen", min_leaf_words=0, min_words=0, overlap="keep")
    assert "/a[1]/s[1]/table[1]/tbody[1]" in {each.path for each in found}


def test_a_search_inside_groups_returns_them(index):
    for passages in (False, True):
        found = answers_to(index, "kullen", inside="//tbody", passages=passages)
        assert [each.path for each in found] == ["/a[1]/s[1]/table[1]/tbody[1]"]


def test_a_prefix_is_ignored(index):
    assert [each.path for each in answers_to(index, "kullen", answers="//x:table")] == ["/a[1]/s[1]/table[1]"]


def test_a_table_is_an_answer_where_most_tables_are_short(tmp_path):
    short = "<table><tr><td>fog</td><td>horn</td></tr></table>" * 20
    index = index_of(tmp_path, {"d": f"<a><s>{NOTE}{short}{table()}</s></a>", "e": f"<a>{NOTE}{NOTE}</a>"})

    assert answers_to(index, "kullen lindesnes")[0].path == "/a[1]/s[1]/table[21]"


def test_an_explanation_says_why_it_is_no_answer(index):
    found = explain(index, "kullen", "d", "/a[1]/s[1]/table[1]/tbody[1]", Settings.from_options())

    assert found.outcome.description == "not returned: it is a group of rows of a table (min_leaf_words 0.4x up to 16)"


def test_a_profile_names_groups_of_rows(tmp_path):
    (tmp_path / "own.toml").write_text('row_groups = ["body"]\n')
    documents = {"d": f"<a><s>{NOTE}{table('body')}</s></a>", "e": f"<a><s>{NOTE}{table()}</s></a>"}
    index = index_of(tmp_path, documents, profile=str(tmp_path / "own.toml"))

    paths = {(each.document, each.path) for each in answers_to(index, "kullen", overlap="keep")}

    assert ("d", "/a[1]/s[1]/table[1]/body[1]") not in paths
    assert ("e", "/a[1]/s[1]/table[1]/tbody[1]") in paths
