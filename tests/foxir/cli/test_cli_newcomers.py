"""What the commands say where something is not there: a pattern, a document, a source, a tag."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.foxir.cli.command import foxir, refused


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The folder of a small collection and its index."""
    texts = tmp_path / "texts"
    texts.mkdir()
    for name in ("a", "b"):
        (texts / f"{name}.xml").write_text("<doc><p>A fog signal.</p></doc>")
    assert foxir("index", tmp_path / "own.foxir", texts).status == 0
    return tmp_path


def test_a_pattern_that_no_document_id_matches_is_reported(own):
    found = foxir("search", own / "own.foxir", "fog", "--documents", "c*")
    assert "no document id matches documents = 'c*': ids are paths below the source, such as 'a'." in found.err
    found = foxir("search", own / "own.foxir", "fog", "--documents", "c*", "--json")
    assert found.json["notices"][0].startswith("no document id matches")
    assert foxir("search", own / "own.foxir", "fog", "--documents", "a*").err == ""


def test_a_wrong_scope_names_the_option_that_was_typed(own):
    refused(foxir("search", own / "own.foxir", "fog", "--in", "body"), "--in 'body': expected all")


def test_a_document_that_became_malformed_is_said_to_be_no_longer_searchable(own):
    (own / "texts/a.xml").write_text("<doc>")
    (own / "texts/new.xml").write_text("<doc>")
    said = foxir("index", own / "own.foxir")

    of_file = {line.split(".xml")[0].rpartition("/")[2]: line for line in said.err.splitlines()}
    assert "it was indexed before, and is no longer searchable" in of_file["a"]
    assert "indexed before" not in of_file["new"]
    refused(foxir("show", own / "own.foxir", "a"), "document 'a' is not in", "the last build skipped", "a.xml:1: ")


def test_a_deleted_document_is_not_suggested(own):
    (own / "texts/a.xml").unlink()
    assert foxir("index", own / "own.foxir").status == 0

    outcome = foxir("show", own / "own.foxir", "a")
    refused(outcome, "document 'a' is not in")
    assert "mean 'a'" not in outcome.err


def test_a_source_that_moved_is_answered_with_how_to_follow_it(own):
    (own / "texts").rename(own / "moved")

    outcome = foxir("index", own / "own.foxir")
    refused(outcome, "no such source", f"--remove {own / 'texts'}")
    assert outcome.err.count(f"'{own / 'texts'}'") == 1
    skipped = foxir("index", own / "own.foxir", own / "moved")
    assert f"if that source has moved, add --remove {own / 'texts'}" in skipped.err
    followed = foxir("index", own / "own.foxir", own / "moved", "--remove", own / "texts")
    assert (followed.status, "skipped:" in followed.err) == (0, False)


def test_all_tags_are_listed(tmp_path):
    (tmp_path / "texts").mkdir()
    names = [f"tag{number}" for number in range(25)]
    (tmp_path / "texts/a.xml").write_text(f"<doc>{''.join(f'<{name}>x</{name}>' for name in names)}</doc>")
    assert foxir("index", tmp_path / "own.foxir", tmp_path / "texts").status == 0

    assert "and 6 more" in foxir("info", tmp_path / "own.foxir").out
    listed = foxir("info", tmp_path / "own.foxir", "--tags").out
    assert [name for name in names if f"{name} 1" not in listed] == []
    assert "more" not in listed


def test_the_number_of_answers_has_the_same_letters_everywhere(own):
    (own / "queries.txt").write_text("fog\n")
    for option in ("-n", "-k", "--top"):
        assert foxir("search", own / "own.foxir", "fog", option, "1").out.count("score") == 1
        written = foxir("export", own / "own.foxir", own / "queries.txt", option, "1", "--out", "-", "-q").json
        assert len(written["answers"]) == 1
