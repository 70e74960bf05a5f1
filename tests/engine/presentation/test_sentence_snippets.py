"""Snippets that begin and end with sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.presentation.snippets import LONGEST_SENTENCE, WIDTH, SearchedText, extracts, snippets
from engine.query.query import parse_query
from engine.text.analyser import Analyser
from tests.engine.small_index import answers_to, index_of

ANALYSER = Analyser()
FILLER = "Nothing is said here about it, or about anything else of importance to anybody at all. "


def snippet_of(query: str, *parts: str) -> str:
    """Return the snippet of elements with these texts, one after the other, the query words in brackets."""
    text = "".join(parts)
    borders = [sum(map(len, parts[:number])) for number in range(1, len(parts))]
    asked = parse_query(query, ANALYSER, "VV", "keywords")
    (found,) = snippets([SearchedText(text, borders)], asked, ANALYSER)
    return found.marked()


@pytest.mark.parametrize(
    ("query", "parts", "expected"),
    [
        ("fog", [FILLER * 5 + "The fog signal failed. " + FILLER * 5], "The [fog] signal failed."),
        ("fog", ["A title", "The fog came. " + FILLER * 5], "The [fog] came."),
        ("fog", [FILLER * 6, "See Fig. ", "2", " for the fog. " + FILLER * 6], "See Fig. 2 for the [fog]."),
        (
            "fog",
            [FILLER * 6, "In 3.5 miles the fog ended (Dr. Smith saw it)."],
            "In 3.5 miles the [fog] ended (Dr. Smith saw it).",
        ),
        ("fog lamp", ["The fog. " + FILLER * 6 + "Lamp and fog."], "[Lamp] and [fog]."),
        ("none", ["First. " + FILLER * 9], None),
    ],
)
def test_a_snippet_is_made_of_whole_sentences(query: str, parts: list[str], expected: str | None) -> None:
    found = snippet_of(query, *parts)

    assert "…" not in found
    assert found.startswith("First.") if expected is None else expected in found
    assert found[0] in "[ABFILNST"
    assert found.rstrip("]")[-1] == "."


def test_a_sentence_that_is_too_long_is_cut_as_ever() -> None:
    text = SearchedText(f"It is {'very ' * (LONGEST_SENTENCE // 4)}foggy in the fog {'and so on ' * 40}.")
    asked = parse_query("fog", ANALYSER, "VV", "keywords")

    assert snippets([text], asked, ANALYSER) == extracts([text], asked, ANALYSER, WIDTH)


WORDS = st.lists(
    st.sampled_from(["fog", "Fog.", "lamp", "(a", "b).", "3.5", "No.", "\n", "—", "“Oh!”", "x" * 30, "\0", "é."]),
    max_size=150,
)


@given(st.lists(WORDS, max_size=6))
def test_marks_are_words_of_the_query_whatever_the_text(parts: list[list[str]]) -> None:
    texts = [SearchedText(" ".join(words)) for words in parts]
    asked = parse_query("fog lamp", ANALYSER, "VV", "keywords")
    for found, searched in zip(snippets(texts, asked, ANALYSER), texts, strict=True):
        assert all(found.text[start:end].casefold() in ("fog", "lamp") for start, end in found.marks)
        assert len(found.text) <= LONGEST_SENTENCE
        if "…" not in found.text:
            assert found.text in " ".join(searched.text.split())


PARTED = """<article><title>Soup</title><ingredients><heading>Ingredients</heading><ing>2 eggs</ing><ing>milk</ing>
</ingredients><sec><title>Method.</title><p>Beat the eggs, <i>not</i> the <note>cold</note> milk.</p></sec>
<table><tr><th>Part</th><th>Mass (g)</th></tr><tr><td>Egg</td><td>60</td></tr></table></article>"""


def test_headings_items_and_cells_do_not_run_into_what_follows(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('titles = ["title", "heading"]\ninline = ["i"]')
    index = index_of(tmp_path, {"soup": PARTED}, profile=str(tmp_path / "p.toml"))
    (answer,) = answers_to(index, "eggs milk method part mass", approach="fulltext", reading="CO")

    assert answer.snippet.text == (
        "Ingredients · 2 eggs · milk · Method. Beat the eggs, not the cold milk. Part · Mass (g) · Egg · 60"
    )
