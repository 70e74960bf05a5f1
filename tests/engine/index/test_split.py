"""A file whose elements are documents (`--split`): ids, updates, languages, and the text that is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.collection.limits import Limits
from engine.collection.markup.splitting import split_markup
from engine.collection.profiles.profile_files import load_profile, with_split
from engine.errors import ProfileError
from engine.index.reader import open_reader
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.notices import Notice
from engine.presentation.source_documents import SourceDocuments
from engine.settings import Settings
from tests.engine.check_answers import search

DICTIONARY = """<dictionary xmlns="http://a.b/c" xmlns:x="http://d.e/f"><title>Words of the sea</title>
 <entry n="1"><form>tide</form><entry>nested tide</entry></entry>
 <x:entry><form>fog</form>
  <sense x:of="y">Water in the air.</sense></x:entry>
</dictionary>"""
SPLIT = BuildSettings(profile=with_split(load_profile("none"), "//entry"))


def write(folder, **files):
    (folder / "source").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"source/{name}.xml").write_text(text)


def build(folder, settings=SPLIT):
    return update_index(folder / "index", [str(folder / "source")], settings)


def documents(folder):
    with open_reader(folder / "index") as index:
        return {index.ids[number]: index.text(number) for number in index.live_documents.tolist()}


def unused(*tags, files_are_whole=False, near=""):
    return Notice("unused_split_tags", {"tags": tags, "files_are_whole": files_are_whole, "near": near})


def of_tags(report):
    return [notice for notice in report.notices if notice.code == "unused_split_tags"]


def test_each_outermost_element_of_the_tag_is_a_document(tmp_path):
    write(tmp_path, a=DICTIONARY)
    report = build(tmp_path)

    assert documents(tmp_path) == {"a/1": "tidenested tide", "a/2": "fog\n  Water in the air."}
    assert report.notices == [Notice("text_outside", {"characters": 13, "tags": ("entry",)})]
    with open_reader(tmp_path / "index") as index:
        found = search(index, "water", Settings())
        assert [(answer.document, answer.path) for answer in found] == [("a/2", "/entry[1]/sense[1]")]


def test_a_file_without_the_tag_is_one_document(tmp_path):
    write(tmp_path, a="<a>no entry</a>", b=DICTIONARY)
    build(tmp_path)

    assert list(documents(tmp_path)) == ["a/1", "b/1", "b/2"]
    assert documents(tmp_path)["a/1"] == "no entry"


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("//Entry", [unused("Entry", files_are_whole=True, near="entry")]),
        ("//(entry|fogs)", [unused("fogs")]),
        ("//(entry|form)", []),
    ],
)
def test_a_tag_that_no_file_has_is_reported(tmp_path, tags, expected):
    write(tmp_path, a="<a>no entry</a>", b=DICTIONARY)
    settings = BuildSettings(profile=with_split(load_profile("none"), tags))
    report = build(tmp_path, settings)

    shards = update_index(tmp_path / "shards", [str(tmp_path / "source")], settings, n_shards=4)

    assert of_tags(report) == of_tags(shards) == expected
    write(tmp_path, a="<a>another</a>")
    assert not of_tags(build(tmp_path, settings))


def test_a_file_too_large_to_be_split_is_refused_with_advice_that_helps(tmp_path):
    write(tmp_path, a=DICTIONARY)
    (skipped,) = build(tmp_path, replace(SPLIT, limits=Limits(max_text=20))).skipped

    assert "(max_text=N allows more): a file is read as a whole before it is split, so raise" in skipped.reason


def test_more_than_nine_documents_are_numbered_in_document_order(tmp_path):
    write(tmp_path, a=f"<a>{''.join(f'<entry>word{n}</entry>' for n in range(1, 31))}</a>")
    build(tmp_path)

    assert documents(tmp_path) == {f"a/{n}": f"word{n}" for n in range(1, 31)}


def test_a_changed_file_replaces_all_its_documents_and_an_unchanged_one_none(tmp_path):
    write(tmp_path, a=DICTIONARY, b=DICTIONARY)
    build(tmp_path)
    assert (build(tmp_path).read, build(tmp_path).dropped) == (0, 0)

    write(tmp_path, b="<a><entry>lamp</entry></a>")
    report = build(tmp_path)
    assert (report.read, report.dropped) == (1, 2)
    assert list(documents(tmp_path)) == ["a/1", "a/2", "b/1"]

    (tmp_path / "source/a.xml").unlink()
    assert build(tmp_path).dropped == 2
    assert documents(tmp_path) == {"b/1": "lamp"}


def test_a_file_that_is_not_well_formed_leaves_no_document(tmp_path):
    write(tmp_path, a=DICTIONARY.replace("</dictionary>", ""), b=DICTIONARY)
    report = build(tmp_path)

    assert list(documents(tmp_path)) == ["b/1", "b/2"]
    assert [skipped.file.rpartition("/")[2] for skipped in report.skipped] == ["a.xml"]


def test_small_parts_and_shards_have_the_same_documents(tmp_path, monkeypatch):
    write(tmp_path, a=DICTIONARY, b=DICTIONARY, c=DICTIONARY)
    build(tmp_path)
    monkeypatch.setattr("engine.indexing.workers.document_reading.LEAST_BATCH", 1)
    small = BuildSettings(profile=SPLIT.profile, memory=1)
    update_index(tmp_path / "small", [str(tmp_path / "source")], small)
    update_index(tmp_path / "shards", [str(tmp_path / "source")], SPLIT, n_shards=2)

    for name in ("small", "shards"):
        with open_reader(tmp_path / name) as index:
            found = {index.ids[number]: index.text(number) for number in index.live_documents.tolist()}
        assert found == documents(tmp_path)


def test_lines_and_xml_are_those_of_the_whole_file(tmp_path):
    write(tmp_path, a=DICTIONARY)
    build(tmp_path)

    with open_reader(tmp_path / "index") as index, SourceDocuments(index) as sources:
        first, second = (sources.document(index.number(name)) for name in ("a/1", "a/2"))
        row = search(index, "water", Settings()).elements[0] - 2  # of the second entry
        assert first.xml(0) == '<entry n="1"><form>tide</form><entry>nested tide</entry></entry>'
        assert (second.line(row), second.line_of_text(6)) == (3, 4)
        assert second.xml(row + 2) == '<sense x:of="y">Water in the air.</sense>'


def test_documents_keep_the_language_that_they_inherit():
    split = split_markup(
        b'<a xml:lang="de"><b xml:lang="fr"><e>un</e></b><e xml:lang="en">one</e><e>ein</e></a>', {"e"}, "a"
    )

    assert [markup.decode() for markup in split.markups] == [
        '<e xml:lang="fr">un</e>',
        '<e xml:lang="en">one</e>',
        '<e xml:lang="de">ein</e>',
    ]


@pytest.mark.parametrize(
    ("around", "reason"),
    [
        (" ".join(f'xmlns:n{number}="u:{number}"' for number in range(300)), "more than 256 namespaces are declared"),
        (f'xml:lang="{"d" * 100_000}"', "more than 5 times the file's size is declared"),
        (
            " ".join(f'xmlns:n{number}="u:{"v" * 4_000}{number}"' for number in range(250)),
            "more than 5 times the file's",
        ),
    ],
    ids=["namespaces", "language", "long namespaces"],
)
def test_a_file_whose_documents_would_keep_too_much_is_skipped(around, reason, tmp_path):
    write(tmp_path, a=f"<a {around}>{'<entry>tide</entry>' * 100}</a>", b=DICTIONARY)
    report = update_index(tmp_path / "index", [str(tmp_path / "source")], SPLIT)

    assert report.documents == 2
    assert [each.line for each in report.skipped] == [1]
    assert reason in report.skipped[0].reason


@pytest.mark.parametrize("text", ["", "//", "//entry/sense", "//[x", "//entry[@a]", "//*"])
def test_what_is_no_tag_is_refused(text):
    with pytest.raises(ProfileError, match="expected the tags"):
        with_split(load_profile("none"), text)
