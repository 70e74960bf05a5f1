"""Empty inline elements such as TEI's line and page breaks end words, unless they say break="no"."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import foxir
from engine.index.reader import IndexReader
from engine.presentation.readable_text import readable_text
from tests.engine.small_index import index_of

PAGE = (
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><text><body><p>to the<lb/>lighthouse with '
    'seven<pb n="3"/>porpoises near the cap<lb break="no"/>stan.<lb/>Wind fell.</p></body></text></TEI>'
)


@pytest.mark.parametrize("attributes", [None, "none"])
def test_a_bare_break_ends_a_word_and_no_sentence(tmp_path: Path, attributes: str | None) -> None:
    (tmp_path / "page.xml").write_text(PAGE)
    foxir.build_index(tmp_path / "page.xml", into=tmp_path / "index", attributes=attributes)
    index = foxir.open_index(tmp_path / "index")

    def first(query: str) -> str | None:
        return next((answer.snippet.marked() for answer in index.search(query, passages=True)), None)

    assert first("lighthouse") == "to the [lighthouse] with seven porpoises near the capstan."
    assert first("capstan") == "to the lighthouse with seven porpoises near the [capstan]."
    assert first("wind") == "[Wind] fell."
    assert first('"the lighthouse"') is not None
    assert first("cap") is first("thelighthouse") is None


def test_a_superscript_of_jats_ends_a_word_and_no_sentence(tmp_path: Path) -> None:
    text = "Counts of CD4<sup>+</sup> cells were 10<sup>9</sup> per litre<sup>b</sup> or so. All rose."
    markup = f"<article><front/><body><p>{text}</p></body></article>"
    (tmp_path / "report.xml").write_text(markup)
    foxir.build_index(tmp_path / "report.xml", into=tmp_path / "index")
    index = foxir.open_index(tmp_path / "index")

    for query in ('"cd4 cells"', '"10 9"', "litre"):
        (answer,) = index.search(query, passages=True, whole_weight=0)[:1]
        assert answer.text == "Counts of CD4+ cells were 109 per litreb or so."
    assert not index.search("litreb")


def test_breaks_are_blanks_in_readable_text_and_nothing_in_the_text_of_offsets(tmp_path: Path) -> None:
    with index_of(tmp_path, {"a": PAGE}, profile="tei") as index:
        assert "thelighthouse with sevenporpoises" in index.text(0)
        assert "the lighthouse with seven porpoises near the capstan. Wind" in _readable(index)


def test_a_profile_names_its_breaks(tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text('inline = ["i", "tab"]\nbreaks = ["tab"]')
    with index_of(tmp_path, {"a": "<t>a<tab/>b<i/>c<other/>d</t>"}, profile=str(profile)) as index:
        assert _readable(index) == "a bc d"
        assert index.elements.n_words(np.array([0])).tolist() == [3]


def _readable(index: IndexReader) -> str:
    return readable_text(index, 0, 0, *index.spans(0, np.array([0]))[0].tolist())
