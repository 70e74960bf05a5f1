"""Names of a query that no element has: a notice names them where there is no answer."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from engine.query.query import parse_query
from engine.structure import missing_names
from foxir.terminal.commands import foxir
from tests.engine.small_index import index_of

ARTICLE = '<article><sec kind="a"><p>sea</p></sec><ss1><p>lamp</p></ss1></article>'


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("missing")
    (folder / "made.toml").write_text('attributes = ["kind", "no"]\n[classes]\nsec = ["div", "ss1"]')
    return index_of(folder, {"a": ARTICLE}, profile=str(folder / "made.toml"))


@pytest.mark.parametrize(
    ("query", "reading", "tags", "missing"),
    [
        ("//Sec[about(., sea)]", "SS", "exact", ["Sec"]),
        ("//article//(sec|div)[about(., sea)]", "SS", "exact", []),
        ("//article//(part|div)[about(., sea)]//x", "SS", "exact", ["part", "div", "x"]),
        ("//div[about(., sea)]", "SS", "exact", ["div"]),
        ("//div[about(., sea)]", "SS", "classes", []),
        ("//article[about(.//abs, sea) and .//yr/@no > 1]//p", "SS", "exact", ["abs", "yr", "@no"]),
        ("//article[about(.//abs, sea) or not(.//yr > 1)][not(about(.//x, y))]//p", "SS", "exact", []),
        ("//sec/@kind", "SS", "exact", []),
        ("//sec[@nil = 1]//@no", "SS", "exact", ["@nil", "@no"]),
        ("//*[about(./*, sea)]", "SS", "exact", []),
        # a vague part needs nothing
        ("//x[about(.//y, sea)]//z[about(.//w, sea)]", "SV", "exact", ["z"]),
        ("//x[about(.//y, sea)]//z[about(.//w, sea)]", "VS", "exact", ["x", "y"]),
        ("//x[about(.//y, sea)]//z[about(.//w, sea)]", "VV", "exact", []),
        ("sea", "CO", "exact", []),
    ],
)
def test_names_that_an_answer_needs_and_nothing_has(index, query, reading, tags, missing):
    assert missing_names(index, parse_query(query, index.analyser, reading), by_class=tags == "classes") == missing


def test_search_says_which_name_left_it_without_an_answer(index):
    def notice_on(query):
        result = CliRunner().invoke(foxir, ["search", str(index.folder), query])
        assert result.exit_code == 0
        return result.stderr.strip()

    lists_them = f"foxir info {index.folder} --list-tags lists them."
    assert notice_on("//Sec[about(., sea)]") == (
        f"no answer: 'Sec' is not a tag or attribute of any document: did you mean 'sec'? {lists_them}"
    )
    assert notice_on("//sec[@id = 'x']") == (
        "no answer: '@id' is in no document, or the profile does not index this attribute."
    )
    assert notice_on("//sec[@knd = 'x']") == (
        "no answer: '@knd' is in no document, or the profile does not index this attribute: did you mean '@kind'?"
    )
    assert notice_on("//Sec//Par[about(., sea)]") == (
        f"no answer: 'Sec', 'Par' are not tags or attributes of any document: {lists_them}"
    )
    assert notice_on("//sec[@id = 'x']//p[@no = 'y']") == (
        "no answer: '@id', '@no' are in no document, or the profile does not index these attributes."
    )
    assert notice_on("//sec[about(., lamp)]").startswith("no answer: no element satisfies the whole query")
