"""Tables and formulas on pages and in readable texts: cells under their headers, formulas as formulas, nothing else."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import html

import foxir
from engine.index.elements.table_cells import MOST_STEPS, Cell, placed
from tests.foxir.service.living import client, page_of, text_shown

# The same table in each vocabulary: two arms with two columns each, and a centre with two rows.
WANTED = [
    ["Centre", "Placebo", "Placebo", "Drug", "Drug"],
    ["Centre", "n", "%", "n", "%"],
    ["Oslo", "12", "8", "11", "7"],
    ["Oslo", "4", "", "", "2"],
]
READABLE = """Centre | Placebo | Placebo | Drug | Drug
Centre | n | % | n | %
Oslo | 12 | 8 | 11 | 7
Oslo | 4 | | | 2"""
_HTML = """<table><caption>Deaths</caption><colgroup><col/><col span="4"/></colgroup><thead><tr>
<th rowspan="2">Centre</th><th colspan="2">Placebo</th><th colspan="2">Drug</th></tr>
<tr><th>n</th><th>%</th><th>n</th><th>%</th></tr></thead><tbody>
<tr><th rowspan="2">Oslo</th><td>12</td><td>8</td><td>11</td><td>7</td></tr>
<tr><td>4</td><td/><td/><td>2</td></tr></tbody></table>"""
_COLSPECS = "".join(f'<colspec colname="c{n}"/>' for n in range(1, 6))
_CALS = f"""<table><title>Deaths</title><tgroup cols="5">{_COLSPECS}<spanspec spanname="drug" namest="c4" nameend="c5"/>
<thead><row><entry morerows="1">Centre</entry><entry namest="c2" nameend="c3">Placebo</entry>
<entry spanname="drug">Drug</entry></row><row><entry>n</entry><entry>%</entry><entry>n</entry><entry>%</entry></row>
</thead><tbody><row><entry morerows="1">Oslo</entry><entry>12</entry><entry>8</entry><entry>11</entry>
<entry>7</entry></row><row><entry>4</entry><entry colname="c5">2</entry></row></tbody></tgroup></table>"""
_TEI = """<table rows="4" cols="5"><head>Deaths</head><row role="label"><cell rows="2">Centre</cell>
<cell cols="2">Placebo</cell><cell cols="2">Drug</cell></row>
<row role="label"><cell>n</cell><cell>%</cell>
<cell>n</cell><cell>%</cell></row><row><cell rows="2" role="label">Oslo</cell><cell>12</cell><cell>8</cell>
<cell>11</cell><cell>7</cell></row><row><cell>4</cell><cell/><cell/><cell>2</cell></row></table>"""
TABLES = {
    "jats": f"<article><front/><body><sec><table-wrap><label>1</label>{_HTML}</table-wrap></sec></body></article>",
    "html": f"<html><body><p>Text</p>{_HTML}</body></html>",
    "docbook": f'<article xmlns="http://docbook.org/ns/docbook"><title>A</title>{_CALS}</article>',
    "dita": f"<reference><title>A</title><refbody>{_CALS}</refbody></reference>",
    "tei": f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><text><body>{_TEI}</body></text></TEI>',
}


def grid(table: Any) -> list[list[tuple[str, str]]]:
    """Return text and scope of the cell in each row and column of a table of HTML, as browsers form it."""
    found: list[dict[int, tuple[str, str]]] = []
    for group in table.xpath("thead|tbody|tfoot|self::*[tr]"):
        lines = group.xpath("tr")
        first = len(found)
        found += [{} for _ in lines]
        for number, line in enumerate(lines):
            column = 0
            for cell in line.xpath("td|th"):
                while column in found[first + number]:
                    column += 1
                width, height = int(cell.get("colspan", 1)), int(cell.get("rowspan", 1))
                for row in range(number, min(number + height, len(lines))):
                    for beside in range(column, column + width):
                        assert beside not in found[first + row], "cells overlap"
                        found[first + row][beside] = " ".join(cell.text_content().split()), cell.get("scope", "")
                column += width
    return [[row.get(column, ("", "")) for column in range(max(row, default=-1) + 1)] for row in found]


def index_of(folder: Path, documents: Mapping[str, str], **options: Any) -> Path:
    """Return an index of documents, given as id and XML."""
    source = folder / "source"
    source.mkdir()
    for name, markup in documents.items():
        (source / f"{name}.xml").write_text(markup, "utf-8")
    foxir.build_index(source, into=folder / "made.foxir", **options)
    return folder / "made.foxir"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the table in each vocabulary."""
    return index_of(tmp_path_factory.mktemp("tables"), TABLES)


