"""Articles ranked by expressions: as the presets do, anywhere a preset can stand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.index.reader import IndexReader
from engine.settings import Settings, read_settings
from engine.similarity.expression import Calculated, Fused, Propagated, Side
from engine.similarity.named_expressions import APPROACHES, TABLE_A9, check_similarity, named_expression
from engine.similarity.parser import parse_expression
from engine.similarity.presets import PRESETS
from tests.engine.ranking.test_expression_scores import written
from tests.engine.similarity.random_input import collections, expressions, numbers, queries
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.trust.soak import effort

# presets with options, and the expressions that they name
EQUAL = [(preset.name, {}, preset.expression) for preset in PRESETS.values()] + [
    (preset.name, {option: value}, expression)
    for preset in PRESETS.values()
    for option, expressions in preset.options.items()
    for value, expression in expressions.items()
]
SHARED = {"bm25": ("k1", "b"), "pcosine": ("s",), "okapi": ("k1", "b", "k3"), "dirichlet": ("mu",)}

DOCUMENTS = {
    "a": "<r><p>sea sea</p><p>tide</p></r>",
    "b": "<r>tide lamp</r>",
    "c": "<r>lamp lamp lamp<p>reef</p></r>",
    "d": "<r>lamp</r>",
}


def ranked(index: IndexReader, query: list[str], similarity: str, **given_settings: object) -> dict[str, float]:
    answers = answers_to(
        index, " ".join(query), approach="fulltext", reading="CO", similarity=similarity, **given_settings
    )
    return {answer.document: answer.article_score for answer in answers}


@given(
    st.sampled_from(EQUAL),
    collections,
    queries,
    st.fixed_dictionaries({"s": numbers(0, 1), "k1": numbers(0, 5), "b": numbers(0, 1), "k3": numbers(0, 9)}),
)
@settings(max_examples=effort(5, 1000, thorough=40), deadline=None)
@pytest.mark.long
def test_presets_equal_their_expressions(equal, collection, query, given_numbers):
    name, own, expression = equal
    own_numbers = {key: value for key, value in {**given_numbers, "mu": 100.0}.items() if key in SHARED[name]}
    with grown_index([written(collection)]) as index:
        assert ranked(index, query, expression, **own_numbers) == pytest.approx(
            ranked(index, query, name, **own_numbers, **own), rel=1e-12, abs=1e-12
        )


def test_options_name_expressions():
    pcosine, dirichlet = PRESETS["pcosine"], PRESETS["dirichlet"]

    assert len(EQUAL) == 7
    assert pcosine.expression == "D[BB-ABE-BIA]"
    assert pcosine.options["length"]["tokens"] == "D[BB-ABF-BIA]"
    assert dirichlet.options["background"]["documents"] == "D[HN-AGJ-BAJ]"
    assert dict(pcosine.defaults) == {"s": 0.2, "length": "weight", "weight_bits": 0, "query_norm": False}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return index_of(tmp_path_factory.mktemp("index"), DOCUMENTS)


def test_dirichlet_as_printed_differs_for_repeated_words_only(index):
    printed = {"similarity": "dirichlet-smoothing"}

    assert ranked(index, ["tide", "lamp"], **printed) == pytest.approx(
        ranked(index, ["tide", "lamp"], "dirichlet", background="documents")
    )
    assert ranked(index, ["tide", "tide"], **printed) != pytest.approx(
        ranked(index, ["tide", "tide"], "dirichlet", background="documents")
    )


def test_no_term_counts_against_an_article_in_bm25(index):
    # lamp is in 3 of 4: w = ln(1 + 1.5/3.5) = 0.356675, d: K = 1.2 (0.25 + 0.75 * 1/2.5) = 0.66; a second lamp is none
    for query in (["lamp"], ["lamp", "lamp"]):
        assert ranked(index, query, "bm25")["d"] == pytest.approx(0.356675 * 2.2 / 1.66, abs=1e-6)


def test_okapi_as_printed_counts_common_terms_against_an_article(index):
    # lamp is in 3 of 4: ln(1.5/3.5) < 0; w = -0.847298, d: K = 1.2 (0.25 + 0.75 * 1/2.5) = 0.66, 2.2/1.66
    found = ranked(index, ["lamp"], "okapi-bm25")

    assert found["d"] == pytest.approx(-0.847298 * 2.2 / 1.66, abs=1e-6)
    assert ranked(index, ["lamp"], "okapi")["d"] == pytest.approx(1.19e-7 * 2.2 / 1.66)


def test_pivoted_cosine_as_printed_counts_words(index):
    # (ln 5 (1 + ln 2) + ln 3) / (0.8 + 0.2 * 3/2.5) = 3.823627 / 1.04
    assert ranked(index, ["sea", "tide"], "pivoted-cosine")["a"] == pytest.approx(3.676565, abs=2e-6)


def test_parameters_are_those_of_the_expression(tmp_path):
    settings_file = tmp_path / "own.toml"
    settings_file.write_text('similarity = "D[CH-AEH-BEA]"\nk1 = 2\n', "utf-8")

    assert read_settings(settings_file).to_dict()["k1"] == 2.0
    assert Settings.from_options(similarity="D[BB-ABF-BAA]").describe()["s"] == "0.2"
    with pytest.raises(SettingsError, match=r"'mu' is not a parameter of D\[CH-AEH-BEA\], which has k1, b, k3"):
        Settings.from_options(similarity="D[CH-AEH-BEA]", mu=10)
    with pytest.raises(SettingsError, match="floor = '-1': expected a number from 0 to 1e"):
        Settings.from_options(similarity="D[CR-AEM-BEA]", floor=-1)
    with pytest.raises(SettingsError, match="k1 = '1e-300': expected 0, or a number from 1e-09 to 1e"):
        Settings.from_options(similarity="D[CH-AEH-BEA]", k1=1e-300)


def test_what_cannot_rank_articles_is_refused():
    with pytest.raises(SettingsError, match=r"similarity = 'multinomial': E\[DM-AFI-BAA\] scores elements"):
        check_similarity("multinomial")
    with pytest.raises(SettingsError, match="similarity = 'okapi-bm': did you mean 'okapi-bm25'"):
        Settings.from_options(similarity="okapi-bm")
    with pytest.raises(SettingsError, match=r"similarity = 'Gpx': did you mean 'gpx'\?.* those of elements \(gpx, E\["):
        Settings.from_options(similarity="Gpx")
    with pytest.raises(SettingsError, match="Q-expression, position 4: found 'C'"):
        Settings.from_options(similarity="D[BC-ABF-BAA]")
    with pytest.raises(SettingsError, match="preset = 'thesis-tuned': okapi-bm25 has no tuned parameters"):
        Settings.from_options(similarity="okapi-bm25", preset="thesis-tuned")


# Q-expressions: texts and values give each other back; what is not legal is shown at its place.


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
