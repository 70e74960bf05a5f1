"""Indexes whose documents are in several languages: each word is stemmed in its own, query words in all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.collection.profiles.profile_files import load_profile
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import BuildSettings, update_index
from engine.text.analyser import make_analyser
from tests.engine.index.index_contents import write
from tests.engine.small_index import answers_to

GERMAN = '<article xml:lang="de"><p>Die Häuser der Stadt, <i xml:lang="en">the running houses</i>.</p></article>'
FILES = {
    "de": GERMAN,
    "en": "<article><p>The houses of the city are on the hill and the city was built by him.</p></article>",
    "la": '<article xml:lang="la"><p>the houses</p></article>',
    "unknown": "<article><p>houses</p></article>",
}
SETTINGS = BuildSettings(make_analyser(), load_profile("none"))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    folder = tmp_path_factory.mktemp("languages")
    update_index(folder / "index", [str(write(folder / "source", FILES))], SETTINGS)
    return open_reader(folder / "index")


def documents(index: IndexReader, term: str) -> list[str]:
    return [index.ids[number] for number in index.postings(term).documents.tolist()]


def test_words_are_stemmed_in_the_language_of_the_text_they_are_in(index: IndexReader) -> None:
    assert documents(index, "haus") == ["de"]
    assert documents(index, "hous") == ["de", "en"]  # English inside a German text
    assert documents(index, "houses") == ["la", "unknown"]
    assert index.analyser.languages == ("none", "english", "german")


def test_a_word_of_a_query_is_stemmed_in_every_language_of_the_index(index: IndexReader) -> None:
    assert index.analyser.terms("Häuser houses the") == ["häuser|haus", "houses|hous", "the"]
    assert documents(index, "häuser|haus") == ["de"]
    assert documents(index, "hous|houses") == ["de", "en", "la", "unknown"]


def test_terms_read_as_one_have_the_statistics_of_both(index: IndexReader) -> None:
    both, one, other = (index.statistics.term(term) for term in ("hous|houses", "hous", "houses"))

    for name in ("document_frequency", "collection_frequency", "leaf_frequency", "element_frequency"):
        assert getattr(both, name) == getattr(one, name) + getattr(other, name), name


def test_terms_read_as_one_in_one_leaf_keep_their_order_and_places(tmp_path: Path) -> None:
    markup = '<a xml:lang="en"><p>houses <b xml:lang="la">houses</b> houses of</p></a>'
    profile = tmp_path / "own.toml"
    profile.write_text('inline = ["b"]', "utf-8")
    source = write(tmp_path / "source", {"a": markup, "b": GERMAN})
    update_index(tmp_path / "index", [str(source)], BuildSettings(make_analyser(), load_profile(str(profile))))
    elements = open_reader(tmp_path / "index").elements

    found = elements.occurrences("hous|houses", np.array([0, 1]), positions=True)

    assert found.positions is not None
    assert (found.tf.tolist(), found.n_leaves.tolist(), found.positions.tolist()) == ([3, 1], [1, 1], [0, 1, 2, 2])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"the house"', ["en"]),
        ('"running house"', ["de"]),
        ("Haus", ["de"]),
        ("+house +city", ["en"]),
        ('//article[about(., "the houses")]', ["en", "la"]),
    ],
)
def test_searches_find_words_of_every_language(index: IndexReader, query: str, expected: list[str]) -> None:
    assert sorted({answer.document for answer in answers_to(index, query)}) == expected


def test_languages_of_deleted_documents_do_not_count(tmp_path: Path) -> None:
    source = write(tmp_path / "source", FILES)
    update_index(tmp_path / "index", [str(source)], SETTINGS)
    update_index(tmp_path / "index", [str(write(source, {"en": FILES["en"]}))], SETTINGS)

    assert open_reader(tmp_path / "index").analyser.languages == ("english",)


def test_one_stemmer_for_all_pays_no_attention_to_languages(tmp_path: Path) -> None:
    settings = BuildSettings(make_analyser(stem="german"), load_profile("none"))
    update_index(tmp_path / "index", [str(write(tmp_path / "source", FILES))], settings)
    index = open_reader(tmp_path / "index")

    assert documents(index, "haus") == ["de"]
    assert documents(index, "hous") == ["de", "en", "la", "unknown"]
    assert index.analyser.languages == ()


@pytest.mark.parametrize("given", ['xml:lang="de"', ""])
def test_a_language_of_few_words_is_that_of_the_text_around_them(tmp_path: Path, given: str) -> None:
    german = (
        "Die Häuser der Stadt sind alt und der Hafen ist nicht weit von der Brücke, die sie mit den Inseln bindet. "
    )
    samples = "".join(f'<i xml:lang="{code}">houses</i> ' for code in ("en", "fr", "it", "la"))
    many = '<p xml:lang="en">the running houses of the city</p>'
    write(tmp_path / "source", {"few": f"<a {given}><p>{german * 12} {samples}</p></a>"})
    update_index(tmp_path / "few", [str(tmp_path / "source")], SETTINGS)
    write(tmp_path / "source", {"many": f"<a {given}><p>{german * 12}</p>{many}</a>"})
    update_index(tmp_path / "many", [str(tmp_path / "source")], SETTINGS)

    with open_reader(tmp_path / "few") as few, open_reader(tmp_path / "many") as both:
        assert few.analyser.languages == ("german",)
        assert documents(few, "hous") == ["few"]
        assert both.analyser.languages == ("english", "german")
