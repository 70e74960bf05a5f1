"""What an evaluation tolerates, skips or leaves out of means: each reported once, on the standard error."""

from __future__ import annotations

import pytest

from tests.foxir.commands.command import TOPICS, foxir
from tests.foxir.commands.evaluation_files import GOOD, GRADED, QRELS, text_run, xml_run

LENIENT = (
    "1 Q0 a 0 7.0 mine X X\n1 Q0 b 3 8.0 mine 0 20\n1 Q0 z 2 6.0 mine 0 20\n1 Q0 z 5 6.0 mine 0 20\n"
    "9 Q0 a 1 9.0 theirs 0 10\n"
)
NOTICES = [
    "2 run ids in one file; the first, 'mine', is used",
    "ranks started at 0 in 1 topic",
    "ranks had gaps (renumbered) in 1 topic",
    "results were not in the order of their ranks (sorted) in 1 topic",
    "rsv rising with the rank (sorted by rank) in 1 topic",
    "duplicate results (kept) in 1 topic",
    "results with offset X, without location in their document: 1",
    "results without a place in their document (they keep their rank): 1",
    "topics not judged, skipped: 1 (9)",
    "judged topics without results: 1 (2): they count as 0; --topics 1 leaves them out",
    "2 of 4 results lie in documents not judged (not relevant)",
]


DOUBTS = [notice for notice in NOTICES if notice.startswith(("results without a place", "topics not judged"))]


@pytest.mark.parametrize("families", ["thorough", "thorough,trec,focused"])
def test_each_tolerated_flaw_is_reported_once_and_stdout_stays_clean(families, qrels, tmp_path):
    run = text_run(tmp_path, LENIENT)
    call = ["eval", qrels, run, "--measures", families, "--json"]
    call += ["--measure-option", "overlapping=union"] if "focused" in families else []

    scored, quiet = foxir(*call), foxir(*call, "-q")

    assert scored.status == quiet.status == 1  # a topic was skipped
    assert sorted(scored.err.splitlines()) == sorted(f"mine: {notice}" for notice in NOTICES)
    assert scored.json == quiet.json
    assert sorted(quiet.err.splitlines()) == sorted(f"mine: {notice}" for notice in DOUBTS)


@pytest.mark.parametrize(
    ("command", "options", "doubts"),
    [
        (
            "compare",
            ["--measure", "AiP"],
            "1 of 1 comparisons is over fewer than 5 topics (fewest: 2): p-values of so few say little\n",
        ),
        ("runs correlate", ["--measures", "AiP,art_f1", "--resamples", "9"], ""),
    ],
)
def test_comparisons_tell_what_they_leave_out_as_well(command, options, doubts, qrels, tmp_path):
    good = text_run(tmp_path, GOOD, "good.fol")
    more = text_run(tmp_path, GOOD.replace("mine", "more") + "9 Q0 a 1 9.0 more 0 10\n", "more.fol")

    compared = foxir(*command.split(), qrels, good, more, *options, "--json")

    assert compared.status == 1
    assert compared.err == "more: topics not judged, skipped: 1 (9)\n" + doubts
    assert compared.json
    assert foxir(*command.split(), qrels, good, good, *options, "--json").status == 0


def test_a_file_without_judgements_in_a_folder_of_judgements_is_reported(tmp_path):
    folder = tmp_path / "judged"
    folder.mkdir()
    (folder / "1.xml").write_text(GRADED)
    (folder / "topics.xml").write_text("<inex_topic topic_id='1'/>")
    run = xml_run(tmp_path, "<result><file>a</file><path>/a[1]</path><rank>1</rank></result>")

    scored = foxir("eval", folder, run, "--measures", "inex_eval", "--json")

    assert scored.status == 1
    assert scored.err.splitlines() == [
        f"{folder}/topics.xml: skipped, its root is <inex_topic>, not <assessments>",
        "mine: rsv missing, derived from the rank in 1 topic",
    ]
    assert scored.json["runs"][0]["value"] == 1.0


def test_topics_that_were_not_selected_are_not_reported(qrels, tmp_path):
    run = text_run(tmp_path, GOOD)

    scored = foxir("eval", qrels, run, "--measures", "focused", "--topics", "2", "--json")

    assert (scored.status, scored.err) == (0, "")
    assert all(list(row["topics"]) == ["2"] for row in scored.json["runs"])


def test_a_topic_without_relevance_is_outside_the_mean_and_reported(qrels, tmp_path):
    qrels.write_text(QRELS + "3 Q0 a 0 100\n")
    run = text_run(tmp_path, GOOD + "3 Q0 a 1 9.0 mine 0 10\n")

    scored = foxir("eval", qrels, run, "--measures", "focused", "--json")

    assert scored.err == "focused: topics without relevance, outside the mean: 1 (3)\n"
    for row in scored.json["runs"]:
        assert row["topics"]["3"] is None
        assert row["value"] == pytest.approx((row["topics"]["1"] + row["topics"]["2"]) / 2)


@pytest.mark.long
def test_default_measures_are_those_that_all_runs_can_have(sample, tmp_path):
    for name, options in (("elements.xml", ()), ("passages.fol", ("--passages",))):
        assert foxir("run", sample, TOPICS / "co", "--topics", "1-3", "--out", tmp_path / name, *options).status == 0
    runs = tmp_path / "elements.xml", tmp_path / "passages.fol"
    call = ("eval", TOPICS / "qrels.txt", *runs, "--index", sample, "--topics", "1-3")

    scored = foxir(*call)
    assert scored.status == 0
    assert {row["family"] for row in foxir(*call, "--json").json["runs"]} == {"hixeval"}
    assert f"inex_eval is left out: {runs[1]}:1: " in scored.err

    asked = foxir(*call, "--measures", "hixeval,inex_eval")
    assert asked.status == 1
    assert "passages: not computed: " in asked.err
