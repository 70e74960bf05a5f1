"""The JSON interface answers what the library answers, and says what is wrong with a request."""

from __future__ import annotations

import re
import shutil
from dataclasses import fields, is_dataclass
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import foxir
from engine.answers.document_scores import document_scores
from foxir.service.json.records import (
    OF_PAGES,
    DocumentOutline,
    FoundAnswer,
    IndexStatus,
    OutlineElement,
    SearchResult,
    to_dict,
)
from tests.foxir.conftest import Sample
from tests.foxir.service.living import QUERY, client, got, page_of, problem

PATH = "/article[1]/body[1]/sec[5]/p[1]"


def test_search_returns_what_the_library_returns(web: TestClient, sample: Sample) -> None:
    found = got(web, "/api/search", q=QUERY, limit=100, text=1)
    expected = sample.index.search(QUERY).to_dict(text=True)["answers"]

    assert found["total"] == len(expected)
    for answer, other in zip(found["answers"], expected, strict=True):
        shown, marks = answer.pop("snippet"), answer.pop("marks")
        assert [shown[start:end] for start, end in marks] == [
            other["snippet"][start:end] for start, end in other.pop("marks")
        ]
        for start, end in reversed(marks):
            shown = f"{shown[:start]}[{shown[start:end]}]{shown[end:]}"
        assert {**answer, "snippet": shown} == {**other, "kind": answer["kind"]}


def test_texts_are_readable_on_demand(web: TestClient, sample: Sample) -> None:
    query = "chamois polished lens"
    found = got(web, "/api/search", q=query, limit=100, text=1)["answers"]
    answers = sample.index.search(query)

    assert [each["readable_text"] for each in found] == [each.readable_text for each in answers]
    assert any(each.readable_text != each.text for each in answers)
    assert not {"text", "readable_text"} & got(web, "/api/search", q=query)["answers"][0].keys()


def test_pages_of_answers_follow_one_another(web: TestClient) -> None:
    every = got(web, "/api/search", q=QUERY, limit=30)["answers"]
    pages = [got(web, "/api/search", q=QUERY, limit=10, offset=offset)["answers"] for offset in (0, 10, 20)]

    assert [answer for page in pages for answer in page] == every
    assert [answer["rank"] for answer in every] == list(range(1, 31))
    assert got(web, "/api/search", q=QUERY, offset=9000)["answers"] == []


def test_a_total_counts_what_was_ranked_and_says_whether_that_is_all(web: TestClient, sample: Sample) -> None:
    n_answers = len(sample.index.search(QUERY))

    def total(**parameters: Any) -> tuple[int, str]:
        found = got(web, "/api/search", q=QUERY, **parameters)
        return found["total"], found["total_relation"]

    assert total() == (11, "at_least")
    assert total(offset=20, limit=5) == (26, "at_least")
    assert total(limit=n_answers - 1) == (n_answers, "at_least")
    assert total(limit=n_answers) == total(offset=9000) == total(counts=1) == (n_answers, "exact")
    assert total(max_answers=4) == total(max_answers=4, counts=1) == (4, "at_least")
    assert total(kind="tei")[1] == total(word_budget=300)[1] == "exact"
    assert total(kind="tei", max_answers=30)[1] == "at_least"


@pytest.mark.parametrize("limit", [1, 7, "all"])
@pytest.mark.long
def test_pages_end_with_the_last_answer_in_json_and_on_pages(limit: int | str, sample: Sample) -> None:
    """Also beyond the answers that a page with facets ranks, and where the last page is full."""
    known = list(sample.index.search("keeper fog"))
    size = len(known) if limit == "all" else int(limit)
    shown, found, offset, total, address = [], [], 0, 1, f"/?q=keeper+fog&limit={size}&group=none"
    with client(sample.folder / "sample.foxir", settings=foxir.make_settings(max_answers=4)) as web:
        while address:
            page = page_of(web.get(address))
            shown += page.xpath("//span[@class='path']/text()")
            address = "".join(page.xpath("//a[@rel='next']/@href"))
        while offset < total:
            answered = got(web, "/api/search", q="keeper fog", limit=size, offset=offset)
            found += [f"{each['document']} {each['path']}" for each in answered["answers"]]
            offset, total = offset + size, answered["total"]

    assert 7 < len(known) <= 100
    assert shown == found == [f"{each.document} {each.path}" for each in known]
    assert (total, answered["total_relation"]) == (len(known), "exact")


