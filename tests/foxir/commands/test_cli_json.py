"""`--json`: exactly one document on stdout, of a known shape, the same bytes for the same input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.foxir.commands.command import COLLECTIONS, TOPICS, foxir
from tests.foxir.commands.json_shapes import ANSWER, BLOCKER, OUTCOME, SHAPES, TEXT_OR_NONE, check


@pytest.fixture
def calls(sample, sample_run, judged, tmp_path) -> dict[str, list[str | Path]]:
    copy = shutil.copytree(sample, tmp_path / "copy.foxir")
    (tmp_path / "more").mkdir()
    (tmp_path / "more/new.xml").write_text("<a>sea</a>")
    (tmp_path / "more/bad.xml").write_text("<a>")
    topics = tmp_path / "topics.tsv"
    topics.write_text('1\tfresnel lens\n2\txyzzy\n3\t"open\n4\t//sec[about(\n')
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


@pytest.mark.long
def test_shapes(calls):
    for command, arguments in calls.items():
        shown = foxir(*arguments, "--json")
        assert shown.status == STATUS.get(command, 0), shown
        shape = SHAPES[command] | ({"verified": bool} if command == "info" else {})
        check(shown.json, shape, command)


@pytest.mark.parametrize(
    ("part", "query", "path", "shape"),
    [
        (
            "structure",
            "//article[about(., lens)]//sec[about(., cleaning)]",
            "/article[1]/bdy[1]/sec[3]",
            {"part": str, "step": int, "kind": str, "element": str, "met_by": TEXT_OR_NONE, "met_in_article": int},
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


@pytest.mark.long
def test_quiet_leaves_stdout_as_it_is(calls):
    for command in ("search", "run", "eval", "expand"):
        loud, quiet = foxir(*calls[command], "--json"), foxir(*calls[command], "--json", "-q")
        assert without_seconds(quiet.json) == without_seconds(loud.json)
        assert quiet.err == ""
        assert bool(loud.err) == (command in ("run", "eval"))


def without_seconds(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "seconds"}


@pytest.mark.long
def test_the_same_bytes_every_time(calls, sample, tmp_path):
    for command in ("info", "search", "explain", "eval", "expand"):
        first, second = foxir(*calls[command], "--json").json, foxir(*calls[command], "--json").json
        assert json.dumps(without_seconds(first)) == json.dumps(without_seconds(second)), command
    files = [tmp_path / name for name in ("a.xml", "b.xml")]
    for file in files:
        foxir("run", sample, TOPICS / "co", "--out", file, "--run-id", "same", "--topics", "1-6")
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.long
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
        check(answer, {**ANSWER, "text": str, "readable_text": str})
        assert answer["end"] - answer["start"] == answer["size"] == len(answer["text"])
        marked = {answer["snippet"][start:end].lower() for start, end in answer["marks"]}
        assert marked
        assert marked <= {"fresnel", "lens", "lenses"}
        assert all(answer["snippet"][start - 1] + answer["snippet"][end] == "[]" for start, end in answer["marks"])
        assert "[Fresnel]" in answer["snippet"] or "[lens]" in answer["snippet"].lower()


def test_infinite_settings_are_words(sample, tmp_path):
    okapi = ["--similarity", "okapi", "--json"]

    for command, *place in (("search",), ("explain", "ieee/na/1998/n1012", "/article[1]")):
        assert foxir(command, sample, "lens", *place, *okapi).status == 0
    run = ["run", sample, TOPICS / "co", "--topics", "1-3", "--out"]
    made = foxir(*run, tmp_path / "r.xml", *okapi).json
    assert made["settings"]["k3"] == "inf"
    again = foxir(*run, tmp_path / "s.xml", "--param", "k3=inf", *okapi).json
    assert again["settings"] == made["settings"]


def test_json_is_utf_8_for_every_request(sample):
    asked = foxir("search", sample, "Vellmouth\udcff 灯台 lens", "--json")

    assert asked.json["query"] == "Vellmouth\udcff 灯台 lens"
    assert "灯台" in asked.out
    assert r"\udcff" in asked.out
