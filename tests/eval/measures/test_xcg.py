from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.judgements import TOO_SMALL
from eval.measures.xcg import GainVectors, gains, recall_base, xcg, xcg_group
from tests.reference import xcg as reference
from tests.reference.flat_documents import FlatDocuments
from tests.reference.random_topics import doubled, topics
from tests.trust.soak import effort

GOLDEN = Path(__file__).parents[2] / "golden"
XCG = json.loads(gzip.decompress((GOLDEN / "xcg.json.gz").read_bytes()))
FIGURE = json.loads((GOLDEN / "xcg_figure22_ties.json").read_text())
DOCUMENTS, RUNS = XCG["collection"]["documents"], XCG["collection"]["runs"]
SETTINGS = [("off", "higher", 1.0), *[("on", tie, alpha) for tie in ("higher", "deeper") for alpha in (1.0, 0.5, 0.0)]]


def close(value):
    return pytest.approx(value, abs=1e-9)


def check(vectors, expected):
    """Compare every measure over two vectors with golden values."""
    ranks = [int(rank) for rank in expected["nxCG"]]
    nxcg = vectors.nxcg(max(ranks))
    points = expected["epgr"]
    assert [nxcg[rank - 1] for rank in ranks] == close(list(expected["nxCG"].values()))
    for rank, value in expected.get("MAnxCG", {}).items():
        assert nxcg[: int(rank)].mean() == close(value)
    assert vectors.natural.tolist() == [point["rank"] for point in points["natural"]]
    assert vectors.effort_precision.tolist() == close([point["ep"] for point in points["natural"]])
    assert vectors.maep() == close(points["MAep_hits_plus_missing"])
    for how, letter in (("ranks", "a"), ("ep", "b")):
        assert vectors.interpolated_ep(how).tolist() == close(points[f"iep_{letter}"])
        assert vectors.imaep(how) == close(points[f"iMAep_{letter}"])
    assert (vectors.q(), vectors.r()) == close((expected["QR"]["Q"], expected["QR"]["R"]))


@pytest.mark.parametrize("case", XCG["plain_vectors"])
def test_golden_vectors(case):
    expected = XCG["plain_vectors"][case]
    given_gains, ideal = (np.array([float(Fraction(v)) for v in expected[letter]]) for letter in "GI")

    check(GainVectors(given_gains, ideal, len(ideal) - expected["ideal_elements_retrieved"]), expected)


def golden_judgements():
    builder = JudgementsBuilder("1", "2005", "golden")
    for name, document in DOCUMENTS.items():
        builder.document(name, name)
        for path, element in document["elements"].items():
            if element["rsize"]:
                grade = TOO_SMALL if element["E"] == "?" else element["E"]
                builder.element(path, grade, element["rsize"] / element["size"], element["size"], element["rsize"])
    return builder.build()


def ranked(results):
    return Ranking.ranked("1", [name for name, _ in results], [path for _, path in results])


@pytest.mark.parametrize(("overlap", "tie", "alpha"), SETTINGS)
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("quant", ["strict", "gen", "genLifted"])
def test_golden_runs(quant, run, overlap, tie, alpha):
    judgements = golden_judgements()
    key = "off" if overlap == "off" else f"on,tie={tie},alpha={alpha}"
    expected = XCG["collection_runs"][quant][run][key]
    base = recall_base(judgements, quant, overlap, tie)
    found = gains(ranked(RUNS[run]), judgements, None, base, overlap, alpha)
    missing = int((base.ideals & ~found.returned).sum())
    credited = found.gains.tolist()

    if overlap == "off" and run == "duplicate":  # there the second of two equal results stays
        credited.insert(1, credited[0])
    else:
        scores = xcg(ranked(RUNS[run]), judgements, quant=quant, overlap=overlap, tie=tie, alpha=alpha, at=(1, 10))
        assert scores["MAep"] == close(expected["epgr"]["MAep_hits_plus_missing"])
        assert scores["MAnxCG@10"] == close(expected["MAnxCG"]["10"])
    assert credited == close(expected["G"])
    check(GainVectors(np.array(credited), base.vector, missing), expected)


