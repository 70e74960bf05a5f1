"""Sentence borders, by hand; the tests of flat documents compare with a slow reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.text.analyser import Analyser
from engine.text.sentences import (
    ABBREVIATIONS,
    BEFORE_NUMBERS,
    WORD_BYTES,
    after_left_over,
    find_sentences,
    trimmed,
    without_left_over,
)
from engine.text.utf8 import encode
from tests.engine.small_index import answers_to, index_of


def sentences(text: str, analyser: str = "default") -> list[str]:
    """Return the sentences of a text, white space at their ends trimmed."""
    encoded = encode(text)
    words = Analyser(analyser).words(encoded)
    found = find_sentences(encoded, words.starts, words.ends, np.zeros(len(words.starts), np.int64))
    starts, ends = trimmed(encoded, np.append(0, found.ends), np.append(found.ends, len(encoded)))
    assert found.words.tolist() == np.searchsorted(words.starts, starts[1:]).tolist()
    raw = encoded.tobytes()
    return [raw[start:end].decode() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


@pytest.mark.parametrize(
    "expected",
    [
        ["The sea rose.", "It fell again."],
        ["Did it rise?", "It did!", "It fell…", "Again."],
        ["He said “no.”", "She went.", "(It rained.)", "[12] follows."],
        ["It was 3.14 m high.", "7 of 9 fell."],
        ["Water at 5 °C. ¿Qué?"],  # C is taken for an initial
        ["Wait...", "What?!", "Nothing. . .", "Then this."],
        ["L’été finit.", "Été comme hiver.", "Ça va."],
        ["Ende.", "„Ja“, sagte er.", "Änderung."],
        ["海は青い。", "空も青い！", "「はい。」", "そうか？", "2年。"],
        ["Да.", "Нет!"],
        ["Group 1.", "The second group."],
        ["No.", "She went."],
        ["هل؟", "نعم."],
    ],
)
def test_sentences_end_at_marks_before_a_new_beginning(expected: list[str]) -> None:
    gap = "" if expected[0].startswith("海") else " "

    assert sentences(gap.join(expected)) == expected
    assert sentences(" \n" + "  \n\t ".join(expected) + "\n\u3000") == expected


@pytest.mark.parametrize(
    "text",
    [
        *("as in Fig. 3 and Eq. (2), cf. Smith et al. [4] vs. Jones", "Dr. J. R. Smith, Prof. Meier, Mr. X"),
        *("many, e.g. Paris, i.e. France, z.B. Berlin bzw. Bonn", "Approx. 7 of No. 12", "in the U.S. Navy"),
        *("ended. and went on", "www.example.org or a.B or 3.5.1.A", "version 2.Next", "Á. García"),
        *("no mark at all The End", "", ". . .", "one. "),
    ],
)
@pytest.mark.parametrize("analyser", ["default", "zettair"])
def test_sentences_do_not_end_at_abbreviations_initials_and_numbers(text: str, analyser: str) -> None:
    assert sentences(text, analyser) == [text.strip()]


def test_abbreviations_in_capitals_are_recognised() -> None:
    assert sentences("FIG. 3 and fig. 4") == ["FIG. 3 and fig. 4"]


def test_the_end_of_a_text_gives_no_sentence_border() -> None:
    encoded = encode("One.|Two. Three.")
    words = Analyser().words(encoded)

    found = find_sentences(encoded, words.starts, words.ends, np.array([0, 1, 1]))

    assert (found.words.tolist(), found.ends.tolist()) == ([2], [9])


def test_abbreviations_are_lower_case_ascii_of_at_most_eight_letters() -> None:
    every = ABBREVIATIONS + BEFORE_NUMBERS

    assert all(word.isascii() and word.isalpha() and word.islower() for word in every)
    assert all(1 < len(word) <= WORD_BYTES for word in every)
    assert len(set(every)) == len(every)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (". We sold the mare.", "We sold the mare."),
        (" , see the table", "see the table"),
        (".) \n We", "We"),
        ("。 空も", "空も"),
        (".NET came", ".NET came"),  # a mark right before a word is part of what follows
        ("(see below)", "(see below)"),
        ("“No.”", "“No.”"),
        ('." We found', "We found"),
        ("». Wir", "Wir"),
        ("« Bonjour", "« Bonjour"),  # an opening quote, with a blank behind it
        ('" We', '" We'),
        ("  Then", "Then"),
        (". ", ""),
    ],
)
def test_what_an_element_left_of_a_sentence_is_passed_over(text: str, expected: str) -> None:
    assert without_left_over(text) == expected
    if expected:
        (start,) = after_left_over(encode(text), np.array([0])).tolist()
        assert text.encode()[start:].decode().lstrip() == expected


def test_a_passage_after_a_footnote_begins_with_a_word(tmp_path: Path) -> None:
    text = (
        "<p>We kept her dry<note>Dry means no milk.</note>. Then we sold the mare<note>To Hov.</note>, late in May.</p>"
    )
    index = index_of(tmp_path, {"d": f"<a><s>{text}</s></a>", "e": "<a>fog</a>", "f": "<a>lamp</a>"})

    found = answers_to(index, "sold mare", passages=True, whole_weight=0, min_passage_words=1)

    assert [each.text for each in found if each.path.endswith("p[1]")] == [
        "Then we sold the mare",
        "We kept her dry",
        "late in May.",
    ]
