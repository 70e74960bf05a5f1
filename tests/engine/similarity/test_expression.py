"""Q-expressions: texts and values give each other back; what is not legal is shown at its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.similarity.expression import Calculated, Fused, Propagated, Side
from engine.similarity.named_expressions import APPROACHES, TABLE_A9, named_expression
from engine.similarity.parser import parse_expression
from tests.engine.similarity.random_input import expressions


@given(expressions)
def test_text_and_value_give_each_other_back(expression):
    assert parse_expression(str(expression)) == expression


def test_values():
    assert parse_expression(" D[BB-ABF-BAA] ") == Calculated("D", "B", "B", Side("A", "B", "F"), Side("B", "A", "A"))
    leaves = Calculated("T", "E", "A", Side("A", "H", "A"), Side("A", "A", "A"))
    assert parse_expression("C[FC]--T[EA-AHA-AAA]") == Propagated("C", leaves)
    fused = parse_expression("C[G-]--D[BB-ACC-BCC]--E[BD-ACC-BCC]")
    assert isinstance(fused, Fused)
    assert (str(fused.document), str(fused.element)) == ("D[BB-ACC-BCC]", "E[BD-ACC-BCC]")


@pytest.mark.parametrize("name", APPROACHES)
def test_names_stand_for_expressions(name):
    assert str(named_expression(name)) == APPROACHES[name].expression


def test_table_a9_has_twelve_rows():
    assert [each.expression for each in TABLE_A9] == [
        *("D[BB-ABF-BAA]", "E[BD-ADA-BAA]", "E[BD-ABC-BAC]", "E[BA-ACG-BAA]", "D[CH-AEH-BEA]", "E[CG-ADA-BAA]"),
        *("D[DN-AGJ-BAJ]", "E[DM-AFI-BAA]", "T[AA-AAA-BAA]", "C[FC]--T[EA-AHA-AAA]", "C[FB]--T[BC-ABA-BAA]"),
        "C[G-]--D[BB-ACC-BCC]--E[BD-ACC-BCC]",
    ]


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 1, "found the end, expected a letter for what is scored"),
        ("X[BB-ABF-BAA]", 1, "found 'X', expected a letter for what is scored"),
        ("D(BB-ABF-BAA)", 2, r"found '\(', expected '\['"),
        ("D[EB-ABF-BAA]", 3, r"E \(GPX\) is not for documents"),
        ("T[BB-ABF-BAA]", 4, r"B \(logarithmic, by documents\) is not for text nodes"),
        ("D[BC-ABF-BAA]", 4, r"C \(logarithmic, by text nodes\) is not for documents"),
        ("D[BBABF-BAA]", 5, "found 'A', expected '-'"),
        ("D[BB-CBF-BAA]", 6, "use of the term weight of documents"),
        ("E[BD-AHA-BAA]", 7, r"H \(share of the collection's occurrences\) is not for element nodes"),
        ("D[BB-ABZ-BAA]", 8, "a letter for the length of documents"),
        ("D[BB-AEB-BAA]", 8, "Okapi's relative term frequency, E, is made of the length"),
        ("D[BB-ABF-BAF]", 12, r"F \(pivoted words\) is not for the query"),
        ("D[BB-ABF-BAA", 13, "found the end, expected ']'"),
        ("D[BB-ABF-BAA]]", 14, "expected the end of the expression"),
        ("C[HC]--T[EA-AHA-AAA]", 3, "how scores are constructed"),
        ("C[FD]--T[EA-AHA-AAA]", 4, "propagation function"),
        ("C[FC]--E[BD-ADA-BAA]", 8, "expected a letter for the scores it is constructed from"),
        ("C[G-]--D[BB-ACC-BCC]", 21, "expected '--'"),
    ],
)
def test_what_is_not_legal_is_shown_at_its_place(text, position, message):
    with pytest.raises(SettingsError, match=message) as raised:
        parse_expression(text)

    lines = str(raised.value).splitlines()
    assert lines[0].startswith(f"Q-expression, position {position}: ")
    assert lines[1:3] == [f"  {text}", f"  {' ' * (position - 1)}^"]


def test_letters_that_are_legal_are_listed_with_their_meaning():
    with pytest.raises(SettingsError) as raised:
        parse_expression("T[BB-ABF-BAA]")

    assert "\n  C  logarithmic, by text nodes: ln(1 + N_P/N_P,t)\n" in str(raised.value)
    assert "\n  B  " not in str(raised.value)


@pytest.mark.parametrize("text", ["e[DM-AFI-BAA]", "E[dM-AFI-BAA]", "E[DM-aFI-BAA]", "C[fC]--T[EA-AHA-AAA]"])
def test_letters_are_capitals(text):
    with pytest.raises(SettingsError, match="letters are capitals; expected a letter for"):
        parse_expression(text)


@given(st.text(max_size=30) | st.text("DTEC[]-ABFG", max_size=16))
def test_any_other_text_is_one_error(text):
    try:
        found = str(parse_expression(text))
    except SettingsError as error:
        found = str(error)
    assert found == text.strip() or found.startswith("Q-expression, position ")


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(SettingsError, match="'multinomal' is not a scoring approach: did you mean 'multinomial'"):
        named_expression("multinomal")
    with pytest.raises(SettingsError, match="'GPX' is not a scoring approach: did you mean 'gpx'"):
        named_expression("GPX")
