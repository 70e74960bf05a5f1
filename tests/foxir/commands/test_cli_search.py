"""`foxir search` and `foxir explain`: how queries are written, pages, totals.

Answers of a document together on the command line: title first, whole words, at most as wide as the terminal.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from foxir import build_index, open_index
from tests.foxir.commands.command import COLLECTIONS, TOPICS, Outcome, foxir, refused
from tests.foxir.service.living import client


def found(sample: Path, *arguments: str) -> list[int]:
    return [answer["rank"] for answer in foxir("search", sample, *arguments, "--json").json["answers"]]


def test_a_page_follows_another(sample: Path) -> None:
    first, second = found(sample, "fog", "--top", "3"), found(sample, "fog", "--top", "3", "--skip", "3")

    assert first + second == [1, 2, 3, 4, 5, 6]
    total = foxir("search", sample, "fog", "--json").json["total"]
    assert f"\n4-6 of {total} answers, " in foxir("search", sample, "fog", "--top", "3", "--skip", "3").out


def test_a_page_after_the_last_answer_is_empty_with_a_notice(sample: Path) -> None:
    outcome = foxir("search", sample, "fog", "--skip", "99", "--max-answers", "5")

    assert outcome.err == "no answer after the first 99: there are 5, as many as --max-answers allows.\n"
    assert outcome.out.startswith("0 of 5 answers, ")


def test_the_total_counts_all_ranked_answers(sample: Path) -> None:
    whole = foxir("search", sample, "fog", "--json").json
    bounded = foxir("search", sample, "fog", "--max-answers", "5", "--json").json

    assert (whole["total_relation"], len(whole["answers"])) == ("exact", 10)
    assert whole["total"] == len(found(sample, "fog", "--top", "1500")) > 10
    assert (bounded["total"], bounded["total_relation"]) == (5, "at_least")


def test_a_budget_is_printed_whole(sample: Path) -> None:
    in_budget = foxir("search", sample, "fog", "--word-budget", "900", "--json").json

    assert len(in_budget["answers"]) == in_budget["total"] > 10
    assert sum(answer["words"] for answer in in_budget["answers"]) <= 900
    assert len(found(sample, "fog", "--word-budget", "900", "--top", "2")) == 2


@pytest.mark.parametrize("arguments", [("fog", "-signal"), ("fog -signal",), ("fog", "-signal", "-n", "3", "-q")])
def test_a_word_may_begin_with_a_dash(sample: Path, arguments: tuple[str, ...]) -> None:
    document = foxir("search", sample, *arguments, "--json").json

    assert document["query"] == "fog -signal"
    assert 0 < document["total"] < foxir("search", sample, "fog", "--json").json["total"]


@pytest.mark.parametrize("option", ["-n3", "-qn3"])
def test_options_of_one_letter_are_no_words(sample: Path, option: str) -> None:
    assert found(sample, "fog", option) == [1, 2, 3]


def test_a_value_of_an_option_may_begin_with_a_dash(sample: Path) -> None:
    refused(foxir("search", sample, "fog", "--article-weight", "-12"), "'-12'", "from 0")


def test_an_unknown_long_option_is_refused(sample: Path) -> None:
    refused(foxir("search", sample, "fog", "--topp", "3"), "--topp", "--top")


def test_a_keyword_query_is_never_refused(sample: Path) -> None:
    outcome = foxir("search", sample, '5" fog (gun', "--top", "1")

    assert outcome.status == 0
    assert outcome.err.splitlines() == [
        'query, position 2: this " is not closed, so it is read as text.',
        "query, position 8: this ( is not closed, so it is read as text.",
    ]
    assert foxir("search", sample, '5" fog (gun', "--syntax", "plain", "--top", "1").err == ""


def test_a_path_query_stays_strict(sample: Path) -> None:
    assert foxir("search", sample, "//sec[about(., fog").status == 2
    assert foxir("search", sample, "fog", "--syntax", "path").status == 2
    assert foxir("search", sample, "//sec[about(., fog", "--syntax", "keywords").status == 0


def test_topics_with_stray_signs_are_answered_with_notices(sample: Path, tmp_path: Path) -> None:
    topics, run = tmp_path / "topics.txt", tmp_path / "run.xml"
    topics.write_text('5" fog\nhorn\n')
    outcome = foxir("run", sample, topics, "--out", run, "--json")

    assert outcome.status == 0
    assert outcome.json["notices"] == [
        f"{topics}:1: topic '1': query, position 2: this \" is not closed, so it is read as text."
    ]
    assert outcome.json["topics"] == 2


def test_the_query_of_explain_needs_no_quotes(sample: Path) -> None:
    place = ("jats/fx-006", "/article[1]/body[1]")

    assert foxir("explain", sample, "fog", "signal", *place) == foxir("explain", sample, "fog signal", *place)
    assert foxir("explain", sample, "fog", "signal", "--stages").status == 0


@pytest.mark.parametrize("arguments", [("fog",), ("fog", "signal"), ("jats/fx-006", "/article[1]")])
def test_explain_says_what_is_missing(sample: Path, arguments: tuple[str, ...]) -> None:
    refused(foxir("explain", sample, *arguments), f"'{arguments[-1]}'", "expected DOCUMENT and PATH after the query")


def test_json_says_why_nothing_was_found(sample: Path) -> None:
    outcome = foxir("search", sample, "xyzzy", "--json")

    assert outcome.json["notices"] == ["no answer: 'xyzzy' is in none of the 34 documents."]
    assert outcome.err == f"{outcome.json['notices'][0]}\n"


def test_a_pasted_path_of_an_answer_is_refused(sample: Path) -> None:
    path = foxir("search", sample, "fog", "--json").json["answers"][0]["path"]

    outcome = foxir("search", sample, path)

    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("foxir: query, position 1: this is the path of an element, not a query.\n")
    assert "\n'foxir show INDEX DOCUMENT PATH' shows this element; " in outcome.err


QUERY = ("fog", "signal", "range")


@pytest.mark.parametrize("width", ["30", "80"])
def test_a_document_is_printed_once_under_its_title(sample: Path, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    outcome = foxir("search", sample, *QUERY, "--group", "document", "-n", "4")
    with open_index(sample) as index:
        groups = index.search(" ".join(QUERY)).by_document()
        titles = [group.breadcrumbs[0][0] for group in groups[:4] if group.breadcrumbs[0]]
    printed = re.sub(r"\x1b\[[0-9;]*m", "", outcome.out)
    heads = re.findall(r"^ {0,1}\d+\. ", printed, re.MULTILINE)

    assert len(heads) == 4
    in_line = " ".join(printed.split())
    assert [in_line.count(f"{group[0].document} {group[0].path} ") for group in groups[:4]] == [1] * 4
    assert titles
    assert not [title for title in titles if f"{title} › " in in_line]
    assert all(len(line) <= int(width) or " " not in line.strip() for line in printed.splitlines()[:-1])
    assert f"4 of {len(groups)} documents" in printed
    assert f"also {groups[0].ranks[1]}: " in in_line


def plain_lines(outcome: Outcome) -> list[str]:
    return [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", outcome.out).splitlines()]


def test_of_a_table_its_header_and_best_rows_are_printed(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{town}</td><td>{n}</td></tr>" for n, town in enumerate(("Oslo", "Bergen", "Tromso")))
    table = f"<table><thead><tr><th>Harbour</th><th>Lamps</th></tr></thead><tbody>{rows}</tbody></table>"
    (tmp_path / "a.xml").write_text(f"<article><front/><body><sec>{table}</sec></body></article>")
    build_index(tmp_path / "a.xml", into=tmp_path / "a.foxir")
    asked = ("search", tmp_path / "a.foxir", "lamps", "bergen", "--answers", "//table")
    for kind in ("document", "none"):
        lines = plain_lines(foxir(*asked, "--group", kind))
        header = lines.index("Harbour | Lamps")
        assert lines[header + 1 : header + 3] == ["Oslo | 0", "Bergen | 1"]
    for kind in ("document", "none"):
        lines = plain_lines(foxir(*asked[:4], "oslo", "--max-table-words", "3", "--group", kind))
        found = [line.removeprefix("also 2: ") for line in lines]
        assert [found.count(line) for line in ("Harbour | Lamps", "Bergen | 1", "Oslo | 0")] == [1, 1, 1]
    (answer,) = json.loads(foxir(*asked, "--json").out)["answers"]
    assert answer["snippet"] == "Harbour | [Lamps] · Oslo | 0 · [Bergen] | 1"


def test_answers_are_one_by_one_where_no_person_reads(sample: Path) -> None:
    usual = foxir("search", sample, *QUERY).out
    plain = foxir("search", sample, *QUERY, "--group", "none").out

    assert usual.rpartition(",")[0] == plain.rpartition(",")[0]
    refused = foxir("search", sample, *QUERY, "--group", "document", "--json")
    assert (refused.status, "--json" in refused.err) == (2, True)


@pytest.mark.parametrize("group", ["document", "none"])
def test_the_words_that_an_answer_lacks_are_named_in_both_lists(tmp_path: Path, group: str) -> None:
    for name, words in (("a", "metformin for weight loss"), ("b", "weight loss with diet")):
        (tmp_path / f"{name}.xml").write_text(f"<article><sec><p>A trial of {words}.</p></sec></article>")
    build_index(tmp_path / "a.xml", tmp_path / "b.xml", into=tmp_path / "i.foxir")
    lines = plain_lines(foxir("search", tmp_path / "i.foxir", "weight", "loss", "Metformin", "--group", group))

    assert lines.count("without: Metformin") == 1


# Text that people paste: as an argument that begins with hyphens, and in files for export.


@pytest.mark.parametrize("text", ["-- a comment on the fog signal", "--force the fog signal", "---- fog signal"])
@pytest.mark.parametrize("arguments", [("{index}", "{text}", "--top", "1"), ("--top", "1", "{index}", "{text}")])
def test_a_text_that_begins_with_hyphens_is_a_query(text: str, arguments: tuple[str, ...], sample: Path) -> None:
    found = foxir("search", *(each.format(index=sample, text=text) for each in arguments), "--json")

    assert found.status == 0
    assert found.json["query"] == text
    assert found.json["answers"]


def test_a_text_beside_words_after_hyphens_comes_first(sample: Path) -> None:
    assert foxir("search", sample, "--fog signal", "--json", "--", "-20").json["query"] == "--fog signal -20"
    refused = foxir("search", sample, "fog", "--forced", "--json")
    assert refused.status == 2
    assert "No such option '--forced'" in refused.err


def test_export_tells_how_queries_were_read(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text('1\t/etc/hosts\n2\tfog signal\n3\t//TODO[fix] fog\n4\tthe "fog\n', "utf-8")

    made = foxir("export", sample, tmp_path / "q.txt", "--top", "1", "--out", tmp_path / "a.jsonl")

    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    told = [(row["query_id"], len(row["answers"]), row.get("notices", [""])[0].partition(" ")[0]) for row in rows]
    assert told == [("1", 0, "the"), ("2", 1, ""), ("3", 1, "the"), ("4", 1, "query,")]
    assert made.status == 0
    assert "topic '1': the query begins with / but is read as words: no document has an element 'etc'" in made.err
    assert "topic '4': query, position 5: this \" is not closed" in made.err
    assert not foxir("export", sample, tmp_path / "q.txt", "-q", "--out", tmp_path / "a.jsonl").err


def test_export_says_why_a_query_has_no_answer(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1\tnosuchword\n2\t//nosuch\n", "utf-8")

    made = foxir("export", sample, tmp_path / "q.txt", "--out", tmp_path / "a.jsonl")

    assert made.err.splitlines() == [
        "topic '1': no answer: 'nosuchword' is in none of the 34 documents.",
        "topic '2': the query begins with / but is read as words: no document has an element 'nosuch'; a path query is "
        "such as //sec[about(., words)].",
        "topic '2': no answer: 'nosuch' is in none of the 34 documents.",
    ]


def test_export_says_once_that_nothing_fits_a_budget(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1\tfog signal\n", "utf-8")

    made = foxir("export", sample, tmp_path / "q.txt", "--word-budget", "1", "--out", tmp_path / "a.jsonl")

    (notice,) = json.loads((tmp_path / "a.jsonl").read_text("utf-8"))["notices"]
    assert notice.startswith("no answer fits word_budget = 1: ")
    assert made.err == f"topic '1': {notice}\n"


def test_export_prints_some_notices_and_counts_the_others(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("".join(f"{number}\t//fog signal\n" for number in range(12)), "utf-8")

    made = foxir("export", sample, tmp_path / "q.txt", "--top", "1", "--out", tmp_path / "a.jsonl")

    assert made.err.count("is read as words") == 10
    assert made.err.endswith("2 more notices about queries are in the lines of JSON.\n")


def test_an_index_named_without_its_ending_is_named(sample: Path) -> None:
    refused = foxir("search", sample.with_suffix(""), "fog")

    assert refused.status == 2
    assert f"there is no such folder, but '{sample}'. Did you mean {sample}?" in refused.err


# Several indexes as one on the command line and in the service.


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two indexes, together of the documents of the sample collection."""
    folder = tmp_path_factory.mktemp("parts")
    places = folder / "jats.foxir", folder / "others.foxir"
    for place, names in zip(places, (["jats"], ["tei", "ieee"]), strict=True):
        sources = [COLLECTIONS / name for name in names]
        assert foxir("index", place, *sources, "--stem", "none", "--no-images").status == 0
    return places


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("whole") / "whole.foxir"
    sources = [COLLECTIONS / name for name in ("jats", "tei", "ieee")]
    assert foxir("index", place, *sources, "--stem", "none", "--no-images").status == 0
    return place


