"""What `foxir index` says of its sources: files not looked at, entities kept as text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.foxir.commands.command import foxir, refused


def test_files_that_are_not_looked_at_are_counted_by_extension(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("a.dita", "a.ditamap", "b.docx", "c.DOCX", "d.png", ".hidden"):
        (source / name).write_text("<a>lamp</a>", "utf-8")

    made = foxir("index", tmp_path / "i", source)

    assert made.status == 0
    assert made.out.endswith("0 skipped; 3 files not looked at: .docx 2, .png 1\n")
    assert "a.dita" in foxir("search", tmp_path / "i", "lamp").out


def test_an_index_that_ends_empty_has_status_1_unless_its_sources_are_removed(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "b.docx").write_text("x", "utf-8")
    empty = foxir("index", tmp_path / "i", source, "-q")
    assert (empty.status, empty.err.count("the index is empty")) == (1, 1)

    (source / "a.xml").write_text("<a/>", "utf-8")
    assert foxir("index", tmp_path / "i").status == 0
    removed = foxir("index", tmp_path / "i", "--remove", source, "-q")
    assert (removed.status, removed.err) == (0, "")


KEPT = "{} kept as text, {}; --entities FILE says what they stand for.\n"


def test_entities_of_a_dtd_that_is_not_there_are_kept_as_text_unless_refused(tmp_path: Path) -> None:
    source, index = tmp_path / "source", tmp_path / "i"
    source.mkdir()
    (source / "a.xml").write_text("<!DOCTYPE a SYSTEM 'none.dtd'><a t='&logo;'>lamp &logo; &copy; &Tab;</a>", "utf-8")
    (source / "b.xml").write_text("<a>lamp &logo;</a>", "utf-8")

    made = foxir("index", index, source)
    assert made.status == 1
    assert made.err.startswith(KEPT.format("3 references to 2 unknown entities are", "'logo', 'Tab'"))
    assert made.err.count("skipped: ") == 1  # without a DTD it is not well-formed
    assert foxir("show", index, "a", "--text").out == "lamp &logo; © &Tab;\n"

    (source / "b.xml").unlink()
    refusing = foxir("index", tmp_path / "j", source, "--undefined-entities", "refuse")
    assert "entity 'logo' is not defined" in refusing.err

    (tmp_path / "own.ent").write_text('<!ENTITY logo "Foxir"><!ENTITY Tab "T">', "utf-8")
    again = foxir("index", index, "--entities", tmp_path / "own.ent")
    assert "all documents were read again" in again.err
    assert foxir("show", index, "a", "--text").out == "lamp Foxir © T\n"


def test_entities_of_files_and_those_kept_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a>&logo; &tm; &tm; caf&eacute;</a>", "utf-8")
    (tmp_path / "own.ent").write_text('<!ENTITY logo "Foxir">', "utf-8")

    bare = foxir("index", tmp_path / "bare", tmp_path / "a.xml")
    made = foxir(
        *("index", tmp_path / "i", tmp_path / "a.xml"),
        *("--entities", tmp_path / "own.ent", "--undefined-entities", "keep"),
    )

    assert bare.status == 1
    assert "entity 'logo' is not defined" in bare.err
    assert (made.status, made.err) == (0, KEPT.format("2 references to 1 unknown entity are", "'tm'"))
    assert "café" in foxir("search", tmp_path / "i", "café foxir").out
    refused(
        foxir("index", tmp_path / "j", tmp_path / "a.xml", "--entities", tmp_path / "none"), "there is no such file"
    )


@pytest.mark.parametrize("options", [(), ("--shards", "2")])
@pytest.mark.long
def test_exclusions_are_remembered_shown_and_removed(tmp_path: Path, options: tuple[str, ...]) -> None:
    one, other, index = tmp_path / "one", tmp_path / "other", tmp_path / "i"
    for path in (one / "a.xml", one / "drafts/b.xml", other / "c.xml", other / "drafts/d.xml"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<a>lamp</a>", "utf-8")

    def documents() -> list[str]:
        found = json.loads(foxir("info", index, "--list-documents", "--json").out)
        return [each["document"] for each in found["document_list"]]

    assert foxir("index", index, one, *options).status == 0
    added = foxir("index", index, other, "--exclude", "drafts", "--exclude", "old/*.xml")
    assert documents() == ["a", "c"]  # those of the source that was known are gone, too
    assert added.out.endswith("removed 1 document or old version; 0 skipped; 2 files not looked at: excluded 2\n")
    assert added.err.startswith("no file to exclude matches 'old/*.xml': ")
    assert "  excluded   drafts\n  excluded   old/*.xml\n" in foxir("info", index).out
    assert json.loads(foxir("info", index, "--json").out)["sources"] == [str(one), str(other)]

    (one / "drafts/e.xml").write_text("<a>lamp</a>", "utf-8")
    again = foxir("index", index)
    assert (again.err, documents()) == ("", ["a", "c"])
    assert "3 files not looked at: excluded 3" in again.out
    assert foxir("index", index, "--remove", "!drafts").status == 0
    assert documents() == ["a", "c", "drafts/b", "drafts/d", "drafts/e"]
    refused(foxir("index", index, "--remove", "!drafts"), "unknown source '!drafts'")
    assert foxir("index", index, "--remove", one, "--remove", other).status == 0
    refused(foxir("index", index, "--exclude", "x"), "no source")


def test_long_names_of_tags_and_entities_are_cut(tmp_path: Path) -> None:
    name = "n" * 5000
    (tmp_path / "a.xml").write_text(f"<a><{name} {name}='1'>&{name};</{name}></a>", "utf-8")

    made = foxir("index", tmp_path / "i", tmp_path / "a.xml", "--undefined-entities", "keep")
    assert made.err == KEPT.format("1 reference to 1 unknown entity is", f"'{'n' * 39}…'")
    shown = foxir("info", tmp_path / "i", "--list-tags").out
    assert f"  tags       a 1, {'n' * 39}… 1\n" in shown
    assert f"  attributes {'n' * 39}… 1\n" in shown
    assert foxir("info", tmp_path / "i", "--json").json["tags"][name] == 1


def test_vectors_are_shown_and_a_search_by_meaning_says_how_to_make_them(tmp_path: Path) -> None:
    toy = "tests.engine.semantic.toy_encoder:encode"
    (tmp_path / "a.xml").write_text("<a>lamp</a>", "utf-8")
    assert foxir("index", tmp_path / "i", tmp_path / "a.xml").status == 0
    assert "vectors" not in foxir("info", tmp_path / "i", "--json").json
    refused(foxir("search", tmp_path / "i", "lamp", "--semantic", toy), "no vectors", f"--vectors {toy}")

    assert foxir("index", tmp_path / "i", "--vectors", toy).status == 0
    assert foxir("info", tmp_path / "i", "--json").json["vectors"] == {"encoder": toy, "dimensions": 26, "blocks": 1}
    assert f"vectors    1 of 26 dimensions, by {toy}" in foxir("info", tmp_path / "i").out
    assert foxir("search", tmp_path / "i", "lamp", "--semantic", toy, "--json").json["answers"]
    refused(foxir("index", tmp_path / "i", "--vectors", "a model"), "vectors = 'a model'", "expected none, wordllama")
