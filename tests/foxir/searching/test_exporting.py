"""Answers with their texts, for generation systems."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import foxir
from foxir.searching.exporting import export
from foxir.searching.token_budget import token_counter
from foxir.terminal.commands import foxir as command
from tests.foxir.conftest import ROOT, Sample


def topics(**queries: str) -> foxir.TopicFile:
    return foxir.TopicFile([foxir.Topic(name, "CO", title=query) for name, query in queries.items()])


def test_a_row_has_the_texts_of_the_answers(sample: Sample) -> None:
    (row,) = export(sample.index, topics(a="fog signal"), foxir.make_settings(passages=True), k=3)
    answers = sample.index.search("fog signal", passages=True, max_answers=3)

    assert (row["query_id"], row["query"]) == ("a", "fog signal")
    assert [each["text"] for each in row["answers"]] == [answer.text for answer in answers]
    assert [(each["document"], each["start"], each["end"]) for each in row["answers"]] == [
        (answer.document, answer.start, answer.end) for answer in answers
    ]


def test_tokens_are_counted_and_bounded(sample: Sample) -> None:
    (row,) = export(sample.index, topics(a="fog signal"), token_budget=700, count_tokens=len)

    assert row["answers"]
    assert [each["tokens"] for each in row["answers"]] == [len(each["text"]) for each in row["answers"]]
    assert sum(each["tokens"] for each in row["answers"]) <= 700


def quarters(text: str) -> int:
    return len(text) // 4 + 1


@pytest.mark.parametrize("budget", [10, 12, 20, 30, 60])
def test_a_larger_budget_of_tokens_is_filled_where_a_smaller_one_is(sample: Sample, budget: int) -> None:
    (row,) = export(sample.index, topics(a="fog signal"), token_budget=budget, count_tokens=quarters)
    assert 9 <= sum(each["tokens"] for each in row["answers"]) <= budget
    assert "word_budget" not in "".join(row.get("notices", ()))


@pytest.mark.parametrize(
    ("budget", "reason"), [(2, "the shortest answer has"), (6, "the shortest one found has 7 tokens")]
)
def test_a_budget_of_tokens_that_nothing_fits_is_told_by_its_name(sample: Sample, budget: int, reason: str) -> None:
    (row,) = export(sample.index, topics(a="fog signal"), token_budget=budget, count_tokens=quarters)
    assert row["answers"] == []
    (notice,) = row["notices"]
    assert f"no answer fits token_budget = {budget}: {reason}" in notice


def test_a_smaller_budget_of_words_is_told_as_one(sample: Sample) -> None:
    bounds = {"token_budget": 90, "count_tokens": quarters, "word_budget": 2}
    (row,) = export(sample.index, topics(a="fog signal"), **bounds)
    assert "no answer fits word_budget = 2:" in row["notices"][0]


def test_an_answer_has_the_neighbours_that_are_asked_for(sample: Sample) -> None:
    (row,) = export(sample.index, topics(a="fog signal"), k=5, neighbours=["parent", "children", "next", "previous"])
    for shown, answer in zip(row["answers"], sample.index.search("fog signal", max_answers=5), strict=True):
        element = answer.element
        for name in ("parent", "previous", "next"):
            found = getattr(element, name)
            assert shown[name] == (None if found is None else {**found.to_dict(), "text": found.readable_text})
        assert [each["path"] for each in shown["children"]] == [each.path for each in element.children]
        assert all(each["text"] in shown["text"] for each in shown["children"])
    assert any(shown["children"] for shown in row["answers"])
    assert any(shown["next"] for shown in row["answers"])

    (plain,) = export(sample.index, topics(a="fog signal"), k=5)
    assert not {"parent", "children", "previous", "next"} & set(plain["answers"][0])
    with pytest.raises(foxir.ArgumentError, match="expected one of parent, children"):
        next(export(sample.index, topics(a="fog"), neighbours=["child"]))  # type: ignore[list-item]


def test_commands_give_neighbours_where_they_are_asked_for(sample: Sample) -> None:
    index = str(sample.folder / "sample.foxir")
    export_call = ["export", index, str(ROOT / "topics/co"), "--topics", "1", "--out", "-", "-q"]
    exported = CliRunner().invoke(command, [*export_call, "--neighbours", "parent,next"], catch_exceptions=False)
    for answer in json.loads(exported.stdout)["answers"]:
        parent = sample.index.element(answer["document"], answer["path"]).parent
        assert answer["parent"] == (None if parent is None else {**parent.to_dict(), "text": parent.readable_text})
        assert "next" in answer
        assert "children" not in answer

    call = ["search", index, "fog signal", "--top", "2", "--neighbours", "previous"]
    found = json.loads(CliRunner().invoke(command, [*call, "--json"], catch_exceptions=False).stdout)
    previous = sample.index.element(found["answers"][0]["document"], found["answers"][0]["path"]).previous
    assert found["answers"][0]["previous"] == (None if previous is None else previous.to_dict())
    assert "needs --json" in CliRunner().invoke(command, call).output
    assert "expected some of parent" in CliRunner().invoke(command, [*call[:-1], "uncle", "--json"]).output


def test_answers_are_from_the_scope_of_the_options(sample: Sample) -> None:
    scope = ["--in", "//(body|bdy)", "--not-in", "//list", "--documents", "[jt]*"]
    calls = [
        ["export", str(sample.folder / "sample.foxir"), str(ROOT / "topics/co"), "--topics", "1", "--out", "-", *scope],
        ["search", str(sample.folder / "sample.foxir"), "fog signal", "--json", *scope],
    ]
    for call in calls:
        result = CliRunner().invoke(command, [*call, "-q"], catch_exceptions=False)
        answers = json.loads(result.stdout)["answers"]
        assert answers
        assert all("/body[1]" in each["path"] and "/list[" not in each["path"] for each in answers)
        assert all(each["document"][0] in "jt" for each in answers)


def test_a_query_that_cannot_be_read_has_an_error_and_others_are_answered(sample: Sample) -> None:
    bad, good = export(sample.index, topics(bad="//p[about(., ", good="fog"))

    assert bad["answers"] == []
    assert "position" in bad["error"]
    assert good["answers"]


def test_the_command_writes_lines_of_json(sample: Sample, tmp_path: Path) -> None:
    arguments = [
        "export",
        str(sample.folder / "sample.foxir"),
        str(ROOT / "topics/co"),
        "--topics",
        "1-2",
        "--top",
        "2",
    ]
    result = CliRunner().invoke(command, [*arguments, "--out", str(tmp_path / "out" / "answers.jsonl"), "-q"])
    rows = [json.loads(line) for line in (tmp_path / "out/answers.jsonl").read_text("utf-8").splitlines()]

    assert result.exit_code == 0, result.output
    assert [row["query_id"] for row in rows] == ["1", "2"]
    assert all(len(row["answers"]) == 2 for row in rows)


def test_queries_are_named_in_either_way_and_lines_are_one_array_where_asked(sample: Sample, tmp_path: Path) -> None:
    queries = tmp_path / "queries.txt"
    queries.write_text("fog signal\nlens cleaning\n")
    call = ["export", str(sample.folder / "sample.foxir"), "--top", "2", "-q"]
    lines = CliRunner().invoke(command, [*call, "--queries", str(queries), "--jsonl"], catch_exceptions=False).stdout
    array = CliRunner().invoke(command, [*call, str(queries), "--json"], catch_exceptions=False).stdout

    assert [row["query"] for row in json.loads(array)] == ["fog signal", "lens cleaning"]
    assert [json.loads(line) for line in lines.splitlines()] == json.loads(array)
    for wrong in ([], [str(queries), "--queries", str(queries)]):
        refused = CliRunner().invoke(command, [*call, *wrong])
        assert (refused.exit_code, "name the queries once" in refused.output) == (2, True)


def test_a_budget_of_tokens_needs_a_tokenizer(sample: Sample) -> None:
    arguments = ["export", str(sample.folder / "sample.foxir"), str(ROOT / "topics/co"), "--out", "-"]
    result = CliRunner().invoke(command, [*arguments, "--token-budget", "5"])

    assert result.exit_code == 2
    assert "needs --tokenizer" in result.output


@pytest.mark.parametrize(
    ("name", "said"), [("raises", "ValueError: no letters: expected a function"), ("minus_one", "got -1")]
)
def test_a_function_that_counts_no_tokens_is_refused_at_once(name: str, said: str) -> None:
    with pytest.raises(foxir.ArgumentError, match=said):
        token_counter(f"{__name__}:{name}")


def raises(text: str) -> int:
    raise ValueError("no letters")


def minus_one(text: str) -> int:
    return -1


@pytest.mark.long
def test_the_module_is_there_after_import_foxir() -> None:
    subprocess.run([sys.executable, "-c", "import foxir; foxir.exporting.export"], check=True)


def test_a_file_of_topics_is_read(sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text("a\tfog signal\n")

    (row,) = foxir.exporting.export(sample.index, tmp_path / "topics.txt", k=1)

    assert (row["query_id"], row["query"], len(row["answers"])) == ("a", "fog signal", 1)


@pytest.mark.parametrize("split", ["record", "//record", "//(record|entry)", ["record"], ["//record", "//entry"]])
def test_files_are_split_by_tags_in_any_form(tmp_path: Path, split: str | list[str]) -> None:
    (tmp_path / "all.xml").write_text("<all><record>fog</record><record>signal</record></all>")

    foxir.build_index(tmp_path / "all.xml", into=tmp_path / "made.foxir", split=split)

    with foxir.open_index(tmp_path / "made.foxir") as index:
        assert index.n_documents == 2


def test_settings_are_keywords_as_those_of_a_search(sample: Sample) -> None:
    (row,) = export(sample.index, topics(a="fog signal"), passages=True, word_budget=50)
    assert (
        row["answers"]
        == next(export(sample.index, topics(a="fog signal"), foxir.make_settings(passages=True, word_budget=50)))[
            "answers"
        ]
    )
    assert 0 < sum(each["words"] for each in row["answers"]) <= 50

    with pytest.raises(foxir.SettingsError, match="did you mean 'word_budget'"):
        next(export(sample.index, topics(a="fog"), word_budgt=50))  # type: ignore[call-arg]
    with pytest.raises(foxir.SettingsError, match="image_weight"):
        next(export(sample.index, topics(a="fog"), image_weight=0.5))
    with pytest.raises(TypeError, match="max_answers: use k"):
        next(export(sample.index, topics(a="fog"), max_answers=5))
    with pytest.raises(AttributeError, match=r"use foxir\.exporting\.export\(index, topics\)"):
        foxir.export  # type: ignore[attr-defined]  # noqa: B018
