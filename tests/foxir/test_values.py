"""Runs, topics, judgements and tables are values: one line each, equal by content, hashable, picklable."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from bench.settings_tables import PAGES, TYPES, static_types, with_table
from engine.collection.ingest_report import IngestReport
from engine.errors import ArgumentError, SettingsError, TopicError
from engine.runs import Ranking, Run, read_run, write_run
from engine.settings import Settings, default_settings
from engine.settings.catalogue import ANSWERS, ROWS, Setting
from engine.settings.kinds.value_types import Count
from engine.settings.setting_values import record
from engine.topics import read_topics
from eval import ScoreRow, ScoreTable, read_assessments
from foxir import make_settings, read_settings, write_settings
from foxir.service.json.api import setting_parameters
from foxir.terminal.options.search_options import options

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run() -> Run:
    first = Ranking.ranked("1", ["a", "b"], ["/a[1]", "/b[1]/p[2]"])
    return Run("mine", {"1": first, "2": Ranking.ranked("2", [])}, collections=("sample",))


def test_a_run_and_its_rankings_print_on_a_line(run: Run) -> None:
    assert repr(run) == "Run('mine', topics=2, results=2)"
    assert repr(run.rankings["1"]) == "Ranking('1', results=2)"


def test_a_run_equals_what_is_read_back(run: Run, tmp_path: Path) -> None:
    write_run(run, tmp_path / "run.xml")
    found = read_run(tmp_path / "run.xml")

    assert found == replace(run, task=found.task)
    assert found.rankings["1"].source != run.rankings["1"].source


@pytest.mark.parametrize(
    "other",
    [
        Ranking.ranked("2", ["a", "b"], ["/a[1]", "/b[1]/p[2]"]),
        Ranking.ranked("1", ["a", "c"], ["/a[1]", "/b[1]/p[2]"]),
        Ranking.ranked("1", ["a", "b"], ["/a[1]", None]),
        Ranking.ranked("1", ["a", "b"], ["/a[1]", "/b[1]/p[2]"], rsv=[9.0, 1.0]),
        Ranking.ranked("1", ["a", "b"], ["/a[1]", "/b[1]/p[2]"], starts=[0, 1], lengths=[5, 5]),
        Ranking.ranked("1", ["a"], ["/a[1]"]),
    ],
)
def test_rankings_with_other_results_differ(run: Run, other: Ranking) -> None:
    assert run.rankings["1"] != other


def test_runs_pickle_and_stay_read_only(run: Run) -> None:
    again = pickle.loads(pickle.dumps(run))

    assert again == run
    assert hash(again) == hash(run)
    with pytest.raises(ValueError, match="read-only"):
        again.rankings["1"].rsv[0] = 3.0


def test_assessments_are_equal_by_what_they_judge() -> None:
    one, two = (read_assessments(ROOT / "topics/qrels.txt") for _ in range(2))
    first = next(iter(two.topics))
    fewer = replace(two, topics={**two.topics, first: two.topics[first].without([0])})

    assert one == two == pickle.loads(pickle.dumps(one))
    assert hash(one) == hash(two)
    assert one != fewer
    assert repr(one.topics["1"]) == "Judgements('1', documents=15, elements=0, passages=14)"
    assert repr(one).endswith("qrels.txt', topics=35, documents=674, scale='fol')")


def test_topics_print_on_a_line_and_are_found_by_id() -> None:
    topics = read_topics(ROOT / "topics/co")

    assert repr(topics) == "TopicFile(topics=19, problems=0)"
    assert repr(topics["1"]) == "Topic('1', 'CO', 'Fresnel lens cleaning')"
    with pytest.raises(TopicError, match="topic '99': no topic has this id: the first of 19 are 1, 2"):
        topics["99"]


def test_a_table_prints_on_a_line_and_pickles() -> None:
    table = ScoreTable(
        (ScoreRow("a", "hixeval", "AP", {"alpha": 0.0}, {"1": 0.5}), ScoreRow("b", "hixeval", "AP", {}, {"2": None}))
    )

    assert repr(table) == "ScoreTable(runs=2, measures=1, topics=2, rows=2)"
    assert pickle.loads(pickle.dumps(table)) == table


def test_a_table_prints_its_first_rows() -> None:
    row = ScoreRow("a", "hixeval", "AP", {"alpha": 0.0}, {"1": 0.5})
    table = ScoreTable((row, ScoreRow("second", "hixeval", "P[5]", {}, {"2": None})))

    assert str(table).splitlines() == [
        "ScoreTable(runs=2, measures=2, topics=2, rows=2)",
        "run     family   measure  options    mean",
        "a       hixeval  AP       alpha=0  0.5000",
        "second  hixeval  P[5]                   -",
    ]
    assert str(ScoreTable((row,) * 12)).splitlines()[-2:] == ["a    hixeval  AP       alpha=0  0.5000", "and 2 more"]
    assert len(str(ScoreTable((row,) * 12)).splitlines()) == 13
    assert str(ScoreTable(())) == "ScoreTable(runs=0, measures=0, topics=0, rows=0)"


def test_names_in_a_printed_table_are_escaped() -> None:
    table = ScoreTable((ScoreRow("<b>\x1b[2J&", "hixeval", "AP", {}, {"1": 0.5}),))

    assert "<b>\\x1b[2J&" in str(table)
    assert "<td>&lt;b&gt;\\x1b[2J&amp;</td>" in table._repr_html_()
    assert table._repr_html_().count("<tr>") == 2


def test_tables_and_rows_of_scores_are_unhashable() -> None:
    row = ScoreRow("a", "hixeval", "AP", {}, {"1": 0.5})

    for value in (row, ScoreTable((row,)), ScoreTable(())):
        with pytest.raises(TypeError, match=f"unhashable type: '{type(value).__name__}'"):
            hash(value)


def test_a_row_of_scores_prints_its_mean() -> None:
    row = ScoreRow("a", "hixeval", "AP", {"alpha": 0.0}, {"1": 0.5, "2": None, "3": 0.25})

    assert repr(row) == "ScoreRow('a', 'hixeval', 'AP', 'alpha=0', mean=0.3750, topics=3)"
    assert repr(replace(row, topics={})) == "ScoreRow('a', 'hixeval', 'AP', 'alpha=0', mean=-, topics=0)"


def test_an_ingest_report_prints_on_a_line_and_has_no_hash() -> None:
    report = IngestReport(documents=3, read=2, seconds=0.25, times={f"d{number}": number for number in range(50)})

    assert repr(report) == (
        "IngestReport(documents=3, elements=0, terms=0, read=2, dropped=0, skipped=0, seconds=0.25)"
    )
    assert report == replace(report)
    with pytest.raises(TypeError, match="unhashable type: 'IngestReport'"):
        hash(report)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings.from_options(k1=2.0, b=0.75),
        Settings.from_options(passages=True, max_answers=9),
        Settings.from_options(heuristic="TPF", max_words=80, element_k1=2.0),
        Settings.from_options(answers="nCRE", rank_by="structure", element_similarity="gpx", element_gpx=3),
        Settings.from_options(approach="fulltext", reading="VV", min_words="0.5x", element_b=0.5),
        Settings.from_options(approach="native", rank_by="structure", similarity="dirichlet", mu=90),
    ],
)
def test_settings_equal_what_is_read_back(settings: Settings, tmp_path: Path) -> None:
    write_settings(settings, tmp_path / "settings.toml")
    found = read_settings(tmp_path / "settings.toml")

    assert found == settings
    assert hash(found) == hash(settings)


def encode(texts: list[str]) -> object:
    return texts


def test_a_function_of_the_running_script_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="move it into a module"):
        write_settings(make_settings(semantic="__main__:encode"), tmp_path / "settings.toml")
    assert not (tmp_path / "settings.toml").exists()
    assert make_settings(semantic=encode).semantic == f"{__name__}:encode"
    with pytest.raises(ArgumentError, match="at the top of a module, and give that function"):
        make_settings(semantic=lambda texts: texts)


# A setting is one row: options, help, keywords, the record, addresses and docs are made of it.


TOY = Setting("max_toys", Count(absent="all"), 7, ANSWERS, "Toys of an answer; see {max_answers}.")


def command_with(rows: Any) -> click.Command:
    def nothing() -> None: ...

    function: Any = nothing
    for option in reversed(options(rows)):
        function = option(function)
    made: click.Command = click.command()(function)
    return made


def test_a_new_row_is_an_option_with_help() -> None:
    made = next(each for each in command_with((*ROWS, TOY)).params if each.name == "max_toys")

    assert isinstance(made, click.Option)
    assert (made.opts, made.metavar, made.help) == (["--max-toys"], "N|all", "Toys of an answer; see --max-answers.")


def test_a_new_row_is_a_keyword_and_a_field() -> None:
    stub = static_types((*ROWS, TOY))

    assert record((*ROWS, TOY))().max_toys == 7
    assert '    max_toys: int | Literal["all"] | None\n' in stub
    assert "    max_toys: int | None = ...\n" in stub


def test_a_new_row_is_a_parameter_of_an_address() -> None:
    made = next(each for each in setting_parameters((*ROWS, TOY)) if each.name == "max_toys")

    assert made.about == "Toys of an answer; see max_answers. Default: 7."


def test_a_new_row_is_in_the_docs() -> None:
    page, rows = next(iter(PAGES.items()))
    text = with_table((ROOT / page).read_text("utf-8"), [*rows, TOY])

    assert "| `--max-toys` | `7`, `N`, `all` | Toys of an answer; see --max-answers. |" in text


def test_static_types_are_those_of_the_rows() -> None:
    assert (ROOT / TYPES).read_text("utf-8") == static_types(ROWS), "python -m bench.settings_tables"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_defaults_are_legal_and_those_of_the_record(row: Setting) -> None:
    typed = row.kind.parse(row.name, row.default)

    assert getattr(default_settings(), row.name) == typed
    assert row.fixed is None or row.kind.parse(row.name, row.fixed) != typed


def test_help_of_settings_has_each() -> None:
    assert {row.name for row in ROWS} < {each.name for each in dataclasses.fields(Settings)}
    assert all(f"    {row.name}: " in (Settings.__doc__ or "") for row in ROWS)