@pytest.fixture(scope="module")
def index(folder: Path) -> Iterator[foxir.Index]:
    """The same, open."""
    with foxir.open_index(folder) as found:
        yield found


@pytest.mark.parametrize("kind", TABLES)
def test_cells_are_under_their_headers_on_pages(folder: Path, index: foxir.Index, kind: str) -> None:
    with client(folder) as web:
        page = page_of(web.get("/read", params={"document": kind}))
    (table,) = page.xpath("//div[@id='text']//table")
    shown = grid(table)

    assert [[text for text, _ in row] for row in shown] == WANTED
    assert {scope for row in shown[:2] for _, scope in row} <= {"col", "colgroup"}
    assert shown[0][1][1] == "colgroup"
    if kind not in ("docbook", "dita"):  # CALS has no headers of rows
        assert [row[0][1] for row in shown[2:]] == ["rowgroup", "rowgroup"]
    assert page.xpath("//div[@id='text']//text()[contains(., 'Deaths')]")
    assert text_shown(page) == index.text(kind)


@pytest.mark.parametrize(("kind", "tag"), [("dita", "codeblock"), ("html", "pre"), ("docbook", "literallayout")])
def test_lines_of_code_stay_lines(tmp_path: Path, kind: str, tag: str) -> None:
    code = f"<{tag}>if fog:\n    ring()</{tag}>"
    made = index_of(tmp_path, {"a": TABLES[kind].replace("<table>", f"{code}<table>")})
    with client(made) as web:
        page = page_of(web.get("/read", params={"document": "a"}))
    assert page.xpath("//div[@id='text']//div[@class='code-block']/text()") == ["if fog:\n    ring()"]


@pytest.mark.parametrize("kind", TABLES)
def test_cells_are_under_their_headers_in_readable_texts(index: foxir.Index, kind: str) -> None:
    (table,) = (each for each in index.search("deaths placebo oslo", answers="//table", documents=kind))

    assert table.readable_text.endswith(READABLE)
    row = index.element(kind, table.path)
    rows = index.search("oslo 12", answers="//(tr|row)", documents=kind, overlap="keep", min_words=1)
    assert row.readable_text.endswith(READABLE)
    assert "Oslo | 12 | 8 | 11 | 7" in [each.readable_text for each in rows]


def test_cells_of_an_unknown_vocabulary_span_columns_by_any_usual_name(tmp_path: Path) -> None:
    rows = "<row><entry rowspan='2'>Level</entry><entry columnspan='2'>Module</entry></row>"
    rows = f"<thead>{rows}<row><entry>Enforcing</entry><entry>Other</entry></row></thead>"
    rows += "<tbody><row><entry>One</entry><entry>a</entry><entry>b</entry></row></tbody>"
    made = index_of(tmp_path, {"cc": f"<cc><table><tgroup cols='3'>{rows}</tgroup></table></cc>"})
    with foxir.open_index(made) as index:
        read = index.element("cc", "/cc[1]").readable_text

    assert read == "Level | Module | Module\nLevel | Enforcing | Other\nOne | a | b"


def test_a_row_alone_has_the_cells_that_begin_above_it(index: foxir.Index) -> None:
    path = "/article[1]/body[1]/sec[1]/table-wrap[1]/table[1]/tbody[1]/tr[2]"

    assert index.element("jats", path).readable_text == "Oslo | 4 | | | 2"


def test_text_outside_of_cells_stays_in_its_table(tmp_path: Path) -> None:
    """Browsers would move it before the table; offsets of judgements count it where the source has it."""
    markup = (
        "<html><body><table>loose <b>bold</b><tr>in a row<td>one</td><i>slanted</i></tr><p>between</p><tbody>"
        "in a group<tr><td>two<table><tr><td>inner</td></tr></table>after</td></tr></tbody>last</table>end</body>"
        "</html>"
    )
    made = index_of(tmp_path, {"a": markup})
    with foxir.open_index(made) as index, client(made) as web:
        page = web.get("/read", params={"document": "a", "q": "loose row between"}).text

        (text,) = html.fromstring(page).xpath("//div[@id='text']")
        assert text.text_content() == index.text("a")
        outer = text.xpath(".//table")[0]
        assert not [each for each in outer.xpath("text()|tbody/text()|tbody/tr/text()|tr/text()") if each.strip()]
        assert outer.xpath(".//td//table//td/text()") == ["inner"]


