"""Topics of TREC, tables and JSON are read; what only looks like them is refused, and never searched as words."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import TopicError
from engine.topics import TopicFile, read_topics

TREC = """
<top>

<num> Number: 051
<title> Topic: Airbus Subsidies
<!-- not
read -->
<desc> Description:
Money & aid of <i>governments</i>,
<narr> Narrative:
Costs &lt; 5 and so on.

<con> Concept(s):
1. Airbus
<fac> Factor(s):
</top>

<TOP><num>MB7</num><title>//sec[about(., tide)]</title>
<top><num>9 <desc>no title
"""
WEB = """<webtrack2012>
<topic number="151" type="faceted"><query>403b</query><description>What?</description><subtopic number="1"/></topic>
</webtrack2012>"""
CLEF = (
    """<topics><topic lang="en"><identifier>10.2452/401-AH</identifier><title>Euro inflation</title></topic></topics>"""
)
TRIALS = """<topics task="2021"><topic number="1">A man with\nfever.</topic></topics>"""


def topics_in(folder: Path, text: str) -> TopicFile:
    file = folder / "topics"
    file.write_text(text, encoding="utf-8", newline="")
    return read_topics(file)


def queries(found: TopicFile) -> list[tuple[str, str]]:
    return [(topic.topic_id, topic.title or topic.castitle) for topic in found]


def test_topics_of_trec_without_end_tags_are_read(tmp_path):
    found = topics_in(tmp_path, TREC)

    assert queries(found) == [("51", "Airbus Subsidies"), ("MB7", "//sec[about(., tide)]")]
    first, second = found.topics
    assert first.description == "Money & aid of governments ,"
    assert (first.narrative, first.keywords) == ("Costs < 5 and so on.", "1. Airbus")
    assert (first.query_type, first.line, second.query_type, second.line) == ("CO", 2, "CAS", 18)
    assert [str(problem) for problem in found.problems] == [
        f"{tmp_path}/topics:19: topic '9': no query: expected a field such as query, title or text"
    ]


def test_a_topic_of_trec_with_two_titles_is_reported(tmp_path):
    found = topics_in(tmp_path, "<top><num>1<title>fog<num>2<title>tide</top>\n<top><num>3<title>gauge</top>")

    assert queries(found) == [("3", "gauge")]
    assert "duplicate <num>" in found.problems[0].reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WEB, [("151", "403b")]),
        (CLEF, [("10.2452/401-AH", "Euro inflation")]),
        (TRIALS, [("1", "A man with fever.")]),
        ("<topics><top><num>301</num><title>AT&amp;T</title></top></topics>", [("301", "AT&T")]),
    ],
)
def test_xml_topics_of_later_tracks_are_read(tmp_path, text, expected):
    assert queries(topics_in(tmp_path, text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        'qid,query\n1,fog signal\n2,"tide, or ""chart"""\n',
        'query_id;lang;text\n1;en;fog signal\n2;en;tide, or "chart"\n',
        'Query-ID\tTitle\n1\tfog signal\n2\ttide, or "chart"\n',
        '\ufeffqid\tquery\r\n1\tfog signal\r\n\r\n2\ttide, or "chart"\r\n',
        '{"_id": 1, "text": "fog signal", "metadata": {}}\n\n{"_id": "2", "text": "tide, or \\"chart\\""}\n',
        '[{"qid": "1", "query": "fog signal"},\n {"qid": 2, "query": "tide, or \\"chart\\""}]',
    ],
)
def test_tables_and_json_are_read(tmp_path, text):
    assert queries(topics_in(tmp_path, text)) == [("1", "fog signal"), ("2", 'tide, or "chart"')]


def test_the_query_of_a_record_is_the_field_named_query_then_title_then_text(tmp_path):
    records = [{"id": "1", "text": "t", "title": "fog"}, {"id": "2", "title": "t", "query": "tide"}]

    assert queries(topics_in(tmp_path, "\n".join(map(json.dumps, records)))) == [("1", "fog"), ("2", "tide")]


