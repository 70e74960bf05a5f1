"""What `foxir index` says of its sources: files not looked at, entities kept as text."""

from __future__ import annotations

from pathlib import Path

from tests.foxir.cli.command import foxir, refused


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
    assert foxir("index", tmp_path / "i", source).status == 1

    (source / "a.xml").write_text("<a/>", "utf-8")
    assert foxir("index", tmp_path / "i").status == 0
    assert foxir("index", tmp_path / "i", "--remove", source).status == 0


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
    assert (made.status, made.err) == (0, "2 references to undefined entities kept as text: tm 2\n")
    assert "café" in foxir("search", tmp_path / "i", "café foxir").out
    refused(foxir("index", tmp_path / "j", tmp_path / "a.xml", "--entities", tmp_path / "none"), "none", "not exist")