def test_blanks_in_a_group_of_columns_are_no_row(tmp_path: Path) -> None:
    columns = "<colgroup>\n<col/>\n<col/>\n</colgroup>\n<thead><tr><th>Gene</th><th>n</th></tr></thead>\n"
    table = f"<table>\n{columns}<tbody><tr><td>MLN</td><td>7</td></tr></tbody></table>"
    made = index_of(tmp_path, {"a": f"<article><front/><body><sec><p>Genes.</p>{table}</sec></body></article>"})
    with foxir.open_index(made) as index, client(made) as web:
        page = page_of(web.get("/read", params={"document": "a"}))
        assert text_shown(page) == index.text("a")

    assert grid(page.xpath("//div[@id='text']//table")[0]) == [
        [("Gene", "col"), ("n", "col")],
        [("MLN", ""), ("7", "")],
    ]


def test_columns_in_which_no_cell_begins_do_not_count(tmp_path: Path) -> None:
    wide = "<html><body><table><tr><td colspan='99999999'/><td>7</td></tr></table></body></html>"
    made = index_of(tmp_path, {"a": wide})
    with foxir.open_index(made) as index, client(made) as web:
        page = page_of(web.get("/read", params={"document": "a"}))
        assert index.element("a", "/html[1]").readable_text == "| 7"

    assert grid(page.xpath("//div[@id='text']//table")[0]) == [[("", ""), ("7", "")]]


def test_empty_cells_of_rows_that_each_span_other_columns_are_bounded(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td colspan='{500 + n % 500}'/><td>7</td></tr>" for n in range(1500))
    made = index_of(tmp_path, {"a": f"<html><body><table>{rows}</table></body></html>"})
    with foxir.open_index(made) as index:
        readable = index.element("a", "/html[1]").readable_text

    assert readable.count("7") == 1500
    assert len(readable) < 1500 * 150


HOSTILE = {
    "overlapping": '<table><tr><td rowspan="3">a</td><td>b</td></tr><tr><td colspan="3" rowspan="9">c</td></tr>'
    '<tr><td>d</td><td colspan="99999999999">e</td></tr></table>',
    "nonsense": '<table><tr><td colspan="-1">a</td><td rowspan="x">b</td><td colspan="">c</td></tr></table>',
    "nested": "<table><tr><td>x" * 40 + "</td></tr></table>" * 40,
    "wide": f"<table><tr>{'<td>1</td>' * 10_000}</tr><tr><td colspan='10000'>all</td></tr></table>",
    "columns": '<table><tgroup cols="2"><colspec colname="b" colnum="2"/><colspec colname="a" colnum="1"/><tbody><row>'
    '<entry namest="b" nameend="a">backwards</entry><entry namest="none">c</entry></row></tbody></tgroup></table>',
    "empty": "<table><tr/><tbody/><tr><td/></tr></table>",
}


@pytest.mark.long
def test_hostile_tables_are_bounded_and_shown(tmp_path: Path) -> None:
    made = index_of(tmp_path, {name: f"<a><p>text</p>{markup}</a>" for name, markup in HOSTILE.items()})
    with foxir.open_index(made) as index, client(made) as web:
        for name in HOSTILE:
            page = page_of(web.get("/read", params={"document": name}))
            assert text_shown(page) == index.text(name)
            for table in page.xpath("//div[@id='text']//table"):
                grid(table)  # no two cells overlap
            asked = {"q": "a x 1 all backwards", "documents": name, "answers": "//table", "min_words": "1"}
            card = page_of(web.get("/", params=asked)).xpath("//div[contains(@class, 'best-rows')]")
            assert len(card) == (name != "empty")
            assert sum(len(each.text_content()) for each in card) < 1_000
            readable = index.element(name, "/a[1]").readable_text
            assert len(readable) < 10 * len(index.text(name)) + 5_000


@given(
    st.lists(
        st.tuples(
            st.integers(0, 2),
            st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(-1, 6)), max_size=6),
        ),
        max_size=8,
    )
)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_no_two_cells_cover_one_place(lines: list[tuple[int, list[tuple[int, int, int]]]]) -> None:
    rows = [
        (group, [Cell(line * 100 + n, *cell) for n, cell in enumerate(cells)])
        for line, (group, cells) in enumerate(lines)
    ]
    covered: set[tuple[int, int]] = set()
    for number, column, width, height in placed(rows):
        line = number // 100
        wide, high, first = lines[line][1][number % 100]
        places = {(row, each) for row in range(line, line + height) for each in range(column, column + width)}
        assert not covered & places
        assert (1 <= width <= wide, 1 <= height <= high, column >= first) == (True, True, True)
        assert {lines[row][0] for row, _ in places} == {lines[line][0]}
        covered |= places


