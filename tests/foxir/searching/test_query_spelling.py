"""A word that is in no document is named with one that is spelt alike; the answers do not change.

A query that is being typed is completed by words of the index and by titles of documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import foxir
from engine.index.reader import open_reader
from engine.notices import Notice
from foxir.searching.completions import completed, titles_with
from foxir.searching.no_answer import with_reason
from tests.foxir.commands import command
from tests.foxir.conftest import Sample

TEXTS = {
    "a": "Signals of hypertension were heard, and the navigation of ponies.",
    "b": "The signal is heard at sea. The sea is there where the fog is, and there is the navigator.",
    "c": "Der Nebel ist auf der See.",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("texts")
    for name, text in TEXTS.items():
        (source / f"{name}.xml").write_text(f"<doc><p>{text}</p></doc>", "utf-8")
    foxir.build_index(source, into=source / "i.foxir", stem="english")
    return source / "i.foxir"


@pytest.mark.parametrize("query", ["bozena", "antonin", "dvor*"])
def test_a_word_that_is_found_with_accents_is_not_misspelt(tmp_path: Path, query: str) -> None:
    (tmp_path / "a.xml").write_text("<doc><p>Antonín Dvořák and Božena Němcová</p></doc>", "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "i.foxir")

    with foxir.open_index(tmp_path / "i.foxir") as index:
        found = index.search(query)

        assert len(found) == 1
        assert {notice.code for notice in found.notices} <= {"stands_for"}


@pytest.mark.parametrize(
    ("query", "notice"),
    [
        ("hypertnesion signal", "'hypertnesion' is in no document: did you mean 'hypertension'?"),
        ("singals heard", "'singals' is in no document: did you mean 'signals'?"),
        ("isgnals", "'isgnals' is in no document: did you mean 'signals'?"),
        ("navigatoin", "'navigatoin' is in no document: did you mean 'navigation'?"),
        ("Hypertention", "'Hypertention' is in no document: did you mean 'hypertension'?"),
        ("ponnies", "'ponnies' is in no document: did you mean 'ponies'?"),
        ("//p[about(., signla)]", "'signla' is in no document: did you mean 'signal'?"),
        ('"heard signla"', "'signla' is in no document: did you mean 'signal'?"),
    ],
)
def test_a_misspelt_word_has_a_notice_everywhere(folder: Path, query: str, notice: str) -> None:
    with foxir.open_index(folder) as index:
        assert tuple(map(str, index.search(query).notices)) == (notice,)
    assert command.foxir("search", folder, query).err.startswith(f"{notice}\n")
    shown = command.foxir("search", folder, query, "--json")
    assert shown.json["notices"][0] == notice
    assert shown.json["notices"] == shown.err.splitlines()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("signal xqzzyvtw", ("xqzzyvtw",)),
        ("xqzzyvtw fog wvutsrq", ("xqzzyvtw", "wvutsrq")),
        ('"heard xqzzyvtw" signal', ("xqzzyvtw",)),
        ("//p[about(., signal xqzzyvtw)]", ("xqzzyvtw",)),
    ],
)
def test_words_like_none_are_named_where_others_have_answers(folder: Path, query: str, words: tuple[str, ...]) -> None:
    with foxir.open_index(folder) as index:
        found = index.search(query)

    assert len(found)
    assert Notice("in_no_document", {"words": words}) in found.notices


def test_what_a_notice_says_of_a_word_or_a_path_is_said_once(folder: Path) -> None:
    with foxir.open_index(folder) as index:
        (notice,) = index.search("//qqq[about(., signal", syntax="keywords").notices
    assert notice.code == "path_needs_syntax"
    with foxir.open_index(folder) as index:
        found = index.search("//doc[about(., signla) and about(., xqzzyvtw) and about(., signal)]")
        (_, reason) = with_reason(found.notices, found.reason)
    assert reason.fields["words"] == ("xqzzyvtw",)


@pytest.mark.parametrize("query", ["signal", "signals heard", "fgo", "xqzzyvtw", "thier", "signal -signla", "2015"])
def test_words_that_are_there_short_or_like_none_have_none(folder: Path, query: str) -> None:
    with foxir.open_index(folder) as index:
        assert index.search(query).notices == ()


def test_another_word_that_is_correctly_spelt_is_left_alone(tmp_path: Path) -> None:
    text = "The least man lost suction and paid an interest, generators, and the monument of algorithms of the licence."
    (tmp_path / "a.xml").write_text(f"<doc><p>{text}</p></doc>", "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "i.foxir", stem="english")
    with foxir.open_index(tmp_path / "i.foxir") as index:
        for word in ("cost", "last", "mean", "function", "said", "internet", "general", "document", "documented"):
            assert index.search(word).notices == (), word
        for word, meant in (("algoritms", "algorithms"), ("license", "licence"), ("monumnet", "monument")):
            assert index.search(word).notices == (Notice("spelt_alike", {"word": word, "meant": meant}),)


def index_by_language(folder: Path, texts: Mapping[str, str]) -> foxir.Index:
    """Return an index of one text of each language."""
    for language, text in texts.items():
        (folder / f"{language}.xml").write_text(f'<doc xml:lang="{language}"><p>{text}</p></doc>', "utf-8")
    foxir.build_index(*folder.glob("*.xml"), into=folder / "i.foxir")
    return foxir.open_index(folder / "i.foxir")


def test_a_stem_that_is_no_word_is_not_suggested(tmp_path: Path) -> None:
    texts = {
        "en": "Charles said that the cup is on top, and passed it on.",
        "fr": "Charles dit que la tasse est dessus. Il dit que tout passe.",
        "it": "Carlo dice che il topo dorme sopra la tazza. Nulla passa.",
    }
    with index_by_language(tmp_path, texts) as index:
        found = {
            word: index.search(word).notices
            for word in ("chart", "todo", "passe-partout", "toppo", "sadi", "dessous", "Charlse")
        }
    suggested = {
        word: tuple(each.fields["meant"] for each in notices if each.code == "spelt_alike")
        for word, notices in found.items()
    }
    assert suggested == {
        **dict.fromkeys(("chart", "passe-partout", "todo", "sadi"), ()),
        "toppo": ("topo",),
        "dessous": ("dessus",),
        "Charlse": ("charles",),
    }


def test_a_word_whose_stem_only_another_one_of_another_language_has_is_in_no_document(tmp_path: Path) -> None:
    texts = {
        "en": "The nausea was heard of by those who vomit, and Naus has said that of dying they said nothing.",
        "pt": "Quem dorme não sofre, mas aqueles que estão no mar não passam bem, nem com o sono.",
    }
    with index_by_language(tmp_path, texts) as index:
        assert index.search("nausia").documents
        assert index.search("nausia vomit").notices == (Notice("spelt_alike", {"word": "nausia", "meant": "nausea"}),)
        for word in ("vomiting", "dying", "naus", "dormem"):
            assert index.search(word).notices == (), word


def test_answers_are_the_same_and_only_three_words_are_named(folder: Path) -> None:
    with foxir.open_index(folder) as index:
        found = index.search("signal hypertnesion ponnies signla hypretension")
        assert found.documents == index.search("signal").documents
        assert [notice.fields["word"] for notice in found.notices] == ["hypertnesion", "hypretension", "ponnies"]


def test_a_deleted_document_suggests_nothing(tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.xml").write_text(f"<doc><p>{text}</p></doc>", "utf-8")
    sources = [tmp_path / f"{name}.xml" for name in TEXTS]
    foxir.build_index(*sources, into=tmp_path / "i.foxir")
    (tmp_path / "a.xml").unlink()
    foxir.build_index(*sources[1:], remove=[str(sources[0])], into=tmp_path / "i.foxir")
    with foxir.open_index(tmp_path / "i.foxir") as index:
        assert len(index.documents) == 2
        assert index.search("hypertnesion").notices == ()


def test_the_last_word_is_completed_by_words_that_documents_have_as_they_are_written(sample: Sample) -> None:
    with open_reader(sample.folder / "sample.foxir") as reader:
        assert "fog lighthouse" in completed(reader, "fog lighth")
        assert completed(reader, "fog lighth ") == []
        assert completed(reader, "l") == completed(reader, "zzzz") == completed(reader, "") == []
        words = [text.rpartition(" ")[2] for text in completed(reader, "the si")]
        assert words
        assert all(word.startswith("si") and word not in reader.function_words for word in words)


@given(st.text(alphabet="abf og\u0130\u00df([*\\", max_size=12))
def test_whatever_is_typed_a_completion_begins_with_it(sample: Sample, text: str) -> None:
    with open_reader(sample.folder / "sample.foxir") as reader:
        assert all(each.lower().startswith(text.lower()) for each in completed(reader, text))
    assert all(place in (0, 1) for place in titles_with(["Fog", "(b[a*"], text))