@pytest.mark.parametrize("tie", ["higher", "deeper"])
@pytest.mark.parametrize("quant", ["strict", "gen", "genLifted"])
def test_golden_ideal_recall_base(quant, tie):
    judgements = golden_judgements()
    expected = XCG["collection_runs"][quant][f"ideal_{tie}"]
    base = recall_base(judgements, quant, "on", tie)
    elements = judgements.elements
    places = [
        [judgements.documents[elements.document_rows[row]], elements.paths[row]] for row in np.flatnonzero(base.ideals)
    ]

    assert sorted(places) == sorted(expected["elements"])
    assert base.vector.tolist() == close(sorted(expected["I"], reverse=True))


# Grades whose generalised value is the fraction.
QUANT = {Fraction(3, 4): (3, 2), Fraction(1, 2): (2, 2), Fraction(1, 4): (1, 1), Fraction(1): (3, 3)}


def graded(values, lengths):
    builder = JudgementsBuilder("1", "2003", "figure 2.2")
    builder.document("d", "figure 2.2")
    for path, value in values.items():
        grades = QUANT[Fraction(value)]
        builder.element(path, grades[0], float(grades[1]), lengths.get(path, -1), -1)
    return builder.build()


def ideal_paths(judgements, tie):
    base = recall_base(judgements, "gen", "on", tie)
    return [judgements.elements.paths[row] for row in np.flatnonzero(base.ideals).tolist()]


@pytest.mark.parametrize("tie", ["higher", "deeper"])
def test_ties_in_figure_22_of_the_thesis(tie):
    expected = FIGURE["expected"][tie]
    judgements = graded(FIGURE["values"], FIGURE["lengths"])
    assert ideal_paths(judgements, tie) == expected["ideal"]

    for key, values in expected["runs"].items():
        run, alpha = key.split(",alpha=")
        results = [("d", path) for path in FIGURE["runs"][run]]
        base = recall_base(judgements, "gen", "on", tie)
        found = gains(ranked(results), judgements, None, base, "on", float(alpha))
        assert found.gains.tolist() == close(values["G"])
        check(GainVectors(found.gains, base.vector, int((base.ideals & ~found.returned).sum())), values)


@pytest.mark.parametrize("tie", ["higher", "deeper"])
def test_of_two_overlapping_ideals_the_shorter_path_stays(tie):
    assert ideal_paths(graded(XCG["crossing"]["values"], {}), tie) == XCG["crossing"]["ideal"][tie]
    figure = XCG["figure22"]
    assert ideal_paths(graded(figure["values"], {}), tie) == figure["ideal_article_3_3"][tie]


@st.composite
def judged_topics(draw):
    """A random topic with random exhaustivity, and the value of each element as a fraction."""
    topic = draw(topics())
    assume(topic.relevant)
    quant = draw(st.sampled_from(["gen", "genLifted", "strict", "binexh"]))
    builder = JudgementsBuilder("1", "2005", "random")
    values, sizes = {}, {}
    for name, places in topic.documents.places.items():
        builder.document(name, name, length=len(topic.documents.texts[name]))
        for path, (start, end) in places.items():
            sizes[name, path] = end - start
            rsize = topic.rsize(name, path)
            if rsize:
                grade = draw(st.sampled_from([1, 2, TOO_SMALL]))
                share = Fraction(rsize, end - start)
                builder.element(path, grade, float(share), end - start, rsize)
                values[name, path] = {
                    "gen": max(grade, 0) * share,
                    "genLifted": (grade + 1 if grade > 0 else 1) * share,
                    "strict": Fraction(grade == 2 and share == 1),
                    "binexh": share,
                }[quant]
    assume(any(values.values()))
    return topic, builder.build(), quant, values, sizes


