"""Pages of documents in vocabularies that no profile knows: what a tag is there is told by its use, not by its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import foxir
from tests.foxir.service.living import client, page_of, text_shown

RECIPE = """<recipe><name>{name}</name><cook>{cook}</cook><blurb>{blurb}</blurb><ingredients>
<heading>What you need</heading><ing>{first}</ing><ing>onions, sliced thin</ing><ing>salt</ing></ingredients>
<method><heading>How to cook it</heading>
<stage><heading>Onions first</heading><step>Cook {first} slowly, until all of it is golden and soft.</step></stage>
<stage><heading>Simmering</heading><step>Add water only when the pot is nearly dry.</step></stage></method>
<nutrition><caption>Nutrition of a portion of {first}</caption><row><h>Nutrient</h><h>Amount</h></row>
<row><c>Energy</c><c>520 kcal</c></row><row><c>Fat</c><c>24 g</c></row></nutrition></recipe>"""
DISHES = (
    ("Goulash", "Ilona Varga", "A slow stew from the plains, red with paprika and thick with onions.", "beef shin"),
    ("Lentil soup", "Amal Haddad", "A quick soup for cold evenings, sharp with lemon and warm with cumin.", "lentils"),
    ("Beef stock", "Jens Holm", "The base of soups and stews, made in one idle day at home.", "beef bones"),
)
ACT = """<act xmlns="urn:law"><longtitle>Fines Act</longtitle><front><para>In it a fine is replaced.</para></front>
<schedule><head>Schedule</head><grid><hd><cell>Act</cell><cell>Old fine</cell><cell>New fine</cell></hd>
<ln><cell>Lights Act</cell><cell>1,000</cell><cell>5,000</cell></ln>
<ln><cell>Dog Act</cell><cell>50</cell><cell>200</cell></ln></grid></schedule>
<verses><verse><ln>Now rests the sea beneath the moon,</ln><ln>and every sail is furled at last,</ln></verse>
<verse><ln>the harbour lights will be here soon,</ln><ln>the weary fishers homeward passed.</ln></verse></verses></act>
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unknown")
    for number, (name, cook, blurb, first) in enumerate(DISHES):
        recipe = RECIPE.format(name=name, cook=cook, blurb=blurb, first=first)
        (folder / f"r{number}.xml").write_text(recipe)
    (folder / "act.xml").write_text(ACT)
    foxir.build_index(folder, into=folder / "x.foxir")
    return folder / "x.foxir"


@pytest.fixture(scope="module")
def web(folder: Path) -> Iterator[TestClient]:
    with client(folder) as found:
        yield found


@pytest.fixture(scope="module")
def index(folder: Path) -> Iterator[foxir.Index]:
    with foxir.open_index(folder) as found:
        yield found


def texts(found: list[object]) -> list[str]:
    return [each.text_content().strip() for each in found]  # type: ignore[attr-defined]


def test_a_step_of_a_recipe_is_no_stage_direction(web: TestClient) -> None:
    page = page_of(web.get("/read", params={"document": "r0"}))
    assert not page.xpath("//div[@id='text']//*[contains(@class, 'stage') or contains(@class, 'speech')]")
    assert texts(page.xpath("//div[@id='text']//*[@role='heading']")) == [
        *("Goulash", "What you need", "How to cook it", "Onions first", "Simmering"),
    ]


def test_the_title_of_a_page_is_not_shown_again_above_its_text(web: TestClient) -> None:
    page = page_of(web.get("/read", params={"document": "r0"}))
    (title,) = page.xpath("//div[contains(@class, 'page-title')]")
    assert title.text_content() == "Goulash" == page.xpath("string(//h1)")
    assert text_shown(page).startswith("Goulash")  # it is text, and counts in offsets
    levels = page.xpath("//div[@id='text']//*[@role='heading']/@aria-level")
    assert levels == ["2", "2", "2", "3", "3"]


def test_short_children_of_one_tag_are_a_list(web: TestClient) -> None:
    page = page_of(web.get("/read", params={"document": "r0"}))
    (items,) = page.xpath("//div[@class='items'][*[@role='heading']]")
    assert texts(items.xpath("div[@class='point']")) == ["beef shin", "onions, sliced thin", "salt"]
    assert not page.xpath("//*[@role='list'][*[@role='heading']]")  # which a list cannot have


def test_rows_of_as_many_cells_are_a_table(web: TestClient) -> None:
    (table,) = page_of(web.get("/read", params={"document": "r0"})).xpath("//div[@id='text']//table")
    assert texts(table.xpath("caption")) == ["Nutrition of a portion of beef shin"]
    assert texts(table.xpath(".//th[@scope='col']")) == ["Nutrient", "Amount"]
    assert [texts(row.xpath("td")) for row in table.xpath(".//tr[td]")] == [["Energy", "520 kcal"], ["Fat", "24 g"]]


