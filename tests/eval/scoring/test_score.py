from __future__ import annotations

import csv
import json
import pickle
from dataclasses import replace

import pytest

from engine.errors import MeasureError
from engine.notices import Notice, about
from engine.runs import Ranking, Run
from eval import ScoreTable, read_assessments
from eval.scoring.request import ScoringRequest
from eval.scoring.score import label_runs
from eval.scoring.score_table import csv_cell
from tests.eval.score_in_one_call import score
from tests.notice_codes import codes
from tests.reference.flat_documents import FlatDocuments

FOL = """7 Q0 a 4 20 2 2:4
7 Q0 b 0 30
8 Q0 a 5 20 0 0:5
9 Q0 b 0 30
"""
XML = """<assessments topic="1"><file name="a">
 <element path="/a[1]" exhaustivity="1" size="20" rsize="10"/>
 <element path="/a[1]/p[1]" exhaustivity="2" size="10" rsize="10"/>
</file></assessments>"""


@pytest.fixture
def fol(tmp_path):
    file = tmp_path / "qrels.fol"
    file.write_text(FOL)
    return read_assessments(file)


@pytest.fixture
def xml(tmp_path):
    file = tmp_path / "judged.xml"
    file.write_text(XML)
    return read_assessments(file)


def spans(topic, *results):
    names, starts, lengths = zip(*results, strict=True)
    return Ranking.ranked(topic, names, starts=starts, lengths=lengths)


def run(*rankings, run_id="r", source=""):
    return Run(run_id, {ranking.topic: ranking for ranking in rankings}, source=source)


def by_path(*paths, run_id="r"):
    return run(Ranking.ranked("1", ["a"] * len(paths), list(paths)), run_id=run_id)


def without_results(topics, *, count_as_0, others=""):
    fields = {"topics": topics, "count_as_0": count_as_0, "others": others}
    return about("r", Notice("topics_without_results", fields))


def test_judged_topics_without_results_count_zero_and_those_without_relevance_are_outside_the_mean(fol):
    table = score(fol, [run(spans("7", ("a", 2, 4)))], options={"at": [1]})

    row = table.select(measure="P@1").rows[0]
    assert row.topics == {"7": 1.0, "8": 0.0, "9": None}
    assert row.value == 0.5
    assert without_results(("8", "9"), count_as_0=True, others="7") in table.notices
    assert about("hixeval", Notice("topics_outside_mean", {"topics": ("9",)})) in table.notices


def test_topics_that_no_short_list_selects_are_left_out_by_what_skips_them(tmp_path):
    file = tmp_path / "qrels.fol"
    file.write_text("".join(f"{topic} Q0 a 4 20 2 2:4\n" for topic in range(100)))
    answering = run(*(spans(str(topic), ("a", 2, 4)) for topic in range(0, 100, 2)))

    others = tuple(str(topic) for topic in range(1, 100, 2))
    assert score(file, [answering]).notices == (without_results(others, count_as_0=True),)


def test_missing_skip_scores_the_topics_of_the_run(fol):
    table = score(fol, [run(spans("7", ("a", 2, 4)))], missing="skip")

    assert table.select(measure="P@1").rows[0].topics == {"7": 1.0}
    assert without_results(("8", "9"), count_as_0=False) in table.notices


def test_unjudged_topics_and_documents_are_reported_once(fol):
    table = score(
        fol, [run(spans("7", ("a", 2, 4), ("z", 0, 4)), spans("99", ("a", 0, 1)))], ["hixeval", "hixeval-group"]
    )

    not_judged = Notice("topics_not_judged", {"topics": ("99",)}, "exclusion")
    assert table.notices.count(about("r", not_judged)) == 1
    assert table.notices.count(about("r", Notice("results_not_judged", {"count": 1, "results": 2}))) == 1


def test_what_needs_an_unknown_size_has_no_value(xml):
    """The first result was not judged, so nothing says how long it is."""
    ranked = by_path("/a[1]/p[2]", "/a[1]/p[1]")
    table = score(xml, [ranked], ["hixeval"], {"precision": ["elements", "text"], "at": [1, 2]})

    values = {(row.options["precision"], row.measure): row.value for row in table.rows}
    undefined = {place for place, value in values.items() if value is None}
    assert {name for kind, name in undefined if kind == "elements"} == {"RP"}
    assert {name for kind, name in undefined if kind == "text"} == {"AP", "iAP", "P@1", "P@2", "F@1", "F@2", "RP"}
    assert json.dumps(table.to_dict(), allow_nan=False).count("null") == 2 * len(undefined)


