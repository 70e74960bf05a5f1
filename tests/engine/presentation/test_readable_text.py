"""The text of an element for readers and models: lines, rows of cells, preformatted text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.index.reader import IndexReader
from engine.presentation.readable_text import collapsed, readable_parts, readable_text
from tests.engine.small_index import grown_index, index_of
from tests.reference.readable_text import Node, is_regular_row
from tests.reference.readable_text import readable as slowly_readable
from tests.trust.soak import effort

INLINE = {"i", "lb"}
PROFILE = 'inline = ["i", "lb"]\nbreaks = ["lb"]'


def readable(index: IndexReader, row: int = 0) -> str:
    return readable_text(index, 0, row, *index.spans(0, np.array([row]))[0].tolist())


@pytest.fixture
def shown(tmp_path: Path) -> Callable[..., str]:
    def read(markup: str, profile: str | None = None, row: int = 0) -> str:
        if profile is None:
            profile = str(tmp_path / "inline.toml")
            Path(profile).write_text(PROFILE)
        with index_of(tmp_path, {"a": markup}, profile=profile) as index:
            return readable(index, row)

    return read


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<t><title>Tides</title><p>High <i>wa</i>ter.</p><p>Low.</p></t>", "Tides\nHigh water.\nLow."),
        ("<t>\n <p>One</p>\n\n <p>\n  Two\n  lines </p>\n</t>", "One\nTwo lines"),
        ("<t><p>10 m<sup>2</sup>, see <ref>4</ref>.</p></t>", "10 m 2, see 4."),
        ("<t><p>See <x>a</x> <y>b</y>, <b>c</b>.</p></t>", "See a b, c."),
        ("<t><p>Take:<ul>\n<li>a</li>\n<li>b</li></ul>\nand go.</p></t>", "Take:\na\nb\nand go."),
        ("<t><b>Note</b> <x>1</x><x>2</x></t>", "Note\n1\n2"),
        ("<t>a<br/>b</t>", "a\nb"),
        ("<t>5\u00a0 mg, p\u2009&lt;\u20090.01\u00a0</t>", "5\u00a0 mg, p\u2009<\u20090.01"),
        ("<t><p>\u00a0</p><p>a</p></t>", "a"),
        ("<t/>", ""),
        ("<t> \n </t>", ""),
    ],
)
def test_blocks_are_lines_without_the_white_space_of_the_source(
    shown: Callable[..., str], markup: str, expected: str
) -> None:
    assert shown(markup) == expected


def test_text_of_attributes_is_no_line_with_the_blocks_below(shown: Callable[..., str], tmp_path: Path) -> None:
    markup = '<drawer n="Nets"><net n="Eel trap"><of>Willow.</of><of>Made at <x>Ord</x>.</of></net></drawer>'
    profile = tmp_path / "held.toml"
    profile.write_text('text_attributes = ["drawer/@n", "net/@n"]\n')

    assert shown(markup, str(profile)) == "Nets\nEel trap\nWillow.\nMade at Ord."


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<t><tr><th>In</th><th>Out</th></tr><tr><td>12</td><td>-240</td></tr></t>", "In | Out\n12 | -240"),
        ("<table><tr><td>A one</td><td>B </td></tr><tr><td>C two</td><td>D</td></tr></table>", "A one | B\nC two | D"),
        ("<table>\n <tr>\n  <td>a</td>\n  <td>b</td>\n </tr>\n</table>", "a | b"),
        ("<tr><th>Mean\n value</th><th>n<br/>all</th></tr>", "Mean value | n all"),
        ("<t><tr><td>a</td><td/><td>b</td></tr></t>", "a | | b"),
        ("<t><tr><td/><td>a</td><td> </td></tr><tr><td/></tr></t>", "| a |"),
        ("<tr><td><ul><li>red</li><li>blue</li></ul></td><td><p>One.</p><p>Two</p></td></tr>", "red; blue | One. Two"),
        ("<tr><td><a>1</a>, <a>2</a></td><td>b</td></tr>", "1, 2 | b"),
        ("<tr><td><table><tr><td>x</td><td>y</td></tr></table></td><td>b</td></tr>", "x | y\nb"),
        ("<tr><td><pre>x  y</pre></td><td>b  c</td></tr>", "x  y | b c"),
        ("<t><tr>a<pre>a  b</pre></tr></t>", "a | a  b"),
        ("<tr><td><pre>x\n  y</pre></td><td>b  c</td></tr>", "x\n  y\nb c"),
        ("<t><caption>Tides</caption><tbody><tr><td>a</td></tr></tbody>Note.</t>", "Tides\na\nNote."),
    ],
)
def test_a_row_of_a_table_is_one_line_with_its_cells_set_apart(
    shown: Callable[..., str], markup: str, expected: str
) -> None:
    assert shown(markup) == expected


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            "<simpletable>\n<sthead><stentry>Service</stentry><stentry>Port</stentry></sthead>\n"
            "<strow>\n<stentry>web\n proxy</stentry>\n<stentry>8080</stentry>\n</strow></simpletable>",
            "Service | Port\nweb proxy | 8080",
        ),
        (
            "<properties><prophead><proptypehd>Type</proptypehd><propvaluehd>Value</propvaluehd></prophead><property>"
            "<proptype>size</proptype><propvalue>5</propvalue></property></properties>",
            "Type | Value\nsize | 5",
        ),
        (
            "<choicetable><chhead><choptionhd>If</choptionhd><chdeschd>Then</chdeschd></chhead>"
            "<chrow><choption>wet</choption><chdesc>dry it</chdesc></chrow></choicetable>",
            "If | Then\nwet | dry it",
        ),
    ],
)
def test_the_tables_of_dita_have_rows(shown: Callable[..., str], table: str, expected: str) -> None:
    assert shown(f"<reference><refbody>{table}</refbody></reference>", "dita") == expected


@pytest.mark.parametrize(
    ("markup", "profile", "expected"),
    [
        ("<t><p>As:<pre>\n\n  if  x:\n    y\n\n</pre> or\n not.</p></t>", None, "As:\n  if  x:\n    y\nor not."),
        ("<t><p>Use <code>a\n  b</code>.</p></t>", "none", "Use a b."),
        ("<article><front/><body><code>a\n  b</code></body></article>", "jats", "a\n  b"),
        ("<p>Use <code>a\n  b</code>.</p>", "html", "Use a b."),
        ("<t><p xml:space='preserve'> a\n  b</p><p> c\n  d</p></t>", "none", " a\n  b\nc d"),
        ("<t xml:space='preserve'>\n  <p>c\n  d</p>\n</t>", "none", "c d"),
        ("<section><para/><screen>$ <prompt>ls</prompt>\n<co/>a  b</screen></section>", "docbook", "$ ls\na  b"),
    ],
)
def test_preformatted_text_keeps_its_white_space(
    shown: Callable[..., str], markup: str, profile: str | None, expected: str
) -> None:
    assert shown(markup, profile) == expected


def test_what_is_inside_preformatted_text_is_preformatted(shown: Callable[..., str]) -> None:
    assert shown("<t><pre>a <x>b\n   c</x></pre></t>", row=2) == "b\n   c"


def test_profiles_name_what_is_preformatted(shown: Callable[..., str], tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('extends = "html"\npreformatted = ["poem", "-pre"]')
    assert shown("<t><poem>a\n   b</poem><pre>c\n   d</pre></t>", str(own)) == "a\n   b\nc d"


def test_verses_are_lines_and_sentences_are_not(shown: Callable[..., str]) -> None:
    tei = (
        "<TEI><text><body><p>He said: <q><l>To <stage>aside</stage> sea</l><l>we go</l></q> and <s>A.</s> <s>B.</s></p>"
    )
    assert shown(f"{tei}</body></text></TEI>", "tei") == "He said:\nTo aside sea\nwe go\nand A. B."


@pytest.mark.long
def test_parts_are_cut_where_the_text_is_and_make_up_the_whole(tmp_path: Path) -> None:
    markup = "<t>\n <p>One   two</p>\n <table><tr><td>a</td><td>b</td></tr></table><pre>\n\n c\n  d\n</pre></t>"
    with index_of(tmp_path, {"a": markup}) as index:
        text = index.text(0)
        whole = readable(index)
        assert whole == "One two\na | b\n c\n  d"
        for start in range(len(text)):
            for end in range(start, len(text)):
                parts = readable_parts(index, 0, 0, (0, start, end, len(text)))
                assert "".join(parts) == whole
                assert without_space(parts[1]).replace("|", "") == without_space(text[start:end])
        before, inside, after = readable_parts(index, 0, 0, (0, text.index("a"), text.index("b"), len(text)))
        assert (before, inside, after) == ("One two\n", "a | ", "b\n c\n  d")


JATS = "<article><front/><body><p>{}</p></body></article>"
SKIPPING = PROFILE + '\nskip = ["gone"]'


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<t>The data<gone><x>data</x></gone>base.</t>", "The database."),
        ("<t><p>One</p><gone>note</gone><p>Two</p></t>", "One\nTwo"),
        ("<t><gone>note</gone><x>a</x><x>b</x></t>", "a\nb"),
        ("<t><p>a <i>b<gone>c</gone></i> d</p></t>", "a b d"),
        ("<t><tr><td>a</td><gone>x</gone><td>b<gone>y</gone></td></tr></t>", "a | b"),
        ("<t><pre>a\n  <gone>x\n</gone>b\n<gone>y</gone></pre></t>", "a\n  b"),
        ("<t><gone>all</gone></t>", ""),
    ],
)
def test_what_a_profile_skips_is_left_out(
    shown: Callable[..., str], tmp_path: Path, markup: str, expected: str
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(SKIPPING)
    assert shown(markup, str(own)) == expected


def test_a_skipped_element_asked_for_by_its_path_is_shown(shown: Callable[..., str]) -> None:
    topic = "<topic><title>T</title><body><p>a<draft-comment>check <b>this</b></draft-comment></p></body></topic>"
    assert shown(topic, "dita", row=4) == "check this"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("<mfrac><mn>1</mn><mi>t</mi></mfrac>", "(1)/(t)"),
        ("<mn>2</mn>\n <msup>\n  <mi>x</mi>\n  <mn>10</mn>\n </msup>", "2x^10"),
        ("<msup><mi>e</mi><mrow><mo>-</mo><mi>k</mi><mi>t</mi></mrow></msup><mi>y</mi>", "e^(-kt) y"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        (
            "<mroot><mi>x</mi><mn>3</mn></mroot><mo>+</mo><msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>",
            "root(3)(x)+sqrt(a+b)",
        ),
        ("<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>", "[a, b]"),
        ("<semantics><mrow><mi>a</mi></mrow><annotation>\\TeX</annotation></semantics>", "a"),
        ("a^2", "a^2"),
    ],
)
@pytest.mark.parametrize("profile", ["jats", "none"])
def test_formulas_are_linear(shown: Callable[..., str], formula: str, expected: str, profile: str) -> None:
    math = f'<m:math xmlns:m="http://www.w3.org/1998/Math/MathML" xmlns="http://www.w3.org/1998/Math/MathML">{formula}'
    assert shown(JATS.format(f"so {math}</m:math>, too"), profile) == f"so {expected}, too"


def test_parts_of_a_formula_are_cut_before_or_after_it(tmp_path: Path) -> None:
    math = "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
    with index_of(tmp_path, {"a": JATS.format(f"a {math} b")}, profile="jats") as index:
        assert readable_parts(index, 0, 0, (0, 3, 6)) == ["a (1)/(2) ", "b"]
        assert readable_text(index, 0, 0, 0, 3) == "a 1"


WORDS = st.sampled_from(["", "a", "b.", " ", "\n", "(", "7", " c\n  d ", ", "])
TAGS = st.sampled_from(["p", "td", "td", "tr", "table", "x", "y", "b", "i", "li", "row"])
EMPTY = st.sampled_from(["lb", "br", "td", "x", "p"]).map(lambda tag: Node(tag, []))
LISTINGS = st.sampled_from([" a\n  b\n", "a  b", "", "\n\n", "\n x"]).map(lambda text: Node("pre", [text]))
TREES = st.recursive(
    WORDS | EMPTY | LISTINGS, lambda inside: st.builds(Node, TAGS, st.lists(inside, max_size=4)), max_leaves=20
).map(lambda tree: Node("t", [tree]))
GRIDS = st.lists(st.lists(TREES, min_size=1, max_size=4), min_size=1, max_size=4).map(
    lambda rows: Node("table", [Node("tr", [Node("td", cell.content) for cell in row]) for row in rows])
)


@settings(max_examples=effort(16, 2500, thorough=200), deadline=None)
@given(TREES | GRIDS)
@pytest.mark.long
def test_it_is_what_the_slow_way_gives(tree: Node) -> None:
    with grown_index([{"a": tree.markup()}], profile_text=PROFILE) as index:
        shown = readable(index)
        assert shown == slowly_readable(tree, INLINE)
        added = re.compile(r"[\s|;]")
        assert added.sub("", shown) == added.sub("", index.text(0))
        if not any(node.tag == "pre" for node in tree.below()):
            assert [collapsed(line).strip() for line in shown.split("\n")] == shown.split("\n")


@settings(max_examples=effort(8, 1000, thorough=80), deadline=None)
@given(GRIDS)
@pytest.mark.long
def test_a_table_has_as_many_lines_as_rows_with_text(tree: Node) -> None:
    rows = [row for row in tree.content if isinstance(row, Node) and row.text().strip()]
    with grown_index([{"a": tree.markup()}], profile_text=PROFILE) as index:
        lines = readable(index).split("\n")
        if all(map(is_regular_row, rows)):
            assert [without_space(line).replace("|", "").replace(";", "") for line in lines if line] == [
                without_space(row.text()) for row in rows
            ]


@settings(max_examples=effort(8, 1000, thorough=80), deadline=None)
@given(TREES | GRIDS, st.data())
@pytest.mark.long
def test_a_stretch_has_its_text_and_no_more(tree: Node, data: st.DataObject) -> None:
    with grown_index([{"a": tree.markup()}], profile_text=PROFILE) as index:
        text = index.text(0)
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        added = re.compile(r"[\s|;]")
        assert added.sub("", readable_text(index, 0, 0, start, end)) == added.sub("", text[start:end])


def without_gone(node: Node) -> Node:
    inside = [part if isinstance(part, str) else without_gone(part) for part in node.content]
    return Node(node.tag, [part for part in inside if isinstance(part, str) or part.tag != "gone"])


WITH_GONE = st.recursive(
    WORDS | EMPTY | LISTINGS | st.just(Node("gone", ["x y"])),
    lambda inside: st.builds(Node, TAGS | st.just("gone"), st.lists(inside, max_size=4)),
    max_leaves=20,
).map(lambda tree: Node("t", [tree]))


@settings(max_examples=effort(12, 1500, thorough=150), deadline=None)
@given(WITH_GONE)
@pytest.mark.long
def test_a_text_with_skipped_elements_reads_as_one_without_them(tree: Node) -> None:
    with grown_index([{"a": tree.markup()}], profile_text=SKIPPING) as index:
        shown = readable(index)
    with grown_index([{"a": without_gone(tree).markup()}], profile_text=PROFILE) as index:
        assert shown == readable(index)


def without_space(text: str) -> str:
    return re.sub(r"\s", "", text)