def test_records_with_path_queries_are_co_and_cas_topics(tmp_path):
    found = topics_in(tmp_path, "qid,query,castitle\n1,fog,//sec\n2,,//p\n3,//p,\n")

    assert [(topic.query_type, topic.title, topic.castitle) for topic in found] == [
        ("CO+S", "fog", "//sec"),
        ("CAS", "", "//p"),
        ("CAS", "", "//p"),
    ]


def test_unreadable_rows_and_objects_are_reported_with_their_line(tmp_path):
    table = topics_in(tmp_path, 'qid,query\n1,"fog\nsignal"\n2,tide, chart\n,gauge\n4,\n')
    lines = topics_in(tmp_path, '{"_id": "1", "text": "fog"}\n{"_id": "2"}\n{"text": "tide"}\n7\n')

    assert queries(table) == [("1", "fog signal")]
    assert [(problem.line, problem.reason.partition(":")[0]) for problem in table.problems] == [
        (4, "3 columns where the header has 2"),
        (5, "no id"),
        (6, "no query"),
    ]
    assert queries(lines) == [("1", "fog")]
    assert [(problem.line, problem.reason.partition(":")[0]) for problem in lines.problems] == [
        (2, "no query"),
        (3, "no id"),
        (4, "found 7"),
    ]