def test_a_size_that_is_not_needed_may_be_unknown(xml):
    """RP is P@1 where the first result is as long as the relevant text."""
    table = score(xml, [by_path("/a[1]", "/a[1]/p[2]")], ["hixeval"])

    assert table.value("RP") == table.value("P@1")


def test_means_of_overlap_are_over_the_topics_that_a_run_answers(fol):
    nested = Ranking.ranked("7", ["a", "a"], ["/a[1]", "/a[1]/p[1]"])
    table = score(fol, [run(nested)], ["overlap"])

    assert table.value("O") == 100.0
    assert table.rows[0].topics == {"7": 100.0, "8": None, "9": None}
    assert without_results(("8", "9"), count_as_0=False) in table.notices
    assert "topics_without_relevance" not in codes(table.notices)


def test_results_of_unknown_size_are_reported_once_for_all_measures(xml):
    table = score(xml, [by_path("/a[1]/p[1]", "/a[1]/p[2]")], ["hixeval"], {"alpha": [0, 1]})

    assert table.notices.count(about("r", Notice("unsized_results", {"count": 1}, "doubt"))) == 1


def test_strict_says_why_elements_without_the_grade_2_have_no_value(xml, tmp_path):
    def doubts(assessments, quant):
        table = score(assessments, [by_path("/a[1]/p[1]")], ["inex_eval"], {"quant": quant})
        return [notice for notice in table.notices if notice == Notice("no_element_for_strict")]

    low = tmp_path / "low.xml"
    low.write_text(XML.replace('exhaustivity="2"', 'exhaustivity="1"'))

    assert doubts(xml, "strict") == []
    assert len(doubts(read_assessments(low), "strict")) == 1
    assert doubts(read_assessments(low), "fullyspec") == []


def test_every_combination_of_options_is_scored_in_its_own_row(xml):
    table = score(xml, [by_path("/a[1]/p[1]")], ["hixeval", "inex_eval"], {"alpha": [0, 1], "quant": ["strict", "gen"]})

    assert [row.options["alpha"] for row in table.select(family="hixeval", measure="AP").rows] == [0.0, 1.0]
    assert [row.options["quant"] for row in table.select(family="inex_eval", measure="AP").rows] == ["strict", "gen"]
    assert "at" not in table.rows[0].options


def test_only_the_selected_topics(fol):
    table = score(fol, [run(spans("7", ("a", 2, 4)))], topics=["7"])

    assert table.value("P@1") == 1.0
    with pytest.raises(MeasureError, match=r"topic '77' is not judged in .*; it judges 3 topics, the first is '7'"):
        score(fol, [run(spans("7", ("a", 2, 4)))], topics=["77"])


def test_the_order_of_runs_only_orders_the_rows(xml):
    one, two = by_path("/a[1]", run_id="one"), by_path("/a[1]/p[1]", run_id="two")

    forward, backward = score(xml, [one, two]), score(xml, [two, one])

    assert sorted(map(str, forward.rows)) == sorted(map(str, backward.rows))


@pytest.mark.parametrize(
    ("task", "family", "alpha"),
    [("CO.Thorough", "hixeval", 0), ("Focused", "hixeval", 1), ("CO.FetchBrowse", "hixeval-group", 0)],
)
def test_tasks_name_their_measures(xml, task, family, alpha):
    rows = score(xml, [by_path("/a[1]")], task=task).rows

    assert {(row.family, row.options["alpha"]) for row in rows} == {(family, alpha)}


@pytest.mark.parametrize(("task", "family"), [("RelevantInContext", "ric"), ("BestInContext", "bic")])
def test_tasks_in_context_name_their_measures(fol, task, family):
    assert {row.family for row in score(fol, [run(spans("7", ("a", 2, 4)))], task=task).rows} == {family}