def test_narrowed_answers_are_the_same_on_every_page(sample: Sample) -> None:
    with client(sample.folder / "sample.foxir", settings=foxir.make_settings(max_answers=9)) as web:
        pages = [got(web, "/api/search", q=QUERY, kind="tei", limit=5, offset=offset) for offset in (0, 5, 10, 50)]

    assert {(each["total"], each["total_relation"]) for each in pages} == {(pages[0]["total"], "at_least")}


def test_a_setting_that_is_on_or_off_takes_1_and_0(web: TestClient) -> None:
    for on, off in (("1", "0"), ("on", "off")):
        assert got(web, "/api/search", q=QUERY, passages=on)["answers"][0]["sentences"] is not None
        assert got(web, "/api/search", q=QUERY, passages=off)["answers"][0]["sentences"] is None


def test_facets_count_and_narrow(web: TestClient) -> None:
    found = got(web, "/api/search", q=QUERY, counts=1)
    for name, values in found["facets"].items():
        assert sum(each["count"] for each in values) <= found["total"]
        for each in values[:2]:
            narrowed = got(web, "/api/search", q=QUERY, limit=100, **{name: each["value"]})
            assert narrowed["total"] == each["count"]
    years = got(web, "/api/search", q=QUERY, facets="year,author")["facets"]
    assert {type(each["value"]) for each in years["year"]} == {int}
    assert {type(each["value"]) for each in years["author"]} == {str}
    only_tei = got(web, "/api/search", q=QUERY, kind="tei", limit=100)["answers"]
    assert {answer["document"].partition("/")[0] for answer in only_tei} == {"tei"}


def test_values_of_a_facet_are_alternatives(web: TestClient) -> None:
    every = got(web, "/api/search", q=QUERY, counts=1)["facets"]["tag"]
    both = got(web, "/api/search", q=QUERY, counts=1, limit=100, tag=["p", "sec"], kind="jats")
    counts = {each["value"]: each["count"] for each in both["facets"]["tag"]}

    assert {each["path"].rpartition("/")[2].partition("[")[0] for each in both["answers"]} == {"p", "sec"}
    assert both["total"] == counts["p"] + counts["sec"]
    assert 0 < counts["p"] <= next(each["count"] for each in every if each["value"] == "p")
    assert len(counts) > 2  # others can be chosen, too


def test_settings_apply_and_wrong_ones_are_named(web: TestClient, sample: Sample) -> None:
    found = got(web, "/api/search", q=QUERY, passages="on", max_sentences=2, k1=0.9, limit=5)
    expected = sample.index.search(QUERY, passages=True, max_sentences=2, k1=0.9)[:5]

    assert [(answer["start"], answer["end"]) for answer in found["answers"]] == [
        (answer.start, answer.end) for answer in expected
    ]
    three = got(web, "/api/search", q=QUERY, max_sentences=3, limit=5)
    assert [answer["sentences"] for answer in three["answers"]] == [
        answer.sentences and list(answer.sentences) for answer in sample.index.search(QUERY, max_sentences=3)[:5]
    ]
    bounded = {"q": "fog", "passages": "on", "min_words": 100}
    assert "passages of sentences only have" in problem(web, "/api/search", 422, **bounded, whole_weight=0)
    assert all(
        answer["words"] >= 100 for answer in got(web, "/api/search", **bounded)["answers"] if not answer["sentences"]
    )
    assert "did you mean 'reading'" in problem(web, "/api/search", 422, q="fog", readin="VV")
    assert "'tpo': did you mean 'limit'? see" in problem(web, "/api/search", 422, q="fog", tpo=5)
    assert "'query': did you mean 'q'? see" in problem(web, "/api/search", 422, query="fog")
    assert "'docment': did you mean 'document'? expected" in problem(web, "/api/read", 422, docment="a")
    assert "'document' is empty: expected the id of a document" in problem(web, "/api/read", 422, document="")
    assert "overlap = 'x'" in problem(web, "/api/search", 422, q="fog", overlap="x")
    assert "limit = '0'" in problem(web, "/api/search", 422, q="fog", limit=0)
    assert "given twice" in problem(web, "/api/search?q=a&q=b", 422)