@pytest.mark.long
def test_many_rows_that_many_cells_cover_take_a_bounded_time() -> None:
    n = 3000
    first = (0, [Cell(each, 1, 65_534, -1) for each in range(n)])
    found = list(placed([first, *((0, [Cell(n + each, 1, 1, -1)]) for each in range(n))]))

    assert len(found) == 2 * n
    assert n * n > MOST_STEPS
    assert found[n][1] == n


FORMULA = (
    "<article><front/><body><p>Where <inline-formula><alternatives><tex-math>\\usepackage{x}$L_t$</tex-math>"
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><msub><mi mathvariant="bold">L</mi><mi>t</mi></msub><mo>=</mo>'
    '<mfenced open="[" close="]" separators=";"><mi>a</mi><mi>b</mi></mfenced><mspace/><script>alert(1)</script>'
    '<a href="javascript:alert(2)"><mi onclick="alert(3)">whale</mi></a><maction actiontype="statusline">c</maction>'
    '<mfrac linethickness="0&quot; onload=&quot;x"><mi>d</mi><mrow/></mfrac><svg><image href="x"/>s</svg></math>'
    "</alternatives></inline-formula> holds.</p></body></article>"
)


def test_formulas_are_mathml_and_nothing_else_of_them_is(tmp_path: Path) -> None:
    made = index_of(tmp_path, {"a": FORMULA})
    with foxir.open_index(made) as index, client(made) as web:
        page = page_of(web.get("/read", params={"document": "a", "q": "whale"}))
        assert text_shown(page) == index.text("a")
    (math,) = page.xpath("//div[@id='text']//math")
    names = {each.tag for each in math.iter()}
    attributes = {name for each in math.iter() for name in each.attrib}

    assert [each.text_content() for each in math.xpath("msub/*")] == ["L", "t"]
    assert names <= {"math", "mrow", "msub", "mi", "mo", "mspace", "mtext", "mfrac", "span"}
    assert attributes <= {"mathvariant", "class", "data-sign"}
    assert math.xpath("//mo[@class='sign']/@data-sign") == ["[", ";", "]"]
    assert math.xpath(".//mi[@class='hit']/text()") == ["whale"]
    assert page.xpath("//div[@class='skipped' or contains(@class, ' skipped')]//text()") == ["\\usepackage{x}$L_t$"]


def test_spaces_in_formulas_have_their_widths(tmp_path: Path) -> None:
    spaces = "".join(f'<mspace width="{width}"/>' for width in ("5em", "0.2em", "999em", "-3em", "1em;x"))
    made = index_of(tmp_path, {"a": f"<doc><p>So <math><mi>K</mi>{spaces}<mi>L</mi></math> holds.</p></doc>"})
    with client(made) as web:
        page = page_of(web.get("/read", params={"document": "a"}))

    assert page.xpath("//div[@id='text']//math//mspace/@width") == ["5em", "0.2em"]


