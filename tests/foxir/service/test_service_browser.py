"""The pages in a real browser: the whole story, marks of every kind, accessibility, small screens."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode, urlsplit

import pytest

import foxir
from foxir.service.options import ServiceOptions
from tests.foxir.commands.command import foxir as command
from tests.foxir.conftest import ROOT, Sample
from tests.foxir.service.browser import IS_LONG, NARROW, WIDE, axe_problems, drag, follow, press, text_of
from tests.foxir.service.browser_desk import (
    ANSWER,
    QUERY,
    Desk,
    judge_as,
    open_document,
    opened,
    opened_desk,
    quotes,
    search_with_image,
)
from tests.foxir.service.desk import judged_index
from tests.foxir.service.living import running

SIMILAR = "src:images/lamp-3.png"
IMAGE = {"document": "ieee/na/1999/n3048", "path": "/article[1]/bdy[1]/sec[4]/art[1]"}
KINDS = {
    "inline": "<article><front/><body><p>One <italic>two <bold>three</bold></italic> four.</p></body></article>",
    "table": "<article><front/><body><table><tr><td>one cell</td><td>two cells</td></tr>"
    "<tr><td>three cells</td><td>four cells</td></tr></table></body></article>",
    "blocks": "<article><front/><body><sec><title>A title</title><p>First block.</p>\n <p>Second block.</p></sec>"
    "<sec><p>Third block.</p></sec></body></article>",
    "right": "<article><front/><body><p>שלום עולם</p><p>مرحبا بالعالم</p></body></article>",
    "wide": f"<article><front/><body><sec><title>{'longest' * 60}</title><p>{'wide' * 200}</p><x>{'bit' * 200}</x>"
    f"<note><x>{'note' * 90} two</x></note><list><item>{'item' * 99}</item></list></sec></body></article>",
    "emoji": "<article><front/><body><p>A \U0001f40b\U0001f3fd whale \U0001f469‍\U0001f680 flies.</p></body></article>",
}


@pytest.fixture(scope="module")
def desk(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with opened_desk(sample, tmp_path_factory.mktemp("desk")) as found:
        yield found


@pytest.mark.long
def test_the_whole_story(desk: Desk) -> None:  # noqa: PLR0915  (one story)
    page = opened(desk)
    page.goto(desk.home)
    page.fill("#q", QUERY)
    with page.expect_navigation():
        page.press("#q", "Enter")
    assert urlsplit(page.url).query == urlencode({"q": QUERY})
    assert page.locator(".list > li").count() == 10

    page.fill("#q", "//sec[about(., fog")
    page.select_option("[name=syntax]", "path")
    follow(page, ".search button")
    assert "^" in page.inner_text("[role=alert] pre")
    page.fill("#q", "//sec[about(., fog signal range)]//p")
    follow(page, ".search button")
    follow(page, ".list h2 a >> nth=0")
    assert page.locator(".outline [class*=heat-]").count() >= 1
    focus = page.locator(".text .focus").first
    assert focus.is_visible()
    follow(page, ".text .why:visible >> nth=0")
    assert page.inner_text("h1").startswith("Why")

    page.goto(desk.home)
    search_with_image(page)

    judge_as(page, desk.home, "ana")
    follow(page, "table a >> nth=0")
    follow(page, "table a >> nth=0")
    page.wait_for_selector("[data-judging=ready]", state="attached")
    document = page.inner_text(".facts .path")
    text = text_of(page)
    start = text.index("lens")
    drag(page, start, start + 4)
    assert quotes(page, document) == ["lens"]
    press(page, "ArrowDown", "ArrowDown", "Enter")
    assert len(quotes(page, document)) == 2
    press(page, "h", "Shift+ArrowRight", "Enter")
    changed = quotes(page, document)
    press(page, "z")
    assert quotes(page, document) != changed
    press(page, "z")
    press(page, "y")
    kept = quotes(page, document)
    page.reload()
    page.wait_for_selector("[data-judging=ready]", state="attached")
    assert quotes(page, document) == kept
    shown = page.evaluate("() => [...CSS.highlights.get('judged')].map((range) => range.toString())")
    assert shown == kept
    page.fill("#note", "Begins well.")
    press(page, "ArrowDown", "b")
    page.wait_for_selector("#feedback:has-text('best entry point. Saved.')")  # after the note, which is saved first
    priorities = page.evaluate("() => ['entry', 'cursor'].map((name) => CSS.highlights.get(name).priority)")
    assert priorities[0] > priorities[1]
    follow(page, "[data-do=done]")
    page.wait_for_selector("[data-judging=ready]", state="attached")
    assert "1 of" in page.inner_text(".back")
    with page.expect_navigation():
        press(page, "n")
        page.click("[data-do=done]")

    other = opened(desk)
    judge_as(other, desk.home, "bob")
    open_document(other, desk.home, document)
    drag(other, start, start + len(text[start : start + 60].rpartition(" ")[0].rstrip()))
    other.click("[data-do=nothing]")
    other.wait_for_selector("#feedback:has-text('Nothing relevant')")
    other.click("[data-do=undo]")
    other.wait_for_selector("#feedback:has-text('1 highlight')")
    other.goto(
        f"{desk.home}/judge/compare?{urlencode({'topic': '1', 'first': 'ana', 'second': 'bob', 'document': document})}"
    )
    assert other.locator("#text mark.both").first.inner_text() == "lens"
    assert other.locator("#text mark.second").count() >= 1

    with page.expect_download() as download:
        page.goto(f"{desk.home}/judge")
        page.click("a:has-text('FOL qrels') >> nth=0")
    qrels = desk.folder / "qrels.txt"
    download.value.save_as(qrels)
    page.goto(f"{desk.home}/evaluate?measures=hixeval&assessor=ana")
    runs = desk.folder / "scored.xml", desk.folder / "thesis.xml"
    done = command("eval", qrels, *runs, "--index", desk.index, "--measures", "hixeval", "--json")
    measured = page.evaluate("() => fetch('/api/scores?assessor=ana').then((answer) => answer.json())")
    assert measured["runs"] == done.json["runs"]
    page.context.close()
    other.context.close()


@pytest.mark.long
def test_a_document_is_judged_with_keys_alone_and_at_once(desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, "keys")
    open_document(page, desk.home, "jats/fx-006", "2")
    pressed = ["j", "Enter", "j", "Enter", "s"]
    assert page.locator(".topic p:has-text('Relevant')").first.is_visible()  # the narrative
    assert page.evaluate("() => CSS.highlights.get('retrieved').size") > 0
    assert page.locator(".minimap .answered").count() > 0
    assert page.locator(".queue [aria-current]").count() == 1
    assert page.locator(".back a:has-text('Previous topic')").count() == 1
    scripts = page.evaluate("() => [...document.scripts].map(({ src }) => src)")
    assert sum(len(page.request.get(each).body()) for each in scripts) <= 12 * 1024
    assert page.locator("#text mark").count() > 0
    page.evaluate("() => document.activeElement.blur()")
    for key, is_shown in (("?", True), ("Escape", False)):
        page.keyboard.press(key)
        assert page.locator("#keys").is_visible() == is_shown
    for key in pressed[:-1]:
        page.keyboard.press(key)
        if key == "Enter":
            page.wait_for_selector("#feedback:has-text('Saved.')")
        else:
            page.wait_for_selector("#feedback:has-text('Retrieved element')")
    assert quotes(page, "jats/fx-006", "2")
    with page.expect_navigation():
        page.keyboard.press(pressed[-1])
    page.goto(f"{desk.home}/judge/topic?topic=2&finished=1")
    follow(page, "a:has-text('Next topic')")
    assert "topic=2&" not in page.url + "&"
    page.context.close()


@pytest.mark.long
def test_a_topic_that_is_cut_fades_out_and_is_read_to_its_end(desk: Desk) -> None:
    page = desk.browser.new_context(viewport=NARROW, reduced_motion="reduce").new_page()  # type: ignore[arg-type]
    judge_as(page, desk.home, "cut")
    open_document(page, desk.home, "jats/fx-006", "2")
    fade = "() => parseFloat(getComputedStyle(document.querySelector('.topic'), '::after').height)"
    edges = """() => {
      const topic = document.querySelector('.topic');
      topic.scrollTo(0, 9999);
      const last = topic.lastElementChild.getBoundingClientRect().bottom;
      return [topic.scrollHeight - topic.clientHeight, topic.getBoundingClientRect().bottom - last];
    }"""
    height, (cut, below) = page.evaluate(fade), page.evaluate(edges)
    page.context.close()

    assert cut > 0
    assert height > 16
    assert below >= height  # at the end, the last line is not faded


def test_a_page_opens_at_the_answer_and_then_scrolls_to_a_section(desk: Desk) -> None:
    """An answer far down is on the screen as soon as its page is there, also where links in a page scroll smoothly."""
    page = desk.browser.new_context(viewport=WIDE, reduced_motion="no-preference").new_page()  # type: ignore[arg-type]
    page.goto(f"{desk.home}/read?{urlencode(ANSWER)}#focus")
    top, height = page.evaluate("() => [document.querySelector('#focus').getBoundingClientRect().top, innerHeight]")
    behaviour = "() => getComputedStyle(document.documentElement).scrollBehavior"
    before = page.evaluate(behaviour)
    page.focus(".outline a")
    after = page.evaluate(behaviour)
    page.context.close()

    assert 0 <= top < height
    assert (before, after) == ("auto", "smooth")


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory, desk: Desk) -> Iterator[Desk]:
    """Documents in which marks are difficult, in the same browser."""
    folder = tmp_path_factory.mktemp("kinds")
    documents = dict(KINDS)
    if IS_LONG:
        body = "".join(f"<sec><title>S{n}</title><p>{'lorem ipsum dolor ' * 60}end{n}.</p></sec>" for n in range(1000))
        documents["long"] = f"<article><front/><body>{body}</body></article>"
    index = judged_index(folder, documents)
    options = ServiceOptions(
        (index,), judgements=folder / "judged.db", topic_file=folder / "topics.xml", max_waiting=50, quiet=True
    )
    with running(options) as port:
        yield Desk(desk.browser, f"http://127.0.0.1:{port}", folder, index)


@pytest.mark.long
def test_marks_of_every_kind(kinds: Desk) -> None:
    """Characters that the mouse marks are those that are saved."""
    page = opened(kinds)
    judge_as(page, kinds.home, "ana")
    for document, (first, last) in {
        "inline": ("wo th", "ee fo"),
        "table": ("cell", "three"),
        "blocks": ("title", "Third"),
        "right": ("שלום", "שלום"),
        "emoji": ("\U0001f40b\U0001f3fd", "\U0001f680"),
    }.items():
        open_document(page, kinds.home, document)
        text = text_of(page)
        start, end = text.find(first), text.find(last) + len(last)
        if document == "inline":
            start, end = text.find("two"), text.find("four") + 4
        drag(page, len(text[:start].encode("utf-16-le")) // 2, len(text[:end].encode("utf-16-le")) // 2)
        assert quotes(page, document) == [text[start:end]], document
        page.reload()
        page.wait_for_selector("[data-judging=ready]", state="attached")
        assert text_of(page) == text
        shown = page.evaluate("() => [...CSS.highlights.get('judged')].map((range) => range.toString())")
        assert shown == [text[start:end]], document
        press(page, "h", "Delete")
        assert quotes(page, document) == []
    page.context.close()


@pytest.mark.long
def test_words_that_are_wider_than_the_page_are_broken(kinds: Desk) -> None:
    page = opened(kinds)
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    judge_as(page, kinds.home, "w" * 60)
    open_document(page, kinds.home, "wide")
    press(page, "ArrowDown", "Enter")
    page.fill("#note", "note" * 99)
    press(page, "z")
    judged = {"topic": "1", "document": "wide"}
    wide = {}
    for address in (
        f"/?{urlencode({'q': 'two ' + 'wide' * 200, 'min_words': 1})}",
        f"/read?{urlencode({'document': 'wide', 'q': 'two'})}",
        f"/why?{urlencode({'document': 'wide', 'q': 'two', 'place': 4})}",
        f"/judge/document?{urlencode(judged)}",
        "/judge",
        "/judge/topic?topic=1",
        f"/judge/compare?{urlencode({**judged, 'first': 'w' * 60, 'second': 'w' * 60})}",
        f"/judge/topic?topic={'x' * 300}",
    ):
        page.goto(kinds.home + address)
        wide[address] = page.evaluate("() => document.documentElement.scrollWidth")
    page.context.close()

    assert {address: width for address, width in wide.items() if width > NARROW["width"]} == {}


def addresses(desk: Desk) -> dict[str, str]:
    """Return the address of every page."""
    judged = {"topic": "1", "document": "jats/fx-008"}
    return {
        "start": "/",
        "results": f"/?{urlencode({'q': QUERY})}",
        "passages": f"/?{urlencode({'q': QUERY, 'passages': 'on', 'max_sentences': '2'})}",
        "mistake": f"/?{urlencode({'q': '//sec[about(., fog', 'syntax': 'path'})}",
        "read": f"/read?{urlencode(ANSWER)}",
        "tables": f"/read?{urlencode({'document': 'ieee/na/1998/n1012', 'q': 'lens'})}",
        "why": f"/why?{urlencode(ANSWER)}",
        "upload": "/?file=lamp.png",
        "images": f"/?{urlencode({'q': SIMILAR, 'limit': '4'})}",
        "images-read": f"/read?{urlencode({**IMAGE, 'q': SIMILAR})}",
        "images-why": f"/why?{urlencode({**IMAGE, 'q': SIMILAR})}",
        "status": "/status",
        "missing": "/nothing",
        "topics": "/judge",
        "queue": "/judge/topic?topic=1",
        "document": f"/judge/document?{urlencode(judged)}",
        "compare": f"/judge/compare?{urlencode({**judged, 'first': 'eva', 'second': 'eva'})}",
        "evaluate": "/evaluate?assessor=eva",
    }


# Sentences, not tables, of which a part can be seen only by scrolling sideways.
_SENTENCES_BEYOND = """() => [...document.querySelectorAll('h1, h2, p, caption, figcaption, legend, label')]
  .filter(each => !each.closest('#text') && !each.classList.contains('hidden') && each.checkVisibility())
  .filter(each => each.getBoundingClientRect().right > innerWidth + 1)
  .map(each => each.textContent.slice(0, 60))"""

# Pages that the short version looks at, and those that it gives to axe-core; the long one looks at all, in four ways.
SHORT, SHORT_AXE = ("results", "tables", "images", "read", "document", "evaluate"), ("images", "read", "document")


@pytest.mark.parametrize(
    ("scheme", "size"),
    [("light", WIDE), ("dark", WIDE), ("light", NARROW), ("dark", NARROW)] if IS_LONG else [("dark", NARROW)],
)
@pytest.mark.long
def test_pages_are_accessible_at_every_size(desk: Desk, scheme: str, size: dict[str, int]) -> None:
    """axe-core finds nothing, and nothing makes a narrow page scroll sideways."""
    page = opened(desk, color_scheme=scheme, bypass_csp=True)
    page.set_viewport_size(size)  # type: ignore[arg-type]
    problems: list[str] = []
    judge_as(page, desk.home, "eva")
    open_document(page, desk.home, "jats/fx-008")
    press(page, "ArrowDown", "Enter")
    for name, address in addresses(desk).items():
        if not IS_LONG and name not in SHORT:
            continue
        page.goto(desk.home + address)
        if IS_LONG:
            picture = ROOT / "build/pages" / f"{name}-{scheme}-{size['width']}.png"
            picture.parent.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=picture)
        if IS_LONG or name in SHORT_AXE:
            problems += axe_problems(page)
        if (width := page.evaluate("() => document.documentElement.scrollWidth")) > size["width"]:
            problems.append(f"{name}: {width} pixels wide")
        problems += [f"{name}: {text!r} leaves the screen" for text in page.evaluate(_SENTENCES_BEYOND)]
    page.context.close()

    assert problems == []


@pytest.mark.long
def test_open_options_fit_on_a_phone_and_terms_and_references_are_set_apart(desk: Desk) -> None:
    page = opened(desk)
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    page.goto(f"{desk.home}/?q=fog")
    assert [page.locator(each).first.is_visible() for each in (".options summary", ".options .choices")] == [
        True,
        False,
    ]
    page.evaluate("() => document.querySelectorAll('.search details').forEach((each) => { each.open = true; })")
    assert page.evaluate("() => document.documentElement.scrollWidth") == NARROW["width"]
    page.goto(f"{desk.home}/read?document=tei/glossary-of-navigation")
    style = "(selector) => getComputedStyle(document.querySelector(selector))"
    assert page.evaluate(f"{style}.fontWeight", ".text .items > .bit") == "600"
    assert page.evaluate(f"{style}.listStyleType", ".text .items > .point") == "none"
    page.goto(f"{desk.home}/read?document=ieee/na/1998/n1012")
    assert page.locator(".text .reference").first.inner_text().endswith("Lighthouse History, 1987.")
    after = "(selector) => getComputedStyle(document.querySelector(selector), '::after').content"
    names, last_name = ".text .reference .phrase > .bit", ".text .reference .phrase > .bit:last-child"
    assert [page.evaluate(after, each) for each in (names, last_name, ".text .reference > .phrase")] == [
        '" "',
        "none",
        "none",
    ]
    page.context.close()


@pytest.mark.long
def test_long_words_of_topics_fit_on_a_phone(desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, "eve")
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    page.evaluate("() => { document.querySelector('td a').textContent = 'm'.repeat(40); }")
    assert page.evaluate(
        "() => { const box = document.querySelector('.table-box'); return box.scrollWidth <= box.clientWidth; }"
    )
    page.context.close()


@pytest.mark.long
def test_text_to_judge_is_on_small_screens_and_at_200_percent(desk: Desk) -> None:
    page = opened(desk)
    judge_as(page, desk.home, "zoe")
    for size in (NARROW, {"width": 640, "height": 400}):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        open_document(page, desk.home, "jats/fx-008")
        top, bottom = (page.locator(each).bounding_box()["y"] for each in ("#text", "#desk"))  # type: ignore[index]
        assert bottom - max(top, 0) > 200, size
    page.context.close()


@pytest.mark.skipif(not IS_LONG, reason="make test-web runs it")
@pytest.mark.long
def test_a_document_of_a_megabyte(kinds: Desk) -> None:
    page = opened(kinds)
    judge_as(page, kinds.home, "ann")
    open_document(page, kinds.home, "long")
    pages = int(page.inner_text(".paging >> nth=0").split(" of ")[1].split()[0])
    assert pages >= 4
    page.goto(f"{page.url}&part=3")
    page.wait_for_selector("[data-judging=ready]", state="attached")
    text = text_of(page)
    place = text.index("end", 1000)
    end = text.index(".", place)
    drag(page, place, end)
    assert quotes(page, "long") == [text[place:end]]
    with foxir.open_index(kinds.folder / "judged.foxir") as index:
        whole = index.text("long")
    query = urlencode({"topic": "1", "document": "long"})
    found = page.evaluate("(query) => fetch('/api/judgements?' + query).then((answer) => answer.json())", query)
    (mark,) = found["highlights"]
    assert whole[mark["start"] : mark["end"]] == text[place:end]
    page.context.close()
