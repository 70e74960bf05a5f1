"""Topic files of all years and plain text are read; unreadable topics are reported.

Lines of topics that begin with an id and a blank are read, with a notice that a tab is missing.

The list of topics that is suggested selects just these topics.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ArgumentError, TopicError
from engine.notices import Notice
from engine.topics import Topic, TopicFile, read_topics, selected_ids, selection_of
from tests.shared_data import INEX_2009, shared

FIXTURES = Path(__file__).parents[2] / "fixtures" / "topics"


def only_topic(file: Path) -> Topic:
    found = read_topics(file)
    assert len(found) == 1
    return found.topics[0]


def write(tmp_path: Path, text: str, name: str = "topics") -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def test_names_of_2002_in_capitals_and_with_hyphens_are_read():
    topic = only_topic(FIXTURES / "2002_co.xml")

    assert (topic.topic_id, topic.query_type, topic.title) == ("31", "CO", "computational biology")
    assert topic.keywords == "computational biology, bioinformatics"


def test_structure_of_2002_topics_is_reported_as_ignored():
    found = read_topics(FIXTURES / "2002_cas.xml")

    assert [(topic.title, topic.castitle) for topic in found] == [("QBIC image retrieval", "")]
    assert str(found.problems[0]).startswith(f"{FIXTURES}/2002_cas.xml:2: topic '5': target (te)")


def test_path_queries_of_2003_become_castitles_and_the_dtd_is_not_fetched():
    topic = only_topic(FIXTURES / "2003_cas.xml")

    assert (topic.query_type, topic.title) == ("CAS", "")
    assert topic.castitle == "//article[about(.,'\"formal methods\" Müller')]//sec"
    assert topic.narrative == "Model checking or theorem proving."
    assert topic.line == 3


def test_topics_of_2005_with_parent_and_multimedia_id_are_read():
    found = read_topics(FIXTURES / "2005.xml")

    assert [(topic.topic_id, topic.query_type) for topic in found] == [("203", "CO+S"), ("244", "CAS"), ("mm6", "CAS")]
    co_s, cas, mm = found.topics
    assert (co_s.title, co_s.castitle) == ("code signing verification", "//sec[about(., code signing verification)]")
    assert (cas.title, cas.parent, cas.line) == ("", "//article[about(., query optimization)]", 10)
    assert mm.castitle.endswith("//images//image[about(., royal palace residence src:/images/BN7386_10.jpg)]")
    assert found.problems == ()


def test_redefined_lt_and_amp_of_2009_are_ignored():
    found = read_topics(FIXTURES / "2009.xml")

    first, second = found.topics
    assert (first.description, first.narrative) == ("information & history", "Prizes before 1950 (< 1950).")
    assert (first.phrase_title, first.query_type) == ('"Nobel prize"', "CO+S")
    assert (second.topic_id, second.query_type) == ("2009-Eff-228", "CO")


def test_unreadable_topics_are_listed_and_the_others_read():
    file = FIXTURES / "broken.xml"
    found = read_topics(file)

    assert [topic.title for topic in found] == ["first", "sixth"]
    assert list(map(str, found.problems)) == [
        f"{file}:3: topic '2': query type 'XPATH': expected CO, CAS or CO+S",
        f"{file}:4: no id: expected an attribute such as topic_id, id or number",
        f"{file}:5: topic '4': no query: expected <title>, <query> or <castitle>",
        f"{file}:6: topic '1': duplicate id, first in {file}:2: the second topic is skipped",
    ]


def test_a_selection_applies_to_topics_and_problems():
    found = read_topics(FIXTURES / "broken.xml", only="1,2")

    assert [topic.topic_id for topic in found] == ["1"]
    assert [problem.topic_id for problem in found.problems] == ["2", "", "1"]


def test_files_of_a_folder_are_sorted_by_the_numbers_in_their_names(tmp_path):
    for number in (101, 99, 100):
        write(tmp_path, f"<inex_topic topic_id='{number}'><title>words</title></inex_topic>", f"{number}.xml")
    write(tmp_path, "<inex_topic", "98.xml")
    write(tmp_path, "not read", "README")
    found = read_topics(tmp_path)

    assert [topic.topic_id for topic in found] == ["99", "100", "101"]
    assert str(found.problems[0]).startswith(f"{tmp_path}/98.xml:1: not well-formed XML")


def test_topics_are_read_from_gzip_too(tmp_path):
    text = "<inex_topic topic_id='%d'><title>words</title></inex_topic>"
    (tmp_path / "99.xml.gz").write_bytes(gzip.compress((text % 99).encode()))
    write(tmp_path, text % 100, "100.xml")

    assert only_topic(tmp_path / "99.xml.gz").topic_id == "99"
    assert [topic.topic_id for topic in read_topics(tmp_path)] == ["99", "100"]


def test_entities_of_the_file_are_expanded_and_others_reported(tmp_path):
    text = """<!DOCTYPE inex_topics [<!ENTITY uuml "ü"> <!ENTITY twice "&uuml;&uuml;">
    <!ENTITY outside SYSTEM "secret.txt">]><inex_topics>
    <inex_topic topic_id="1"><title>M<!-- no -->&uuml;ller</title></inex_topic>
    <inex_topic topic_id="2"><title>&outside;</title></inex_topic>
    <inex_topic topic_id="3"><title>&twice;</title></inex_topic></inex_topics>"""
    write(tmp_path, "secret", "secret.txt")
    found = read_topics(write(tmp_path, text, "topics.xml"))

    assert [topic.title for topic in found] == ["Müller"]
    assert [(problem.topic_id, problem.reason[:32]) for problem in found.problems] == [
        ("2", "entity &outside; is not defined "),
        ("3", "entity &twice; is not defined in"),
    ]


def test_plain_text_has_one_query_per_line(tmp_path):
    found = read_topics(write(tmp_path, "jedi force\n\n//sec[about(., jedi)]\r\n"))

    assert [(topic.topic_id, topic.query_type, topic.title, topic.castitle) for topic in found] == [
        ("1", "CO", "jedi force", ""),
        ("3", "CAS", "", "//sec[about(., jedi)]"),
    ]


def test_tabs_separate_ids_from_queries(tmp_path):
    found = read_topics(write(tmp_path, "\ufeffa1\tjedi force\nwithout\na2\t\n"))

    assert [(topic.topic_id, topic.title, topic.line) for topic in found] == [("a1", "jedi force", 1)]
    assert [(problem.line, problem.topic_id) for problem in found.problems] == [(2, ""), (3, "a2")]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ": the file is empty: expected topics"),
        (b"jedi\n\xff\xe9\n", ":2: byte 0xff is not UTF-8: expected topics"),
        (b"MZ\0\0", ":1: the file contains NUL"),
        (b"1 Q0 a 1 2 me\n", ":1: this looks like a run or qrels"),
        (b"<inex_topic>", ":1: not well-formed XML"),
        (b"<html><topic/></html>", ":1: found <html> without topics: expected topics"),
        (b"<inex-submission><topic topic-id='1'/></inex-submission>", ":1: found <inex-submission> without topics"),
        (b"<inex_topic topic_id='1'/>", ": no topic can be read: "),
    ],
)
def test_files_without_topics_are_refused(tmp_path, data, expected):
    file = tmp_path / "topics"
    file.write_bytes(data)

    with pytest.raises(TopicError) as error:
        read_topics(file)
    assert str(error.value).startswith(f"{file}{expected}")


def test_a_missing_file_and_an_empty_folder_are_refused(tmp_path):
    with pytest.raises(TopicError, match="none: cannot be read: there is no such file"):
        read_topics(tmp_path / "none")
    with pytest.raises(TopicError, match=r"no topic can be read: the folder contains no \.xml or \.xml\.gz file"):
        read_topics(tmp_path)


NUMBERED = ["CU2", "CU03", "CU010", "CU11", "CUx4", "2CU4"]


@pytest.mark.parametrize(
    ("only", "chosen"),
    [
        ("99", ["99"]),
        ("mm6, 99", ["99", "mm6"]),
        ("100-102", ["100", "101", "102"]),
        ("2009-Eff-228,", ["2009-Eff-228"]),
        ("12-15", ["12-15"]),
        ("99,90-100", ["99", "100"]),
        ("mm5-mm6", ["mm6"]),
        ("CU01-CU10", ["CU2", "CU03", "CU010"]),
        ("2009-Eff-9-2009-Eff-228", ["2009-Eff-228"]),
    ],
)
def test_selected_ids_keep_the_order_of_the_file(only, chosen):
    assert selected_ids(only, ["99", "100", "101", "102", "mm6", "2009-Eff-228", "12-15", *NUMBERED]) == chosen


@pytest.mark.parametrize(
    ("only", "message"),
    [
        (
            "7",
            r"topics '7': no topic has this id or is in this range: "
            r"the topics are 1, 2, 3, 4, 5 \.\.\. 6 \(6 of them\)",
        ),
        ("1,9-8", "topics '9-8': the range is reversed: write 8-9"),
        ("CU03-CU01", "the range is reversed: write CU01-CU03"),
        ("CU01-CV03", "topics 'CU01-CV03': no topic has this id or is in this range"),
        (",", "expected ids and ranges"),
    ],
)
def test_a_selection_without_topics_is_refused(only, message):
    with pytest.raises(TopicError, match=message):
        selected_ids(only, ["1", "2", "3", "4", "5", "6"])


@pytest.mark.shared_data(f"{INEX_2009}/topics.xml")
def test_the_topics_of_inex_2009_are_read_completely():
    found = read_topics(shared(f"{INEX_2009}/topics.xml"))

    assert (len(found), found.problems) == (115, ())
    assert all(topic.title and topic.castitle and topic.query_type == "CO+S" for topic in found)
    assert any("history of Java & on different versions" in topic.narrative for topic in found)


def _read(folder: Path, text: str) -> TopicFile:
    file = folder / "topics.txt"
    file.write_text(text)
    return read_topics(file)


@pytest.mark.parametrize("form", ["{} pump", "{}. pump", "{}) pump", "T{} pump", "q-{}  pump"])
def test_ids_before_a_blank_are_noticed(tmp_path: Path, form: str) -> None:
    found = _read(tmp_path, "".join(form.format(n) + "\n" for n in (1, 2, 5)))
    (notice,) = found.notices
    assert isinstance(notice.reason, Notice)
    assert notice.reason.code == "ids_without_tab"
    assert (notice.source, notice.line) == (str(tmp_path / "topics.txt"), 1)
    assert not found.problems
    assert found["3"].title == " ".join(form.format(5).split())


@pytest.mark.parametrize(
    "text",
    [
        "1 pump\n",
        "1 pump\n1 valve\n",
        "1 pump\nvalve\n",
        "3D maps\n2D maps\n",
        "1\tpump\n2\tvalve\n",
        "1\t1 a\n2\t2 b\n",
    ],
)
def test_other_lines_are_not(tmp_path: Path, text: str) -> None:
    assert not _read(tmp_path, text).notices


def test_lines_like_comments_are_named(tmp_path: Path) -> None:
    (notice,) = _read(tmp_path, "1 pump\n# valves\n2 valve\n").notices
    assert notice.reason == Notice("ids_without_tab", {"id": "1", "comment": 2})


def test_the_notice_stays_with_selected_topics(tmp_path: Path) -> None:
    file = tmp_path / "topics.txt"
    file.write_text("1 pump\n2 valve\n")
    assert len(read_topics(file, "2").notices) == 1


def test_a_topic_has_an_id_of_text_and_a_known_type() -> None:
    with pytest.raises(TypeError, match="topic_id: expected str, got int"):
        Topic(1, "CO", "pump")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="query_type: expected one of 'CO', 'CAS', 'CO\\+S', got 'XX'"):
        Topic("1", "XX", "pump")  # type: ignore[arg-type]


def test_text_in_utf_16_is_refused_for_its_encoding_and_xml_is_read(tmp_path: Path) -> None:
    text, xml = tmp_path / "topics.txt", tmp_path / "topics.xml"
    text.write_bytes("fog signal\n".encode("utf-16"))
    xml.write_bytes('<inex_topic topic_id="1" query_type="CO"><title>fog</title></inex_topic>'.encode("utf-16"))

    with pytest.raises(TopicError, match="byte 0xff is not UTF-8"):
        read_topics(text)
    assert read_topics(xml)["1"].title == "fog"


IDS = st.one_of(
    st.integers(0, 40).map(str),
    st.builds("{}{}".format, st.sampled_from(["CU", "CU0", "mm", "12-"]), st.integers(0, 12)),
    st.text("0129-x", min_size=1, max_size=4),
)


@given(st.lists(st.tuples(IDS, st.booleans()), min_size=1, max_size=30, unique_by=lambda item: item[0]))
def test_the_list_selects_what_it_was_made_from(items):
    ids, chosen = [name for name, _ in items], [name for name, is_chosen in items if is_chosen]

    only = selection_of(chosen, ids, most=1000)

    assert bool(only) == bool(chosen)
    if chosen:
        assert selected_ids(only, ids) == chosen
        assert len(only) <= len(",".join(chosen))
        assert selection_of(chosen, ids, most=len(only)) == only
        assert selection_of(chosen, ids, most=len(only) - 1) == ""


@pytest.mark.parametrize(
    ("chosen", "ids", "only"),
    [
        (["1", "2", "3"], ["3", "20", "1", "2"], "1-3"),
        (["1", "2", "4"], ["1", "2", "4"], "1-4"),
        (["1", "2", "4", "5"], ["1", "2", "3", "4", "5"], "1,2,4,5"),
        (["CU01", "CU2", "CU03"], ["CU01", "CU2", "CU03", "CU04"], "CU01-CU03"),
        (["1", "2", "3"], ["1", "2", "3", "1-3"], "1,2,3"),
        (["a", "b", "c"], ["a", "b", "c", "d"], "a,b,c"),
        (["a,b"], ["a,b", "c"], ""),
        ([], ["1"], ""),
        ([str(n) for n in range(0, 10_000, 2)], [str(n) for n in range(10_000)], ""),
    ],
)
def test_neighbours_are_a_range(chosen, ids, only):
    assert selection_of(chosen, ids, most=40) == only
