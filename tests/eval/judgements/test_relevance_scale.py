from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings

from engine.errors import MeasureError
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import TOO_SMALL
from eval.judgements.quantisation import quantisation, quantised
from eval.judgements.relevance_scale import MAPPINGS, SCALE, scale_of_grades, scale_of_shares
from tests.reference.random_topics import topics
from tests.reference.xcg import above
from tests.trust.soak import effort


def highlighted(*elements):
    builder = JudgementsBuilder("203", "2005", "figure 4.5")
    builder.document("co/2000/r7108", "figure 4.5")
    for path, size, rsize in elements:
        builder.element(path, 1, rsize / size, size, rsize)
    return builder.build()


def names(codes):
    return [SCALE[code] for code in codes]


def test_figure_45_of_the_thesis():
    # document co/2000/r7108 of topic 203 with the shares the figure prints, here of 100 characters
    figure = [
        ("/article[1]", 41, "PA"),
        ("/article[1]/bdy[1]", 47, "PA"),
        ("/article[1]/bdy[1]/sec[1]", 31, "BA"),
        ("/article[1]/bdy[1]/sec[1]/p[1]", 77, "EA"),
        ("/article[1]/bdy[1]/sec[1]/p[3]", 100, "EA"),
        ("/article[1]/bdy[1]/sec[2]", 100, "EA"),
        ("/article[1]/bdy[1]/sec[2]/st[1]", 100, "NA"),
        ("/article[1]/bdy[1]/sec[2]/p[2]", 100, "NA"),
        ("/article[1]/bm[1]", 28, "BA"),
        ("/article[1]/bm[1]/app[1]", 43, "PA"),
    ]

    found = scale_of_shares(highlighted(*((path, 100, share) for path, share, _ in figure)))

    assert names(found) == [grade for _, _, grade in figure]


def test_bounds_are_exact_ratios():
    shares = [(33, 100), (66, 100), (3299, 10000), (6601, 10000), (1, 3), (2, 3), (0, 5), (7, 5)]

    found = scale_of_shares(highlighted(*((f"/a[1]/p[{n}]", whole, part) for n, (part, whole) in enumerate(shares, 1))))

    # 33 % and 66 % are partial; 1/3 lies above 0.33, 2/3 above 0.66; rsize beyond size counts as all of it
    assert names(found) == ["PA", "PA", "BA", "EA", "PA", "EA", "NR", "EA"]


def test_shares_that_files_give_in_decimals():
    builder = JudgementsBuilder("1", "2005", "early")
    builder.document("d", "early")
    for n, share in enumerate((0.0, 0.32, 0.33, 0.57, 0.66, 0.67, 1.0)):
        builder.element(f"/a[1]/p[{n}]", 1, share, -1, -1)

    assert names(scale_of_shares(builder.build())) == ["NR", "BA", "PA", "PA", "PA", "EA", "EA"]


@settings(max_examples=effort(5, 1000, thorough=100), deadline=None)
@given(topics())
def test_shares_of_random_text_equal_the_definition(topic):
    assume(topic.relevant)
    sizes = {(n, p): end - start for n, places in topic.documents.places.items() for p, (start, end) in places.items()}
    shares = {place: Fraction(topic.rsize(*place), size) for place, size in sizes.items() if topic.rsize(*place)}

    def grade(place):
        if shares[place] == 1 and any(shares.get(up) == 1 for up in above(place)[-1:]):
            return "NA"
        if shares[place] > Fraction(66, 100):
            return "EA"
        return "PA" if shares[place] >= Fraction(33, 100) else "BA"

    assert names(scale_of_shares(topic.judgements())) == [grade(place) for place in shares]


def graded(*grades):
    builder = JudgementsBuilder("1", "2003", "graded.xml")
    builder.document("d", "graded.xml")
    for n, (exhaustivity, specificity) in enumerate(grades, 1):
        builder.element(f"/a[1]/p[{n}]", exhaustivity, float(specificity), -1, -1)
    return builder.build()


GRADES = [(0, 0), *product((1, 2, 3), repeat=2)]
M20 = {"EA": {(3, 3), (3, 2), (2, 3)}, "PA": {(2, 2), (2, 1), (1, 2), (1, 1)}, "BA": {(3, 1)}, "NA": {(1, 3)}}
M5 = {"EA": {(3, 3)}, "PA": M20["PA"] | {(3, 2), (2, 3)}, "BA": {(3, 1)}, "NA": {(1, 3)}}


