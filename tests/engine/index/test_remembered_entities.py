"""An index remembers the files of entities that it was built with, and notices their changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir
from engine.errors import SettingsError
from engine.notices import Notice

CATALOG = 'PUBLIC "-//Made//DTD Article//EN" "article.dtd"'
DOCUMENT = '<!DOCTYPE a PUBLIC "-//Made//DTD Article//EN" ""><a>{} &logo; &sea;</a>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.xml").write_text(DOCUMENT.format("lamp"))
    (tmp_path / "texts/b.xml").write_text("<a>no entity</a>")
    (tmp_path / "catalog").write_text(CATALOG)
    (tmp_path / "article.dtd").write_text('<!ENTITY % more SYSTEM "more.ent"> %more;')
    (tmp_path / "more.ent").write_text('<!ENTITY logo "Foxir">')
    (tmp_path / "own.ent").write_text('<!ENTITY sea "North Sea">')
    return tmp_path


def build(folder: Path, *sources: Path, shards: int | None = None, **options: object) -> foxir.IngestReport:
    return foxir.build_index(*sources, into=folder / "index", shards=shards, **options)  # type: ignore[arg-type]


def text(folder: Path, document: str = "a") -> str:
    return foxir.open_index(folder / "index").text(document)


@pytest.mark.parametrize("shards", [None, 2])
@pytest.mark.long
def test_an_update_needs_no_options_and_reads_documents_again_if_a_file_has_changed(
    folder: Path, shards: int | None
) -> None:
    build(folder, folder / "texts", shards=shards, entities=folder / "own.ent", catalogs=[folder / "catalog"])
    assert text(folder) == "lamp Foxir North Sea"

    (folder / "texts/a.xml").write_text(DOCUMENT.format("new lamp"))
    report = build(folder)
    assert (report.read, report.skipped, report.notices) == (1, [], [])
    assert text(folder) == "new lamp Foxir North Sea"

    for file, content, expected in (
        ("more.ent", '<!ENTITY logo "Vulpes">', "new lamp Vulpes North Sea"),
        ("own.ent", '<!ENTITY sea "Baltic">', "new lamp Vulpes Baltic"),
    ):
        (folder / file).write_text(content)
        report = build(folder)
        assert (report.read, report.notices) == (2, [Notice("entities_changed")])
        assert text(folder) == expected
    assert build(folder).read == 0


def test_what_is_given_replaces_what_is_remembered(folder: Path) -> None:
    build(folder, folder / "texts", undefined_entities="keep")
    assert text(folder) == "lamp &logo; &sea;"
    assert build(folder).read == 0

    kept = Notice("references_kept", {"references": 1, "names": ("logo",)})
    assert build(folder, entities=folder / "own.ent").notices == [Notice("entities_changed"), kept]
    assert build(folder).notices == []
    assert text(folder) == "lamp &logo; North Sea"
    assert build(folder, undefined_entities="refuse").documents == 1


def test_sources_that_were_not_read_are_read_again_later(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more/c.xml").write_text("<a>&sea;</a>")
    build(folder, folder / "texts", folder / "more", entities=folder / "own.ent", catalogs=[folder / "catalog"])

    (folder / "own.ent").write_text('<!ENTITY sea "Baltic">')
    assert build(folder, folder / "texts").read == 2
    assert (text(folder), text(folder, "c")) == ("lamp Foxir Baltic", "North Sea")
    assert build(folder).read == 3
    assert text(folder, "c") == "Baltic"
    assert build(folder).read == 0


def test_a_remembered_file_that_is_gone_is_reported(folder: Path) -> None:
    build(folder, folder / "texts", entities=folder / "own.ent", undefined_entities="keep")
    (folder / "own.ent").unlink()

    with pytest.raises(SettingsError, match=r"own\.ent: .* The index remembers the file: name another"):
        build(folder)
    assert text(folder) == "lamp &logo; North Sea"
