"""An element that a query names, by its own title, before others that repeat the words."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir
from engine.index.reader import open_reader
from engine.settings import Settings
from foxir.searching.missing_words import missing_words
from tests.engine.check_answers import WAYS, search

FILLER = "<p>Nothing of this kind is said here, nor in the lines that follow it.</p>" * 8
SAID = "Let A, B and C be three matrices; then the order in which their products are taken is free."
LAW = f"<law><title>Multiplication is associative</title><p>{SAID}</p></law>"
OTHER = "<law><title>Zero</title><p>Associative was what they called a multiplication by zero in those days.</p></law>"


@pytest.mark.parametrize(("query", "times"), [("multiplication associative", 1 + 2 / 3), ("associative", None)])
def test_an_element_counts_its_title_once_more_where_a_query_of_several_words_says_it(
    tmp_path: Path, query: str, times: float | None
) -> None:
    (tmp_path / "a.xml").write_text(f"<text><title>Products</title>{FILLER}{OTHER}{LAW}{FILLER}</text>")
    (tmp_path / "b.xml").write_text(f"<text><title>Sums</title>{FILLER}</text>")
    foxir.build_index(tmp_path, into=tmp_path / "x.foxir")
    index = foxir.open_index(tmp_path / "x.foxir")

    assert times is None or index.search(query)[0].path == "/text[1]/law[2]"
    explained = index.explain(query, "a", "/text[1]/law[2]").element
    assert explained is not None
    details = explained.details
    headings = next(each for each in details if each.name == "headings")
    assert headings.facts.get("named") == (None if times is None else pytest.approx(times))


PAGE = """<html><head><title>Garden</title></head><body><h1>Garden</h1><p>Notes of a year.</p>
<h2>Pruning the vines</h2><hr/><h3>Tools</h3><p>Secateurs and a saw, oiled, are all that is taken along.</p>
<h2>Harvest feast</h2><p>None.</p><p>Quinces, bread and soup stand on a long table, with lamps at both ends.</p>
<p>After dark there is a fire.</p><h2>Frost</h2><p>Straw is laid on all beds before November.</p></body></html>"""


@pytest.mark.parametrize(
    ("query", "settings", "path"),
    [
        ("harvest feast", {}, "p[4]"),
        ("harvest feast", {"unit": "sentence"}, "p[4]"),
        ("harvest feast lamps", {}, "p[4]"),
        ("harvest fire", {}, "p[5]"),
        ("pruning vines", {}, "p[2]"),
        ("harvest feast -lamps", {}, None),
        ("harvest feast", {"operator": "and"}, ""),
    ],
)
def test_what_a_heading_alone_says_is_answered_by_the_first_block_after_it(
    tmp_path: Path, query: str, settings: dict[str, str], path: str | None
) -> None:
    answers = answers_in_the_garden(tmp_path, query, **settings)

    first = None if not len(answers) else answers[0].path.removeprefix("/html[1]/body[1]").lstrip("/")
    assert first == path


def test_an_answer_lacks_no_word_of_the_headings_before_it(tmp_path: Path) -> None:
    answers = answers_in_the_garden(tmp_path, "straw harvest tools")

    lacking = {each.path[-4:]: words for each, words in zip(answers, missing_words(answers), strict=True)}
    assert lacking == {"p[2]": ["harvest", "straw"], "p[4]": [], "p[6]": ["harvest", "tools"]}


@pytest.mark.long
@pytest.mark.parametrize("query", ["harvest feast", "pruning vines lamps", "frost fire november"])
@pytest.mark.parametrize("settings", [Settings(), Settings(unit="sentence"), Settings(focus=0.2, coverage=2.0)])
def test_blocks_after_headings_are_the_same_in_every_way(tmp_path: Path, query: str, settings: Settings) -> None:
    for number, bed in enumerate(("kale", "leeks", "frost and fire, twice, in a November long ago " * 9)):
        page = PAGE.replace("straw", bed).replace("Harvest", ("Sowing", "Harvest")[number % 2])
        (tmp_path / f"{number}.html").write_text(page)
    foxir.build_index(tmp_path, into=tmp_path / "x.foxir")
    with open_reader(tmp_path / "x.foxir") as index:
        assert len(search(index, query, settings, ways=WAYS))


def answers_in_the_garden(folder: Path, query: str, **settings: str) -> foxir.Answers:
    (folder / "garden.html").write_text(PAGE)
    foxir.build_index(folder, into=folder / "x.foxir")
    return foxir.open_index(folder / "x.foxir").search(query, **settings)
