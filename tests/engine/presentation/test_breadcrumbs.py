"""Titles above elements: those of the slow way, for all elements at once, one by one, and again from the cache.

The first title of a document is its title, unless it names one of several like parts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.columns.cache import SizedCache
from engine.index.elements.element_lookup import row_of
from engine.index.elements.headings import LONGEST_TITLE
from engine.index.reader import IndexReader
from engine.presentation.breadcrumbs import LONGEST, breadcrumbs, document_titles
from tests.engine.small_index import answers_to, index_of

DOCUMENTS = {
    "titled": "<article><front><article-title>The  sea</article-title></front><body><title>All</title>"
    "<sec><title>Tides</title><title>Second</title><p>high <italic>water</italic></p>"
    "<sec><p>no title</p><title>Late\n one</title></sec></sec><sec><fig><title>Tides</title></fig><p>low</p></sec>"
    "</body></article>",
    "untitled": "<article><front/><body><sec><p>nothing</p></sec></body></article>",
    "empty-title": "<article><front/><body><title/><sec><title>Reef</title><p>rock</p></sec></body></article>",
}
PAGE = "<html><body><h1>Lamps</h1><p>oil</p><h2>Wicks</h2><p>flat</p><h2>Glass</h2><p>clear</p></body></html>"


def titles_above(index: IndexReader, row: int) -> list[str]:
    """Return the titles above an element of an article without headings, by walking its tree."""
    elements = index.elements

    def parent(each: int) -> int:
        return int(elements.parent(np.array([each]))[0])

    def text(each: int) -> str:
        start, end = index.spans_of(np.array([each]))[0].tolist()
        return " ".join(index.text(document)[start:end].split())

    document = int(elements.document(np.array([row]))[0])
    root = int(elements.root(np.array([document]))[0])
    every = range(root, int(elements.end(np.array([root]))[0]))
    tags = {each: elements.tags[int(elements.tag(np.array([each]))[0])] for each in every}
    titles = [each for each in every if tags[each] in index.profile_of(document).titles]
    if not titles:
        return []
    chain = []
    while row != root:
        chain.append(row)
        row = parent(row)
    found = [text(titles[0])]
    found += [text(each[0]) for above in reversed(chain) if (each := [t for t in titles if parent(t) == above])]
    return [title for title in dict.fromkeys(found) if title]


@pytest.fixture
def index(tmp_path: Path) -> IndexReader:
    return index_of(tmp_path, DOCUMENTS, profile="auto")


@pytest.mark.parametrize("is_cached", [True, False])
def test_breadcrumbs_are_the_titles_on_the_path(index: IndexReader, is_cached: bool) -> None:
    if not is_cached:
        index.document_titles = SizedCache(lambda titles: titles.size, 0)
    documents = np.array([index.number(name) for name in ("untitled", "titled", "empty-title")])
    roots = index.elements.root(documents)
    rows = np.concatenate([np.arange(*pair) for pair in zip(roots, index.elements.end(roots), strict=True)])[::-1]
    of_rows = index.elements.document(rows)
    expected = [titles_above(index, row) for row in rows.tolist()]

    assert ["The sea", "All", "Tides", "Late one"] in expected
    assert ["Reef"] in expected
    for _ in range(2):
        assert breadcrumbs(index, of_rows, rows) == expected
    one_by_one = [breadcrumbs(index, of_rows[at : at + 1], rows[at : at + 1])[0] for at in range(len(rows))]
    assert one_by_one == expected


def test_headings_with_a_rank_are_titles_of_what_follows_them(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"page": PAGE}, profile="html")
    document = np.array([index.number("page")])
    rows = index.elements.with_tags([index.elements.tag_numbers["p"]], document)
    found = [breadcrumbs(index, document.repeat(len(rows)), rows) for _ in range(2)]

    assert found[0] == found[1]
    assert [each[-1] for each in found[0]] == ["Lamps", "Wicks", "Glass"]


@pytest.mark.parametrize(
    ("markup", "path", "expected"),
    [
        # the name of a work in the middle of a text
        (
            "<div><head>Letters</head><p>Last winter I read <title>Moby Dick</title>, <hi>twice</hi>.</p></div>",
            "p",
            ["Letters"],
        ),
        ("<div><head>Letters</head><p>I <hi>read</hi> <title>Moby Dick</title>.</p></div>", "p", ["Letters"]),
        ("<div><head>Letters</head><p><title>Moby Dick</title> is long.</p></div>", "p", ["Letters", "Moby Dick"]),
        ("<div><ab>I.</ab><head>Letters</head><p>fog</p>rest</div>", "p", ["Letters"]),
        # notes
        (
            "<div><head>Fog<note>A note.</note> signals<note><p>x</p></note></head><p>fog</p></div>",
            "p",
            ["Fog signals"],
        ),
    ],
)
def test_what_is_a_title_in_tei(tmp_path: Path, markup: str, path: str, expected: list[str]) -> None:
    document = f"<TEI><teiHeader><title>Book</title></teiHeader><text><body>{markup}</body></text></TEI>"
    with index_of(tmp_path, {"d": document}, profile="tei") as reader:
        row = row_of(reader, "d", f"/TEI[1]/text[1]/body[1]/div[1]/{path}[1]")
        assert breadcrumbs(reader, np.array([0]), np.array([row])) == [["Book", *expected]]


@pytest.mark.parametrize(("profile", "expected"), [("auto", ["Harbour", "Fog"]), ("none", [])])
def test_titles_of_an_unknown_vocabulary_are_those_whose_words_are_headings(
    tmp_path: Path, profile: str, expected: list[str]
) -> None:
    document = "<rules><title>Harbour</title><rule><title>Fog</title><text>Ring the bell.</text></rule></rules>"
    with index_of(tmp_path, {"d": document}, profile=profile) as reader:
        row = row_of(reader, "d", "/rules[1]/rule[1]/text[1]")
        assert breadcrumbs(reader, np.array([0]), np.array([row])) == [expected]


def test_long_header_rows_are_cut(tmp_path: Path) -> None:
    head = "".join(f"<th>{'column ' * 9}{number}</th>" for number in range(9))
    body = f"<tr><td>{'lamp ' * 99}</td></tr>"
    with index_of(tmp_path, {"d": f"<a><s><table><tr>{head}</tr>{body}</table></s></a>"}) as reader:
        row = row_of(reader, "d", "/a[1]/s[1]/table[1]/tr[2]/td[1]")
        ((header,),) = breadcrumbs(reader, np.array([0]), np.array([row]))

    assert len(header) == LONGEST
    assert header.startswith(f"{'column ' * 9}0 | column column")


ARTICLE = (
    "<article><front><article-title>Dose</article-title></front><body><sec><title>Results</title>{}</sec></body>"
    "</article>"
)
LABELLED = {
    "jats": ARTICLE.format(
        "<table-wrap><label>Table 1</label><caption><title>Patients.</title><p>By <italic>group</italic>.</p></caption>"
        "<table><tr><td>seventy</td></tr></table></table-wrap>"
        "<fig><caption>The <bold>curve</bold></caption><p>x</p></fig>"
    ),
    "docbook": "<book><chapter><title>Flags</title><variablelist><varlistentry><term>-v</term><term>--verbose</term>"
    "<listitem><para>says more</para></listitem></varlistentry></variablelist>"
    "<qandaset><qandaentry><question><para>Why?"
    "</para></question><answer><para>Because</para></answer></qandaentry></qandaset></chapter></book>",
    "tei": "<TEI><teiHeader><title>Play</title></teiHeader><text><sp><speaker>ANNA.</speaker><lg>Yes.</lg></sp>"
    "<sp><p>No.</p></sp></text></TEI>",
    "unknown": "<faq><entry><question>Where?</question><b>Here</b></entry>"
    "<entry><p>see <term>fog</term> now</p></entry></faq>",
}
LABELLED["list"] = (
    "<doc><title>Lamps</title><dl><dt>Alpha lamp</dt><dd>burns</dd><dt>Beta horn</dt><dd>sounds</dd></dl></doc>"
)
LABELLED["dita"] = (
    "<topic><title>Horns</title><body><dl><dlentry><dt>Alpha lamp</dt><dd>burns</dd></dlentry>"
    "<dlentry><dt>Beta horn</dt><dd>sounds</dd></dlentry></dl></body></topic>"
)
OF_LABELLED = [
    ("jats", "td", ["Dose", "Results", "Patients. By group."]),
    ("jats", "fig", ["Dose", "Results", "The curve"]),
    ("docbook", "listitem", ["Flags", "-v"]),
    ("docbook", "answer", ["Flags", "Why?"]),
    ("docbook", "question", ["Flags"]),
    ("tei", "sp", ["Play"]),
    ("tei", "speaker", ["Play"]),
    ("tei", "lg", ["Play", "ANNA."]),
    ("tei", "speaker", ["Play"]),
    ("unknown", "b", ["Where?"]),
    ("unknown", "term", []),
    ("list", "dd", ["Lamps", "Beta horn"]),
    ("dita", "dd", ["Horns", "Beta horn"]),
]


@pytest.mark.parametrize(("document", "tag", "expected"), OF_LABELLED)
@pytest.mark.long
def test_a_label_names_what_is_beside_it_and_not_its_own_words(tmp_path, document, tag, expected):
    index = index_of(tmp_path, LABELLED, profile="auto")
    number = index.number(document)
    rows = index.elements.with_tags([index.elements.tags.index(tag)], np.array([number]))

    assert breadcrumbs(index, np.array([number]), rows[-1:]) == [expected]


def test_a_title_comes_before_a_label_and_a_long_label_is_cut(tmp_path):
    text = "<sec><caption>small print</caption><title>Fog</title><p>a</p></sec><fig><caption>{}</caption><p>b</p></fig>"
    index = index_of(tmp_path, {"a": ARTICLE.format(text.format("word " * 100))}, profile="jats")
    rows = index.elements.with_tags([index.elements.tags.index("p")], np.array([0]))
    of_section, of_figure = breadcrumbs(index, np.array([0, 0]), rows)

    assert of_section == ["Dose", "Results", "Fog"]
    assert of_figure[2].startswith("word word")
    assert len(of_figure[2]) <= LONGEST + 1


@pytest.mark.parametrize(
    ("before", "lead_in"),
    [
        ("<say>Nobody may bring on board:</say>", ["Nobody may bring on board:"]),
        ("<say>Others pay at the gate. These pay nothing —</say>", ["These pay nothing —"]),
        ("<say>Nobody is sure of this.</say>", []),
        ("<group><say>Nobody:</say><say>Somebody:</say></group>", []),
        ("<many><m>Bottles</m><m>Nails:</m></many>", []),
    ],
)
def test_the_lead_in_of_a_list_is_above_what_is_listed(tmp_path: Path, before: str, lead_in: list[str]) -> None:
    listed = '<many><m>glass</m><m id="of-list">dogs</m></many><say id="after">The office closes at sunset.</say>'
    index = index_of(tmp_path, {"a": f"<rules><part><say>A boat.</say>{before}{listed}</part></rules>"})
    rows = [row_of(index, "a", place) for place in ("#of-list", "#after")]

    assert breadcrumbs(index, np.zeros(2, np.int64), np.array(rows)) == [lead_in, []]


LONG = f"<p>{'tanks and pumps ' * 40}</p>"
GUIDE = (
    "<article topic='Harbour works'><body><sec topic='Fresh water'><title>Water</title>" + LONG + "</sec>"
    "<sec topic='Lamps &amp; oil'><unit label='Wicks'>" + LONG + LONG + "</unit>"
    "<unit name='unit_2'>" + LONG + "</unit></sec><sec topic='Empty'/></body></article>"
)
LIST = f"<guide Display_Name='Harbour works'>{LONG}{LONG}</guide>"


def test_an_element_without_a_title_may_have_one_in_an_attribute(tmp_path: Path) -> None:
    with index_of(tmp_path, {"guide": GUIDE, "list": LIST}, profile="auto") as index:

        def above(document: str, path: str) -> list[str]:
            row = np.array([row_of(index, document, path)])
            return breadcrumbs(index, index.elements.document(row), row)[0]

        assert above("guide", "/article[1]/body[1]/sec[1]/p[1]") == ["Water"], "not the one in the attribute"
        assert above("guide", "/article[1]/body[1]/sec[2]/unit[1]/p[1]") == ["Water", "Lamps & oil", "Wicks"]
        assert above("guide", "/article[1]/body[1]/sec[2]/unit[2]/p[1]") == ["Water", "Lamps & oil"], "no code"
        assert above("list", "/guide[1]/p[2]") == ["Harbour works"]
        assert sorted(document_titles(index, np.array([0, 1]))) == ["Harbour works", "Water"]


@pytest.mark.parametrize(
    ("attribute", "names", "expected"),
    [
        ("bname", ("Ruth", "Jonah", "Mark"), ["Jonah"]),
        ("bname", ("Ruth", "Jonah"), []),
        ("bname", ("Ruth", "Jonah", "Ruth"), []),
        ("filename", ("Ruth", "Jonah", "Mark"), []),
    ],
)
def test_names_of_parts_that_all_differ_are_titles_whatever_is_named(
    tmp_path: Path, attribute: str, names: tuple[str, ...], expected: list[str]
) -> None:
    parts = "".join(f"<part {attribute}='{name}'>{LONG}{LONG}</part>" for name in names)
    with index_of(tmp_path, {"parts": f"<bible>{parts}</bible>"}, profile="auto") as index:
        row = np.array([row_of(index, "parts", "/bible[1]/part[2]/p[2]")])

        assert breadcrumbs(index, index.elements.document(row), row) == [expected]


@pytest.mark.parametrize(
    ("before", "between", "expected"),
    [
        ("", "<img/>", ["Ruth", "Boaz"]),
        ("<img/>", "<img/>", ["Ruth", "Boaz"]),
        ("<p>Of old.</p>", "<img/>", ["Boaz"]),
        ("", "<p>Of old.</p>", ["Boaz"]),
    ],
)
def test_a_heading_with_nothing_before_the_next_is_above_all_of_its_parent(
    tmp_path: Path, before: str, between: str, expected: list[str]
) -> None:
    page = f"{before}<h2>Ruth</h2>{between}<h2>Naomi</h2><p>Famine.</p><h2>Boaz</h2><p>Gleaning.</p>"
    index = index_of(tmp_path, {"page": f"<html><body><h1>Books</h1><div>{page}</div></body></html>"}, profile="html")
    document = np.array([index.number("page")])
    rows = index.elements.with_tags([index.elements.tag_numbers["p"]], document)[-1:]

    assert breadcrumbs(index, document, rows)[0][1:] == expected


ITEM = "<item><title>{}</title><p>The members present agreed on the tender of the roof.</p></item>"
ITEMS = ITEM.format("Accounts") + ITEM.format("Roof")
OWN = "<title>Minutes of May</title>"
TITLED = ["Minutes of May", "Roof"]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (ITEMS, ["Roof"]),
        (OWN + ITEMS, TITLED),
        (f"<top>{OWN}</top>{ITEMS}", TITLED),
        (f"<top><group>{OWN}</group><group><title>Protokoll</title></group></top>{ITEMS}", TITLED),
        (f"<head><p>Minutes</p><p>of May</p></head>{ITEMS}", TITLED),
        (f"<items>{ITEMS}</items>", ["Roof"]),
        (f"<day>{ITEMS}</day><day>{ITEM.format('Boats')}</day>", ["Roof"]),
        # the only one of its tag with a title, among others
        (f"<part>{ITEM.format('Accounts')}</part><item><p>The end of it.</p></item>", ["Accounts"]),
        (f"<item><p>The beginning.</p></item>{ITEM.format('Roof')}", ["Roof"]),
        (f"<intro><title>Before</title><p>We met in the loft.</p></intro>{ITEM.format('Roof')}", ["Before", "Roof"]),
    ],
)
def test_titles_above_the_last_item(tmp_path: Path, markup: str, expected: list[str]) -> None:
    with index_of(tmp_path, {"d": f"<minutes>{markup}</minutes>"}, profile="auto") as reader:
        tag = reader.elements.tag_numbers["item"]
        row = reader.elements.with_tags([tag], np.array([0]))[:2][-1]
        found = breadcrumbs(reader, np.array([0]), np.array([row]))[0]
    assert found == expected


def test_documents_with_and_without_a_title_are_told_apart_at_once(tmp_path: Path) -> None:
    documents = {"a": "<minutes><p>none</p></minutes>", "b": f"<minutes>{OWN}{ITEMS}</minutes>"}
    documents |= {"c": f"<minutes>{ITEMS}</minutes>", "d": f"<minutes><items>{OWN}{ITEMS}</items></minutes>"}
    with index_of(tmp_path, documents, profile="auto") as reader:
        numbers = np.array([reader.number(name) for name in documents])
        found = breadcrumbs(reader, numbers, reader.elements.root(numbers))
    assert found == [[], ["Minutes of May"], [], ["Minutes of May"]]


@pytest.mark.parametrize("n_words", [LONGEST_TITLE, LONGEST_TITLE + 1])
def test_a_part_that_is_called_a_title_is_none(tmp_path: Path, n_words: int) -> None:
    words = " ".join(f"word{number}" for number in range(n_words - 4))
    title = f"<title><p>The lamp.</p><p>Lens {words} end.</p></title>"
    act = f"<act><part>{title}<p>{'The keeper winds it. ' * 150}</p></part></act>"
    with index_of(tmp_path, {"d": act}, profile="auto") as reader:
        row = reader.elements.with_tags([reader.elements.tag_numbers["p"]], np.array([0]))[-1]
        above = breadcrumbs(reader, np.array([0]), np.array([row]))[0]
        found = {answer.path for answer in answers_to(reader, "lens", min_words="0")}
        scores = {
            weight: [answer.score for answer in answers_to(reader, "keeper lens", heading_weight=weight, focus=1)]
            for weight in (0, 1)
        }

    is_title = n_words <= LONGEST_TITLE
    assert [len(title.split()) for title in above] == ([n_words] if is_title else [])
    assert any("title" in path for path in found) == (not is_title)
    assert (scores[0] == scores[1]) == (not is_title)


def test_a_document_is_named_by_its_title_a_short_name_above_it_or_its_id(tmp_path: Path) -> None:
    documents = {
        "a": "<doc><name>Trial 4</name><p>The lamp.</p></doc>",
        "b": "<doc><name>Trial 5</name><body><sec><title>Overview</title><p>a</p></sec></body></doc>",
        "c": f"<doc><name>{'long ' * 21}</name><p>The lamp.</p></doc>",
    }
    with index_of(tmp_path, documents, profile="jats") as reader:
        numbers = np.array([reader.number(name) for name in documents])
        assert document_titles(reader, numbers) == ["Trial 4", "Trial 5", "c"]


SENTENCES = "<part name='1 Introduction'><S>Oil burns.</S><S>Fog comes in the evening.</S></part>"


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        (f"<paper><S>Lamps in Fog</S>{SENTENCES}</paper>", "Lamps in Fog"),
        (f"<paper><S>Lamps stand in fog.</S>{SENTENCES}</paper>", "a"),  # a sentence
        (f"<paper><S>Lamps in Fog</S><S>Bells</S>{SENTENCES}</paper>", "a"),  # one of several
        (f"<paper><date>3 May</date>{SENTENCES}</paper>", "a"),  # a tag of its own
        (
            f"<paper id='ACME_2017-EX-10.1-LICENSE AGREEMENT2'>{SENTENCES}</paper>",
            "ACME_2017-EX-10.1-LICENSE AGREEMENT2",
        ),
        (f"<paper id='n12'>{SENTENCES}</paper>", "a"),
        (f"<paper><S id='Burning oil'>Oil burns.</S>{SENTENCES}</paper>", "a"),
    ],
)
def test_a_document_without_a_title_is_named_by_its_opening_line_or_an_id_of_words(
    tmp_path: Path, markup: str, title: str
) -> None:
    with index_of(tmp_path, {"a": markup}, profile="none") as reader:
        assert document_titles(reader, np.array([0])) == [title]