def test_several_indexes_answer_as_one_index_of_all_documents(parts: tuple[Path, Path], whole: Path) -> None:
    for options in ((), ("--passages",), ("--named", "H-oCRE-MpE")):
        one = foxir("search", whole, "fog signal", "--json", *options).json
        for places in (parts, (",".join(map(str, parts)),)):
            several = foxir("search", *places, "fog", "signal", "--json", *options).json
            assert several["answers"] == one["answers"]
            assert several["total"] == one["total"]


def test_a_word_like_an_index_is_a_word(whole: Path) -> None:
    for word in ("other.foxir", "either/or", "http://x.foxir"):
        outcome = foxir("search", whole, word, "fog", "--json")
        assert outcome.status == 0
        assert outcome.json["total"] > 0
        assert ("there is no such index" in outcome.err) == (word == "other.foxir")


@pytest.mark.long
def test_explain_show_info_and_run_take_several_indexes(parts: tuple[Path, Path], tmp_path: Path) -> None:
    both = ",".join(map(str, parts))
    best = foxir("search", both, "fog signal", "--json").json["answers"][0]
    place = best["document"], best["path"]
    assert "rank 1" in foxir("explain", *parts, "fog", "signal", *place).out
    assert foxir("show", both, *place).status == 0
    told = foxir("info", both, "--json").json
    assert (told["documents"], told["skipped"]) == (34, 0)
    assert told["terms"] > 0
    assert foxir("info", *parts, "--json").json == told
    assert foxir("show", *parts, *place).status == 0
    for places in ((both,), parts):
        outcome = foxir("run", "--out", tmp_path / "r.xml", "-q", "--topics", "1", *places, TOPICS / "co")
        assert outcome.status == 0
    missing = foxir("info", parts[0], tmp_path / "no.foxir")
    assert (missing.status, "no.foxir: not a foxir index" in missing.err) == (2, True)


