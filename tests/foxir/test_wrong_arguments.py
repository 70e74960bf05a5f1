"""A wrong argument of a public call raises one FoxirError or TypeError with a message, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import foxir
from tests.foxir.conftest import ROOT, Sample

TOPICS, QRELS = ROOT / "topics/co", ROOT / "topics/qrels.txt"


def wrong_values(sample: Sample, tmp_path: Path) -> dict[str, Any]:
    """Return values that some argument does not take, by name."""
    closed = foxir.open_index(sample.folder / "sample.foxir")
    closed.close()
    (tmp_path / "file").write_text("no index, no run")
    (tmp_path / "folder").mkdir()
    return {
        "None": None,
        "-1": -1,
        "0": 0,
        "nan": float("nan"),
        "inf": float("inf"),
        "true": True,
        "huge": 10**30,
        "text": "no such thing",
        "empty": "",
        "surrogate": "\ud800",
        "nul": "a\0b",
        "bytes": b"abc",
        "list": [],
        "list of object": [object()],
        "list of None": [None],
        "dict": {},
        "dict of int": {1: 2},
        "dict of object": {"alpha": object()},
        "object": object(),
        "missing": tmp_path / "missing" / "file",
        "file": tmp_path / "file",
        "folder": tmp_path / "folder",
        "closed": closed,
        "function": len,
    }


Calls = Mapping[str, tuple[Callable[..., Any], dict[str, Any]]]


def _build(source: Any, **arguments: Any) -> foxir.IngestReport:
    return foxir.build_index(source, **arguments)


def _ones(texts: list[str], queries: list[str]) -> list[list[float]]:
    return [[1.0] * len(texts)] * len(queries)


def calls(sample: Sample, tmp_path: Path) -> Calls:
    """Return public calls that succeed: function and arguments, by name."""
    index, run, judged, table = sample.index, sample.run, sample.judged, sample.table
    best = index.search("fog signal")[0]
    runs = [run, sample.other]
    scored = {"assessments": judged, "runs": runs, "index": index, "topics": "1-2", "options": {}}
    judging = {"topic_class": "all", "recall_base": "full", "scale": None, "missing": "zero"}
    tested = {"test": "t", "level": 0.05, "resamples": 10, "seed": 1}
    marked = {"baseline": "scored", "test": "t", "correction": "holm"}
    corrected = {**scored, **judging, **tested, "correction": "none"}
    comparison = foxir.compare(judged, runs, "AP", topics="1-2")
    return {
        "open_index": (foxir.open_index, {"folder": sample.folder / "sample.foxir"}),
        "build_index": (
            _build,
            {
                "source": ROOT / "collections/jats/fx-001.xml",
                "into": tmp_path / "new.foxir",
                "profile": "auto",
                "analyser": "default",
                "stem": "none",
                "stop": "none",
                "remove": (),
                "jobs": 1,
                "memory": 2**30,
                "limits": None,
                "stop_on_error": False,
                "check": "time",
                "progress": None,
            },
        ),
        "compact_index": (foxir.compact_index, {"folder": tmp_path / "none.foxir"}),
        "search": (index.search, {"query": "fog signal", "settings": None, "named": "Hybrid", "task": "CO.Focussed"}),
        "search, settings": (
            lambda **settings: index.search("fog signal", **settings),
            dict.fromkeys([*foxir.Settings.__dataclass_fields__, "k1", "b", "preset", "element_k1"]),
        ),
        "explain": (
            index.explain,
            {"query": "fog signal", "document": best.document, "path": best.path, "settings": None},
        ),
        "run": (
            index.run,
            {
                "topics": TOPICS,
                "settings": None,
                "run_id": "a",
                "only": "1",
                "offsets": False,
                "progress": None,
                "named": "Hybrid",
                "task": "CO.Focussed",
            },
        ),
        "text": (index.text, {"document": best.document}),
        "in": (index.__contains__, {"document": best.document}),
        "answers[...]": (index.search("fog signal").__getitem__, {"place": 0}),
        "make_settings": (foxir.make_settings, {"base": None, "named": None, "task": None}),
        "read_settings": (foxir.read_settings, {"path": tmp_path / "none.toml", "base": None}),
        "read_topics": (foxir.read_topics, {"path": TOPICS, "only": "1"}),
        "read_run": (foxir.read_run, {"path": sample.folder / "run.xml"}),
        "write_run": (foxir.write_run, {"run": run, "path": tmp_path / "run.xml", "format": "inex"}),
        "read_assessments": (foxir.read_assessments, {"path": QRELS}),
        "write_assessments": (
            foxir.write_assessments,
            {"assessments": QRELS, "path": tmp_path / "judged", "format": "inex", "index": index},
        ),
        "expand_assessments": (
            foxir.expand_assessments,
            {"assessments": QRELS, "index": index, "exhaustivity": 1},
        ),
        "check_assessments": (foxir.check_assessments, {"assessments": judged, "index": index}),
        "assessment_statistics": (
            foxir.assessment_statistics,
            {"assessments": judged, "by": "name", "mapping": None, "index": index},
        ),
        "agreement": (foxir.agreement, {"first": judged, "second": judged, "index": index}),
        "pool": (foxir.pool, {"runs": runs, "depth": 10}),
        "ideal_run": (
            foxir.ideal_run,
            {"assessments": judged, "kind": "fullrb", "max_answers": 10, "run_id": "a", "index": index},
        ),
        "convert": (
            foxir.convert,
            {
                "source": sample.folder / "run.xml",
                "target": tmp_path / "run.fol",
                "format": "fol",
                "index": index,
            },
        ),
        "score": (
            foxir.score,
            {**scored, **judging, "measures": "hixeval", "task": None, "jobs": 1, "progress": None},
        ),
        "evaluate_chunks": (
            foxir.evaluate_chunks,
            {
                "index": index,
                "topics": TOPICS,
                "assessments": QRELS,
                "chunkers": "documents",
                "retrievers": _ones,
                "settings": None,
                "measures": ["hixeval:AP"],
                "options": None,
                "stem": None,
                "only": "1",
                "seed": 1,
                "progress": None,
            },
        ),
        "compare": (foxir.compare, {**corrected, "measure": "AP"}),
        "correlate": (foxir.correlate, {**corrected, "measures": ["AP", "P@5"]}),
        "reliability": (foxir.reliability, {**scored, **judging, **tested, "measures": ["AP"]}),
        "latex": (foxir.latex, {"result": table, "per_topic": False, "details": False, **marked}),
        "latex of a result": (foxir.latex, {"result": comparison, "per_topic": False}),
        "markdown": (foxir.markdown, {"result": table, "per_topic": False, "details": False, **marked}),
        "report": (
            foxir.report,
            {"table": table, "path": tmp_path / "a.html", "title": "a", "source": "b", **marked},
        ),
        "plot": (foxir.plot, {"result": table, "path": tmp_path / "a.svg", "kind": "auto", "measure": None}),
        "write_settings": (
            foxir.write_settings,
            {"settings": foxir.make_settings(), "path": tmp_path / "a.toml", "comments": ()},
        ),
        "tune": (
            foxir.tune,
            {
                "index": index,
                "topics": TOPICS,
                "assessments": QRELS,
                "grid": {"heuristic": ["MpE", "TPF"]},
                "measure": "P@5",
                "settings": None,
                "options": None,
                "only": "1-4",
                **{name: value for name, value in judging.items() if name != "missing"},
                "folds": 2,
                "method": "grid",
                "seed": 1,
                "resamples": 10,
                "jobs": 1,
                "progress": None,
                "named": None,
            },
        ),
        "table.value": (table.value, {"measure": "AP", "run": "scored", "family": "hixeval"}),
        "table.select": (table.select, {"measure": "AP", "run": "scored", "family": "hixeval"}),
        "Run": (foxir.Run, {"run_id": "a", "rankings": {}}),
        "Ranking.ranked": (foxir.Ranking.ranked, {"topic": "1", "documents": ["a"], "paths": None, "rsv": None}),
    }


NAMES = (
    *("open_index", "build_index", "compact_index", "search", "search, settings", "explain", "run", "text", "in"),
    *("answers[...]", "make_settings", "read_settings", "read_topics", "read_run", "write_run", "read_assessments"),
    *("write_assessments", "expand_assessments", "check_assessments", "assessment_statistics", "agreement", "pool"),
    *("ideal_run", "convert", "score", "compare", "correlate", "reliability", "latex", "latex of a result", "markdown"),
    *(
        "evaluate_chunks",
        "report",
        "plot",
        "write_settings",
        "tune",
        "table.value",
        "table.select",
        "Run",
        "Ranking.ranked",
    ),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_argument_raises_one_clear_error(
    name: str, sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, arguments = calls(sample, tmp_path)[name]
    mistakes: list[str] = []
    for argument in arguments:
        for label, value in wrong_values(sample, _fresh(tmp_path, argument)).items():
            try:
                function(**{**arguments, argument: value})
            except (foxir.FoxirError, TypeError) as error:
                if not str(error):
                    mistakes.append(f"{argument} = {label}: an error without a message")
            except IndexError:
                if name != "answers[...]":
                    mistakes.append(f"{argument} = {label}: IndexError")
            except Exception as error:
                mistakes.append(f"{argument} = {label}: {type(error).__name__}: {error}")
    assert not mistakes, "\n".join(mistakes)


def _fresh(tmp_path: Path, argument: str) -> Path:
    folder = tmp_path / f"values of {argument}"
    folder.mkdir()
    return folder


def test_all_calls_are_tried(sample: Sample, tmp_path: Path) -> None:
    found = calls(sample, tmp_path)

    assert set(found) == set(NAMES)
    tried = {function.__name__ for function, _ in found.values()} | {"build_index"}
    functions = {
        name for name in foxir.__all__ if callable(getattr(foxir, name)) and not isinstance(getattr(foxir, name), type)
    }
    assert functions - tried == {"named_runs", "tasks"}


@pytest.mark.parametrize("run_id", ["", " ", "a b", "a\n", "a\tb"])
def test_a_run_id_is_one_word(sample: Sample, run_id: str) -> None:
    index = foxir.open_index(sample.folder / "sample.foxir")
    with index, pytest.raises(foxir.ArgumentError, match="run_id: expected one word"):
        index.run(TOPICS, run_id=run_id, only="1")


def test_two_topics_with_one_id_are_refused(sample: Sample) -> None:
    topics = [foxir.Topic("7", "CO", "lens"), foxir.Topic("7", "CO", "clock")]
    index = foxir.open_index(sample.folder / "sample.foxir")
    with index, pytest.raises(foxir.TopicError, match="two topics have the id '7'"):
        index.run(topics)


def test_an_index_of_a_path_names_open_index() -> None:
    make: Any = foxir.Index
    with pytest.raises(TypeError, match="open_index"):
        make("demo.foxir")


def test_a_list_of_sources_is_refused(tmp_path: Path) -> None:
    build: Any = foxir.build_index
    with pytest.raises(TypeError, match="one by one"):
        build(["a", "b"], into=tmp_path / "index")
