"""Answers beside a document in a real browser: by mouse, by keyboard alone, on a phone, without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import foxir
from foxir.service.options import ServiceOptions
from tests.foxir.conftest import Sample
from tests.foxir.service.browser import NARROW, WIDE, axe_problems, chromium, follow
from tests.foxir.service.living import QUERY, running

pytestmark = pytest.mark.long


class Served(NamedTuple):
    """A browser and the address of a service."""

    browser: Any
    home: str


@pytest.fixture(scope="module")
def served(sample: Sample) -> Iterator[Served]:
    options = ServiceOptions((sample.folder / "sample.foxir",), quiet=True, max_waiting=50)
    with chromium() as browser, running(options) as port:
        yield Served(browser, f"http://127.0.0.1:{port}")


def opened(served: Served, address: str, size: dict[str, int] = WIDE, **options: Any) -> Any:
    page = served.browser.new_context(viewport=size, reduced_motion="reduce", **options).new_page()
    page.set_default_timeout(20_000)
    page.on("pageerror", lambda error: pytest.fail(f"{page.url}: {error}"))
    page.on("console", lambda message: pytest.fail(message.text) if "Content Security" in message.text else None)
    page.goto(served.home + address)
    return page


def place_of(page: Any) -> dict[str, str]:
    """Return what a page shows beside its answers, by its address."""
    given = parse_qs(urlsplit(page.url).query)
    return {name: given[name][0] for name in ("open", "path") if name in given}


# Whether the answer is on the screen, not behind the bar above it.
_IS_SEEN = """() => {
  const box = document.querySelector('#text .focus').getBoundingClientRect();
  const bar = document.querySelector('.bar').getBoundingClientRect();
  return box.top < innerHeight && box.bottom > bar.bottom;
}"""
_IS_TITLE = "(title) => document.querySelector('.bar h2').textContent === title"
RESULTS = f"/?{urlencode({'q': QUERY})}"


def test_with_the_mouse_answers_stand_beside_their_document(served: Served) -> None:
    page = opened(served, RESULTS)
    titles = page.locator(".list h2 a")
    titles.nth(1).click()
    page.wait_for_selector("#reader .focus")
    first = place_of(page)
    assert page.evaluate(_IS_SEEN)
    assert titles.nth(0).is_visible()
    assert page.locator("article[aria-current]").count() == 1
    titles.nth(0).click()
    page.wait_for_function(_IS_TITLE, arg=titles.nth(0).inner_text())
    second = place_of(page)
    assert second["open"] != first["open"]
    address = page.url
    assert "checksum" in parse_qs(urlsplit(address).query)
    assert page.locator(".permalink").get_attribute("href") == address
    page.locator(".minimap .answered:not(.here) a").first.click()
    page.wait_for_function("(address) => location.href !== address", arg=address)
    page.go_back()
    page.go_back()
    page.wait_for_function("(open) => location.search.includes(open)", arg=urlencode({"open": first["open"]}))
    assert place_of(page) == first
    page.reload()  # the address is that of both panes
    assert page.evaluate(_IS_SEEN)
    page.click(".bar .close")
    assert place_of(page) == {}
    assert not page.locator("#reader").is_visible()
    page.context.close()


def test_with_the_keyboard_alone_answers_are_found_read_and_explained(served: Served) -> None:
    page = opened(served, "/")
    page.keyboard.type(QUERY)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    focused = "() => document.activeElement.textContent"
    page.evaluate("() => document.activeElement.blur()")
    titles = page.locator(".list h2 a").all_inner_texts()
    page.keyboard.press("j")
    assert page.evaluate(focused) == titles[0]
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == titles[1]
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_selector("#reader .focus")
    assert page.evaluate("() => document.activeElement.classList.contains('focus')")
    assert page.inner_text(".bar h2") == titles[0]
    before = place_of(page)
    page.keyboard.press("n")
    page.wait_for_selector(".steps:has-text('Passage 2')")
    assert place_of(page)["path"] != before["path"]
    page.keyboard.press("p")
    page.wait_for_selector(".steps:has-text('Passage 1')")
    page.keyboard.press("w")
    page.wait_for_selector(".panel .outcome")
    assert page.inner_text(".panel .outcome").startswith("This passage is number ")
    assert page.locator(".panel .bar rect").count() == page.locator(".panel .parts > li").count() > 1
    page.keyboard.press("j")
    page.wait_for_function(_IS_TITLE, arg=titles[1])
    page.keyboard.press("Escape")
    assert place_of(page) == {}
    assert page.evaluate(focused) == titles[1]
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("() => document.activeElement.id") == "q"
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert page.evaluate("() => document.activeElement.id") != "q"
    assert page.input_value("#q") == QUERY
    page.context.close()


def test_a_document_alone_has_the_keys_of_its_pane_and_its_link_is_copied(served: Served) -> None:
    page = opened(served, RESULTS, bypass_csp=True, permissions=["clipboard-read", "clipboard-write"])
    page.goto(served.home + (page.get_attribute(".list h2 a", "href") or ""))
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    assert axe_problems(page) == []
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()
    link = page.locator(".bar .lasting")
    address = link.evaluate("(each) => each.href")
    link.click()
    page.wait_for_selector(".bar .lasting:has-text('Link copied')")
    assert page.evaluate("() => navigator.clipboard.readText()") == address
    before = page.url
    with page.expect_navigation():
        page.keyboard.press("n")
    assert page.url != before
    assert page.inner_text(".steps").startswith("‹ Passage 2")
    with page.expect_navigation():
        page.keyboard.press("Escape")
    assert page.locator(".answers > .list").is_visible()
    page.context.close()


def test_where_nothing_can_be_copied_the_link_is_followed(served: Served) -> None:
    page = opened(served, f"/read?{urlencode({'document': 'jats/fx-006', 'path': '/article[1]/body[1]/sec[2]'})}")
    page.evaluate("() => Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    address = page.locator(".bar .lasting").evaluate("(each) => each.href")
    with page.expect_navigation():
        page.click(".bar .lasting")
    assert page.url == address
    page.context.close()


def test_on_a_phone_there_is_one_pane_at_a_time(served: Served) -> None:
    page = opened(served, RESULTS, NARROW)
    page.locator(".list h2 a").nth(2).click()
    page.wait_for_selector("#reader .focus")
    assert page.evaluate(_IS_SEEN)
    assert not page.locator(".answers > .list").is_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= NARROW["width"]
    assert (
        page.evaluate("() => { scrollTo(0, 900); return document.querySelector('.bar').getBoundingClientRect().top; }")
        == 0
    )
    page.go_back()
    page.wait_for_selector(".answers > .list")
    box = page.locator(".list h2 a").nth(2).bounding_box()  # where it was
    assert box is not None
    assert 0 <= box["y"] < NARROW["height"]
    assert not page.locator("#reader").is_visible()
    page.context.close()


def test_without_scripts_links_lead_to_documents_and_both_panes_are_a_page(served: Served) -> None:
    page = opened(served, RESULTS, java_script_enabled=False)
    with page.expect_navigation():
        page.locator(".list h2 a").nth(0).click()
    given = parse_qs(urlsplit(page.url).query)
    assert urlsplit(page.url).path == "/read"
    assert page.locator("#text .focus").first.is_visible()
    page.goto(f"{served.home}/?{urlencode({'q': QUERY, 'open': given['document'][0], 'path': given['path'][0]})}")
    assert page.locator(".answers > .list").is_visible()
    with page.expect_navigation():
        page.click(".bar .after")
    assert page.locator("#text .focus").first.is_visible()
    with page.expect_navigation():
        page.click(".bar .because")
    assert page.locator(".parts").is_visible()
    page.context.close()


@pytest.mark.parametrize(
    ("scheme", "size"),
    [("light", WIDE), ("dark", NARROW), ("dark", {"width": 640, "height": 400})],  # the last: a wide one at 200 %
)
def test_panes_are_accessible_at_every_size(served: Served, scheme: str, size: dict[str, int]) -> None:
    page = opened(served, RESULTS, size, color_scheme=scheme, bypass_csp=True)
    page.locator(".list h2 a").nth(0).click()
    page.wait_for_selector("#reader .focus")
    page.keyboard.press("w")
    page.wait_for_selector(".panel .parts")
    problems = axe_problems(page)
    width = page.evaluate("() => document.documentElement.scrollWidth")
    page.context.close()

    assert problems == []
    assert width <= size["width"]


def test_what_is_typed_is_completed_with_the_keyboard_alone(served: Served) -> None:
    page = opened(served, "/", bypass_csp=True)
    page.keyboard.type("fog lighth")
    page.wait_for_selector("#hints [role=option]")
    problems = axe_problems(page)
    page.keyboard.press("ArrowDown")
    first = page.locator("#hints [aria-selected=true]")
    assert page.get_attribute("#q", "aria-activedescendant") == first.get_attribute("id")
    chosen = first.inner_text()
    page.keyboard.press("Enter")
    assert page.input_value("#q") == f"{chosen} "
    assert page.locator("#hints").is_hidden()
    page.fill("#q", "silence at two")
    page.wait_for_selector("#hints [role=option]")
    page.keyboard.press("Escape")
    assert page.locator("#hints").is_hidden()
    page.fill("#q", "silence at tw")
    page.locator("#hints [data-document]").first.click()
    page.wait_for_selector("#reader .doc-title:has-text('Silence at two miles')")
    assert page.locator(".list h2").first.is_visible()
    page.fill("#q", "zzzzxq")
    follow(page, "button:has-text('Search')")
    width = page.locator(".answers").bounding_box()
    page.context.close()

    assert problems == []
    assert width is not None
    assert width["width"] > 600


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_references_open_in_place(served: Served, size: dict[str, int]) -> None:
    page = opened(served, f"/read?{urlencode({'document': 'jats/fx-006'})}", size, bypass_csp=True)
    link = page.locator("#text a[href^='#e']:visible").first
    target = link.get_attribute("href") or ""
    link.focus()
    page.keyboard.press("Enter")
    note = page.locator("#note:popover-open")
    wanted = page.locator(target).evaluate("(each) => each.textContent")
    assert note.evaluate("(each) => each.firstElementChild.textContent") == wanted
    box, problems = note.bounding_box(), axe_problems(page)
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('href')") == target
    link.click()
    page.click("#note a:has-text('Show it in the text')")
    assert page.url.endswith(target)
    page.context.close()

    assert problems == []


def test_metadata_is_folded_and_unfolded(served: Served) -> None:
    page = opened(served, f"/read?{urlencode({'document': 'jats/fx-006'})}")
    metadata = page.locator("#text .meta").first
    assert metadata.is_hidden()
    page.get_by_label("All that is known of the document").check()
    assert metadata.is_visible()
    page.context.close()


def test_long_words_in_cells_of_cards_stay_whole_on_a_phone(served: Served, tmp_path: Path) -> None:
    words = ("Phalacrocoracidae", "Lepidopterologically", "uncharacteristically", "internationally")
    row = "".join(f"<td>{word} {word}</td>" for word in words)
    (tmp_path / "a.xml").write_text(f"<html><body><table><tr>{row}</tr><tr>{row}</tr></table></body></html>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "made.foxir")
    with running(ServiceOptions((tmp_path / "made.foxir",), quiet=True)) as port:
        page = opened(
            Served(served.browser, f"http://127.0.0.1:{port}"),
            f"/?q={words[0]}&answers=//table",
            NARROW,
            bypass_csp=True,
        )
        boxes = page.locator(".best-rows td mark").evaluate_all(
            "(marks) => marks.map((m) => m.getClientRects().length)"
        )
        assert boxes
        assert set(boxes) == {1}
        assert page.evaluate("() => document.documentElement.scrollWidth") <= NARROW["width"]
        assert axe_problems(page) == []


def test_targets_and_the_answer_are_below_the_bar_which_stays_above_a_short_list(served: Served) -> None:
    below = (
        "(id) => document.getElementById(id).getBoundingClientRect().top - document.querySelector('.bar').offsetHeight"
    )
    beside = f"{RESULTS}&{urlencode({'open': 'jats/fx-006', 'path': '/article[1]/body[1]/sec[5]/p[1]'})}#focus"
    for size in (NARROW, {"width": 640, "height": 400}):
        page = opened(served, beside, size)
        assert page.evaluate(below, "focus") >= 0
        page.click(".contents summary")
        link = page.locator(".contents a[href^='#e']").nth(4)
        link.click()
        page.wait_for_timeout(100)
        assert 0 <= page.evaluate(below, str(link.get_attribute("href"))[1:]) < size["height"] / 2
        page.context.close()
    page = opened(served, f"{beside.replace('#', '&documents=jats/fx-006#')}")
    page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    assert page.locator(".bar .doc-title").bounding_box()["y"] >= 0
    page.context.close()


def test_badges_of_verses_and_code_stand_with_those_of_paragraphs(served: Served, tmp_path: Path) -> None:
    play = "<sp><speaker>Ana</speaker><l>The fog is in.</l></sp>"
    (tmp_path / "a.xml").write_text(
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><text><body><p>Some fog.</p>'
        f"<p>And fog.</p>{play}</body></text></TEI>"
    )
    (tmp_path / "b.xml").write_text("<html><body><p>Some fog.</p><pre>if fog:\n    ring()</pre></body></html>")
    foxir.build_index(tmp_path, into=tmp_path / "made.foxir")
    with running(ServiceOptions((tmp_path / "made.foxir",), quiet=True)) as port:
        for document in ("a", "b"):
            page = opened(Served(served.browser, f"http://127.0.0.1:{port}"), f"/read?document={document}&q=fog")
            badges = page.locator("#text .why").evaluate_all(
                "(all) => all.map((a) => [a.getBoundingClientRect().left, getComputedStyle(a).textIndent])"
            )
            page.context.close()
            assert len(badges) >= 2
            assert all(each == badges[0] for each in badges)


def test_the_badge_of_a_caption_stands_with_those_of_paragraphs(served: Served, tmp_path: Path) -> None:
    table = f"<table><caption>{'fog and lamp ' * 12}</caption><tr><td>1</td><td>2</td></tr></table>"
    (tmp_path / "a.xml").write_text(f"<html><body><p>fog lamp</p>{table}<p>lamp</p></body></html>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "made.foxir")
    with running(ServiceOptions((tmp_path / "made.foxir",), quiet=True)) as port:
        for size in (WIDE, NARROW):
            page = opened(Served(served.browser, f"http://127.0.0.1:{port}"), "/read?document=a&q=fog+lamp", size)
            badges = page.locator("#text .why").evaluate_all("(all) => all.map((a) => a.getBoundingClientRect().left)")
            page.context.close()
            assert len(badges) == 3
            assert set(badges) == {badges[0]}


_IS_NOTICE_SEEN = """() => {
  const box = document.querySelector('.notice').getBoundingClientRect();
  const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  const top = document.querySelector('#text .focus')?.getBoundingClientRect().top;
  const isBelow = top === undefined || (top >= box.bottom && top < innerHeight);
  return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && at.closest('.notice') !== null && isBelow;
}"""


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_that_a_document_has_changed_is_said_where_the_link_leads(
    served: Served, sample: Sample, size: dict[str, int], scripts: bool
) -> None:
    elements = sample.index.search(QUERY)
    far = next(each for each in elements if each.start > 3000)
    for page, name in (("/read", "document"), ("/", "open")):
        for path in (far.path, "/lost[1]"):
            where = urlencode({"q": QUERY, name: far.document, "path": path, "checksum": "0" * 16})
            shown = opened(served, f"{page}?{where}#focus", size, java_script_enabled=scripts)
            shown.wait_for_selector(".notice")
            assert shown.evaluate(_IS_NOTICE_SEEN), (page, path)
