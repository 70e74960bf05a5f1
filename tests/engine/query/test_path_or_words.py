"""Texts that begin with a slash: path queries, path queries with a mistake, and words that people paste."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import foxir
from engine.errors import QueryError
from engine.notices import Notice
from engine.planning.planning import make_plan
from engine.query.keyword_notices import NEEDS_SYNTAX
from engine.query.nexi.parser import parse_nexi
from engine.query.path_or_words import is_path_or_mistake
from engine.query.query import parse_query
from engine.settings import Settings
from engine.settings.choices import Syntax
from engine.text.analyser import Analyser
from engine.topics import read_topics
from engine.topics.topic import Topic

PLAIN = Analyser()
WORDS = [
    *("/etc/hosts is missing on my machine", "/proc and /sys hold what", " /tmp full"),
    *("/etc/resolv.conf, /etc/hosts: what are they?", "// a comment in code", "/* a comment */"),
    *("/dev/sd[a-z] are missing", "/etc/hosts [solved] how to edit it", "/etc/hosts [solved]"),
    *("/dev/null[1] is a device", "/24 networks", "/24", "/usr/bin/g++", "/s what does it mean (sarcasm)?"),
    *("/home/user: command [ not found", "/etc/fstab [[ error", "/5 [NOT] paid", "/s/ [signed] (see about(x))"),
    *("/s/ about(the contract)", "/s/ Smith [not (x)]", "//\\notice", "///home/user is full", "/article/sec[1]/"),
    *("/article/sec[1]/[2]", "/article[1] /sec[2]", "/article[one]/sec", "/sec or //p", "/child::sec"),
    *("//NOTE: fix this", "  //NOTE(ana): fix this ", "//server/share is not reachable", "//été est fini"),
    *("//* a comment", "//( a list", "//sec]\tis open", "//sec, //p", "//sec or //p", "//sec about(., x)"),
    *("//NOTE: fix [this]", "//server/share is [not] reachable"),
    *("//comment: see array[0] for the fog signal range", "//TODO[fix] fog", "//command: [ not found"),
    *("//note from [@ana] about fog", "//a[.5] mm of rain", " //a[i<3] then fog", "//see [1] about (fog)"),
    *("//sec [lens cap", "//i++;", '//console.log("fog");', "//cdn.example.org/npm/bootstrap@5.0.2"),
    *("//usage: [options] [file]", "//link [./readme.md] for more", "//NOTE [see about(fog)] signal"),
    *("//note[about (1870)] fog signals at sea", "/users[0]/name", "//article//sec[", "//été[", "//sec[lens cap]"),
    *("//sec|//p", "//(sec|p", " //sec// ", "//article]", "//sec,//p", "//sec///p", "//dc:*", "//sec/text()"),
    *(" //sec[1]", "//sec[lens] and not //p[fog light]", "//sec[fog] /p[lens] [light]", "//sec[ . = 'x'] lens cap"),
    *("//sec[@type lens] lens cap", "//(sec|p) [lens]"),
]
MISTAKES = [
    *("/article//sec[about(., x", "//a[not(about(., x]", "//sec[about(lens)]", "//sec[about(., x)"),
    *("//sec|//p [ About (., fog light) ]", "//sec[.//yr 2000] lens", "/article[1]"),
    *(" /article[1]/bdy[1]/sec[12]\n", "/article/sec[1]", "/TEI[1]/été-2.x[3]"),
]
PATHS = ["/etc/hosts", "/article//sec[about(., x)]", "//@id", "//sec", "/*", "//(sec|p)"]


@pytest.mark.parametrize("text", WORDS)
def test_pasted_text_that_begins_with_a_slash_is_read_as_words_with_a_notice(text: str) -> None:
    query = make_plan(text, PLAIN, Settings()).query

    assert query.path is None
    assert query.terms == parse_query(text, PLAIN, syntax="keywords").terms != ()
    why = query.notices[0].fields["why"]
    assert (query.notices[0].code, why.code) == ("read_as_words", "no_path_query")
    assert why.fields["write"] == "" or why.fields["write"].startswith("write ")


@pytest.mark.parametrize("text", MISTAKES)
def test_a_path_query_with_a_mistake_is_refused_at_its_position(text: str) -> None:
    assert is_path_or_mistake(text)
    with pytest.raises(QueryError, match=r"^query, position \d+: .*\n.*\n +\^\n"):
        make_plan(text, PLAIN, Settings())


@pytest.mark.parametrize("text", ["/article[1]/sec[2]", "/article/sec[2]", " /doc[1]/sec[10]\n"])
@pytest.mark.parametrize("syntax", ["auto", "path"])
def test_the_path_of_an_element_is_refused_with_what_shows_it(text: str, syntax: Syntax) -> None:
    with pytest.raises(QueryError, match="this is the path of an element, not a query") as refused:
        parse_query(text, PLAIN, syntax=syntax)

    assert refused.value.notice is not None
    assert refused.value.notice.fields["fix"] == Notice("show_or_search", {"tag": "sec"})


@pytest.mark.parametrize("text", PATHS)
def test_what_is_a_path_query_as_a_whole_is_one(text: str) -> None:
    assert make_plan(text, PLAIN, Settings(reading="SS")).query.path is not None


def test_the_notice_names_the_mistake_once() -> None:
    notices = parse_query("/article//sec/[2] about(., x", PLAIN).notices

    why = notices[0].fields["why"].fields
    assert why["position"] == 15
    assert why["mistake"].startswith("a tag was expected")
    assert NEEDS_SYNTAX not in [notice.code for notice in notices]


@pytest.mark.parametrize("text", ["/", "//", "/?", "// /", "//*["])
def test_slashes_without_a_word_are_a_query_without_terms(text: str) -> None:
    query = parse_query(text, PLAIN)

    assert (query.path, query.terms) == (None, ())
    assert query.notices[0].fields["why"].code == "no_path_query"


@pytest.mark.parametrize("settings", [Settings(syntax="path"), Settings(reading="SS"), Settings(reading="VS")])
def test_words_are_refused_where_a_path_query_is_asked_for(settings: Settings) -> None:
    with pytest.raises(QueryError, match=r"^query, position 12: unexpected 'is'"):
        make_plan(WORDS[0], PLAIN, settings)


@given(st.lists(st.text("abc-'é,.", min_size=1, max_size=5).filter(lambda word: word.strip("-',.")), min_size=2))
def test_words_after_slashes_are_never_refused(words: list[str]) -> None:
    for slashes in ("/", "//"):
        assert parse_query(slashes + " ".join(words), PLAIN).path is None


@given(st.text("ab1/*|()[] .:@", max_size=12))
def test_text_without_about_is_never_refused(text: str) -> None:
    text = "//a" + text.replace("[", "[x")
    try:
        parse_nexi(text)
        is_path = True
    except QueryError:
        is_path = False

    assert (parse_query(text, PLAIN, "SS").path is not None) == is_path


def test_topics_are_words_or_path_queries_as_searches_are(tmp_path: Path) -> None:
    text, table, xml = tmp_path / "t.txt", tmp_path / "t.csv", tmp_path / "t.xml"
    queries = list(enumerate((WORDS[0], MISTAKES[0], "//sec", "//NOTE: fix this"), 1))
    text.write_text("".join(f"{n}\t{query}\n" for n, query in queries), "utf-8")
    table.write_text("qid,query\n" + "".join(f'{n},"{query}"\n' for n, query in queries), "utf-8")
    topics = "".join(f'<inex_topic topic_id="{n}"><title>{query}</title></inex_topic>' for n, query in queries)
    xml.write_text(f"<topics>{topics}</topics>", "utf-8")

    for source in (text, table, xml):
        found = [topic for topic in read_topics(source) if isinstance(topic, Topic)]
        assert [topic.title for topic in found] == [WORDS[0], "", "", "//NOTE: fix this"], source
        assert [topic.castitle for topic in found] == ["", MISTAKES[0], "//sec", ""], source


def test_python_and_the_castitle_of_a_topic(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<doc><p>The file is missing.</p></doc>", "utf-8")
    topics = tmp_path / "t.xml"
    topics.write_text(
        f'<inex_topic topic_id="1" query_type="CAS"><castitle>{WORDS[0]}</castitle></inex_topic>', "utf-8"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "a.foxir")
    with foxir.open_index(tmp_path / "a.foxir") as index:
        for text in ("/etc/hosts is missing", "//NOTE: the file is missing"):
            answers = index.search(text)
            assert answers[0].document == "a"
            assert answers.notices[0].code == "read_as_words"
        with pytest.raises(foxir.TopicError, match="unexpected 'is'"):
            index.run(topics)
