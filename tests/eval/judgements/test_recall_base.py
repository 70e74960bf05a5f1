from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.recall_base import best_entry_points, general, ideal, specific, topic_class, with_recall_base
from eval.measures.hixeval import hixeval
from eval.measures.inex_eval import inex_eval
from eval.text.offsets import with_passage_offsets
from tests.reference import xcg as reference
from tests.reference.random_topics import topics
from tests.reference.xcg import above
from tests.trust.soak import effort

FIGURE_37 = [
    *("/article[1]", "/article[1]/bdy[1]", "/article[1]/bdy[1]/sec[2]", "/article[1]/bdy[1]/sec[2]/ip1[1]"),
    *("/article[1]/bdy[1]/sec[2]/ss1[1]", "/article[1]/bdy[1]/sec[2]/ss1[2]"),
    *("/article[1]/bdy[1]/sec[3]", "/article[1]/bdy[1]/sec[3]/ss1[1]"),
]


def graded(documents):
    """Return judgements from paths by document, each highly relevant, or (path, E, S)."""
    builder = JudgementsBuilder("99", "2003", "test")
    for name, elements in documents.items():
        builder.document(name, name)
        for element in elements:
            path, exhaustivity, specificity = (element, 3, 3) if isinstance(element, str) else element
            builder.element(path, exhaustivity, float(specificity), -1, -1)
    return builder.build()


def paths(judgements, chosen):
    return [judgements.elements.paths[row] for row in np.flatnonzero(chosen).tolist()]


def test_figure_37_of_the_thesis():
    judgements = graded({"ic/1999/w4095": [*FIGURE_37, ("/article[1]/bm[1]", 2, 3)]})

    assert paths(judgements, general(judgements)) == ["/article[1]"]
    assert paths(judgements, specific(judgements)) == [*FIGURE_37[3:6], FIGURE_37[7]]


def test_an_element_alone_is_both_general_and_specific():
    judgements = graded({"d": [("/a[1]", 3, 2), "/a[1]/s[1]", ("/a[1]/s[1]/p[1]", 1, 3)], "e": ["/a[1]"]})

    assert paths(judgements, general(judgements)) == ["/a[1]/s[1]", "/a[1]"]
    assert general(judgements).tolist() == specific(judgements).tolist()


def test_steps_are_compared_not_letters():
    judgements = graded({"d": ["/a[1]/s[1]", "/a[1]/s[11]", "/a[1]/s[1]/p[1]"]})

    assert paths(judgements, general(judgements)) == ["/a[1]/s[1]", "/a[1]/s[11]"]


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ({"d": ["/a[1]", "/a[1]/s[1]"], "e": ["/a[1]"], "f": ["/a[1]/s[1]"]}, "broad"),
        ({"d": ["/a[1]"], "e": ["/a[1]/s[1]", "/a[1]/s[2]"]}, "narrow"),
        ({"d": ["/a[1]"], "e": ["/a[1]/s[1]"]}, None),
        ({"d": [("/a[1]", 2, 3)]}, None),
    ],
)
def test_broad_topics_have_more_general_documents_than_other_general_elements(documents, expected):
    assert topic_class(graded(documents)) == expected


@st.composite
def valued_topics(draw):
    topic = draw(topics())
    judgements = topic.judgements()
    fractions = [draw(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)])) for _ in judgements.elements.paths]
    rows = judgements.elements.document_rows.tolist()
    places = [(judgements.documents[row], path) for row, path in zip(rows, judgements.elements.paths, strict=True)]
    return topic, judgements, dict(zip(places, fractions, strict=True))


@settings(max_examples=effort(6, 1500, thorough=150), deadline=None)
@given(valued_topics(), st.sampled_from(["higher", "deeper"]))
def test_the_ideal_recall_base_equals_that_of_paths_one_by_one(valued, tie):
    _, judgements, values = valued

    found = ideal(judgements, np.array([float(value) for value in values.values()], dtype=np.float64), tie)

    assert {place for place, chosen in zip(values, found, strict=True) if chosen} == reference.ideal(values, tie)


@settings(max_examples=effort(6, 1500, thorough=150), deadline=None)
@given(valued_topics())
def test_best_entry_points_equal_filtering_a_ranked_list(valued):
    topic, judgements, values = valued
    expected = set()
    for name, places in topic.documents.places.items():
        total = len([c for c in topic.relevant if c[0] == name])
        scores = {}
        for path in (path for document, path in values if document == name):
            size, rsize = places[path][1] - places[path][0], topic.rsize(name, path)
            precision, recall = Fraction(rsize, size), Fraction(rsize, total)
            scores[name, path] = 2 * precision * recall / (precision + recall)
        left = sorted(scores, key=lambda place: (-scores[place], place[1].count("/")))
        while left:
            best = left.pop(0)
            expected.add(best)
            left = [place for place in left if best not in above(place) and place not in above(best)]

    found = best_entry_points(judgements)

    assert {place for place, chosen in zip(values, found, strict=True) if chosen} == expected


def test_measures_on_a_part_of_the_recall_base():
    judgements = graded({"d": ["/a[1]", "/a[1]/s[1]", "/a[1]/s[2]"]})
    ranking = Ranking.ranked("99", ["d", "d"], ["/a[1]/s[1]", "/a[1]/s[2]"])

    assert with_recall_base(judgements, "full") is judgements
    assert inex_eval(ranking, with_recall_base(judgements, "specific"))["AP"] == 1.0
    assert inex_eval(ranking, with_recall_base(judgements, "general"))["AP"] == 0.0


def test_highlighted_text_of_a_part_is_that_of_its_elements():
    builder = JudgementsBuilder("1", "2005", "test")
    builder.document("d", "d", length=100, highlighted=50, entry_point=0)
    builder.passage(0, 50)
    for path, size, rsize in (("/a[1]", 100, 50), ("/a[1]/s[1]", 60, 45), ("/a[1]/s[2]", 40, 5)):
        builder.element(path, 1, rsize / size, size, rsize)
    judgements = with_recall_base(builder.build(), "bep")
    ranking = Ranking.ranked("1", ["d"], ["/a[1]/s[1]"])

    # F: a[1] 2*50/150 = .67, s[1] 2*45/110 = .82, s[2] 2*5/90 = .11: s[1], then s[2], which do not overlap
    assert list(judgements.elements.paths) == ["/a[1]/s[1]", "/a[1]/s[2]"]
    assert hixeval(ranking, judgements, at=(1,))["R@1"] == 45 / 50
    with pytest.raises(MeasureError, match="judged elements but no passages"):
        with_passage_offsets(judgements, None)