def test_verses_are_no_table_and_what_is_before_them_no_metadata(web: TestClient) -> None:
    page = page_of(web.get("/read", params={"document": "act"}))
    tables = page.xpath("//div[@id='text']//table")
    assert [texts(each.xpath(".//th")) for each in tables] == [["Act", "Old fine", "New fine"]]
    assert [texts(row.xpath("td")) for row in tables[0].xpath(".//tr[td]")][1] == ["Dog Act", "50", "200"]
    assert not page.xpath("//*[@id='metadata']")


def test_texts_snippets_and_breadcrumbs_have_the_tables_of_pages(index: foxir.Index) -> None:
    (grid,) = index.search("dog act new fine", answers="//grid", documents="act", min_words=1)
    row = index.element("act", grid.path + "/ln[2]")
    verse = index.element("act", "/act[1]/verses[1]/verse[1]")

    assert grid.readable_text.splitlines() == [
        *("Act | Old fine | New fine", "Lights Act | 1,000 | 5,000", "Dog Act | 50 | 200")
    ]
    assert grid.snippet.text.splitlines()[0].startswith("Act | Old fine | New fine · Lights Act | 1,000 | 5,000 · Dog")
    assert row.readable_text == "Dog Act | 50 | 200"
    assert row.breadcrumb == ["Fines Act", "Schedule", "Act | Old fine | New fine"]
    assert " | " not in verse.readable_text + "".join(verse.breadcrumb)


def test_parts_of_records_and_blocks_are_set_apart_in_snippets_and_roots_are_no_phrases(tmp_path: Path) -> None:
    seen = "Seen from the reed bed, flying low over the water towards the far side of the marsh at dusk."
    birds = "".join(
        f"<bird><sp>{name}</sp> <latin>{latin}</latin> <n>{n}</n> <did>{seen}</did></bird>"
        for name, latin, n in (("Bittern", "Botaurus", 1), ("Heron", "Ardea", 7), ("Coot", "Fulica", 40))
    )
    (tmp_path / "a.xml").write_text(f"<label><head>Birds</head><room>4</room>{birds}</label>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with foxir.open_index(tmp_path / "x.foxir") as index:
        (bird,) = index.search("bittern botaurus", answers="//bird", min_words=1)
        assert bird.snippet.text == f"Bittern · Botaurus · 1 · {seen}"
        assert index.element("a", "/label[1]").readable_text.splitlines()[:3] == ["Birds", "4", "Bittern"]


@pytest.mark.parametrize(
    ("tags", "between", "n_tables"), [("cups cup", " ", 1), ("cups cup", " – ", 0), ("ul li", " ", 0)]
)
def test_lists_by_name_and_lines_with_marks_are_no_tables(
    tmp_path: Path, tags: str, between: str, n_tables: int
) -> None:
    table, row = tags.split()
    rows = "".join(
        f"<{row}><by>{by}</by>{between}<by>{cup} Cup</by></{row}>" for by, cup in (("A", "B"), ("C", "D"), ("E", "F"))
    )
    (tmp_path / "cups.xml").write_text(f"<team><name>Cups</name><{table}>{rows}</{table}></team>")
    foxir.build_index(tmp_path / "cups.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as served:
        page = page_of(served.get("/read", params={"document": "cups"}))
    assert len(page.xpath("//div[@id='text']//table")) == n_tables


def test_terms_quotations_and_numbers_are_shown(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        '<rules><head>Rules</head><chapter no="1"><head>Court</head><rule no="1.1">A line, the <def>tide line</def>, '
        'is under the <q>No landing</q> board, not “<q>here</q>”.</rule><rule no="1.2">1.2 It is white.</rule>'
        "</chapter></rules>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as served, foxir.open_index(tmp_path / "x.foxir") as index:
        page = page_of(served.get("/read", params={"document": "a"}))
        assert text_shown(page) == index.text("a")
    (text,) = page.xpath("//div[@id='text']")
    assert (texts(text.xpath(".//em")), texts(text.xpath(".//q"))) == (["tide line"], ["No landing"])
    numbered = text.xpath(".//*[@data-number]")
    assert [(each.get("data-number"), each.text_content()[:6]) for each in numbered] == [
        ("1", "Court"),
        ("1.1", "A line"),
    ]


def test_a_few_words_in_a_sentence_stay_in_its_line_and_have_no_badge_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<food><dish>Fry the <ing>onion</ing> and stir it<sup>[<i><a><s>source needed</s></a></i>]</sup>.</dish>"
        "<dish><name><ing>Onion tart</ing></name><qty>2</qty><unit>cups</unit></dish><dish>Rest<qty>3</qty></dish>"
        "</food>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir", infer=False)
    with client(tmp_path / "x.foxir") as served, foxir.open_index(tmp_path / "x.foxir") as index:
        page = page_of(served.get("/read", params={"document": "a", "q": "onion source"}))
        assert text_shown(page) == index.text("a")
    (text,) = page.xpath("//div[@id='text']")
    in_line = text.xpath(".//div[@class='phrase']")
    assert [each.text_content() for each in in_line if not each.xpath("div")] == ["onion", "source needed"]
    assert texts(text.xpath(".//div[@class='bit']")) == ["2", "cups", "3"]  # "Rest" and 3 would run together
    badges = text.xpath(".//a[starts-with(@class, 'why')]/..")
    assert [each.text_content()[:10] for each in badges] == ["Fry the on", "Onion tart"]


def test_untitled_parts_of_one_tag_are_named_by_their_first_words(web: TestClient) -> None:
    outlined = web.get("/api/outline", params={"document": "act"}).json()["elements"]

    lines = (
        "Now rests the sea beneath the moon, and every sail is furled …",
        "the harbour lights will be here soon, the weary fishers …",
    )
    assert [each["title"] for each in outlined][-3:] == ["verses", *lines]


def test_tables_are_one_entry_of_the_outline(web: TestClient) -> None:
    outline = page_of(web.get("/read", params={"document": "r0"})).xpath("//ol[@class='outline']//a")
    assert texts(outline)[-2:] == ["Simmering", "Nutrition of a portion of beef shin"]


def test_an_outline_calls_parts_as_breadcrumbs_do(tmp_path: Path) -> None:
    part = "<S>Oil burns in the lamp.</S><S>Fog comes in the evening.</S>"
    (tmp_path / "a.xml").write_text(
        f"<paper><S>Lamps in Fog</S><part name='1 Introduction'>{part}</part><part name='2 Glass'>{part}</part></paper>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a", "q": "oil"}))
    entries = page.xpath("//ol[@class='outline']//a[contains(@class, 'entry')]/text()")
    assert entries == ["Whole document", "1 Introduction", "2 Glass"]