_X = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
_EVIL = (
    '<script>alert(1)</script><text onclick="alert(2)">whale</text>'
    '<a xlink:href="javascript:alert(3)"><text>link</text></a><foreignObject>'
    '<body xmlns="http://www.w3.org/1999/xhtml" onload="alert(4)">'
    '<iframe src="http://x.test/"/>'
    '</body></foreignObject><image xlink:href="http://x.test/a.png"/><use href="http://x.test/#a"/><style>*{}</style>'
    '<animate attributeName="href" to="javascript:alert(5)"/>'
)
DRAWINGS = {
    "svg": f'<svg xmlns="http://www.w3.org/2000/svg" {_X} onload="alert(6)">{_EVIL}</svg>',
    "inside": f'<article {_X}><front/><body><fig><caption><p>Sea</p></caption><svg xmlns="http://www.w3.org/2000/svg">'
    f"{_EVIL}</svg></fig></body></article>",
    "math": f'<article {_X}><front/><body><p>So <math xmlns="http://www.w3.org/1998/Math/MathML" href="javascript:0">'
    '<mi xlink:href="javascript:alert(7)">whale</mi><mglyph src="http://x.test/b.png"/><maction actiontype="toggle">'
    '<mi style="background:url(//x.test)">y</mi></maction><annotation-xml encoding="text/html">'
    f'<b onmouseover="alert(8)">z</b></annotation-xml>{_EVIL}</math>.</p></body></article>',
    "deep": "<article><front/><body><p>" + "<math><msqrt>" + "<mrow>" * 200 + "<mi>whale</mi>" + "</mrow>" * 200
    + "</msqrt></math></p></body></article>",
}  # fmt: skip
# What a page may have of a document, and addresses in it.
_KNOWN = frozenset(
    (
        "a",
        "b",
        "mark",
        "div",
        "span",
        "code",
        "em",
        "strong",
        "sub",
        "sup",
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "td",
        "th",
        "caption",
    )
)
_OF_MATH = frozenset(
    (
        "math",
        "mrow",
        "mi",
        "mo",
        "mn",
        "ms",
        "mtext",
        "msqrt",
        "mfrac",
        "msub",
        "msup",
        "mspace",
        "semantics",
        "annotation",
    )
)


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawings_and_formulas_are_text_without_scripts_links_and_what_is_elsewhere(tmp_path: Path, name: str) -> None:
    made = index_of(tmp_path, {name: DRAWINGS[name]})
    with foxir.open_index(made) as index, client(made) as web:
        page = page_of(web.get("/read", params={"document": name, "q": "whale"}))
        assert text_shown(page) == index.text(name)
        assert index.search("whale").documents == (name,)
    (text,) = page.xpath("//div[@id='text']")
    assert "whale" in text.text_content()
    assert {each.tag for each in text.iter()} - _KNOWN - _OF_MATH == set()
    attributes = {key: value for each in text.iter() for key, value in each.attrib.items()}
    assert not [key for key in attributes if key.startswith("on") or key in ("style", "src") or ":" in key]
    assert all(each.startswith(("/why?", "#e", "/read?")) for each in text.xpath(".//@href"))


def test_the_card_of_a_table_has_its_header_and_best_rows_under_it(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>Town {n}</td>{'<td>1</td>' * 7}<td>{n}</td></tr>" for n in range(12))
    heads = "".join(f"<th>{name}</th>" for name in ("Place", *"abcdefg", "Ferries a day"))
    table = (
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}<tr><td>Ferry &lt;b&gt;harbour</td></tr></tbody></table>"
    )
    index = index_of(
        tmp_path, {"a": f"<article><front/><body><sec>{table}</sec></body></article>", "b": TABLES["jats"]}
    )
    with client(index) as web:
        found = page_of(web.get("/", params={"q": "ferries town 7", "answers": "//table", "documents": "a"}))
        spanned = page_of(web.get("/", params={"q": "oslo drug", "answers": "//table", "documents": "b"}))
    (card,) = found.xpath("//div[contains(@class, 'best-rows')]/table")
    assert [each.text_content() for each in card.xpath("thead//th")] == ["Place", "a", "b", "Ferries a day"]
    assert "Town 7" in [each.text_content() for each in card.xpath("tbody/tr/*[1]")]
    assert len(card.xpath("tbody/tr")) == 2
    assert card.xpath("thead//td/text()") == ["…"]
    assert {each.lower() for each in card.xpath(".//mark/text()")} >= {"ferries", "town", "7"}
    (card,) = spanned.xpath("//div[contains(@class, 'best-rows')]/table")
    lines = [[each.text_content() for each in row.xpath("td|th")] for row in card.xpath(".//tr")]
    assert lines[0][0] == "Centre"
    assert "Drug › n" in lines[0]
    assert lines[1][0] == "Oslo"
    assert lines[1][lines[0].index("Drug › n")] == "11"


