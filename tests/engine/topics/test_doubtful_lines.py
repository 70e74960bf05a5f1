"""Lines of topics that begin with an id and a blank are read, with a notice that a tab is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ArgumentError, TopicError
from engine.notices import Notice
from engine.topics import Topic, TopicFile, read_topics


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
