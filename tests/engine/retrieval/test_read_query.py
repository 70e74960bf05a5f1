"""Paths that mean nothing in a collection are read as words, with a notice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import QueryError
from engine.index.reader import IndexReader
from engine.retrieval.search import search
from engine.retrieval.topic_run import run_topics
from engine.settings import Settings
from engine.settings.choices import Syntax
from engine.topics import read_topics
from tests.engine.index.sharded import grown
from tests.engine.retrieval.shards_in_process import Shards
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
    ("query", "words", "why"),
    [
        ("/etc/hosts", "etc hosts", "no document has an element 'etc', 'hosts'; a path query"),
        ("/doc/hosts", "doc hosts", "no document has an element 'hosts'; a path query"),
        ("//(file|etc)", "file etc", "no document has an element 'file', 'etc'; a path"),
        ("//@lamp", "lamp", "no document has an element '@lamp'; a path"),
        ("//songs", "songs", "no document has an element 'songs' (did you mean song?); a path"),
    ],
)
def test_a_path_of_unknown_names_is_its_words(index: IndexReader, query: str, words: str, why: str) -> None:
    answers, expected = answers_to(index, query), answers_to(index, words)

    assert answers.query.path is None
    assert answers.notices[0].startswith(f"the query begins with / but is read as words: {why}")
    assert [(each.path, each.score) for each in answers] == [(each.path, each.score) for each in expected]


@pytest.mark.parametrize("query", ["//doc//p", "//(song|hosts)", "//@key", "//hosts[about(., lamp)]", "//*"])
@pytest.mark.parametrize("settings", [{}, {"reading": "SS"}])
def test_other_paths_are_paths(index: IndexReader, query: str, settings: dict[str, Any]) -> None:
    assert answers_to(index, query, **settings).query.path is not None


@pytest.mark.parametrize("settings", [{"syntax": "path"}, {"reading": "SS"}])
def test_who_asks_for_a_path_gets_one(index: IndexReader, settings: dict[str, Any]) -> None:
    answers = answers_to(index, "/etc/hosts", **settings)

    assert answers.query.path is not None
    assert not len(answers)


def test_a_path_without_words_is_its_words_where_the_approach_needs_some(index: IndexReader) -> None:
    answers = answers_to(index, "//sec/title", approach="fulltext")

    assert answers.query.path is None
    assert answers.notices[0].startswith("the query begins with / but is read as words: the query has no about() with")
    with pytest.raises(QueryError, match="has no about"):
        answers_to(index, "//sec/title", reading="CO")


def test_names_of_any_shard_are_known(tmp_path: Path) -> None:
    with grown(tmp_path, [DOCUMENTS], n_shards=2) as folder, index_of(tmp_path, DOCUMENTS) as whole:
        shards = Shards(folder)
        for query in ("/etc/hosts", "//song", "/song/sec", "//lamp/names"):
            expected, found = answers_to(whole, query), shards.search(query)
            assert found.paths == expected.paths
            assert (found.query.path is None) == (expected.query.path is None) == query.endswith("s")


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
        expected = search(index, query, settings)
        assert not problems
        assert list(run.rankings[topics[-1].topic_id].paths) == expected.paths
        assert (expected.query.path is None) == (syntax != "auto")