def test_explicit_settings_override_the_task(xml):
    rows = score(xml, [by_path("/a[1]")], ["hixeval"], {"alpha": 0.5}, task="Focussed").rows

    assert {row.options["alpha"] for row in rows} == {0.5}
    assert score(xml, [by_path("/a[1]")], ["inex_eval"], task="Focussed").rows
    with pytest.raises(MeasureError, match="no measures for task 'Best'"):
        score(xml, [by_path("/a[1]")], task="Best")


def test_files_are_read(tmp_path, xml):
    file = tmp_path / "run.txt"
    file.write_text("1 Q0 a 1 2.0 system /a[1]/p[1]\n")

    assert score(tmp_path / "judged.xml", [file]).value("P@1", run="system") == 1.0


def test_passages_are_expanded_by_the_geometry_where_recall_is_over_elements(fol):
    documents = FlatDocuments({"a": "<a><p>0123456789</p><p>0123456789</p></a>", "b": "<a/>"})
    ranking = Ranking.ranked("7", ["a"], ["/a[1]/p[1]"])

    with pytest.raises(MeasureError, match="their elements are not known: needs index="):
        score(fol, [run(ranking)], options={"alpha": 0})
    table = score(fol, [run(ranking)], options={"alpha": 0, "at": [1]}, locator=documents, topics=["7"])
    # passage 2:4 lies in p[1]; Trel = 4 (a[1]) + 4 (p[1])
    assert table.value("R@1") == 0.5
    assert table.value("P@1") == 0.4


def test_inex_eval_takes_passages_with_a_geometry(fol):
    documents = FlatDocuments({"a": "<a><p>0123456789</p><p>0123456789</p></a>", "b": "<a/>"})

    table = score(
        fol, [run(Ranking.ranked("7", ["a", "a"], ["/a[1]", "/a[1]/p[1]"]))], ["inex_eval"], {"quant": "gen"},
        locator=documents, topics=["7"],
    )  # fmt: skip
    assert table.value("AP") == 1.0


def test_runs_with_the_same_id_are_distinguished():
    runs = [run(source="x/a.txt"), run(source="y/b.txt"), run(source="z/b.txt"), run(run_id="other")]

    assert list(label_runs(runs)) == ["r (a.txt)", "r (b.txt)", "r (b.txt) #2", "other"]


@pytest.mark.parametrize(
    ("measures", "settings", "message"),
    [
        (["hixevil"], {}, "no measure or family 'hixevil': did you mean 'hixeval'[?] the families are .*hixeval"),
        (
            ["hixeval"],
            {"alfa": 1},
            "no requested measure has an option 'alfa': did you mean 'alpha'[?] hixeval has: alpha, at",
        ),
        (["hixeval"], {"seen": "twice"}, "seen=twice: expected one of union, literal"),
        (["hixeval"], {"alpha": 2}, "alpha=2: expected a number from 0"),
        (["inex_eval"], {"quant": "sog"}, "no quantisation 'sog' for judgements of 2005"),
    ],
)
def test_unscorable_requests_are_reported(xml, measures, settings, message):
    with pytest.raises(MeasureError, match=message):
        score(xml, [by_path("/a[1]")], measures, settings)


def test_ids_that_never_meet_are_shown_from_both_sides(xml, fol):
    with pytest.raises(
        MeasureError, match=r"no judged document occurs in any run: .* judges 'a', the runs return 'x/a'"
    ):
        score(xml, [run(Ranking.ranked("1", ["x/a"], ["/a[1]"]))])
    with pytest.raises(MeasureError, match=r"the runs have no results, so nothing can be scored; .* judges 'a'"):
        score(xml, [run(Ranking.ranked("1", [], []))])
    with pytest.raises(MeasureError, match=r"no topic of the runs is judged: they have topic '2', .* has topic '1'"):
        score(xml, [run(Ranking.ranked("2", ["a"], ["/a[1]"]))])


def test_graded_judgements_say_that_they_highlight_nothing(tmp_path):
    file = tmp_path / "judged.xml"
    file.write_text('<assessments topic="1"><file file="a"><path path="/a[1]" E="3" S="3"/></file></assessments>')

    with pytest.raises(MeasureError, match="grade elements and highlight no text"):
        score(file, [by_path("/a[1]")])
    assert score(file, [by_path("/a[1]")], ["inex_eval"]).value("AP") == 1.0