def test_repeated_conditions_are_all_fulfilled_and_repeated_facets_all_counted(web: TestClient) -> None:
    def found(parameters: str) -> dict[str, Any]:
        return {**got(web, f"/api/search?q=fog&{parameters}"), "seconds": 0}

    several = found("where=author:strand&where=&where=year:1990..2010&facets=author&facets=year")
    assert several == found("where=author:strand+and+year:1990..2010&facets=author,year")
    assert several["answers"]
    assert several["facets"].keys() >= {"author", "year"}
    assert found("where=&where=") == found("")


@pytest.mark.long
def test_searches_start_from_the_settings_of_the_service_and_name_no_other_encoder(
    sample: Sample, tmp_path: Path
) -> None:
    toy = "tests.engine.semantic.toy_encoder:encode"
    settings = foxir.make_settings(semantic=toy, semantic_weight=3, passages=True)
    folder = tmp_path / "sample.foxir"
    shutil.copytree(sample.folder / "sample.foxir", folder)
    foxir.build_index(into=folder, vectors=toy)
    with client(folder, settings=settings) as web, foxir.open_index(folder) as index:
        found = got(web, "/api/search", q=QUERY, limit=5)["answers"]
        expected = index.search(QUERY, settings)[:5]
        assert [(answer["start"], answer["score"]) for answer in found] == [
            (answer.start, answer.score) for answer in expected
        ]
        plain = sample.index.search(QUERY)[:5]
        assert [
            answer["score"]
            for answer in got(web, "/api/search", q=QUERY, limit=5, semantic="none", passages="off")["answers"]
        ] == [answer.score for answer in plain]
        for other in ("os:system", "wordllama"):
            assert f"the encoder of this service is {toy}" in problem(web, "/api/search", 422, q="fog", semantic=other)


@pytest.mark.parametrize("asked", [{"named": "H-oCRE-MpE"}, {"approach": "fulltext"}, {"heuristic": "TPF"}])
def test_served_settings_that_cannot_hold_for_a_request_are_left_out(sample: Sample, asked: dict[str, Any]) -> None:
    toy = "tests.engine.semantic.toy_encoder:encode"
    settings = foxir.make_settings(semantic=toy, passages=True, word_budget=900, inside="//body")
    kept = {} if "approach" in asked else {"inside": "//body"}
    with client(sample.folder / "sample.foxir", settings=settings) as web:
        found = got(web, "/api/search", q=QUERY, limit=5, **asked)["answers"]
        expected = sample.index.search(QUERY, **asked, **kept)[:5]
        assert [(answer["document"], answer["path"]) for answer in found] == [
            (answer.document, answer.path) for answer in expected
        ]
        assert "scored elements" in problem(web, "/api/search", 422, q=QUERY, heuristic="TPF", passages="on")


def test_a_service_without_encoder_imports_none(web: TestClient) -> None:
    assert "the encoder of this service is none" in problem(web, "/api/search", 422, q="fog", semantic="os:system")


@pytest.mark.parametrize(
    "text", ['say "hello', 'fog"', "/etc/fog signal", "fog - +", '"', "fog's (signal): [1]", "fog\nsignal " * 300]
)
def test_any_text_is_a_query(web: TestClient, text: str) -> None:
    assert web.get("/api/search", params={"q": text}).status_code == 200


def test_a_mistake_in_a_path_query_has_its_caret(web: TestClient) -> None:
    detail = problem(web, "/api/search", 422, q="//sec[about(., fog", syntax="path")

    assert detail.splitlines()[2].strip() == "^"
    assert "Add )" in detail


def test_read_returns_text_of_elements_and_characters(web: TestClient, sample: Sample) -> None:
    text = sample.index.text("jats/fx-006")
    whole = got(web, "/api/read", document="jats/fx-006")
    element = got(web, "/api/read", document="jats/fx-006", path=PATH)

    assert (whole["text"], whole["length"], whole["kind"]) == (text, len(text), "jats")
    assert element["text"] == text[5456:6015] == text[element["start"] : element["end"]]
    assert got(web, "/api/read", document="jats/fx-006", path=PATH.replace("[1]", "")) == element
    assert got(web, "/api/read", document="jats/fx-006", start=5, end=9)["text"] == text[5:9]
    front = sample.index.element("jats/fx-008", "/article[1]/front[1]")
    shown = got(web, "/api/read", document="jats/fx-008", path=front.path, readable=1)
    assert (shown["text"], shown["start"], shown["end"]) == (front.readable_text, front.start, front.end)
    assert front.readable_text != front.text
    assert "no element" in problem(web, "/api/read", 404, document="jats/fx-006", path="/article[1]/x[1]")
    assert "is not in index" in problem(web, "/api/read", 404, document="../../etc/passwd")
    assert "the text has" in problem(web, "/api/read", 422, document="jats/fx-006", start=10**9)