@pytest.mark.parametrize(("mapping", "expected"), [("M5", M5), ("m20", M20)])
def test_the_two_mappings_that_the_thesis_spells_out(mapping, expected):
    found = dict(zip(GRADES, names(scale_of_grades(graded(*GRADES), mapping)), strict=True))

    assert found.pop((0, 0)) == "NR"
    assert {name: {grade for grade, value in found.items() if value == name} for name in expected} == expected


def test_broad_answers_of_the_five_mappings_of_a_scenario():
    broad = [{grade for grade, code in MAPPINGS[f"M{n}"].items() if SCALE[code] == "BA"} for n in range(6, 11)]

    # E3S2 is exact in M6 to M10
    assert broad == [{(1, 1), (2, 1), (3, 1)}, {(1, 2), (2, 2)}, {(1, 1)}, {(2, 1)}, {(3, 1)}]


def test_there_are_twenty_mappings_all_different():
    assert len({tuple(sorted(table.items())) for table in MAPPINGS.values()}) == 20


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scale_of_grades(graded((3, 3)), "M21"), "there is no mapping 'M21'; choose M1 to M20"),
        (lambda: scale_of_grades(highlighted(("/a[1]", 5, 5)), "M1"), "not graded from 0 to 3, which M1 maps"),
        (lambda: scale_of_shares(graded((3, 3))), r"graded\.xml: judgements of 2003 highlight no text"),
    ],
)
def test_judgements_of_the_other_kind_are_refused(call, message):
    with pytest.raises(MeasureError, match=message):
        call()


GOLDEN = json.loads((Path(__file__).parents[2] / "golden/quantisation.json").read_text())
NAMES_2003 = {"strict4": "strict", "gen4": "gen"}
NAMES_2005 = {"strict5": "strict", "gen5": "gen"}


@pytest.mark.parametrize("golden", GOLDEN["inex2003_2004"])
def test_graded_values_are_the_golden_ones(golden):
    values = GOLDEN["inex2003_2004"][golden]
    exhaustivity = np.array([int(key[1]) for key in values], dtype=np.int8)
    specificity = np.array([int(key[3]) for key in values], dtype=np.float64)

    found = quantisation(NAMES_2003.get(golden, golden), "2003")(exhaustivity, specificity)

    assert found.tolist() == pytest.approx(list(values.values()), abs=1e-15)


@pytest.mark.parametrize("golden", GOLDEN["inex2005"])
def test_highlighted_values_are_the_golden_ones(golden):
    values = GOLDEN["inex2005"][golden]
    codes = [TOO_SMALL if key[1] == "?" else int(key[1]) for key in values]
    specificity = np.array([float(key.split("s=")[1]) for key in values])

    found = quantisation(NAMES_2005.get(golden, golden).upper(), "2005")(np.array(codes, dtype=np.int8), specificity)

    assert found.tolist() == pytest.approx(list(values.values()), abs=1e-15)


def test_rsize_beyond_size_never_gives_more_than_a_full_share():
    found = quantisation("gen", "2005")(np.array([2], dtype=np.int8), np.array([409 / 408]))

    assert found.tolist() == [2.0]


def test_an_unknown_name_lists_those_of_the_scale():
    with pytest.raises(MeasureError, match=r"'sog' for judgements of 2005; choose one of: strict, gen, genlifted"):
        quantisation("sog", "2005")


@pytest.mark.parametrize(
    ("name", "values"),
    [("strict", [0, 1]), ("gen", [0.25, 1]), ("genlifted", [0.25, 1]), ("fullyspec", [0, 1]), ("binexh", [0.25, 1])],
)
def test_where_exhaustivity_is_not_judged_specificity_decides(tmp_path, name, values):
    file = tmp_path / "a.xml"
    file.write_text(
        '<assessments topic="1"><file name="d"><element path="/a[1]" size="4" rsize="1"/>'
        '<element path="/a[1]/p[1]" size="1" rsize="1"/></file></assessments>'
    )

    assert quantised(read_assessments(file).topics["1"], name).tolist() == values