def test_the_title_of_a_page_is_whole(tmp_path: Path) -> None:
    title = " ".join(f"lighthouse{n}" for n in range(60))
    (tmp_path / "a.xml").write_text(f"<article><title>{title}</title><p>fog</p></article>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a"}))
    assert page.xpath("string(//h1)") == title


EXERCISE = (
    "<exercise><problem><para>Which is a base?</para><para>(a) one</para><para>(b) two</para></problem></exercise>"
)
MODULE = f"""<document><title>Salts</title><metadata><number>m1</number><title>Salts</title>
<abstract><para>It tells salts from acids.</para></abstract></metadata><content>{EXERCISE}
<section><title>Acids</title><para>An acid gives its proton away to a base that is stronger than it.</para></section>
</content></document>"""


def test_paragraphs_are_no_items(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(MODULE)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a"}))
    assert not page.xpath("//div[@id='text']//*[@class='list' or @class='items']")


@pytest.mark.parametrize(
    ("document", "folded"), [(MODULE, ["m1", "Salts"]), (f"{MODULE.partition('<content')[0]}</document>", [])]
)
def test_metadata_is_folded_unless_it_is_the_document(tmp_path: Path, document: str, folded: list[str]) -> None:
    (tmp_path / "a.xml").write_text(document)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with client(tmp_path / "x.foxir") as web, foxir.open_index(tmp_path / "x.foxir") as index:
        page = page_of(web.get("/read", params={"document": "a"}))
        assert text_shown(page) == index.text("a")
    found = page.xpath("//div[@id='text']//*[contains(concat(' ', @class, ' '), ' meta ')]")
    assert [text for text in texts(found) if text in ("m1", "Salts")] == folded
    outline = texts(page.xpath("//ol[@class='outline']//a[contains(@class, 'entry')]"))
    assert not folded or outline == ["Whole document", "Abstract", "exercise", "Acids"]


PROGRAM = """
def grade(answer):
  import json
  answer = json.loads(answer)
  if "error" in answer:
    raise ValueError(answer)
  return answer == "right"
"""
PROSE = """
            There are many lamps (as we know) that
            keep; the light = strong
              and (here) it is.
            So be it, as they say
            of lamps, and of fog
"""


def test_lines_of_a_program_stay_lines(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        f"<problem><script>{PROGRAM}</script><text><answer>{PROSE}</answer><answer>One</answer></text></problem>",
        "utf-8",
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir", profile="none")
    with client(tmp_path / "x.foxir") as web:
        page = page_of(web.get("/read", params={"document": "a"}))

    assert page.xpath("//div[@id='text']//div[@class='code-block']/text()") == [PROGRAM]
