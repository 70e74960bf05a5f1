"""Every number that INEX's official evaluator 3.1 prints, on a made-up case and on the judgements of 2009-2010."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

from engine.errors import MeasureError
from engine.runs import read_run
from eval import read_assessments
from tests.eval.score_in_one_call import score

GOLDEN = Path(__file__).parents[2] / "golden"
OFFICIAL = GOLDEN / "inex_eval_3.1"
SUMMED = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")

CASES = [
    ("small/out.focused.txt", "focused", {"legacy_float": True}),
    ("small/out.ric.beta0.25.txt", "ric", {"beta": 0.25, "legacy_float": True}),
    ("small/out.ric.beta1.txt", "ric", {"beta": 1.0, "legacy_float": True}),
    ("small/out.bic.n500.txt", "bic", {"n": 500}),
    ("inex2009/out.focused.txt.gz", "focused", {"legacy_float": True}),
    ("inex2009/out.ric.txt.gz", "ric", {"legacy_float": True}),
]


def printed(file):
    """Return value by (measure, topic) as the evaluator printed them; ``all`` for means over all topics."""
    content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    rows = [line.split() for line in content.decode().splitlines() if not line.startswith(("<eval", "</eval"))]
    names = {"MAiP": "AiP", "MAgP": "AgP"}
    return {(names.get(n, n).replace("ircl_prn.", "ircl_prn "), topic): float(value) for n, topic, value in rows}


def one(name, topic):
    """Return our name of a measure of the evaluator."""
    return f"iP[{name.split()[1]}]" if name.startswith("ircl_prn") else name


@pytest.mark.parametrize(
    ("output", "family", "options", "missing"),
    [
        (output, family, options, missing)
        for output, family, options in CASES
        for missing, ending in (("skip", ".txt"), ("zero", ".complete.txt"))
        if (OFFICIAL / output.replace(".txt", ending)).exists()
    ],
)
def test_every_number_that_is_printed(output, family, options, missing):
    folder, name = (OFFICIAL / output).parent, Path(output).name
    packed = ".gz" if name.endswith(".gz") else ""
    file = folder / (name.replace(".txt", ".complete.txt") if missing == "zero" else name)
    files = folder / f"qrels.fol{packed}", [folder / f"run.{family}{packed}"], [family], options
    table = score(*files, missing=missing)
    # in context, the evaluator adds up the counts of topics that it leaves out of the means
    counted = table if family == "focused" or missing == "zero" else score(*files)
    rows = {row.measure: row for row in table.rows}
    sums = {row.measure: math.fsum(v for v in row.topics.values() if v is not None) for row in counted.rows}

    compared = 0
    for (measure, topic), value in printed(file).items():
        if family == "bic" and measure in ("ret_size", "rel_size", "rel_ret_size"):
            continue  # entry points are not text: the evaluator prints 0 characters
        if measure == "num_q":
            found = len(rows["AgP" if family != "focused" else "AiP"].topics)
        elif topic == "all":
            found = sums[measure] if measure in SUMMED else rows[one(measure, topic)].value
        else:
            found = rows[measure].topics[topic]
        assert found == pytest.approx(value, abs=1e-9), (measure, topic)
        compared += 1
    assert compared > 70


@pytest.mark.parametrize(
    ("run", "family", "message"),
    [
        ("nested", "focused", r"run\.\w+:2: topic \'1001\': the result overlaps that of line 1 in document '10'"),
        ("nested2", "focused", r"run\.\w+:2: topic \'1001\': the result overlaps that of line 1 in document '10'"),
        ("nested", "ric", r"run\.\w+:2: topic \'1001\': the result overlaps that of line 1"),
        ("interleaved", "ric", r"run\.\w+:3: topic \'1001\': document '10' appears again after others"),
        ("focused", "bic", r"run\.\w+:3: topic \'1001\': document '10' has a second result"),
        ("7cols", "focused", r"run\.\w+:1: topic \'1001\': the result is an entry point without a length"),
    ],
)
def test_what_the_evaluator_refuses_is_refused(run, family, message):
    small = OFFICIAL / "small"

    with pytest.raises(MeasureError, match=message):
        score(small / "qrels.fol", [small / f"run.{run}"], [family])


def small(family, run, **options):
    judged = read_assessments(OFFICIAL / "small/qrels.fol")
    if not isinstance(run, str):
        return score(judged, [run], [family], options)
    return score(judged, [read_run(OFFICIAL / f"small/run.{run}")], [family], options)


def exact():
    return json.loads((GOLDEN / "focused_2007.json").read_text())["expected"]


def with_18_characters(tmp_path):
    """Return the focused run with its result placed nowhere placed on 18 characters that are not relevant."""
    file = tmp_path / "run"
    file.write_text((OFFICIAL / "small/run.focused").read_text().replace("X X", "350 18"))
    return read_run(file)


def test_exact_recall_points(tmp_path):
    expected = exact()["focused"]
    table = small("focused", with_18_characters(tmp_path))

    for topic, values in expected["topics"].items():
        for point, value in enumerate(values["iP101"]):
            row = table.select(measure=f"iP[{point / 100:.2f}]").rows[0]
            assert row.topics[topic] == pytest.approx(value, abs=1e-9)
        assert table.select(measure="AiP").rows[0].topics[topic] == pytest.approx(values["AiP"], abs=1e-9)
    assert table.value("AiP") == pytest.approx(expected["MAiP_over_all_qrels_topics"], abs=1e-9)


def test_floating_recall_points_differ_where_the_evaluator_differs():
    expected = exact()["focused"]["topics"]
    legacy = small("focused", "focused", legacy_float=True)
    plain = small("focused", "focused")

    for topic, values in expected.items():
        found = legacy.select(measure="AiP").rows[0].topics[topic]
        assert found == pytest.approx(values["AiP_java_floating_floor"], abs=1e-9)
    # 57 of 100 characters: 100 * 0.57 is 56.99999999999999 in floating point
    assert plain.select(measure="iP[0.57]").rows[0].topics["1003"] == 1.0
    assert legacy.select(measure="iP[0.57]").rows[0].topics["1003"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("case", [case for case in exact() if case != "focused"])
def test_exact_curves_in_context(case):
    family, expected = case.split(".")[1], exact()[case]
    options = {"beta": expected["parameter"]} if family == "ric" else {"n": int(expected["parameter"])}
    ranks = tuple(range(1, 8))
    table = small(family, family, at=ranks, **options)

    for topic, values in expected["topics"].items():
        for rank in ranks:
            last = min(rank, len(values["gP"])) - 1
            for measure in ("gP", "gR"):
                found = table.select(measure=f"{measure}[{rank}]").rows[0].topics[topic]
                assert found == pytest.approx(values[measure][last], abs=1e-9)
        for point, value in enumerate(values["iP11"]):
            found = table.select(measure=f"iP[{point / 10:.2f}]").rows[0].topics[topic]
            assert found == pytest.approx(value, abs=1e-9)
        assert table.select(measure="AgP").rows[0].topics[topic] == pytest.approx(values["AgP"], abs=1e-9)
    assert table.value("AgP") == pytest.approx(expected["MAgP_over_all_qrels_topics"], abs=1e-9)
