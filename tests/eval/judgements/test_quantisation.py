from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.errors import MeasureError
from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import TOO_SMALL
from eval.judgements.quantisation import quantisation, quantised

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
