"""`--json`: exactly one document on stdout, of a known shape, the same bytes for the same input."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any

import pytest

from tests.foxir.cli.command import COLLECTIONS, TOPICS, foxir

TEXT_OR_NONE, INT_OR_NONE, FLOAT_OR_NONE = str | None, int | None, float | None

SETTINGS = {
    "approach": str,
    "rank_by": str,
    "similarity": str,
    "operator": str,
    "max_matches": str | int,
    "answers": str,
    "heuristic": str,
    "max_per_article": str | int,
    "max_articles": int | str,
    "max_answers": int,
    "overlap": str,
    "function_words": str,
    "reading": str,
    "syntax": str,
    "tags": str,
    "inside": str,
    "outside": str,
    "documents": str,
    "max_terms": str | int,
    "max_query_memory": str,
    "max_seconds": str | float,
}
PCOSINE = {"s": float, "length": str, "weight_bits": int, "query_norm": bool}
BM25 = {"k1": float, "b": float}
SCORED = {
    "element_similarity": str,
    "article_weight": float,
    "parent_weight": float,
    "heading_weight": float,
    "exact_title_weight": float,
    "neighbour_weight": float,
    "coverage": float,
    "focus": str | float,
    "min_density": float,
    "block_words": str | int,
    "min_words": str | int,
    "max_words": str | int,
    "min_leaf_words": str | int,
    "max_title_share": float,
    "max_leaves": str | int,
    "passages": bool,
    "max_sentences": int,
    "min_passage_words": str | int,
    "across_elements": bool,
    "whole_weight": float,
    "group_by_article": bool,
    "word_budget": str | int,
    "element_k1": float,
    "element_b": float,
}
SKIPPED = [{"file": str, "line": int, "reason": str}]
REPORT = dict.fromkeys(("documents", "elements", "leaves", "terms", "read", "dropped", "bytes"), int)
ANSWER = {
    "rank": int,
    "rsv": float,
    "score": FLOAT_OR_NONE,
    "document": str,
    "path": str,
    "start": int,
    "end": int,
    "size": int,
    "words": int,
    "sentences": list | None,
    "article_rank": int,
    "article_score": float,
    "breadcrumb": [str],
    "snippet": str,
}
SHAPES: dict[str, Any] = {
    "index": {
        **REPORT,
        "seconds": float,
        "skipped": SKIPPED,
        "notices": [str],
        "ignored": {...: int},
        "kept_entities": {...: int},
    },
    "info": {
        "index": str,
        "generation": int,
        "documents": int,
        "elements": int,
        "leaves": INT_OR_NONE,
        "terms": INT_OR_NONE,
        "images": int,
        "tokens": int,
        "block_words": float,
        "mean_density": float,
        "bytes": int,
        "analyser": {"diacritics": str, "name": str, "stem": str, "stop": str},
        "profile": str,
        "profiles": {...: int},
        "sources": [str],
        "excluded": [],
        "tags": {...: int},
        "attributes": {...: int},
        "long_values": int,
        "segments": [
            {"name": str, "documents": int, "deleted": int, "elements": int, "terms": int, "bytes": int},
        ],
        "skipped": INT_OR_NONE,
        "defaults": {**SETTINGS, **BM25, **SCORED},
    },
    "compact": {
        "index": str,
        "segments_before": int,
        "segments": int,
        "deleted_documents_dropped": int,
        "generation": int,
    },
    "search": {
        "query": str,
        "interpretation": str,
        "notices": [str],
        "total": int,
        "total_relation": str,
        "answers": [ANSWER],
        "seconds": float,
    },
    "explain": {
        "query": str,
        "interpretation": str,
        "document": str,
        "path": str,
        "returned": bool,
        "rank": INT_OR_NONE,
        "rsv": FLOAT_OR_NONE,
        "score": FLOAT_OR_NONE,
        "outcome": {
            "rank": INT_OR_NONE,
            "stage": TEXT_OR_NONE,
            "reason": TEXT_OR_NONE,
            "description": str,
            "blocker": NoneType,
        },
        "article": {
            "name": str,
            "value": FLOAT_OR_NONE,
            "description": str,
            "similarity": TEXT_OR_NONE,
            "rank": INT_OR_NONE,
            "length_tokens": int,
            "details": [
                {
                    "name": str,
                    "value": FLOAT_OR_NONE,
                    "description": str,
                    "term": str,
                    "query_tf": int,
                    "tf": int,
                    "df": int,
                    "collection_frequency": int,
                    "details": [{}],
                },
            ],
        },
        "element": {
            "name": str,
            "value": NoneType,
            "description": str,
            **dict.fromkeys("MTFP", int),
            "B": [int],
            "place_in_article": INT_OR_NONE,
            "candidates_in_article": int,
            "details": [
                {
                    "name": str,
                    "value": float,
                    "description": str,
                    "term": str,
                    "tf": int,
                    "elements": int,
                    "details": [{}],
                },
            ],
        },
        "structure": [{}],
        "neighbours": [{}],
        "passages": [{}],
        "n_passages": int,
        "settings": {**SETTINGS, **PCOSINE},
    },
    "run": {
        "run": str,
        "file": str,
        "format": str,
        "topics": int,
        "results": int,
        "without_answers": [str],
        "problems": [str],
        "notices": [str],
        "settings": {**SETTINGS, **BM25, **SCORED},
    },
    "eval": {
        "runs": [
            {
                "run": str,
                "family": str,
                "measure": str,
                "options": {...: str | float | int | bool | None},
                "value": FLOAT_OR_NONE,
                "topics": {...: FLOAT_OR_NONE},
            },
        ]
    },
    "expand": {
        "folder": str,
        "topics": int,
        "files": [str],
        "qrels": str,
        "left_out": [{"topic": str, "document": str}],
    },
}


def check(value: Any, shape: Any, place: str = "") -> None:
    """Assert that a document has exactly the keys and types of a shape; `...` stands for any key."""
    if isinstance(shape, list):
        assert isinstance(value, list), place
        for number, each in enumerate(value):
            check(each, shape[0], f"{place}[{number}]")
    elif isinstance(shape, Mapping):
        assert isinstance(value, dict), place
        assert ... in shape or list(value) == list(shape), place
        for name, each in value.items():
            check(each, shape.get(name, shape.get(...)), f"{place}.{name}")
    else:
        legal = shape.__args__ if isinstance(shape, UnionType) else (shape,)
        assert type(value) in legal, f"{place}: {value!r} is no {shape}"


@pytest.fixture
def calls(sample, sample_run, judged, tmp_path) -> dict[str, list[str | Path]]:
    copy = shutil.copytree(sample, tmp_path / "copy.foxir")
    (tmp_path / "more").mkdir()
    (tmp_path / "more/new.xml").write_text("<a>sea</a>")
    (tmp_path / "more/bad.xml").write_text("<a>")
    topics = tmp_path / "topics.tsv"
    topics.write_text('1\tfresnel lens\n2\txyzzy\n3\t"open\n4\t//sec[\n')
    return {
        "index": ["index", copy, tmp_path / "more"],
        "compact": ["compact", copy],
        "info": ["info", copy, "--verify"],
        "search": ["search", sample, "+lens -plastic cleaning", "--top", "20"],
        "explain": ["explain", sample, "light -lens", "ieee/na/1998/n1012", "/article[1]/bdy[1]", *STRUCTURE],
        "run": ["run", sample, topics, "--out", tmp_path / "run.xml"],
        "eval": ["eval", judged, sample_run, "--index", sample],
        "expand": ["judgements", "to-elements", TOPICS / "qrels.txt", "--index", sample, "--out", tmp_path / "judged"],
    }


STRUCTURE = ("--rank-by", "structure", "--similarity", "pcosine", "--answers", "oCRE", "--overlap", "keep")
STATUS = {"index": 1, "run": 1}  # a file that cannot be read, a topic that cannot be answered


def test_shapes(calls):
    for command, arguments in calls.items():
        shown = foxir(*arguments, "--json")
        assert shown.status == STATUS.get(command, 0), shown
        shape = SHAPES[command] | ({"verified": bool} if command == "info" else {})
        check(shown.json, shape, command)


OUTCOME = {"rank": INT_OR_NONE, "stage": TEXT_OR_NONE, "reason": TEXT_OR_NONE, "description": str}
BLOCKER = {"path": str, "relation": str, "rank": INT_OR_NONE, "score": FLOAT_OR_NONE}


@pytest.mark.parametrize(
    ("part", "query", "path", "shape"),
    [
        (
            "structure",
            "//article[about(., lens)]//sec[about(., cleaning)]",
            "/article[1]/bdy[1]/sec[3]",
            {
                "part": str,
                "step": int,
                "kind": str,
                "element": str,
                "met_by": TEXT_OR_NONE,
                "met_in_article": int,
            },
        ),
        (
            "neighbours",
            "fresnel lens",
            "/article[1]/bdy[1]",
            {"path": str, "relation": str, "score": float, "words": int},
        ),
        (
            "passages",
            "fresnel lens",
            "/article[1]/fm[1]/abs[1]/p[1]",
            {"sentences": list | None, "start": int, "end": int, "words": int},
        ),
    ],
)
def test_shapes_of_the_parts_of_an_explanation(part, query, path, shape, sample):
    options = ["--passages"] if part == "passages" else []
    found = foxir("explain", sample, query, "ieee/na/1998/n1012", path, *options, "--json").json[part]

    assert found
    for each in found:
        score = each.pop("score") if part == "passages" else None
        outcome = each.pop("outcome", None)
        check(each, shape, part)
        if outcome is not None:
            blocker = outcome.pop("blocker")
            check(outcome, OUTCOME, f"{part}.outcome")
            assert blocker is None or check(blocker, BLOCKER, f"{part}.blocker") is None
        if score is not None:
            assert {"name", "value", "description", "details"} <= score.keys()
            parts = ["whole", "article_part"] if each["sentences"] is None else ["passage", "leaf", "article_part"]
            assert [detail["name"] for detail in score["details"]] == parts


def test_quiet_leaves_stdout_as_it_is(calls):
    for command in ("search", "run", "eval", "expand"):
        loud, quiet = foxir(*calls[command], "--json"), foxir(*calls[command], "--json", "-q")
        assert without_seconds(quiet.json) == without_seconds(loud.json)
        assert quiet.err == ""
        assert bool(loud.err) == (command in ("run", "eval"))


def without_seconds(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "seconds"}


def test_the_same_bytes_every_time(calls, sample, tmp_path):
    for command in ("info", "search", "explain", "eval", "expand"):
        first, second = foxir(*calls[command], "--json").json, foxir(*calls[command], "--json").json
        assert json.dumps(without_seconds(first)) == json.dumps(without_seconds(second)), command
    files = [tmp_path / name for name in ("a.xml", "b.xml")]
    for file in files:
        foxir("run", sample, TOPICS / "co", "--out", file, "--run-id", "same")
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_same_sources_give_the_same_index(sample, tmp_path):
    assert foxir("index", tmp_path / "again", COLLECTIONS, "--jobs", "2", "--stem", "none").status == 0

    def contents(index: Path) -> dict[str, bytes]:
        files = [file for file in index.rglob("*") if file.is_file() and file.name not in ("lock", "ingest.json")]
        return {str(file.relative_to(index)): file.read_bytes() for file in files}

    assert contents(tmp_path / "again") == contents(sample)


def test_the_report_in_the_index_says_what_the_command_says(tmp_path):
    (tmp_path / "one.xml").write_text("<a>")
    (tmp_path / "two.xml").write_text("<a>sea</a>")

    shown = foxir("index", tmp_path / "i", tmp_path / "one.xml", tmp_path / "two.xml", "--json").json

    stored = json.loads((tmp_path / "i/ingest.json").read_text())
    assert {name: stored[name] for name in shown} == shown
    assert shown["skipped"][0]["file"].endswith("one.xml")


def test_texts_and_offsets_of_answers_fit(sample):
    for answer in foxir("search", sample, "fresnel lens", "--text", "--json").json["answers"]:
        check(answer, {**ANSWER, "text": str})
        assert answer["end"] - answer["start"] == answer["size"] == len(answer["text"])
        assert "[Fresnel]" in answer["snippet"] or "[lens]" in answer["snippet"].lower()


@pytest.mark.parametrize("arguments", [("search",), ("explain", "ieee/na/1998/n1012", "/article[1]")])
def test_infinite_settings_are_words(arguments, sample, tmp_path):
    command, *place = arguments
    okapi = ["--similarity", "okapi", "--json"]

    assert foxir(command, sample, "lens", *place, *okapi).status == 0
    made = foxir("run", sample, TOPICS / "co", "--out", tmp_path / "r.xml", *okapi).json
    assert made["settings"]["k3"] == "inf"
    again = foxir("run", sample, TOPICS / "co", "--out", tmp_path / "s.xml", "--param", "k3=inf", *okapi).json
    assert again["settings"] == made["settings"]


def test_json_is_utf_8_for_every_request(sample):
    asked = foxir("search", sample, "Vellmouth\udcff 灯台 lens", "--json")

    assert asked.json["query"] == "Vellmouth\udcff 灯台 lens"
    assert "灯台" in asked.out
    assert r"\udcff" in asked.out
