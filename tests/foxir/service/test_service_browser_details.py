"""Details in a real browser: the box, the bar while one judges, progress, paper."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from tests.foxir.conftest import Sample
from tests.foxir.service.browser import press
from tests.foxir.service.browser_desk import ANSWER, Desk, judge_as, open_document, opened, opened_desk
from tests.foxir.service.living import QUERY

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