@pytest.mark.parametrize("place", [{"start": 9}, {"end": 9}, {"start": 0, "end": 9}])
def test_characters_are_read_without_a_path(place: dict[str, int], web: TestClient) -> None:
    assert "omit them, or the path" in problem(web, "/api/read", 422, document="jats/fx-006", path=PATH, **place)


def test_an_outline_says_what_is_wrong_with_its_query(web: TestClient) -> None:
    asked = {"q": "//sec[about(.", "syntax": "path"}
    searched = web.get("/api/search", params=asked)
    outlined = web.get("/api/outline", params={**asked, "document": "jats/fx-006"})

    assert (outlined.status_code, outlined.json()) == (searched.status_code, searched.json())
    assert outlined.status_code == 422


def test_the_outline_has_titles_and_scores(web: TestClient) -> None:
    found = got(web, "/api/outline", document="jats/fx-006", q=QUERY)
    by_title = {each["title"]: each for each in found["elements"]}

    assert by_title["Conclusion"]["path"] == "/article[1]/body[1]/sec[5]"
    assert by_title["Conclusion"]["score"] > 0
    assert 0 <= by_title["Conclusion"]["heat"] <= 9
    assert {each["score"] for each in got(web, "/api/outline", document="jats/fx-006")["elements"]} == {None}


@pytest.mark.parametrize(
    "query",
    [
        QUERY,
        "what is the range of the signal in the fog",  # with function words
        '+fog -whale "signal range"',
        "//sec[about(., fog)]//p[about(., range)]",
    ],
)
@pytest.mark.parametrize("settings", [{}, {"reading": "VV"}, {"rank_by": "structure"}, {"passages": True}])
def test_scores_of_a_document_are_those_of_a_search(sample: Sample, query: str, settings: dict[str, Any]) -> None:
    keep = foxir.Settings.from_options(**{"overlap": "keep", "min_words": 1, **settings})
    answers = sample.index.search(query, keep)
    reader = sample.index.reader
    documents = list(dict.fromkeys(answers.documents))[:3]
    assert documents

    for document in documents:
        number = reader.number(document)
        assert number is not None
        scores = document_scores(reader, query, keep, number)
        for answer in answers:
            if answer.document == document and "passages" not in settings:
                assert scores[answer.element.row] == pytest.approx(answer.score, rel=1e-12)


def test_explain_returns_what_the_library_returns(web: TestClient, sample: Sample) -> None:
    found = got(web, "/api/explain", q=QUERY, document="jats/fx-006", path=PATH)
    expected = sample.index.explain(QUERY, "jats/fx-006", PATH).to_dict()

    assert (found["rank"], found["score"], found["outcome"]) == (
        expected["rank"],
        expected["score"],
        expected["outcome"],
    )
    assert "no element" in problem(web, "/api/explain", 404, q="fog", document="jats/fx-006", path="/x[1]")
    assert "missing" in problem(web, "/api/explain", 422, document="jats/fx-006", path="/article[1]")


def test_a_query_that_is_too_large_is_no_matter_of_time(web: TestClient) -> None:
    large = {"q": "//a" * 2000, "syntax": "path"}
    for page in ("/api/search", "/"):
        answer = web.get(page, params=large)
        assert (answer.status_code, "more than max_terms" in answer.text) == (422, True)


def test_an_end_before_the_start_is_named(web: TestClient) -> None:
    before, beyond = (problem(web, "/api/read", 422, document="jats/fx-006", start=10, end=end) for end in (5, 900_000))

    assert before == "characters 10 to 5: the end is before the start."
    assert re.fullmatch(r"characters 10 to 900,000: the text has [0-9],[0-9]{3}\.", beyond)


@pytest.mark.parametrize(("syntax", "status"), [("path", 422), ("keywords", 200)])
def test_the_path_of_an_element_is_no_query_but_what_read_shows(web: TestClient, syntax: str, status: int) -> None:
    response = web.get("/api/search", params={"q": "/article[1]/sec[2]", "syntax": syntax})

    message = response.json()["detail" if status == 422 else "notice"]
    assert response.status_code == status
    assert "this is the path of an element, " in message
    assert "read, with document and path, shows" in message


