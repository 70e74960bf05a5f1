"""An element that a query names, by its own title, before others that repeat the words."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir

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
