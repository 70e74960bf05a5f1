"""A query that is the whole title of a document finds that document first."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from engine.explain.explain import explain
from engine.index.reader import IndexReader
from engine.settings import Settings
from tests.engine.index.sharded import grown
from tests.engine.ranking.shards_in_process import Shards
from tests.engine.small_index import answers_to, index_of

MANY = "in_array in_array in_array is in the array. " * 9
DOCUMENTS = {
    "page": "<refentry><refnamediv><refname><function>in_array</function></refname><refpurpose>Looks for a value"
    "</refpurpose></refnamediv><refsect1><title>Notes</title><para>It compares loosely; in_array is slow.</para>"
    "</refsect1></refentry>",
    "alias": "<refentry><refnamediv><refname>array_has</refname><refname>key_exists</refname></refnamediv>"
    "<para>Whether a key exists.</para></refentry>",
    "other": f"<article><title>What is in_array good for</title><sect1><title>key_exists</title><para>{MANY}</para>"
    "<para>key_exists key_exists array_has array_has</para></sect1></article>",
    "reversed": f"<article><title>array in</title><para>{MANY}</para></article>",
    "who": "<article><title>The Who</title><para>A band, who would know.</para></article>",
    "where": "<article><title>Who</title><para>Who, who and the who.</para></article>",
    **{f"more{n}": f"<article><title>More {n}</title><para>{MANY}</para></article>" for n in range(3)},
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    return index_of(tmp_path_factory.mktemp("titles"), DOCUMENTS, profile="docbook")


def first(index: IndexReader, query: str) -> str:
    return answers_to(index, query, max_answers=1)[0].document


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("in_array", "page"),
        ("In_Array()", "page"),
        ('"in array"', "page"),
        ("+in_array", "page"),
        ("array_has", "alias"),
        ("key_exists", "alias"),
        ("array in", "reversed"),
        ("the who", "who"),
        ("who", "where"),
    ],
)
def test_the_document_of_a_name_is_first(index, query, document):
    assert first(index, query) == document


@pytest.mark.parametrize("query", ["in_array slow", "array", "in_array -reef", "//para[about(., in_array)]"])
def test_another_query_scores_as_without(index, query):
    found, without = (answers_to(index, query, exact_title_weight=weight) for weight in (2, 0))

    assert list(zip(found.paths, found.scores, strict=True)) == list(zip(without.paths, without.scores, strict=True))


def test_a_heading_further_down_is_no_title(index):
    found, without = (answers_to(index, "notes", exact_title_weight=weight) for weight in (2, 0))

    assert found.document_ids == ["page"]
    assert found.scores.tolist() == without.scores.tolist()


def test_without_the_weight_frequent_words_decide(index):
    assert answers_to(index, "in_array", exact_title_weight=0)[0].document != "page"


def test_other_element_scores_go_without(index):
    given = {"element_similarity": "text-blocks"}

    found, without = (
        answers_to(index, "in_array", **given),
        answers_to(index, "in_array", **given, exact_title_weight=0),
    )

    assert found.scores.tolist() == without.scores.tolist()


def test_the_weight_is_that_of_the_query_in_the_collection_and_is_explained(index):
    settings = Settings.from_options(exact_title_weight=3)
    n_leaves = index.statistics.n_leaves
    frequencies = [index.statistics.term(word).leaf_frequency for word in ("in", "array")]
    weight = sum(math.log(1 + (n_leaves - n + 0.5) / (n + 0.5)) for n in frequencies)

    answer = answers_to(index, "in_array", exact_title_weight=3)[0]
    why = explain(index, "in_array", "page", answer.path, settings).element

    assert why is not None
    assert [part.value for part in why.find("exact_title")] == [pytest.approx(3 * weight, rel=1e-12)]
    assert math.fsum(part.value or 0.0 for part in why.details) == pytest.approx(why.value, rel=1e-12)
    assert why.value == answer.score
    of_another = explain(index, "in_array", "other", "/article[1]/sect1[1]/para[1]", settings).element
    assert of_another is not None
    assert not list(of_another.find("exact_title"))


def test_a_passage_inherits_it_from_its_paragraph(index):
    found, without = (
        answers_to(
            index, "key_exists", exact_title_weight=weight, passages=True, min_passage_words=0, focus=0, whole_weight=0
        )
        for weight in (1, 0)
    )
    weight = sum(
        math.log(1 + (index.statistics.n_leaves - n + 0.5) / (n + 0.5))
        for n in (index.statistics.term(word).leaf_frequency for word in index.analyser.terms("key_exists") if word)
    )

    added = {
        answer.path: answer.score - other.score
        for answer in found
        for other in without
        if (answer.document, answer.path, answer.sentences) == ("alias", other.path, other.sentences)
    }
    assert added["/refentry[1]/para[1]"] == pytest.approx(0.6 * weight, rel=1e-9)


def test_function_words_count_in_a_title(index):
    """`the` is dropped from the query, but the title `Who` is not `the who`."""
    titled = {
        answer.document for answer in answers_to(index, "the who", exact_title_weight=1000) if answer.score > 1000
    }

    assert titled == {"who"}


def test_stop_words_are_counted_not_compared(tmp_path):
    documents = {"a": "<article><title>Fog the sea</title><para>x</para></article>"}
    documents["b"] = "<article><title>Fog sea</title><para>fog sea fog sea</para></article>"
    index = index_of(tmp_path, documents, profile="docbook", stop="english")

    assert [first(index, query) for query in ("fog the sea", "fog and sea", "fog sea")] == ["a", "a", "b"]


@pytest.mark.parametrize("marked", ["The sea", "T<emphasis>he s</emphasis>ea", "The<footnote>lamp</footnote> sea"])
def test_only_a_stop_word_takes_the_place_of_a_stop_word(tmp_path, marked):
    titles = {"sea": "Sea", "caspian": "Caspian sea", "exact": marked, "behind": "Sea the", "longer": "The sea fog"}
    documents = {name: f"<article><title>{title}</title><para>water</para></article>" for name, title in titles.items()}
    documents["long"] = "<article><title>The sea</title><para>lamp</para></article>"
    index = index_of(tmp_path, documents, profile="docbook", stop="english")

    def titled(query: str) -> set[str]:
        found = answers_to(index, query, exact_title_weight=1000)
        return {answer.document for answer in found if answer.score > 500}

    assert titled("the sea") == titled("a sea") == {"exact", "long"}
    assert titled("caspian sea") == {"caspian"}
    assert titled("sea") == {"sea"}


@pytest.mark.parametrize("stop", ["none", "english"])
def test_a_title_without_spaces_is_found(tmp_path, stop):
    titles = {"way": "茶道", "tool": "茶道具", "tea": "茶", "fog": "fog"}
    documents = {
        name: f"<article><title>{title}</title><para>茶道具</para></article>" for name, title in titles.items()
    }
    index = index_of(tmp_path, documents, profile="docbook", stop=stop)

    assert [first(index, titles[name]) for name in ("way", "tool", "tea")] == ["way", "tool", "tea"]


@pytest.mark.parametrize("n_shards", [1, 3])
def test_shards_find_what_one_index_finds(tmp_path: Path, index: IndexReader, n_shards: int):
    with grown(tmp_path, [{"page": "<article/>", "old": DOCUMENTS["page"]}, DOCUMENTS], n_shards, "docbook") as parts:
        shards = Shards(parts)
        for query in ("in_array", "key_exists", "the who", "array"):
            for found in (shards.search(query), answers_to(shards.whole, query)):
                expected = answers_to(index, query)
                assert (found.document_ids, found.paths) == (expected.document_ids, expected.paths)
                assert found.scores.tolist() == expected.scores.tolist()
