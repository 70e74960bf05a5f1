"""Details in a real browser: the box, the bar while one judges, progress, paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

import foxir
from foxir.service.options import ServiceOptions
from tests.foxir.conftest import Sample
from tests.foxir.service.browser import NARROW, press
from tests.foxir.service.browser_desk import ANSWER, Desk, judge_as, open_document, opened, opened_desk
from tests.foxir.service.living import QUERY, running

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def desk(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with opened_desk(sample, tmp_path_factory.mktemp("desk")) as found:
        yield found


def test_escape_leaves_what_is_typed_to_be_searched(desk: Desk) -> None:
    page = opened(desk)
    for address in ("/", f"/?{urlencode({'q': QUERY})}"):
        page.goto(desk.home + address)
        page.fill("#q", "lighth")
        page.wait_for_selector("#hints:not([hidden])")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        assert page.evaluate("() => document.activeElement.id") == "q"
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert "q=lighth" in page.url
    page.focus("#q")
    page.keyboard.press("Escape")  # to the keys of the page
    assert page.evaluate("() => document.activeElement.id") != "q"


def test_a_long_query_leaves_the_button_as_it_is(desk: Desk) -> None:
    page = opened(desk)
    heights = []
    for query in ("fog", "fog signal range " * 60):
        page.goto(f"{desk.home}/?{urlencode({'q': query})}")
        heights.append(page.locator(".search .box button").bounding_box()["height"])  # type: ignore[index]
    assert heights[0] == heights[1]


def test_progress_follows_what_is_judged_and_the_bar_stays(desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, "bea")
    page.goto(f"{desk.home}/judge/topic?topic=1")
    page.goto(desk.home + str(page.locator("table a").first.get_attribute("href")))
    page.wait_for_selector("[data-judging=ready]", state="attached")
    n = int(page.inner_text(".back .if-open .soft").split()[0])
    assert page.locator(".queue .if-judged:visible").count() == 0
    height = page.locator(".desk").bounding_box()["height"]  # type: ignore[index]
    press(page, "n")
    assert page.inner_text(".back .if-judged .soft").startswith(f"{n + 1} of ")
    assert not page.is_visible(".back .if-open")
    assert page.locator(".queue .if-judged:visible").count() == 1
    page.focus("#text")
    for _ in range(6):
        page.keyboard.press("Shift+ArrowDown")  # the text that is framed is said
    assert page.locator(".desk").bounding_box()["height"] == height  # type: ignore[index]
    assert "retrieved" in page.inner_text(".dotted")
    page.reload()
    page.wait_for_selector("[data-judging=ready]", state="attached")
    assert page.inner_text(".back .if-judged .soft").startswith(f"{n + 1} of ")
    press(page, "n")
    assert page.inner_text(".back .if-open .soft").startswith(f"{n} of ")


def test_paper_has_the_text_and_no_controls(desk: Desk) -> None:
    page = opened(desk)
    page.emulate_media(media="print")
    place = {name: value for name, value in ANSWER.items() if name != "document"}
    for address in (
        f"/read?{urlencode(ANSWER)}",
        f"/?{urlencode({**place, 'open': ANSWER['document']})}",
        f"/?{urlencode({'q': QUERY})}",
    ):
        page.goto(desk.home + address)
        assert page.locator("#text:visible, .list:visible").count() == 1
        seen = page.locator("button, input, select, textarea, .minimap, .bar a, .paging a, .top a, .facets a")
        assert [each for each in seen.all() if each.is_visible()] == [], address
    page.emulate_media(media="screen")
    judge_as(page, desk.home, "cid")
    open_document(page, desk.home, ANSWER["document"])
    page.emulate_media(media="print")
    assert not page.is_visible(".desk")
    assert page.is_visible("#text")


def test_a_wide_formula_is_scrolled_with_the_text_and_an_answer_stays_where_it_was(desk: Desk, tmp_path: Path) -> None:
    formula = "<mrow><mi>fog</mi><mo>+</mo></mrow>" * 40
    (tmp_path / "a.xml").write_text(
        f"<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body><p>So <formula><math>{formula}</math></formula>.</p>"
        "<sp><speaker>KEEPER</speaker><l>The lamp is lit,</l><l>the sea is white.</l></sp></body></text></TEI>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    with running(ServiceOptions((tmp_path / "x.foxir",), quiet=True)) as port:
        page = desk.browser.new_page(viewport=NARROW)
        page.goto(f"http://127.0.0.1:{port}/read?document=a&path=/TEI[1]/text[1]/body[1]/sp[1]/l[2]")
        widths = page.evaluate(
            "() => [document.documentElement, document.getElementById('text')].map("
            "(element) => element.scrollWidth - element.clientWidth)"
        )
        lefts = page.evaluate(
            "() => [...document.querySelectorAll('.verse')].map((line) => { const range = document.createRange(); "
            "range.selectNodeContents(line); return range.getClientRects()[0].left; })"
        )
    assert widths[0] == 0 < widths[1]
    assert len(lefts) == 2
    assert lefts[0] == lefts[1]