def test_a_second_notice_begins_with_a_capital(web: TestClient) -> None:
    notice = got(web, "/api/search", q="xyzzy -")["notice"]

    assert notice.endswith("it is read as text. No answer: 'xyzzy' is in none of the 34 documents.")


def test_a_request_names_no_function_unless_it_is_the_one_of_the_service(sample: Sample) -> None:
    own = "tests.engine.ranking.own_functions"
    settings = foxir.make_settings(similarity=f"{own}:bm25", score_parts=f"{own}:early^0.5")
    with client(sample.folder / "sample.foxir", settings=settings) as web:
        served_ones = {"element_similarity": f"{own}:bm25", "score_parts": f"{own}:early^0.5"}
        assert got(web, "/api/search", q=QUERY, **served_ones)["answers"]
        for given in (
            {"similarity": "os:getcwd"},
            {"element_similarity": "os:getcwd"},
            {"similarity": "D[os:getcwd]"},
            {"score_parts": "os:getcwd"},
            {"score_parts": "name"},
            {"reranker": "os:getcwd"},
        ):
            assert "a request names no function" in problem(web, "/api/search", 422, q="fog", **given)


@pytest.mark.parametrize(
    "given",
    [
        {"reranker": "tests.engine.semantic.toy_reranker:raises"},
        {"similarity": "tests.engine.ranking.own_functions:raises"},
    ],
)
def test_a_function_of_the_service_that_fails_is_its_fault_and_told_to_its_log(
    sample: Sample, given: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with client(sample.folder / "sample.foxir", settings=foxir.make_settings(**given)) as web:
        found = problem(web, "/api/search", 500, q=QUERY)
    assert found == "a function of the service's settings has failed: see its log."
    assert ".py" in caplog.text


# Records as JSON: converted by their types as value by value.


NUMBERS = st.floats() | st.sampled_from([inf, -inf, nan])
LEFT_OUT = ("text", "readable_text", "blocks", "without", "also_in", "siblings")


def value_by_value(record: Any) -> Any:
    """Return a record as JSON has it, each value looked at."""
    if is_dataclass(record):
        plain = {each.name: value_by_value(getattr(record, each.name)) for each in fields(record)}
        if isinstance(record, FoundAnswer):
            images = () if record.image_score is not None else ("image", "image_score")
            left_out = [*OF_PAGES[FoundAnswer], *(name for name in LEFT_OUT if plain[name] is None)]
            plain = {name: value for name, value in plain.items() if name not in (*left_out, *images)}
        if isinstance(record, SearchResult):
            missing = [name for name in ("meant", "groups", "total_groups") if plain[name] is None]
            plain = {name: value for name, value in plain.items() if name not in missing}
        return plain
    if isinstance(record, list):
        return [value_by_value(each) for each in record]
    if isinstance(record, dict):
        return {name: value_by_value(value) for name, value in record.items()}
    return str(record) if isinstance(record, float) and not isfinite(record) else record


@given(st.builds(FoundAnswer, rsv=NUMBERS, score=NUMBERS | st.none(), article_score=NUMBERS))
@pytest.mark.long
def test_an_answer_is_converted_as_value_by_value(answer: FoundAnswer) -> None:
    assert repr(to_dict(answer)) == repr(value_by_value(answer))


@given(st.builds(SearchResult, seconds=NUMBERS))
@pytest.mark.long
def test_a_result_is_converted_as_value_by_value(result: SearchResult) -> None:
    assert repr(to_dict(result)) == repr(value_by_value(result))


@given(st.builds(DocumentOutline, elements=st.lists(st.builds(OutlineElement, score=NUMBERS))) | st.builds(IndexStatus))
def test_other_records_are_converted_as_value_by_value(record: Any) -> None:
    assert repr(to_dict(record)) == repr(value_by_value(record))


def test_infinite_scores_are_text_in_every_depth() -> None:
    answer = FoundAnswer(
        1, inf, -inf, "d", "/a[1]", 0, 1, 1, 1, None, 1, 0.5, [], {}, "", [], "tei", blocks=[[nan, 1.0]]
    )

    found = to_dict([{"answers": (answer,)}])[0]["answers"][0]

    assert (found["rsv"], found["score"], found["blocks"]) == ("inf", "-inf", [["nan", 1.0]])
