"""Fields in the box, facets, order by a field, lists of documents, and a lowest score."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.topic_run import run_topics
from engine.errors import SettingsError
from engine.fields.box import box_fields, where_of
from engine.fields.conditions import Where
from engine.index.reader import IndexReader, open_reader
from engine.ranking.search import search
from engine.settings import Settings
from engine.topics import Topic
from tests.engine.index.sharded import grown
from tests.engine.ranking.shards_in_process import Shards
from tests.engine.small_index import answers_to, index_of
from tests.notice_codes import codes
from tests.reference import fields as reference

RANDOM = Random(11)
DOCUMENTS = {f"{number:02}": reference.random_document(RANDOM) for number in range(14)}
TYPES: Any = {"author": "text", "year": "year", "date": "date", "words": "number"}


@pytest.fixture(scope="module")
def indexes() -> Iterator[tuple[IndexReader, Shards]]:
    steps = [{name: markup for name, (markup, _) in DOCUMENTS.items()}]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        profile = Path(folder) / "own.toml"
        profile.write_text(reference.PROFILE, "utf-8")
        one, parts = (stack.enter_context(grown(Path(folder), steps, n, str(profile))) for n in (None, 3))
        yield open_reader(one), Shards(parts)


@pytest.mark.parametrize(
    ("text", "rest", "condition"),
    [
        ("fog author:strand|author:kern", "fog", "author:strand or author:kern"),
        ('author:strand|"Jo Kern"|year:1857 fog', "fog", 'author:strand or author:"Jo Kern" or year:1857'),
        ("(author:strand OR author:kern) fog", "fog", "author:strand or author:kern"),
        ("fog author:(strand OR Jo Kern), year:1857", "fog", '(author:strand or author:"Jo Kern") and year:1857'),
        ("author:strand OR year:1857 fog", "fog", "author:strand or year:1857"),
        ("fog AND author:strand AND lamp", "fog lamp", "author:strand"),
        ("-(author:a OR author:b) NOT year:1857 fog", "fog", "not (author:a or author:b) and not (year:1857)"),
        ("((author:a OR author:b) AND year:1857)", "", "(author:a or author:b) and year:1857"),
        ("date:1841-1843 year:1841–43", "", "date:1841-1843 and year:1841–43"),
        ("date:[1841 TO *] year:>=1857 words<5", "", "date:1841.. and year >= 1857 and words < 5"),
        ("fog year >= 1857 words =5 lamp", "fog lamp", "year >= 1857 and words = 5"),
        ("author > 5 author:7..9 fog", "fog", "author > 5 and author:7..9"),
        ("author > b fog author = 5", "author > b fog author = 5", ""),
        ("author:O'Brien author:'Eva Strand'", "", 'author:"O\'Brien" and author:"Eva Strand"'),
        ("lamp OR author:strand", "lamp OR", "author:strand"),
        ("year:1857 or year = 1860 fog", "fog", "year:1857 or year = 1860"),
        ("(year:1857 or author:a and not author:b)", "", "(year:1857 or author:a) and not (author:b)"),
        ("fog or year:1857 or lamp", "fog or or lamp", "year:1857"),
        ("not year:1857 and lamp and author:a", "not and lamp and", "year:1857 and author:a"),
        ("author=strand a<b author:| x:y|author:z", "author=strand a<b author:| x:y|author:z", ""),
        ("fog author:strand", "fog", "author:strand"),
        ("fog author:strand| year:1857|", "fog", "author:strand and year:1857"),
        ('author:"Eva Strand" fog', "fog", 'author:"Eva Strand"'),
        ("fog -year:1857..1860, lamp", "fog lamp", "not (year:1857..1860)"),
        ("Date:1857-05-01..1860 year:1857..", "", "date:1857-05-01..1860 and year:1857.."),
        ("fog author: strand", "fog author: strand", ""),
        ('"author:strand fog"', '"author:strand fog"', ""),
        ("(author:strand OR fog)", "(author:strand OR fog)", ""),
        ("http://x.org note:this 12:30", "http://x.org note:this 12:30", ""),
        ("fog year:spring", "fog year:spring", ""),
    ],
)
def test_only_fields_of_the_index_with_values_of_their_types_are_fields_of_a_query(
    text: str, rest: str, condition: str
) -> None:
    found = box_fields(text, TYPES)

    assert found.text == rest
    assert ("" if found.condition is None else str(where_of(found.condition))) == condition
    expected = (
        "field_as_words"
        if "spring" in text
        else "text_field_compared"
        if text.startswith(("author > b", "author=strand"))
        else "fields_among_words"
        if text.startswith("(author:strand OR fog")
        else ""
    )
    assert {*codes(found.notices)} == ({expected} if expected else set())
    if found.condition is not None:
        assert str(where_of(Where.parse(condition).condition)) == condition


def test_a_range_that_ends_before_it_begins_is_named(indexes: tuple[IndexReader, Shards]) -> None:
    reader, _ = indexes
    for text in ("year:1860..1857", "year:[1860 TO 1857]", "year:1860-1857"):
        (notice,) = box_fields(f"fog {text}", TYPES).notices
        assert (notice.code, notice.fields["instead"]) == ("reversed_range", "1857..1860")
    assert box_fields('fog author:"9..1"', TYPES).notices == ()
    with pytest.raises(SettingsError, match=r"ends before it begins: write 1857\.\.1860"):
        answers_to(reader, "fog", where="year:1860..1857")


@pytest.mark.parametrize("text", ["fog author:strand~", 'author:"strand"~2 fog', "author:strand~1"])
def test_a_tilde_in_a_field_is_named_and_left_out(text: str) -> None:
    found = box_fields(text, TYPES)
    assert str(where_of(found.condition)).startswith("author:") if found.condition else False
    assert "~" not in str(found.condition)
    assert codes(found.notices) == ["sign_in_field"]


def test_a_field_without_a_value_is_not_said_to_be_none(indexes: tuple[IndexReader, Shards]) -> None:
    reader, _ = indexes
    for query in ("author:a||b fog", 'fog author:strand"y"'):
        told = [notice for notice in answers_to(reader, query).notices if notice.fields.get("field") == "author"]
        assert codes(told) == ["field_without_value"]


def test_signs_and_fields_where_they_mean_nothing_are_named(indexes: tuple[IndexReader, Shards]) -> None:
    reader, _ = indexes
    for query, code, word in [
        ('"=fog lamp"', "sign_in_phrase", "=fog"),
        ('sea ("fog~1 lamp" | tide)', "sign_in_phrase", "fog~1"),
        ('//article[about(., "fog lmap~")]', "sign_in_phrase", "lmap~"),
        ("//article[about(., author:strand fog)]", "field_in_about", "author:strand"),
    ]:
        found = {notice.code: notice.fields for notice in answers_to(reader, query).notices}
        assert found[code] == {"word": word}, query
    for query in ('"fog* lamp" =fog fog~1', "//article[about(., note:this)]", '"2 = 2" ~ fog'):
        assert {"sign_in_phrase", "field_in_about"}.isdisjoint(codes(answers_to(reader, query).notices))


@given(st.text(alphabet="ab :|()\"'[]<>=~*.-ORADNT1857", max_size=60))
def test_any_text_has_fields_or_is_text(text: str) -> None:
    found = box_fields(text, {"a": "text", "b": "year", "A": "date"})
    assert found.condition is not None or found.text == text


@pytest.mark.long
def test_fields_in_the_box_are_the_same_as_a_condition(indexes: tuple[IndexReader, Shards]) -> None:
    reader, _ = indexes
    boxed = answers_to(reader, "fog author:strand -year:1858 lamp")
    other = answers_to(reader, "fog lamp", where="author:strand and not year = 1858")
    assert len(boxed)
    assert (boxed.document_ids, boxed.paths) == (other.document_ids, other.paths)
    plain = answers_to(reader, "fog author:strand lamp", syntax="plain")
    assert len(plain) > len(boxed)


def test_a_list_of_documents_says_that_a_budget_of_words_does_not_count(indexes: tuple[IndexReader, Shards]) -> None:
    reader, _ = indexes
    assert codes(answers_to(reader, "author:strand", word_budget=5).notices) == ["list_without_budget"]
    assert codes(answers_to(reader, "", where="author:strand", word_budget=5).notices) == ["list_without_budget"]
    assert not answers_to(reader, "author:strand").notices
    assert not answers_to(reader, "fog author:strand", word_budget=500).notices


def test_listed_documents_have_values_that_fall_and_notices_on_reading_are_no_problems(
    indexes: tuple[IndexReader, Shards],
) -> None:
    reader, shards = indexes
    topics = [Topic("1", "CO", title="author:strand|kern"), Topic("2", "CO", title="fog* year:spring lmap~1 -oil")]

    for settings in (
        Settings(),
        Settings.from_options(sort="year"),
        Settings.from_options(approach="fulltext", sort="year"),
    ):
        run, problems = run_topics(reader, topics, settings, run_id="r")
        assert not problems
        assert all(all(a > b for a, b in pairwise(each.rsv.tolist())) for each in run.rankings.values())
        assert len(run.rankings["1"]) > 1
        assert run.rankings["1"].rsv.tolist() == shards.columns("author:strand|kern", settings).rsv.tolist()
    assert set(codes(run.notices)) == {"stands_for", "field_as_words"}
    with pytest.raises(SettingsError, match="sort = year"):
        run_topics(reader, topics, Settings.from_options(sort="year"), run_id="r", with_scores=True)


def found_documents(words: str) -> list[str]:
    return [name for name, (markup, _) in DOCUMENTS.items() if any(word in markup for word in words.split())]


def test_facets_count_all_documents_with_a_word_whatever_is_searched(indexes: tuple[IndexReader, Shards]) -> None:
    reader, shards = indexes
    values = [DOCUMENTS[name][1] for name in found_documents("fog")]
    authors = Counter(each for value in values for each in {reference.folded(author) for author in value["author"]})
    years = Counter(int(value["year"][0]) for value in values)
    settings = Settings.from_options(facets=["year", "author"], max_articles=1, max_answers=1)

    for columns in (search(reader, "fog", settings), shards.columns("fog", settings)):
        facets = {facet.name: dict(facet.most_frequent()) for facet in columns.facets}
        assert facets["year"] == years
        assert {reference.folded(str(name)): count for name, count in facets["author"].items()} == authors
        assert list(facets["year"].values()) == sorted(years.values(), reverse=True)
        assert [facet.most_frequent(2) for facet in columns.facets] == [[*each.items()][:2] for each in facets.values()]


@pytest.mark.parametrize("sort", ["year", "-year", "-date", "author", "words"])
def test_answers_are_in_the_order_of_a_field_over_shards_too(sort: str, indexes: tuple[IndexReader, Shards]) -> None:
    reader, shards = indexes
    every = answers_to(reader, "fog lamp")
    settings = Settings.from_options(sort=sort, max_answers=9)
    one, many = search(reader, "fog lamp", settings), shards.search("fog lamp", sort=sort, max_answers=9)

    keys = reader.fields.first_keys(sort.removeprefix("-"), every.documents, last=sort.startswith("-"))
    present = sorted({key for key in keys if key is not None}, reverse=sort.startswith("-"))
    place = {key: number for number, key in enumerate(present)}
    order = sorted(range(len(every)), key=lambda each: place.get(keys[each] or b"", len(place)))
    assert [reader.ids[n] for n in one.documents] == [every.document_ids[each] for each in order[:9]]
    assert list(many.document_ids) == [reader.ids[n] for n in one.documents]
    assert one.rsv.tolist() == sorted(one.rsv.tolist(), reverse=True)


def test_numbers_among_texts_are_in_their_order_before_the_texts(tmp_path: Path) -> None:
    profile = tmp_path / "own.toml"
    profile.write_text('[fields]\npages = "d/pages"\n', "utf-8")
    pages = {"a": "10", "b": "9", "c": "viii", "d": "1,200", "e": "xii", "f": "0.5", "g": "12 May 1857", "h": "1857-05"}
    texts = {name: f"<d><pages>{value}</pages><p>fog</p></d>" for name, value in pages.items()}
    with index_of(tmp_path, texts, profile=str(profile)) as index:
        for sort, order in (("pages", "fbagdhce"), ("-pages", "echdgabf")):
            assert [*dict.fromkeys(answers_to(index, "fog", sort=sort).document_ids)] == list(order)
        for where, found in (
            ("pages >= 9", "abdgh"),
            ("pages > 10", "dgh"),
            ("pages < 10", "bf"),
            ("pages: 12..1857", "dgh"),
        ):
            assert set(answers_to(index, "fog", where=where).document_ids) == set(found), where


def test_a_lowest_score_is_a_share_of_the_best_over_shards_too(indexes: tuple[IndexReader, Shards]) -> None:
    reader, shards = indexes
    every = answers_to(reader, "fog lamp")
    assert every.scores is not None
    kept = [each for each, score in enumerate(every.scores.tolist()) if score >= 0.8 * every.scores[0]]
    assert 0 < len(kept) < len(every)

    found = answers_to(reader, "fog lamp", min_score=0.8)
    assert found.paths == [every.paths[each] for each in kept]
    assert shards.search("fog lamp", min_score=0.8).document_ids == found.document_ids
    with pytest.raises(SettingsError, match="min_score"):
        answers_to(reader, "fog", min_score=0.5, rank_by="structure")


def test_a_list_of_documents_bounds_a_search_and_names_what_is_unknown(indexes: tuple[IndexReader, Shards]) -> None:
    reader, shards = indexes
    found = answers_to(reader, "fog lamp", documents=["03", "05", "none"])
    assert set(found.document_ids) <= {"03", "05"}
    assert "unknown_documents" in codes(found.notices)
    assert not len(answers_to(reader, "fog lamp", documents=[]))
    (notice,) = answers_to(reader, "fog lamp", documents=["03.xml", "05"]).notices
    assert (notice.fields["example"], notice.fields["near"]) == ("03.xml", "03")
    assert shards.search("fog lamp", documents=["03.xml", "05"]).notices == (notice,)
    settings = Settings.from_options(documents=["a b", "c"])
    assert Settings.from_options(**settings.all_values()) == settings


def test_a_query_without_words_lists_the_documents_of_a_condition(indexes: tuple[IndexReader, Shards]) -> None:
    reader, shards = indexes
    wanted = [name for name, (_, values) in DOCUMENTS.items() if "1857" in values["year"]]
    for query, settings in (("", {"where": "year = 1857"}), ("year:1857", {})):
        found = answers_to(reader, query, **settings)
        assert (found.document_ids, set(found.paths)) == (wanted, {"/article[1]"})
        assert shards.search(query, **settings).document_ids == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"facets": "yaer"}, {"sort": "-yaer"}])
def test_an_unknown_field_is_refused_with_the_one_that_is_meant(
    given: dict[str, Any], indexes: tuple[IndexReader, Shards]
) -> None:
    with pytest.raises(SettingsError, match="did you mean 'year'"):
        answers_to(indexes[0], "fog", **given)
    with pytest.raises(SettingsError, match="condition, position 1: no field 'yaer'"):
        answers_to(indexes[0], "fog", where="yaer = 1857", **given)


def test_an_order_by_a_field_that_no_document_has_is_a_notice_over_shards_too(tmp_path: Path) -> None:
    profile = tmp_path / "own.toml"
    profile.write_text(reference.PROFILE, "utf-8")
    documents = {"a": "<article><p>fog</p></article>", "b": "<article><p>fog lamp</p></article>"}
    with (
        grown(tmp_path, [documents], 2, str(profile)) as parts,
        index_of(tmp_path / "one", documents, profile=str(profile)) as reader,
    ):
        for found in (answers_to(reader, "fog", sort="-date"), Shards(parts).search("fog", sort="-date")):
            assert found.document_ids == ["a", "b"]
            assert [(each.code, each.fields) for each in found.notices] == [("no_document_sorted", {"field": "date"})]
        with pytest.raises(SettingsError, match=r"no field 'level': the profile 'own' finds no field .* \[fields\]"):
            answers_to(reader, "fog", where="level = 1")