def test_unlike_indexes_are_refused_in_one_line(parts: tuple[Path, Path], tmp_path: Path) -> None:
    stemmed = tmp_path / "stemmed.foxir"
    assert foxir("index", stemmed, COLLECTIONS / "tei", "--stem", "english", "--no-images").status == 0
    for places in ((parts[0], stemmed), (f"{parts[0]},{stemmed}",)):
        outcome = foxir("search", *places, "fog")
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err.startswith("foxir: several indexes as one: stemming none in ")
        assert outcome.err.count("\n") == 1


def test_the_service_names_several_indexes_after_all(parts: tuple[Path, Path], whole: Path) -> None:
    with client(Path(",".join(map(str, parts))), parts[0]) as web:
        found = web.get("/api/search", params={"q": "fog signal", "index": "jats,others"}).json()
        best = found["answers"][0]
        expected = foxir("search", whole, "fog signal", "--json").json["answers"][0]
        assert (best["document"], best["score"]) == (expected["document"], expected["score"])
        read = web.get("/api/read", params={"document": best["document"], "path": best["path"], "index": "jats,others"})
        assert read.status_code == 200


def test_a_name_of_several_indexes_is_no_place_for_one(parts: tuple[Path, Path]) -> None:
    outcome = foxir("index", ",".join(map(str, parts)), COLLECTIONS / "jats")
    assert outcome.status == 2
    assert "names several indexes" in outcome.err


def test_repeated_conditions_are_all_fulfilled_and_repeated_facets_all_counted(whole: Path) -> None:
    conditions = "year >= 1990", "year < 2010"
    both = foxir("search", whole, "fog", "--json", "--where", " and ".join(conditions), "--facets", "year,author").json
    repeated = (option for value in conditions for option in ("--where", value))
    found = foxir("search", whole, "fog", "--json", *repeated, "--facets", "year", "--facets", "author").json
    assert 0 < found["total"] == both["total"]
    assert found["facets"] == both["facets"]