def test_the_card_of_a_row_has_the_heading_of_its_group(tmp_path: Path) -> None:
    def row(*cells: str) -> str:
        return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"

    one = row("Town", "Ferries") + '<tr><td colspan="2">In the north</td></tr>' + row("Oslo", "7") + row("Bergen", "4")
    two = row("Town", "") + row("Lund", "12")  # in two columns, a value may be missing
    three = row("Town", "Ferries", "Boats") + row("By night", "", "") + row("Aker", "3", "5")
    three += row("By day", "", "") + row("Moss", "6", "9")
    tables = "".join(f"<table>{rows}</table>" for rows in (one, two, three))
    made = index_of(tmp_path, {"a": f"<article><front/><body><sec>{tables}</sec></body></article>"})
    with client(made) as web, foxir.open_index(made) as index:

        def groups(query: str, answers: str = "//tr") -> list[str]:
            asked = {"q": query, "answers": answers, "min_words": 1, "limit": 1}
            card = page_of(web.get("/", params=asked)).xpath("(//div[contains(@class, 'best-rows')])[1]")[0]
            return [card.xpath("string(.//th[@scope='rowgroup'])"), *card.xpath(".//td/text()|.//td/mark/text()")]

        assert groups("bergen") == ["In the north", "Bergen", "4"]
        assert groups("lund") == ["", "Lund", "12"]
        assert groups("aker") == ["By night", "Aker", "3", "5"]
        assert groups("moss aker", "//table") == ["By night", "Aker", "3", "5", "Moss", "6", "9"]
        (moss,) = index.search("moss", answers="//tr", min_words=1)
        assert moss.snippet.text == "Town | Ferries | Boats · By day · Moss | 6 | 9"


@pytest.mark.long
def test_what_is_read_for_the_cards_of_large_tables_is_bounded(tmp_path: Path) -> None:
    def row(*cells: str) -> str:
        return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"

    heads = f"<thead>{''.join(row(f'head{n}', 'head') for n in range(2_000))}</thead>"
    tables = {
        "heads": f"<table>{heads}{row('fog', 'lamp')}</table>",
        "cells": f"<table>{row('fog ' * 200_000, 'lamp')}{row('lamp', 'fog')}</table>",
        "rows": f"<table>{''.join(row('fog', 'lamp', str(n)) for n in range(50_000))}</table>",
    }
    index = foxir.open_index(
        index_of(tmp_path, {name: f"<html><body>{table}</body></html>" for name, table in tables.items()})
    )
    for name in tables:
        kind = "//tr" if name == "rows" else "//table"
        found = index.search("fog lamp", documents=name, answers=kind, min_words=1, max_answers=20)
        begun = time.process_time()
        cards = [card for card in found.table_snippets if card is not None]
        assert time.process_time() - begun < 1.5

        assert len(cards) >= len(found) - 1  # a row may name the columns
        assert all(len(texts) <= 8 for card in cards for texts, _ in card.header)


@pytest.mark.long
def test_the_cells_of_a_huge_table_are_found_once(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(f"<a><table>{'<tr><td>tide</td><td>fog</td></tr>' * 80_000}</table></a>", "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "index")
    with foxir.open_index(tmp_path / "index") as index:
        cells = index.reader.table_cells(0)
        assert len(cells) == 160_000
        assert index.reader.table_cells(0) is cells


FORMULAS_AS_HEADERS = """<article xmlns:m="http://www.w3.org/1998/Math/MathML"><front/><body><sec><table-wrap><table>
<thead><tr><th>Dose</th><th><m:math><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup></m:math></th>
<th>about <m:math><m:mi>y</m:mi></m:math></th></tr></thead><tbody><tr><td>1</td><td><m:math><m:mi>z</m:mi></m:math></td>
<td>3</td></tr></tbody></table></table-wrap></sec></body></article>"""


def test_a_header_of_nothing_but_a_formula_has_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(FORMULAS_AS_HEADERS, "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a"}))

    assert [each.get("aria-label") for each in page.xpath("//div[@id='text']//math")] == ["x^2", None, None]
