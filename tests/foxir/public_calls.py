"""A call of every public function and method that succeeds, and values that make it fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import foxir
from tests.foxir.conftest import ROOT, Sample


def wrong_values(sample: Sample, tmp_path: Path) -> dict[str, Any]:
    """Return values that some argument does not take, by name."""
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
        "closed": sample.closed,
        "function": len,
    }


TOPIC_FIELDS = ("title", "castitle", "description", "narrative", "keywords")
Calls = Mapping[str, tuple[Callable[..., Any], dict[str, Any]]]


def _build(source: Any, **arguments: Any) -> foxir.IngestReport:
    return foxir.build_index(source, **arguments)


def _settings(base: Any) -> foxir.Settings:
    return foxir.Settings.from_options(base, max_answers=3)


def _of_run(run: Any) -> foxir.Settings:
    return foxir.Settings.from_run(run)


def _ones(texts: list[str], queries: list[str]) -> list[list[float]]:
    return [[1.0] * len(texts)] * len(queries)


def public_calls(sample: Sample, tmp_path: Path) -> Calls:
    """Return public calls that succeed: function and arguments, by name."""
    index, run, judged, table = sample.index, sample.run, sample.judged, sample.table
    found = index.search("fog signal")
    quote, quotes = foxir.Quote("fog", "jats/fx-006", "fog"), tmp_path / "quotes.csv"
    quotes.write_text("question,document,quote\nfog,jats/fx-006,fog\n")
    answers, best, ranking = found[:2], found[0], run.rankings["1"]
    runs = [run, sample.other]
    scored = {"assessments": judged, "runs": runs, "index": index, "only": "1-2", "options": {}}
    judging = {"topic_class": "all", "recall_base": "full", "scale": None, "missing_topics": "zero"}
    tested = {"test": "t", "level": 0.05, "resamples": 10, "seed": 1}
    marked = {"baseline": "scored", "test": "t", "correction": "holm"}
    corrected = {**scored, **judging, **tested, "correction": "none"}
    return {
        "open_index": (foxir.open_index, {"folder": sample.folder / "sample.foxir"}),
        "build_index": (
            _build,
            {
                "source": ROOT / "collections/jats/fx-001.xml",
                "into": tmp_path / "new.foxir",
                "shards": None,
                "profile": "auto",
                "attributes": None,
                "split": (),
                "analyser": "default",
                "stem": "none",
                "stop": "none",
                "diacritics": None,
                "camel_case": None,
                "remove": (),
                "exclude": (),
                "jobs": 1,
                "memory": 2**30,
                "limits": None,
                "entities": None,
                "catalogs": (),
                "undefined_entities": "refuse",
                "images": False,
                "vectors": "none",
                "infer": False,
                "ray": None,
                "stop_on_error": False,
                "check": "time",
                "progress": None,
            },
        ),
        "compact_index": (foxir.compact_index, {"folder": tmp_path / "none.foxir", "memory": 2**30, "progress": None}),
        "search": (
            index.search,
            {
                "query": "fog signal",
                "settings": None,
                "image": None,
                "first": 3,
                "named": "Hybrid",
                "task": "CO.Focussed",
            },
        ),
        "search, settings": (
            lambda **settings: index.search("fog signal", **settings),
            dict.fromkeys([*foxir.Settings.__dataclass_fields__, "k1", "b", "preset", "element_k1"]),
        ),
        "explain": (
            index.explain,
            {"query": "fog signal", "document": best.document, "path": best.path, "settings": None, "image": None},
        ),
        "run": (
            index.run,
            {
                "topics": sample.topics,
                "settings": None,
                "run_id": "a",
                "only": "1",
                "offsets": False,
                "scores": False,
                "topic_fields": None,
                "like": None,
                "jobs": 1,
                "progress": None,
                "named": "Hybrid",
                "task": "CO.Focussed",
            },
        ),
        "text": (index.text, {"document": best.document, "path": best.path}),
        "element": (index.element, {"document": best.document, "path": best.path}),
        "in": (index.__contains__, {"document": best.document}),
        "answers[...]": (found.__getitem__, {"place": 0}),
        "answers.at": (found.at, {"places": [0, 1]}),
        "answers.frequent_values": (answers.frequent_values, {"n": None}),
        "answers.to_dict": (answers.to_dict, {"text": False}),
        "answers.to_frame": (answers.to_frame, {"text": False}),
        "answer.to_dict": (best.to_dict, {"text": False}),
        "element.to_dict": (best.element.to_dict, {"text": False}),
        "snippet.marked": (best.snippet.marked, {"before": "<b>", "after": "</b>"}),
        "make_settings": (foxir.make_settings, {"base": None, "named": None, "task": None}),
        "read_settings": (foxir.read_settings, {"path": tmp_path / "none.toml", "base": None}),
        "read_topics": (foxir.read_topics, {"path": sample.topics, "only": "1"}),
        "read_run": (foxir.read_run, {"path": sample.folder / "run.xml"}),
        "write_run": (foxir.write_run, {"run": run, "path": tmp_path / "run.xml", "format": "inex"}),
        "read_assessments": (foxir.read_assessments, {"path": sample.qrels}),
        "write_assessments": (
            foxir.write_assessments,
            {"assessments": sample.qrels, "path": tmp_path / "judged", "format": "inex", "index": index},
        ),
        "expand_assessments": (
            foxir.expand_assessments,
            {"assessments": sample.qrels, "index": index, "exhaustivity": 1},
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
            {"source": sample.folder / "run.xml", "target": tmp_path / "run.fol", "format": "fol", "index": index},
        ),
        "score": (foxir.score, {**scored, **judging, "measures": "hixeval", "task": None, "jobs": 1, "progress": None}),
        "evaluate_chunks": (
            foxir.evaluate_chunks,
            {
                "index": index,
                "topics": sample.topics,
                "assessments": sample.qrels,
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
        "latex of a result": (foxir.latex, {"result": sample.comparison, "per_topic": False}),
        "markdown": (foxir.markdown, {"result": table, "per_topic": False, "details": False, **marked}),
        "report": (
            foxir.report,
            {"table": table.select(measure="AP"), "path": tmp_path / "a.html", "title": "a", "source": "b", **marked},
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
                "topics": sample.topics,
                "assessments": sample.qrels,
                "grid": {"heuristic": ["MpE", "TPF"]},
                "measure": "P@5",
                "settings": None,
                "options": None,
                "only": "1-2",
                **{name: value for name, value in judging.items() if name != "missing_topics"},
                "folds": 2,
                "method": "grid",
                "seed": 1,
                "resamples": 10,
                "jobs": 1,
                "progress": None,
                "named": None,
            },
        ),
        "learn": (
            foxir.learn,
            {
                "index": index,
                "topics": sample.topics,
                "assessments": sample.qrels,
                "measure": "P@5",
                "weights": ["coverage"],
                "settings": None,
                "options": None,
                "only": "1-2",
                **{name: value for name, value in judging.items() if name != "missing_topics"},
                "folds": 2,
                "seed": 1,
                "resamples": 10,
                "jobs": 1,
                "progress": None,
                "named": None,
            },
        ),
        "table.value": (table.value, {"measure": "AP", "run": "scored", "family": "hixeval", "options": None}),
        "table.select": (table.select, {"measure": "AP", "run": "scored", "family": "hixeval", "options": None}),
        "Settings.from_run": (_of_run, {"run": index.run(sample.topics, only="1")}),
        "judge_quotes": (foxir.judge_quotes, {"quotes": [quote], "index": index}),
        "quotes_of": (foxir.quotes_of, {"assessments": sample.qrels, "topics": sample.topics, "index": index}),
        "read_quotes": (foxir.read_quotes, {"path": quotes}),
        "write_quotes": (foxir.write_quotes, {"quotes": [quote], "path": tmp_path / "written.csv"}),
        "Settings.from_options": (_settings, {"base": None}),
        "Length": (foxir.Length, {"value": 1.0, "relative": False}),
        "Length.parse": (foxir.Length.parse, {"text": "0.5x"}),
        "TagSelector": (foxir.TagSelector, {"names": ("sec",)}),
        "TagSelector.parse": (foxir.TagSelector.parse, {"text": "//sec"}),
        "Topic": (foxir.Topic, {"topic_id": "1", "query_type": "CO", **dict.fromkeys(TOPIC_FIELDS, "")}),
        "TopicFile": (foxir.TopicFile, {"topics": [foxir.Topic("1", "CO", "fog")], "problems": ()}),
        "Run": (foxir.Run, {"run_id": "a", "rankings": {}, "participant": "", "settings": {}, "notices": ()}),
        "Ranking.ranked": (
            foxir.Ranking.ranked,
            {
                "topic": "1",
                "documents": ["a"],
                "paths": None,
                "rsv": None,
                **dict.fromkeys(("starts", "lengths", "lines", "pointers")),
                "source": "",
            },
        ),
        "ranking.place": (ranking.place, {"i": 0}),
        "ranking.row_name": (ranking.row_name, {"i": 0}),
        "IngestReport.load": (foxir.IngestReport.load, {"index": tmp_path}),
    }