def vectors_of(judged, overlap, tie, alpha):
    topic, _, _, values, sizes = judged
    results = topic.results
    if overlap == "off":
        results = list(dict.fromkeys(results))
        ideals = {place for place, value in values.items() if value > 0}
        found = [values.get(place, Fraction(0)) for place in results]
    else:
        ideals = reference.ideal(values, tie)
        found = reference.gains(results, values, sizes, ideals, alpha)
    return reference.Vectors(found, [values[place] for place in ideals], len(ideals - set(results)))


@settings(max_examples=effort(8, 2000, thorough=200), deadline=None)
@given(judged_topics(), st.sampled_from(SETTINGS), st.sampled_from(["ranks", "ep"]))
def test_every_measure_equals_the_equations_in_fractions(judged, setting, interpolate):
    topic, judgements, quant, _, _ = judged
    overlap, tie, alpha = setting
    truth = vectors_of(judged, overlap, tie, Fraction(alpha))

    scores = xcg(
        topic.ranking(),
        judgements,
        quant=quant,
        overlap=overlap,
        tie=tie,
        alpha=alpha,
        interpolate=interpolate,
        at=(1, 3, 12, 10**12),
    )

    for rank in (1, 3, 12):
        assert scores[f"nxCG@{rank}"] == close(float(truth.nxcg(rank)))
    for last in (3, 12):
        mean = sum(truth.nxcg(rank) for rank in range(1, last + 1)) / last
        assert scores[f"MAnxCG@{last}"] == close(float(mean))
    constant = float(truth.nxcg(1000))
    assert (scores[f"nxCG@{10**12}"], scores[f"MAnxCG@{10**12}"]) == close((constant, constant))
    assert scores["MAep"] == close(float(truth.maep()))
    assert scores["iMAep"] == close(float(truth.imaep(interpolate)))
    assert (scores["Q"], scores["R"]) == close((float(truth.q()), float(truth.r())))


def ideal_ranking(base, judgements):
    rows = sorted(np.flatnonzero(base.ideals).tolist(), key=lambda row: -base.values[row])
    elements = judgements.elements
    return ranked([(judgements.documents[elements.document_rows[row]], elements.paths[row]) for row in rows])


@settings(max_examples=effort(5, 1000, thorough=100), deadline=None)
@given(judged_topics(), st.sampled_from(SETTINGS))
def test_the_ideal_ranking_scores_one(judged, setting):
    _, judgements, quant, _, _ = judged
    overlap, tie, alpha = setting
    base = recall_base(judgements, quant, overlap, tie)

    scores = xcg(ideal_ranking(base, judgements), judgements, quant=quant, overlap=overlap, tie=tie, alpha=alpha)

    assert list(scores.values()) == close([1.0] * len(scores))
    group = xcg_group(ideal_ranking(base, judgements), judgements, quant=quant, overlap=overlap, tie=tie, alpha=alpha)
    assert (group["MAep(element)"], group["iMAep(element)"]) == close((1.0, 1.0))


@settings(max_examples=effort(5, 1000, thorough=100), deadline=None)
@given(judged_topics(), st.data(), st.sampled_from([("off", 1.0), ("on", 1.0)]))
def test_a_duplicate_never_raises_credited_gain_or_nxcg(judged, data, setting):
    topic, judgements, quant, _, _ = judged
    twice = doubled(topic, data)
    options = {"quant": quant, "overlap": setting[0], "alpha": setting[1], "at": tuple(range(1, 11))}

    before, after = (xcg(ranked(results), judgements, **options) for results in (topic.results, twice))

    assert all(after[f"nxCG@{rank}"] <= before[f"nxCG@{rank}"] + 1e-12 for rank in range(1, 11))


