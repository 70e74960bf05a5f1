"""Orders of answers inside an article, by eye."""

from __future__ import annotations

import pytest

from engine.settings.catalogue import KINDS
from tests.engine.ranking.by_structure import by_structure
from tests.engine.small_index import answers_to, index_of
from tests.reference.heuristics import NAMES, SIXTEEN

# candidates with nCRE:                   M  T  path length  F  ordinals
#   /a[1]                                 4  2  1            5  1
#   /a[1]/s[1]                            2  1  2            2  1-1
#   /a[1]/s[2]/t[1]/p[1]                  1  2  4            2  1-2-1-1
#   /a[1]/s[2]/t[12]/p[1]                 1  1  4            1  1-2-12-1
DOCUMENT = f"""<a><s><p>sea</p><p>sea</p></s>
  <s><t><p>sea tide</p></t>{"<t/>" * 10}<t><p>tide</p></t></s></a>"""
A, S, T1, T12 = "/a[1]", "/a[1]/s[1]", "/a[1]/s[2]/t[1]/p[1]", "/a[1]/s[2]/t[12]/p[1]"
S2 = "/a[1]/s[2]"  # M 2, T 2, path length 2, F 3


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return index_of(tmp_path_factory.mktemp("index"), {"d": DOCUMENT})


@pytest.mark.parametrize(
    ("heuristic", "expected"),
    [
        ("MPE", [A, S2, S, T12, T1]),
        ("MPB", [A, S, S2, T1, T12]),
        ("mpB", [T1, T12, S, S2, A]),
        ("mPE", [T12, T1, S2, S, A]),
        ("PME", [T12, T1, S2, S, A]),  # twelve is larger than one: ordinals are numbers
        ("pmB", [A, S, S2, T1, T12]),
        ("TPF", [T1, S2, A, T12, S]),
        ("PTF", [T1, T12, S2, S, A]),
        ("document", [A, S, S2, T1, T12]),
    ],
)
def test_orders(index, heuristic, expected):
    answers = answers_to(
        index, "sea tide", **by_structure(answers="nCRE", heuristic=heuristic, overlap="keep", reading="CO")
    )

    assert answers.paths == expected


def test_there_are_sixteen_and_three_more():
    assert len(set(SIXTEEN)) == 16
    assert set(NAMES) - set(SIXTEEN) == {"TPF", "PTF", "document"}
    assert KINDS["heuristic"].names == NAMES


def test_what_stays_tied_is_in_document_order(tmp_path):
    # equal M, T, F and length; b and p both have the ordinal 1, so B and E cannot tell them apart either
    index = index_of(tmp_path, {"d": "<a><s><q>sea</q></s><b><q>sea</q></b><c><q>sea</q></c></a>"})
    expected = ["/a[1]/s[1]/q[1]", "/a[1]/b[1]/q[1]", "/a[1]/c[1]/q[1]"]

    for heuristic in NAMES:
        answers = answers_to(index, "sea", **by_structure(answers="matching", heuristic=heuristic, reading="CO"))
        assert answers.paths == expected


def test_a_phrase_counts_as_one_term_and_by_its_occurrences(tmp_path):
    # of the phrase s[1] holds two (of its words eight), s[2] three (six); only s[3] holds two terms, phrase and lamp
    sections = "<s><p>high tide high high</p><p>high tide high tides high</p></s>"
    sections += "<s><p>high tide, high tide</p><p>high tide</p></s><s><p>high tide</p><p>lamp</p></s>"
    index = index_of(tmp_path, {"d": f"<a>{sections}</a>"})

    answers = answers_to(index, '"high tide" lamp', **by_structure(answers="oCRE", heuristic="TPF", reading="CO"))

    assert answers.paths == ["/a[1]/s[3]", "/a[1]", "/a[1]/s[2]", "/a[1]/s[1]"]


def test_paths_with_ordinals_past_62_bits_compare_as_tuples(tmp_path):
    # eleven levels with ordinals up to 64 need 77 bits: the keys go into a second column
    def nested(depth: int, word: str) -> str:
        return "<p/>" * 63 + f"<p>{nested(depth - 1, word) if depth else word}</p>"

    index = index_of(tmp_path, {"d": f"<a>{nested(10, 'sea <q>sea</q> <q>sea</q>')}</a>"})

    deepest = "/a[1]" + "/p[64]" * 11
    for heuristic, expected in {"PMB": ["/q[1]", "/q[2]"], "PME": ["/q[2]", "/q[1]"]}.items():
        answers = answers_to(index, "sea", **by_structure(answers="matching", heuristic=heuristic, reading="CO"))
        assert answers.paths == [*(deepest + step for step in expected), deepest]
