"""Paths that mean nothing in a collection are read as words, with a notice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import foxir
from engine.answers.topic_run import run_topics
from engine.errors import QueryError
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.settings import Settings
from engine.settings.choices import Syntax
from engine.topics import read_topics
from tests.engine.check_answers import search
from tests.engine.small_index import answers_to, index_of

DOCUMENTS = {
    "files": "<doc><sec><title>Hosts</title><p>The file hosts in etc names hosts.</p></sec></doc>",
    "music": '<doc key="c"><song><p>A song about the lamp.</p></song></doc>',
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    with index_of(tmp_path_factory.mktemp("read"), DOCUMENTS) as reader:
        yield reader


@pytest.mark.parametrize(
    ("query", "words", "names", "near"),
    [
        ("/etc/hosts", "etc hosts", ("etc", "hosts"), ""),
        ("/doc/hosts", "doc hosts", ("hosts",), ""),
        ("//(file|etc)", "file etc", ("file", "etc"), ""),
        ("//@lamp", "lamp", ("@lamp",), ""),
        ("//songs", "songs", ("songs",), "song"),
    ],
)
def test_a_path_of_unknown_names_is_its_words(
    index: IndexReader, query: str, words: str, names: tuple[str, ...], near: str
) -> None:
    answers, expected = answers_to(index, query), answers_to(index, words)

    assert answers.query.path is None
    fields = {"names": names, "of_attribute": names[0].startswith("@"), "near": near}
    why = Notice("path_of_no_document", fields)
    assert answers.notices[0] == Notice("read_as_words", {"why": why})
    assert [(each.path, each.score) for each in answers] == [(each.path, each.score) for each in expected]


@pytest.mark.parametrize(
    ("query", "element", "advice"),
    [
        ("key:c", "doc", 'write //doc[@key = "c"].'),
        ("song:lamp", "", "write //song[about(., lamp)]."),
    ],
)
def test_a_name_before_a_colon_is_answered_with_its_attribute_or_elements(
    index: IndexReader, query: str, element: str, advice: str
) -> None:
    (notice,) = answers_to(index, f"song {query}").notices

    assert (notice.code, notice.fields["element"]) == ("without_fields", element)
    assert str(notice).endswith(advice)


@pytest.mark.parametrize("query", ["//doc//p", "//(song|hosts)", "//@key", "//hosts[about(., lamp)]", "//*"])
@pytest.mark.parametrize("settings", [{}, {"reading": "SS"}])
def test_other_paths_are_paths(index: IndexReader, query: str, settings: dict[str, Any]) -> None:
    assert answers_to(index, query, **settings).query.path is not None


@pytest.mark.parametrize("settings", [{"syntax": "path"}, {"reading": "SS"}, {"answers": "target"}])
def test_who_asks_for_a_path_gets_one(index: IndexReader, settings: dict[str, Any]) -> None:
    answers = answers_to(index, "/etc/hosts", **settings)

    assert answers.query.path is not None
    assert not len(answers)


def test_a_path_without_words_is_its_words_where_the_approach_needs_some(index: IndexReader) -> None:
    answers = answers_to(index, "//sec/title", approach="fulltext")

    assert answers.query.path is None
    assert answers.notices[0].fields["why"] == Notice("path_without_words")
    with pytest.raises(QueryError, match="has no about"):
        answers_to(index, "//sec/title", reading="CO")
    with pytest.raises(QueryError, match=r"has no about.*\[about\(., words\)\]"):
        answers_to(index, "//sec[not(about(., lamp))]", approach="fulltext")


@pytest.mark.parametrize("syntax", ["plain", "keywords", "auto"])
def test_topics_that_begin_with_a_slash_are_read_as_in_a_search(
    index: IndexReader, tmp_path: Path, syntax: Syntax
) -> None:
    (tmp_path / "t.txt").write_text("1\t/etc/hosts\n2\t//song\n", "utf-8")
    (tmp_path / "t.xml").write_text(
        '<inex_topic topic_id="1" query_type="CO"><title>//song</title></inex_topic>', "utf-8"
    )
    settings = Settings.from_options(syntax=syntax)

    for name, query in (("t.txt", "//song"), ("t.xml", "//song")):
        topics = read_topics(tmp_path / name).topics
        run, problems = run_topics(index, topics, settings, run_id="r")
        of_words = name == "t.xml" and syntax == "auto"  # only CAS topics ask for structure
        expected = search(index, query, replace(settings, syntax="keywords") if of_words else settings)
        assert not problems
        assert list(run.rankings[topics[-1].topic_id].paths) == expected.paths
        assert (expected.query.path is None) == (syntax != "auto" or of_words)


@pytest.mark.parametrize(
    ("topic", "query", "given"),
    [
        ('query_type="CO"><title>//song[about(., lamp)]</title>', "//song[about(., lamp)]", {"reading": "CO"}),
        ('query_type="CO"><title>/etc/hosts</title>', "etc hosts", {}),
        (
            'query_type="CAS"><title>lamp</title><castitle>//song//nosuch</castitle>',
            "//song//nosuch",
            {"syntax": "path"},
        ),
        ('query_type="CAS"><title>//song[about(., lamp)]</title>', "//song[about(., lamp)]", {}),
        ('query_type="CAS"><title>//nosuch</title>', "nosuch", {}),
        ("><title>//nosuch</title>", "nosuch", {}),
    ],
)
def test_how_topics_of_inex_are_read(
    index: IndexReader, tmp_path: Path, topic: str, query: str, given: dict[str, Any]
) -> None:
    (tmp_path / "t.xml").write_text(f'<inex_topic topic_id="1" {topic}</inex_topic>', "utf-8")

    run, problems = run_topics(index, read_topics(tmp_path / "t.xml").topics, Settings(), run_id="r")

    assert not problems
    assert list(run.rankings["1"].paths) == answers_to(index, query, **given).paths


def test_a_path_query_with_a_mistake_in_a_topic_for_structure_is_refused(index: IndexReader, tmp_path: Path) -> None:
    for tag in ("title", "castitle"):
        topic = f'<inex_topic topic_id="1" query_type="CAS"><{tag}>//song[key > 2000]</{tag}></inex_topic>'
        (tmp_path / "t.xml").write_text(topic.replace("key >", "key &gt;"), "utf-8")
        run, problems = run_topics(index, read_topics(tmp_path / "t.xml").topics, Settings(), run_id="r")
        assert not run.rankings
        assert "a path in a condition begins with" in str(problems[0])


def test_items_of_a_topic_in_several_lines_are_words_as_in_a_search(index: IndexReader, tmp_path: Path) -> None:
    text = "what of these:\n-lamp\n-hosts of the song"
    (tmp_path / "t.jsonl").write_text(json.dumps({"_id": "1", "text": text}), "utf-8")

    run, _ = run_topics(index, read_topics(tmp_path / "t.jsonl").topics, Settings(), run_id="r")

    assert list(run.rankings["1"].paths) == answers_to(index, text).paths != []


# Words of today find those of early prints where that is asked for; the long s is an s in any search.


TEXT = "<d><p>And vpon that hill the iudge did loue the vvind.</p><p>Upon it the judge did love the wind.</p></d>"


@pytest.mark.parametrize("query", ["love", "upon", "judge", "wind", "vvind", "//p[about(., judge)]", "+love judge"])
def test_words_of_today_find_those_of_early_prints(tmp_path: Path, query: str) -> None:
    (tmp_path / "a.xml").write_text(TEXT)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    index = foxir.open_index(tmp_path / "x.foxir")
    paths = {answer.path for answer in index.search(query, old_spelling=True, min_words="0")}

    assert paths in ({"/d[1]/p[1]", "/d[1]/p[2]"}, {"/d[1]"})
    assert len(index.search(query, min_words="0")) == 1


def test_a_long_s_is_an_s(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<d><p>The ſtone of the houſe is ſo old that no one knows it.</p></d>", "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    index = foxir.open_index(tmp_path / "x.foxir")

    assert [len(index.search(query)) for query in ("stone", "house", "ſtone")] == [1, 1, 1]