PROSE = """Fog signals
are heard at sea.
A signal is sounded in fog, in falling snow,
and in heavy rain. Its range depends on the
wind. A siren is heard farther than a bell, when the
air is calm.
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("qid,question_text\n1,fog\n", ":1: the columns qid, question_text are those of a table without queries"),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", ":1: the columns query-id, corpus-id, score are those of a run"),
        ("qid,query,text_id,query\n", ":1: the columns query, query are the same"),
        ('qid,query\n1,fog\n2,"tide\n', ":3: not CSV"),
        (
            "1,fog signal\n2,tide\n",
            ":1: an id and a comma, a semicolon or | begin every line: a table without a header",
        ),
        (
            "1|fog signal\n2|tide\n",
            ":1: an id and a comma, a semicolon or | begin every line: a table without a header",
        ),
        ("20001:fog signal\n20002:tide\n", ":1: an id and a colon begin every line"),
        ('{"_id": "1", "text": "fog"}\n{"_id": "2", text: "tide"}\n', ":2: no JSON (Expecting property name"),
        ('{"_id": "1",\n "text": "fog"}\n', ":1: no JSON"),
        ('[{"_id": "1"},\n {"text" "fog"}]', ":2: no JSON"),
        ('{"1": "fog", "2": "tide"}', ": no topic can be read: "),
        ('# queries\n{"_id": "1", "text": "fog"}\n', ":2: this looks like JSON after other text"),
        ("topics of 2009\n<topic>\n", ":2: this looks like markup that begins with text"),
        (".I 1\n.W\nfog signal\n", ":1: this looks like queries of SMART"),
        ("number: 1\ntitle: fog\n", ":1: this looks like YAML"),
        ("# Fog\n\nA signal in fog.\n", ":1: this looks like a heading of Markdown, or a comment"),
        ("Fog\n===\n", ":2: this looks like Markdown"),
        ("fog signal\n## Range\n", ":2: this looks like Markdown"),
        ("fog signal\n```\n", ":2: this looks like Markdown"),
        (PROSE, ":3: this looks like running text, whose sentences go on in the next line (3 lines do): expected"),
        ("- qid: 1\n  query: fog\n", ":1: this looks like YAML"),
        ("1 0 d1 1\n1 0 d2 0\n", ":1: this looks like qrels"),
        ("1\td7\t1\n1\td2\t2\n", ":1: three or more columns without spaces"),
        ("301 sect.apt-get.html 2\n301 apt.html 1\n", ":1: this looks like qrels of three columns"),
        ("<top>\n</top>", ": no topic can be read: "),
    ],
)
def test_what_looks_like_another_format_is_refused(tmp_path, text, expected):
    with pytest.raises(TopicError) as error:
        topics_in(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path}/topics{expected}")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("topics.csv", "number,words\n7,tide\n"),
        ("topics.CSV", "nothing,here\n1,2\n"),
        ("topics.csv", "query\nfog signal\n"),
        ("topics.tsv", "key\twords\n7\ttide\n8\tfog\n"),
        ("topics.tsv", "key\twords\tmore\n7\ttide chart\tx\n"),
    ],
)
def test_a_file_named_as_a_table_without_a_known_header_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)

    with pytest.raises(TopicError, match=rf"{name}:1: no header of topics: .* such as qid,query, .*topic_id.*title"):
        read_topics(tmp_path / name)


def test_ids_tabs_and_queries_need_no_header_in_tsv(tmp_path):
    (tmp_path / "topics.tsv").write_text("a\tfog signal\nb\ttide 2\n")

    assert queries(read_topics(tmp_path / "topics.tsv")) == [("a", "fog signal"), ("b", "tide 2")]


def test_the_text_of_a_topic_is_a_query(tmp_path):
    assert queries(topics_in(tmp_path, "topic;topic_text\n7;tide\n")) == [("7", "tide")]


@pytest.mark.parametrize("query", ["1,000 ships", "note: fog", "c++ [draft]", "a, b", "2:1 gear ratio", "id, please"])
def test_single_queries_with_signs_are_queries(tmp_path, query):
    assert queries(topics_in(tmp_path, f"{query}\n")) == [("1", query)]


words = st.text(st.sampled_from("abcXYZ09äß漢,;\"'{}[]|:+-&"), min_size=1, max_size=12).filter(
    lambda word: not word.startswith("/")
)
records = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9-]{0,5}", fullmatch=True),
    st.lists(words, min_size=1, max_size=3).map(" ".join),
    min_size=1,
)


@given(records)
def test_topics_are_read_as_they_were_written_in_every_format(tmp_path_factory, topics):
    table = io.StringIO()
    csv.writer(table).writerows([("qid", "query"), *topics.items()])
    formats = [
        table.getvalue(),
        "qid\tquery\n" + "".join(f"{name}\t{query}\n" for name, query in topics.items()),
        "".join(json.dumps({"_id": name, "text": query}) + "\n" for name, query in topics.items()),
        json.dumps([{"id": name, "query": query} for name, query in topics.items()], indent=1),
        "".join(
            f"<top>\n<num> Number: {name}\n<title> {query.replace('&', '&amp;')}\n</top>\n"
            for name, query in topics.items()
        ),
    ]

    for text in formats:
        assert queries(topics_in(tmp_path_factory.getbasetemp(), text)) == list(topics.items())


def test_a_long_cell_is_read_and_an_unpaired_surrogate_refused(tmp_path):
    long = "fog " * 50_000
    found = topics_in(tmp_path, f"id,query\n1,{long}\n")
    broken = topics_in(tmp_path, '{"id": 1, "query": "fog"}\n{"id": 2, "query": "fog \\ud800"}\n')

    assert queries(found) == [("1", long.strip())]
    assert queries(broken) == [("1", "fog")]
    assert [str(problem) for problem in broken.problems] == [
        f"{tmp_path}/topics:2: an unpaired surrogate (\\ud800 to \\udfff), which is not a character"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "how is a fog signal sounded. and why?\nwhat is its range, in miles?\nlens\n",
        "fog,\nsignal\nlens, lamp\n",  # too few lines go on
        "number of ships\n",
        "1\t# of ships\n2\t## of lamps\n3\t===\n",
        "C# 5.0 language\n#1 lighthouse\n--- fog\n",
        "\n\n".join(PROSE.splitlines()),  # each line is on its own
    ],
)
def test_queries_that_look_a_little_like_text_are_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "queries.txt").write_text(text)

    topics = read_topics(tmp_path / "queries.txt")

    assert len(topics) == sum(bool(line) for line in text.splitlines())
    assert not topics.problems