def test_what_is_left_of_an_element_may_be_worth_more_than_the_element():
    # gen: a[1] 0.25 of 100 characters, p[2] 0.75 of 40. After p[1], a[1] is worth what is inside: .75 * 40 / 100 = .3
    judgements = graded({"/a[1]": 0.25, "/a[1]/p[2]": 0.75}, {"/a[1]": 100, "/a[1]/p[2]": 40})
    results = ranked([("d", "/a[1]/p[1]"), ("d", "/a[1]")])

    assert xcg(results, judgements, quant="gen", alpha=1.0, at=(2,))["nxCG@2"] == close(0.3 / 0.75)
    assert xcg(results, judgements, quant="gen", alpha=0.0, at=(2,))["nxCG@2"] == close(0.25 / 0.75)


def two_articles():
    builder = JudgementsBuilder("1", "2005", "test")
    builder.document("a", "a")
    builder.element("/a[1]", 2, 0.5, 100, 50)  # gen 1
    builder.element("/a[1]/p[1]", 2, 1.0, 50, 50)  # gen 2
    builder.document("b", "b")
    builder.element("/b[1]", 1, 0.25, 40, 10)  # gen 0.25
    builder.document("c", "c")
    return builder.build()


def test_results_grouped_by_article():
    results = [("c", "/c[1]"), ("a", "/a[1]"), ("a", "/a[1]/p[1]")]
    scores = xcg_group(ranked(results), two_articles(), quant="gen", overlap="off")

    # articles: ideal 1, .25; run 0, 1: ep at rank 2 = 1/2; b missing: MAep = (1/2) / 2
    assert scores["MAep(article)"] == close(0.25)
    # a: ideal 2, 1; run 1, 2: ep = (1/2) / 1 at rank 1, 2 / 2 at rank 2: 3/4. b is not returned: 0
    assert scores["MAep(element)"] == close(0.375)


def test_articles_without_value_have_no_article_level():
    scores = xcg_group(ranked([("a", "/a[1]/p[1]")]), two_articles(), quant="strict")

    assert scores["MAep(element)"] == 1.0
    assert scores["MAep(article)"] is None


def test_a_whole_document_is_its_root_element():
    whole = xcg(Ranking.ranked("1", ["a"]), two_articles(), quant="gen")

    assert whole == xcg(ranked([("a", "/a[1]")]), two_articles(), quant="gen")


def test_sizes_that_judgements_lack_come_from_the_index():
    documents = FlatDocuments({"d": "<a><p>12345</p><p>1</p>xxxx</a>"})
    judgements = graded({"/a[1]": 0.25, "/a[1]/p[1]": 0.75, "/a[1]/p[2]": 0.5}, {})
    results = ranked([("d", "/a[1]/p[1]"), ("d", "/a[1]")])

    with pytest.raises(MeasureError, match="judged elements have no sizes, overlap=on weighs by them: needs index="):
        xcg(results, judgements, quant="gen")
    # ideal: p[1], p[2]; a[1] after p[1]: .5 * 1 / 10 = .05 of new text; all there is 1.25
    scores = xcg(results, judgements, documents, quant="gen", at=(2,))
    assert scores["nxCG@2"] == close((0.75 + 0.05) / 1.25)
    assert xcg(results, judgements, quant="gen", alpha=0.0, at=(2,))["nxCG@2"] == close((0.75 + 0.25) / 1.25)


def test_nothing_relevant_has_no_value_and_nothing_returned_scores_zero():
    empty = Ranking.ranked("1", [])

    assert set(xcg(empty, graded({"/a[1]": 0.5}, {}), quant="strict").values()) == {None}
    assert set(xcg_group(empty, graded({"/a[1]": 0.5}, {}), quant="strict").values()) == {None}
    assert set(xcg(empty, two_articles(), quant="gen").values()) == {0.0}
    assert set(xcg_group(empty, two_articles(), quant="gen").values()) == {0.0}


def test_results_by_offset_are_an_error():
    with pytest.raises(MeasureError, match="is a passage of text; xcg scores whole elements"):
        xcg(Ranking.ranked("1", ["a"], starts=[0], lengths=[5]), two_articles(), quant="gen")
