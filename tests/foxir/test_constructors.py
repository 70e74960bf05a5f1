"""Public values check what they are made of: a wrong type is a TypeError that names the field, nothing fails later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import foxir
from tests.foxir.conftest import Sample

RANKING = foxir.Ranking.ranked("1", ["a"])
ROW = foxir.ScoreRow("a", "trec", "AP", {}, {"1": 0.5})
RUN = foxir.Run("mine", {"1": RANKING})
MAKE: Any = foxir

WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "answer": (lambda: MAKE.Answer(1, 2), "among: expected what a search selects"),
    "answers": (lambda: MAKE.Answers("", 2, 3, 4), "columns: expected what a search selects"),
    "assessments": (lambda: MAKE.Assessments(1, 2, 3), "source: expected str, got int 1"),
    "assessments, topics": (lambda: MAKE.Assessments("", "fol", {"1": 2}), "topics: expected a mapping of str to Judg"),
    "table": (lambda: MAKE.ScoreTable([1]), "rows: expected a sequence of ScoreRow, got 1 in it"),
    "table, notices": (lambda: MAKE.ScoreTable((), "x"), "notices: expected a sequence of Notice | str, got str 'x'"),
    "table, settings": (lambda: MAKE.ScoreTable((), (), 3), "settings: expected a mapping of str to Mapping"),
    "row": (lambda: MAKE.ScoreRow(1, 2, 3, 4, 5), "run: expected str, got int 1"),
    "row, topics": (lambda: replace(ROW, topics={"1": "x"}), "topics: expected a mapping of str to float | int | None"),  # type: ignore[dict-item]
    "topics": (lambda: MAKE.TopicFile(" "), "topics: expected a sequence of Topic, got str ' '"),
    "topics, a topic": (lambda: MAKE.TopicFile([1]), "topics: expected a sequence of Topic, got 1 in it"),
    "run, participant": (lambda: MAKE.Run("a", {}, participant=None), "participant: expected str, got NoneType None"),
    "run, task": (lambda: MAKE.Run("a", {}, task=None), "task: expected str, got NoneType None"),
    "run, query": (lambda: MAKE.Run("a", {}, query=None), "query: expected str, got NoneType None"),
    "run, settings": (lambda: MAKE.Run("a", {}, settings=None), "settings: expected a mapping of str to str, got None"),
    "run, fields": (lambda: MAKE.Run("a", {}, topic_fields={"x": 1}), "topic_fields: expected a mapping of str to str"),
    "run, format": (lambda: MAKE.Run("a", {}, format=3), "format: expected str, got int 3"),
    "run, collections": (lambda: MAKE.Run("a", {}, collections="x"), "collections: expected a sequence of str"),
    "ranking, topic": (lambda: MAKE.Ranking.ranked(1, []), "topic: expected str, got int 1"),
    "ranking, documents": (lambda: MAKE.Ranking.ranked("1", None), "documents: expected a sequence of str"),
    "ranking, paths": (lambda: MAKE.Ranking.ranked("1", ["a"], [3]), "paths: expected a sequence of str | None, got 3"),
    "ranking, starts": (lambda: MAKE.Ranking.ranked("1", ["a"], starts=[1.5]), "starts: expected a sequence of whole"),
    "ranking, text": (lambda: MAKE.Ranking.ranked("1", ["a"], starts=["3"]), "starts: expected a sequence of whole"),
    "ranking, rsv": (lambda: MAKE.Ranking.ranked("1", ["a"], rsv=[None]), "rsv: expected a sequence of numbers, got"),
    "a topic by place": (lambda: MAKE.TopicFile([])[0], "topics are found by id, a str, got int 0"),
    "topics by slice": (lambda: MAKE.TopicFile([])[1:], "topics are found by id, a str, got slice"),
    "mark": (lambda: MAKE.Snippet("x", ()).marked(1, 2), "before: expected str, got int 1"),
    "count": (lambda: MAKE.pool(RUN, np.array([1, 2])), "depth: expected int, got ndarray"),
}
ILLEGAL: dict[str, tuple[Callable[[], Any], str]] = {
    "scale": (lambda: MAKE.Assessments("", "2004", {}), "scale: expected one of 2002, 2003, 2005, fol, trec"),
    "another topic": (lambda: MAKE.Run("x", {"2": RANKING}), "rankings: topic '2' has the ranking of topic '1'"),
    "start": (lambda: MAKE.Ranking.ranked("1", ["a"], starts=[-5]), "starts: expected whole numbers, -1 or more"),
    "length": (lambda: MAKE.Ranking.ranked("1", ["a"], lengths=[-3]), "lengths: expected whole numbers, -1 or more"),
    "rsv": (lambda: MAKE.Ranking.ranked("1", ["a"], rsv=[float("nan")]), "rsv: expected finite numbers, got nan"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_field_of_a_wrong_type_is_a_type_error(name: str) -> None:
    make, message = WRONG[name]
    with pytest.raises(TypeError) as error:
        make()

    assert str(error.value).startswith(message)


@pytest.mark.parametrize("name", ILLEGAL)
def test_a_field_of_an_illegal_value_is_an_argument_error(name: str) -> None:
    make, message = ILLEGAL[name]
    with pytest.raises(foxir.ArgumentError) as error:
        make()

    assert str(error.value).startswith(message)


def test_columns_of_numpy_and_pandas_make_a_ranking() -> None:
    ranking = foxir.Ranking.ranked("1", ("a", "b"), rsv=np.array([2, 1]), starts=np.array([0, -1], np.int32))

    assert ranking.rsv.tolist() == [2.0, 1.0]
    assert ranking.starts.tolist() == [0, -1]
    assert len(foxir.Ranking.ranked("1", [], rsv=[], starts=[])) == 0


def test_reprs_of_long_texts_fit_on_a_line(sample: Sample) -> None:
    long = "fog " * 1000
    values = (
        foxir.Topic("1" * 500, "CO", long),
        foxir.Run(long, {}),
        foxir.Ranking.ranked(long, []),
        sample.index.explain(long, "jats/fx-006", "/article[1]"),
        sample.index.search(long, max_answers=1),
        sample.judged,
        sample.comparison,
        foxir.correlate(sample.judged, [sample.run, sample.other], ["hixeval:AP", "hixeval:P@5"], only="1-2"),
    )
    for value in values:
        assert len(repr(value).splitlines()[0]) <= 240, repr(value)[:300]


def test_a_comparison_says_how_many_runs_it_compares(sample: Sample) -> None:
    significant = len(sample.comparison.significant)

    assert repr(sample.comparison) == f"RunComparison('AP', runs=2, pairs=1, significant={significant})"
    with pytest.raises(TypeError, match="unhashable type: 'RunComparison'"):
        hash(sample.comparison)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"run": "scord"}, "run 'scord' is not in the table: did you mean 'scored'?"),
        ({"run": "zz"}, "run 'zz' is not in the table: it has 'scored', 'thesis'."),
        ({"family": "zz"}, "family 'zz' is not in the table: it has 'hixeval'."),
        ({"options": {"x": 1}}, "option 'x' is not in the table: it has "),
    ],
    ids=str,
)
def test_names_that_a_table_does_not_have_are_refused(sample: Sample, given: dict[str, Any], message: str) -> None:
    with pytest.raises(foxir.MeasureError) as error:
        sample.table.select(**given)

    assert str(error.value).startswith(message)
    assert len(foxir.ScoreTable(()).select(**given)) == 0


@pytest.mark.parametrize("function", [foxir.latex, foxir.markdown])
def test_an_empty_baseline_is_no_run(sample: Sample, function: Callable[..., str]) -> None:
    with pytest.raises(foxir.MeasureError, match="there is no run ''"):
        function(sample.table, baseline="")


def test_texts_of_answers_are_asked_for_by_a_bool(sample: Sample) -> None:
    answers: Any = sample.index.search("fog", max_answers=1)
    for value in (answers, answers[0], answers[0].element):
        with pytest.raises(TypeError, match="text: expected bool, got str 'no'"):
            value.to_dict(text="no")
    with pytest.raises(TypeError, match="text: expected bool, got str 'no'"):
        answers.to_frame(text="no")


def test_judgements_and_locators_are_equal_by_content(sample: Sample) -> None:
    one, other = (foxir.read_assessments(sample.qrels).topics["1"] for _ in range(2))
    with foxir.open_index(sample.folder / "sample.foxir") as again:
        assert again.locator == sample.index.locator
        assert hash(again.locator) == hash(sample.index.locator)

    assert one == other
    assert hash(one) == hash(other)
    assert one != foxir.read_assessments(sample.qrels).topics["2"]
    assert one != replace(other, lengths=other.lengths + 1)


def test_every_error_that_is_documented_is_public() -> None:
    for error in (foxir.QueryLimitError, foxir.QueryTimeError, foxir.WordBudgetError, foxir.MissingHostError):
        assert issubclass(error, foxir.FoxirError)


LONG = "zq" * 2500
ECHOES: dict[str, Callable[[Sample], Any]] = {
    "document": lambda sample: sample.index.text(LONG),
    "path": lambda sample: sample.index.element("jats/fx-006", f"/{LONG}"),
    "id": lambda sample: sample.index.element("jats/fx-006", LONG),
    "only": lambda sample: foxir.read_topics(sample.topics, only=LONG),
    "measure": lambda sample: sample.table.value(LONG),
    "measures": lambda sample: foxir.score(sample.judged, sample.run, LONG),
    "baseline": lambda sample: foxir.latex(sample.table, baseline=LONG),
    "mapping": lambda sample: foxir.assessment_statistics(sample.judged, mapping=LONG),
    "named": lambda sample: sample.index.search("x", named=LONG),
    "task": lambda sample: sample.index.search("x", task=LONG),
    "similarity": lambda sample: foxir.make_settings(similarity=LONG),
    "documents": lambda sample: foxir.make_settings(documents=LONG),
    "topic": lambda sample: foxir.read_topics(sample.topics)[LONG],
    "options": lambda sample: foxir.score(sample.judged, sample.run, "hixeval", options={"alpha": LONG}),
    "limits": lambda sample: foxir.build_index("x", into="y", limits={LONG: 1}),
    "length": lambda sample: foxir.Length.parse(LONG),
    "tags": lambda sample: foxir.TagSelector.parse(LONG),
}


@pytest.mark.parametrize("name", ECHOES)
def test_messages_shorten_what_they_repeat(sample: Sample, name: str) -> None:
    with pytest.raises(foxir.FoxirError) as error:
        ECHOES[name](sample)

    assert "zqzq" in str(error.value)
    assert "zq" * 150 not in str(error.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("heuristik", "setting 'heuristik' is unknown: did you mean 'heuristic'?"),
        ("bogus", "setting 'bogus' is unknown: known are "),
    ],
)
def test_an_unknown_setting_has_a_hint_or_the_names(name: str, message: str) -> None:
    make: Any = foxir.make_settings
    with pytest.raises(foxir.SettingsError) as error:
        make(**{name: 1})

    assert str(error.value).startswith(message)
    assert message.endswith("?") == (str(error.value) == message)