def test_shares_without_sizes_need_an_index(tmp_path):
    file = tmp_path / "judged.xml"
    file.write_text(
        '<assessments topic="1"><file name="a"><element path="/a[1]" E="1" specificity="0.50"/></file></assessments>'
    )

    with pytest.raises(MeasureError, match="judged elements have no sizes: needs index="):
        score(file, [by_path("/a[1]")])
    table = score(file, [by_path("/a[1]")], locator=FlatDocuments({"a": "<a>0123456789</a>"}))
    assert table.value("P@1") == 0.5


def test_json_has_the_shape_of_the_contract(fol):
    table = score(fol, [run(spans("7", ("a", 1, 3)))], options={"at": [1]})

    document = json.loads(table.json())

    assert list(document) == ["runs"]
    assert document["runs"][0] == {
        "run": "r",
        "family": "hixeval",
        "measure": "P@1",
        "options": {"alpha": 1.0, "precision": "elements", "seen": "union"},
        "value": 0.333333333333333,
        "topics": {"7": 0.666666666666667, "8": 0.0, "9": None},
    }


def test_csv_has_a_line_a_topic_and_one_for_the_mean(fol):
    lines = score(fol, [run(spans("7", ("a", 1, 3)))], options={"at": [1]}).csv().splitlines()

    assert lines[:5] == [
        "run,family,measure,options,topic,value",
        "r,hixeval,P@1,alpha=1 precision=elements seen=union,7,0.666666666666667",
        "r,hixeval,P@1,alpha=1 precision=elements seen=union,8,0.0",
        "r,hixeval,P@1,alpha=1 precision=elements seen=union,9,",
        "r,hixeval,P@1,alpha=1 precision=elements seen=union,all,0.333333333333333",
    ]


def test_no_cell_of_csv_is_a_formula(fol):
    name = '=HYPERLINK("http://127.0.0.1")'
    table = score(fol, [replace(run(spans("7", ("a", 1, 3))), run_id=name)], options={"at": [1]})
    rows = list(csv.reader(table.csv().splitlines()))

    assert {row[0] for row in rows[1:]} == {f"'{name}"}
    assert rows[1][5] == "0.666666666666667"


@pytest.mark.parametrize(
    ("text", "cell"),
    [("@x", "'@x"), ("+x", "'+x"), ("-x", "'-x"), ("\t=x", "'\t=x"), ("-5", "-5"), ("+1.5", "+1.5"), ("a=b", "a=b")],
)
def test_texts_of_csv_that_begin_as_a_formula_follow_an_apostrophe(text, cell):
    assert csv_cell(text) == cell


def test_a_requested_value_must_exist():
    with pytest.raises(MeasureError, match="in 0 rows"):
        ScoreTable(()).value("AP")


def test_a_request_needs_one_process(xml):
    with pytest.raises(ValueError, match="jobs=0"):
        score(xml, [], jobs=0)


def test_a_single_measure_is_scored_with_the_cutoff_in_its_name(fol):
    table = score(fol, [run(spans("7", ("a", 1, 3)))], ["P@7", "AP", "ric"])

    assert [row.measure for row in table.rows if row.family == "hixeval"] == ["P@7", "AP"]
    assert len([row for row in table.rows if row.family == "ric"]) > 2


def test_a_cutoff_is_added_to_those_of_a_family_requested_as_a_whole(fol):
    table = score(fol, [run(spans("7", ("a", 1, 3)))], ["hixeval", "P@7"], {"at": [1]})

    assert [row.measure for row in table.rows if row.measure.startswith("P@")] == ["P@1", "P@7"]


def test_a_request_survives_pickling_without_its_progress_callback(fol):
    request = ScoringRequest.of(fol, ["hixeval"], {"alpha": [0, 1]}, progress=lambda *_: None)
    copy = pickle.loads(pickle.dumps(request.for_worker()))

    assert (copy.measures, copy.options, copy.topics) == (request.measures, request.options, request.topics)
    assert [str(planned) for planned in copy.plan] == ["hixeval alpha=0.0", "hixeval"]
