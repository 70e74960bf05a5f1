"""Chosen values of fields: of one field any of them, of several fields all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import foxir
from engine.fields.conditions import AllOf, AnyOf, Condition, FieldTest, Negated, Where
from foxir.service.pages.narrowing import Narrowing
from tests.foxir.service.living import client, page_of

PAPERS = {"a": ("review", 2015), "b": ("letter", 2015), "c": ("letter", 2016), "d": ("news", 2016)}


@pytest.fixture
def web(tmp_path: Path) -> Iterator[TestClient]:
    for name, (kind, year) in PAPERS.items():
        (tmp_path / f"{name}.xml").write_text(
            f"<article article-type='{kind}'><front><article-meta><pub-date><year>{year}</year></pub-date>"
            "</article-meta></front><body><p>lamp</p></body></article>",
            "utf-8",
        )
    foxir.build_index(tmp_path, into=tmp_path / "papers.foxir")
    with client(tmp_path / "papers.foxir") as found:
        yield found


def shown(web: TestClient, address: str) -> tuple[Any, str]:
    """Return a page and the documents in its list."""
    page = page_of(web.get(address))
    return page, "".join(sorted(each.split()[0] for each in page.xpath("//article//span[@class='path']/text()")))


def value(page: Any, field: str, name: str) -> Any:
    """Return the link of a value of a field."""
    (link,) = page.xpath(f"//aside//section[starts-with(normalize-space(h2), '{field}')]//a[span[@title='{name}']]")
    return link


def values(page: Any, field: str) -> dict[str, int]:
    links = page.xpath(f"//aside//section[starts-with(normalize-space(h2), '{field}')]//a")
    return {each.xpath("string(span[1])"): int(each.xpath("string(span[2])").split()[0]) for each in links}


def test_values_of_one_field_are_alternatives_and_fields_count_together(web: TestClient) -> None:
    page, documents = shown(web, "/?q=lamp")
    assert (documents, values(page, "Type")) == ("abcd", {"letter": 2, "news": 1, "review": 1})

    page, documents = shown(web, value(page, "Type", "letter").get("href"))
    assert documents == "bc"
    assert values(page, "Type") == {"letter": 2, "news": 1, "review": 1}  # what can be chosen beside it
    assert values(page, "Year") == {"2015": 1, "2016": 1}

    page, documents = shown(web, value(page, "Type", "review").get("href"))
    assert documents == "abc"
    assert [each.get("class") for each in page.xpath("//aside//section[starts-with(h2, 'Type')]//a")] == [
        *("chosen", None, "chosen"),
    ]

    page, documents = shown(web, value(page, "Year", "2015").get("href"))
    assert documents == "ab"
    assert (values(page, "Type"), values(page, "Year")) == ({"letter": 1, "review": 1}, {"2015": 2, "2016": 1})
    only = page.xpath("//aside//section[h2[.='Only where']]//a")
    assert [each.xpath("string(span[1])") for each in only] == ["type: letter or review", "year: 2015"]
    assert [shown(web, each.get("href"))[1] for each in only] == ["ab", "abc"]

    page, documents = shown(web, value(page, "Type", "letter").get("href"))
    assert documents == "a"
    page, documents = shown(web, value(page, "Type", "review").get("href"))
    page, documents = shown(web, value(page, "Year", "2015").get("href"))
    assert documents == "abcd"


def test_a_condition_of_the_address_stays_beside_chosen_values(web: TestClient) -> None:
    page, _ = shown(web, "/?q=lamp&where=year+>+2014+and+(type:letter+or+year+=+1900)")
    (other,) = page.xpath("//aside//section[h2[.='Only where']]//a")
    assert other.xpath("string(span[1])") == "year > 2014 and (type:letter or year = 1900)"

    page, documents = shown(web, value(page, "Year", "2016").get("href"))
    assert documents == "c"
    _, other = page.xpath("//aside//section[h2[.='Only where']]//a")
    page, documents = shown(web, other.get("href"))
    assert documents == "cd"


def test_both_of_two_values_can_be_asked_for_in_an_address(web: TestClient) -> None:
    page, documents = shown(web, "/?q=lamp&where=type=letter&where=type=review")

    assert documents == ""
    assert page.xpath("string(//aside//section[h2[.='Only where']]//span)") == "type = letter and type = review"


def test_a_condition_without_words_is_narrowed(web: TestClient) -> None:
    page, documents = shown(web, "/?q=&where=type=news")

    assert documents == "d"
    assert values(page, "Type") == {"letter": 2, "news": 1, "review": 1}


TESTS = st.builds(
    FieldTest,
    st.sampled_from(["type", "year"]),
    st.sampled_from(["=", "!=", ">", ":"]),
    st.sampled_from(["a", "a b", 'a"b', "1..2", "a*", "or", "|", "é"]),
    is_exact=st.just(True),
)
CONDITIONS = st.recursive(
    TESTS,
    lambda parts: st.one_of(
        st.lists(parts, min_size=2, max_size=3).map(lambda each: AllOf(tuple(each))),
        st.lists(parts, min_size=2, max_size=3).map(lambda each: AnyOf(tuple(each))),
        parts.map(Negated),
    ),
    max_leaves=6,
)


def without_places(condition: Condition) -> object:
    match condition:
        case FieldTest(field, operator, value):
            return field, operator, value
        case Negated(part):
            return "not", without_places(part)
        case AllOf(parts) | AnyOf(parts):
            return type(condition), [without_places(part) for part in parts]


@given(CONDITIONS)
def test_a_printed_condition_is_read_as_the_same(condition: Condition) -> None:
    assert without_places(Where.parse(str(condition)).condition) == without_places(condition)


@given(CONDITIONS, st.sampled_from(["a", "b c"]))
def test_a_value_that_is_chosen_and_taken_away_leaves_the_condition(condition: Condition, value: str) -> None:
    before = Narrowing.of(str(condition))
    chosen = Narrowing.of(before.toggled("journal", value))
    after = Narrowing.of(chosen.toggled("journal", value))

    assert (before.has("journal", value), chosen.has("journal", value)) == (False, True)
    assert (chosen.rest, after.rest, after.choice) == (before.rest, before.rest, before.choice)
