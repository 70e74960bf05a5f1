"""Words of a query with a stem in common count as one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.query.query import Query, parse_query, with_shared_stems
from engine.query.query_terms import QueryTerm
from engine.text.analyser import make_analyser

MIXED = make_analyser().with_languages(["none", "english"])


def _terms(text: str) -> list[str]:
    return [str(term) for term in with_shared_stems(parse_query(text, MIXED)).terms]


def test_a_word_and_its_stem_are_one_term() -> None:
    query = with_shared_stems(parse_query("contract of a contracting party", MIXED))

    assert [str(term) for term in query.terms] == [
        "contract|contracting",
        "of",
        "a",
        "contract|contracting",
        "party|parti",
    ]
    assert query.word_counts["contract|contracting"] == 2


def test_words_linked_by_a_third_are_one_term() -> None:
    # clauses: clauses|claus, clause: clause|claus; the stem claus links them
    assert _terms("clauses clause claus") == ["clauses|claus|clause"] * 3


def test_words_without_a_common_stem_stay_apart() -> None:
    assert _terms("fog signals") == ["fog", "signals|signal"]


def test_signs_are_kept_apart() -> None:
    terms = with_shared_stems(parse_query("+contract contracting -contracts", MIXED)).terms

    assert [(term.sign, term.words) for term in terms] == [
        ("+", ("contract",)),
        ("", ("contracting|contract",)),
        ("-", ("contracts|contract",)),
    ]


def test_phrases_stay_as_they_are() -> None:
    query = parse_query('"contracting parties" contract', MIXED)

    assert with_shared_stems(query).terms == query.terms


STEMS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=3, unique=True).map("|".join)


@given(st.lists(st.tuples(st.sampled_from(["", "+", "-"]), STEMS), min_size=1, max_size=8))
def test_terms_are_united_as_far_as_stems_link_them(words: list[tuple[str, str]]) -> None:
    query = Query("", tuple(QueryTerm((word,), sign=sign) for sign, word in words), "CO")
    united = {key: {*key[1].split("|")} for key in words}
    for _ in words:  # a chain has no more links than words
        united = {
            (sign, word): set[str]().union(*(united[key] for key in words if key[0] == sign and united[key] & stems))
            for (sign, word), stems in united.items()
        }

    found = with_shared_stems(query).terms

    for (sign, word), term in zip(words, found, strict=True):
        assert term.sign == sign
        stems = term.words[0].split("|")
        assert {*stems} == ({*word.split("|")} if sign == "-" else united[sign, word])
        assert len(stems) == len({*stems})
