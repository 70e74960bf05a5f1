from __future__ import annotations

import doctest
import fnmatch
import gzip
import os
import re
import socket
import subprocess
import time
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.collection.sources import file_names, patterns, source_listing
from engine.collection.sources.source_listing import open_sources, source_key
from engine.errors import CollectionError
from tests.engine.collection.source_files import ARCHIVES, SMALL, XML, ids, list_ids, make, tar_bytes, zip_bytes
from tests.shared_data import TRIALS, shared
from tests.trust.soak import effort


@pytest.mark.parametrize("module", [file_names, patterns, source_listing])
def test_the_examples_hold(module: ModuleType) -> None:
    failed, attempted = doctest.testmod(module)

    assert failed == 0 < attempted


# Hidden files


def test_an_index_inside_a_source_is_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a/>")
    (tmp_path / "old.foxir/segments/s").mkdir(parents=True)
    for name in ("manifest.json", "segments/s/x.npy"):
        (tmp_path / "old.foxir" / name).touch()

    with open_sources([tmp_path]) as listing:
        assert [entry.document_id for entry in listing.entries] == ["a"]
        assert listing.ignored == {"foxir index": 1}


def test_hidden_files_and_folders_are_counted_and_read_only_if_they_are_named(tmp_path: Path) -> None:
    hidden = {".svn/text-base/a.xml": XML, ".idea/misc.xml": XML, "b/.~lock.c.xml": XML, ".DS_Store": b""}
    make(tmp_path, {"a.xml": XML, "b/c.xml": XML, "a.zip": zip_bytes({"z.xml": XML, ".git/y.xml": XML}), **hidden})

    with open_sources([tmp_path]) as listing:
        assert ids(listing) == ["a", "b/c"]
        assert listing.ignored == {"hidden": 3, "": 1, ".zip": 1}
    with open_sources([tmp_path / "a.zip"]) as listing:
        assert ids(listing) == ["z"]
        assert listing.ignored == {"hidden": 1}
    assert list_ids(tmp_path / ".idea") == ["misc"]
    assert list_ids(tmp_path / "b/.~lock.c.xml") == [".~lock.c"]


# Document ids


def test_ids_in_a_folder_are_relative_paths_sorted_by_code_point(tmp_path: Path) -> None:
    make(tmp_path, {"b/c.xml": XML, "b.xml": XML, "B/a.xml": XML, "ö/é 1.xml": XML, "a.xml.gz": gzip.compress(XML)})

    assert list_ids(tmp_path) == ["B/a", "a", "b", "b/c", "ö/é 1"]
    assert list_ids(f"{tmp_path}/") == ["B/a", "a", "b", "b/c", "ö/é 1"]


@pytest.mark.parametrize(
    ("name", "document"),
    [("a.xml", "a"), ("a.xml.gz", "a"), ("a.XML", "a"), ("a.nxml", "a.nxml"), ("a.b.xml", "a.b"), ("plain", "plain")],
)
def test_the_id_of_a_single_file_is_its_name_for_any_extension(tmp_path: Path, name: str, document: str) -> None:
    make(tmp_path, {f"folder/{name}": XML})

    assert list_ids(tmp_path / "folder" / name) == [document]


@pytest.mark.parametrize("ending", ARCHIVES)
def test_ids_in_an_archive_are_below_the_folder_that_its_members_share(tmp_path: Path, ending: str) -> None:
    members = {"top/x/a.xml": XML, "top/x/y/b.xml": XML + b" ", "top/x/c.xml.gz": gzip.compress(XML)}
    archive = tmp_path / f"coll{ending}"
    archive.write_bytes(ARCHIVES[ending](members))

    with open_sources([archive], limits=SMALL) as listing:
        assert [(entry.document_id, entry.name, entry.read()) for entry in listing.entries] == [
            ("a", f"{archive}!top/x/a.xml", XML),
            ("c", f"{archive}!top/x/c.xml.gz", XML),
            ("y/b", f"{archive}!top/x/y/b.xml", XML + b" "),
        ]
        assert {entry.source for entry in listing.entries} == {str(archive)}


def test_the_shared_folder_of_an_archive_is_that_of_all_its_files(tmp_path: Path) -> None:
    # the same ids as in the folder that the archive unpacks to; dots and doubled strokes in names do not count
    make(tmp_path, {"a.tar": tar_bytes({"./README": b"", ".//docs/x.xml": XML, "docs/./y.xml": XML})})

    assert list_ids(tmp_path / "a.tar") == ["docs/x", "docs/y"]


def test_ids_of_a_pattern_are_below_the_longest_folder_that_its_files_share(tmp_path: Path) -> None:
    make(tmp_path, {"c/one/1.xml": XML, "c/two/2.xml": XML, "c/two/x.txt": b"", "c/3.xml": XML, "c/.hidden/4.xml": XML})

    assert list_ids(f"{tmp_path}/c/**/*.xml") == ["3", "one/1", "two/2"]
    assert list_ids(f"{tmp_path}/c/*/*.xml") == ["one/1", "two/2"]
    assert list_ids(f"{tmp_path}/c/t*/?.xml") == ["2"]
    assert list_ids(f"{tmp_path}/**/[12].xml") == ["one/1", "two/2"]
    assert list_ids(f"{tmp_path}/c/*") == ["3", "one/1", "two/2"]
    assert list_ids(f"{tmp_path}/c/**") == ["3", "one/1", "two/2"]
    assert list_ids(f"{tmp_path}/c/two/*.txt") == ["x.txt"]


def test_a_pattern_finds_archives(tmp_path: Path) -> None:
    make(tmp_path, {"a.zip": zip_bytes({"d/x.xml": XML}), "b.tar": tar_bytes({"d/y.xml": XML}), "z.xml": XML})

    assert list_ids(f"{tmp_path}/*") == ["x", "y", "z"]


def test_an_existing_name_is_not_a_pattern(tmp_path: Path) -> None:
    make(tmp_path, {"a[1].xml": XML, "a1.xml": XML})

    assert list_ids(tmp_path / "a[1].xml") == ["a[1]"]


def test_ids_of_a_list_are_below_the_longest_folder_that_its_files_share(tmp_path: Path) -> None:
    make(tmp_path, {"c/one/1.xml": XML, "c/two/2.xml": XML, "c/two/3.xml": XML, "a.zip": zip_bytes({"d/x.xml": XML})})
    text = "\ufeff# the collection\n\n  c/one/1.xml \r\nc/two\nc/two/2.xml\na.zip\n@more/list\n"
    make(tmp_path, {"all.txt": text.encode(), "more/list": b"../c/*/3.xml\n"})

    assert list_ids(f"@{tmp_path}/all.txt") == ["one/1", "two/2", "two/3", "x"]


def test_messages_name_files_as_the_user_wrote_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"c/a.xml": XML, "c/b.tar": tar_bytes({"m.xml": XML}), "list": b"c/a.xml"})
    monkeypatch.chdir(tmp_path)

    for source, name in [("c", "c/a.xml"), ("c/a.xml",) * 2, ("c/*.xml", "c/a.xml"), ("c/b.tar", "c/b.tar!m.xml")]:
        with open_sources([source]) as listing:
            assert [(entry.name, entry.source) for entry in listing.entries] == [(name, str(tmp_path / source))]
    with open_sources(["@list"]) as listing:
        assert [(entry.name, entry.source) for entry in listing.entries] == [("c/a.xml", f"@{tmp_path}/list")]


def test_a_source_key_is_itself_a_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"c/a.xml": XML, "list": b"c"})
    monkeypatch.chdir(tmp_path)

    for source in ("c", "c/", "./c", "@list", "c/*.xml", "c/a.xml"):
        with open_sources([source]) as listing, open_sources([source_key(source)]) as again:
            assert listing.sources == again.sources == (source_key(source),)
            assert [entry[0] for entry in listing.entries] == [entry[0] for entry in again.entries] == ["a"]
    assert source_key("c") == source_key("c/") == source_key(tmp_path / "c")


# Duplicates, and files that are not XML


def test_the_second_document_with_an_id_is_skipped(tmp_path: Path) -> None:
    make(tmp_path, {"one/a.xml": XML, "two/a.xml": XML, "two/a.xml.gz": gzip.compress(XML), "two/b.xml": XML})

    with open_sources([tmp_path / "two", tmp_path / "one"]) as listing:
        assert [entry.name for entry in listing.entries] == [f"{tmp_path}/two/a.xml", f"{tmp_path}/two/b.xml"]
        assert [(skipped.file, skipped.line) for skipped in listing.skipped] == [
            (f"{tmp_path}/two/a.xml.gz", 0),
            (f"{tmp_path}/one/a.xml", 0),
        ]
        for skipped in listing.skipped:
            assert skipped.reason == f"its document id 'a' is already that of {tmp_path}/two/a.xml; rename one of them"


def test_a_source_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML})

    assert list_ids(tmp_path, f"{tmp_path}/", tmp_path / ".." / tmp_path.name) == ["a"]


def test_files_that_are_not_xml_are_counted(tmp_path: Path) -> None:
    other = {"README": b"", "b.txt": b"", ".xml": b"", "._a.xml": b"", "inner.zip": zip_bytes({"x.xml": XML})}
    make(tmp_path, {"f/a.xml": XML, **{f"f/{name}": data for name, data in other.items()}})
    make(tmp_path, {"b.tar": tar_bytes({"b.xml": XML, "c.txt": b"", "._b.xml": b""})})

    with open_sources([tmp_path / "f", tmp_path / "b.tar"]) as listing:
        assert (ids(listing), listing.skipped) == (["a", "b"], [])
        assert listing.ignored == {"": 3, ".txt": 2, ".zip": 1, "no extension": 1}


def test_files_of_xml_vocabularies_are_read_and_keep_their_extensions_in_ids(tmp_path: Path) -> None:
    names = ["a.dita", "a.ditamap", "a.nxml", "a.tei", "a.docbook", "a.XHTML", "a.xml", "b.dita.gz"]
    make(tmp_path, {name: gzip.compress(XML) if name.endswith(".gz") else XML for name in names})

    expected = ["a", "a.XHTML", "a.dita", "a.ditamap", "a.docbook", "a.nxml", "a.tei", "b.dita"]
    assert list_ids(tmp_path) == expected


def test_an_empty_folder_and_an_empty_archive_have_no_documents(tmp_path: Path) -> None:
    make(tmp_path, {"a.tar": tar_bytes({}), "a.zip": zip_bytes({}), "list": b"# none\n"})
    (tmp_path / "empty").mkdir()

    assert list_ids(tmp_path / "empty", tmp_path / "a.tar", tmp_path / "a.zip", f"@{tmp_path}/list") == []


# Unusable sources


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("gone", r"no such source: '/.*/gone'; expected a file, a folder, a pattern, an archive or @LIST\.$"),
        ("gone.zip", "no such source"),
        ("go*.xml", r"no file matches '.*go\*\.xml'"),
        ("@gone", "no such list"),
        ("a.xml/b", r"cannot be read: '.*/a\.xml' is a file, not a folder"),
        ("pipe", "pipe is a FIFO: expected a file, a folder or an archive"),
        ("@bad", r"bad:3: no such source: '.*/gone'"),
        ("@self", r"self:1: the list '.*self' contains itself"),
        ("@latin", "is not UTF-8 at byte 1"),
        ("@pipe", "no such list"),
        ("a\0b", "cannot be read: (stat: )?embedded null"),
    ],
)
def test_an_unusable_source_is_an_error(tmp_path: Path, source: str, message: str) -> None:
    make(tmp_path, {"a.xml": XML, "bad": b"\n# x\ngone\n", "self": b"@self", "latin": b"a\xff"})
    os.mkfifo(tmp_path / "pipe")
    at = "@" if source.startswith("@") else ""

    with pytest.raises(CollectionError, match=message), open_sources([f"{at}{tmp_path}/{source.removeprefix('@')}"]):
        pass


def test_an_empty_source_is_an_error() -> None:
    with pytest.raises(CollectionError, match="empty source"), open_sources([""]):
        pass


# Hostile folders


def test_links_to_files_are_followed_and_loops_are_not(tmp_path: Path) -> None:
    make(tmp_path, {"c/a/x.xml": XML, "outside/y.xml": XML, "outside/deep/z.xml": XML, "single.xml": XML})
    (tmp_path / "c/a/loop").symlink_to(tmp_path / "c")
    (tmp_path / "c/a/up").symlink_to(tmp_path)
    (tmp_path / "c/0").symlink_to(tmp_path / "c/a")  # comes before a, but a is not to be called 0
    (tmp_path / "c/more").symlink_to(tmp_path / "outside")
    (tmp_path / "c/more2").symlink_to(tmp_path / "outside")
    (tmp_path / "outside/back").symlink_to(tmp_path / "c/a")
    (tmp_path / "c/one.xml").symlink_to(tmp_path / "single.xml")

    assert list_ids(tmp_path / "c") == ["a/x", "more/deep/z", "more/y", "one"]
    assert list_ids(f"{tmp_path}/c/**/x.xml") == ["x"]


@pytest.mark.long
def test_folders_of_any_depth_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(1800):
        os.mkdir("d")
        os.chdir("d")
    Path("x.xml").write_bytes(XML)
    os.chdir(tmp_path)
    try:
        assert list_ids(tmp_path) == ["d/" * 1800 + "x"]
        assert list_ids(f"{tmp_path}/**/x.xml") == ["x"]
    finally:
        subprocess.run(["rm", "-r", str(tmp_path / "d")], check=True)  # Python's own goes less deep


def test_nesting_of_lists_is_limited(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML, **{f"{number}": f"@{number + 1}\n".encode() for number in range(600)}})
    (tmp_path / "600").write_text("a.xml\n")

    assert list_ids(f"@{tmp_path}/560") == ["a"]
    with (
        pytest.raises(CollectionError, match=r"/50:1: lists nested more than 50 deep"),
        open_sources([f"@{tmp_path}/1"]),
    ):
        pass


def test_special_files_are_skipped_and_never_opened(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML})
    os.mkfifo(tmp_path / "pipe.xml")
    (tmp_path / "gone.xml").symlink_to("nowhere")
    (tmp_path / "self.xml").symlink_to("self.xml")
    (tmp_path / "gone.txt").symlink_to("nowhere")
    (tmp_path / "null.xml").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))

    with open_sources([tmp_path]) as listing:
        assert ids(listing) == ["a"]
        assert {(Path(skipped.file).name, skipped.reason) for skipped in listing.skipped} == {
            ("pipe.xml", "a FIFO, not a file"),
            ("socket", "a socket, not a file"),
            ("null.xml", "a device, not a file"),
            ("gone.xml", "cannot be read: No such file or directory"),
            ("self.xml", "cannot be read: Too many levels of symbolic links"),
        }


def test_names_that_run_files_cannot_represent_are_skipped(tmp_path: Path) -> None:
    make(tmp_path, {"a\u00a0b.xml": XML, "two\nlines.xml": XML})
    (tmp_path / os.fsdecode(b"latin\xe9.xml")).write_bytes(XML)

    with open_sources([tmp_path]) as listing:
        assert ids(listing) == ["a\u00a0b"]
        assert sorted(skipped.reason for skipped in listing.skipped) == [
            "its name contains a control character or a line break; rename it",
            "its name is not UTF-8; rename it",
        ]
        for skipped in listing.skipped:
            assert skipped.file.isprintable()


def test_names_that_mean_something_elsewhere_are_names_of_documents(tmp_path: Path) -> None:
    names = ["-rf", "--limit", "$(id)", "a;b", "%s", "@list", "#1", "a!b", "*", "[a]", "~", "x" * 240]
    make(tmp_path, {f"c/{name}.xml": XML for name in names})

    assert list_ids(tmp_path / "c") == sorted(names)


# Real data, and speed


@pytest.mark.shared_data(TRIALS)
@pytest.mark.long
def test_the_trials_archive_has_its_1232_documents() -> None:
    archive = shared(TRIALS)

    with open_sources([archive]) as listing:
        assert (len(listing.entries), listing.skipped) == (1232, [])
        assert listing.entries[0].document_id == "PMC1079844"
        assert listing.entries[0].name == f"{archive}!trials/PMC1079844.xml"
        assert listing.entries[0].read().rstrip().endswith(b"</article>")


@pytest.mark.long
def test_a_folder_of_12000_files_is_listed_quickly(tmp_path: Path) -> None:
    for i in range(60):
        folder = tmp_path / f"{i:02}"
        folder.mkdir()
        for j in range(200):
            (folder / f"{j}.xml").touch()

    seconds = []
    for _ in range(3):
        start = time.process_time()
        with open_sources([tmp_path]) as listing:
            assert len(listing.entries) == 12_000
        seconds.append(time.process_time() - start)

    assert min(seconds) < 0.5  # 0.1 s where nothing else runs


# Files that sources exclude by patterns, from lists, by options, in archives.


def test_a_list_excludes_files_by_patterns(tmp_path: Path) -> None:
    paths = ("c/a.xml", "c/drafts/b.xml", "c/old/d.xml", "c/old/e/f.xml", "g.xml")
    make(tmp_path, dict.fromkeys(paths, XML))
    make(tmp_path, {"list": b"c\ng.xml\n! drafts\n!c/old/*.xml\n"})

    with open_sources([f"@{tmp_path}/list"]) as listing:
        assert ids(listing) == ["c/a", "c/old/e/f", "g"]
        assert listing.ignored == {"excluded": 2}
    (tmp_path / "list").write_text("c\n![z-a]\n")
    with pytest.raises(CollectionError, match=r"list:2: the pattern '!\[z-a\]' is not a pattern: bad"):
        list_ids(f"@{tmp_path}/list")


@pytest.mark.parametrize(
    ("source", "patterns", "expected"),
    [
        ("c", ["drafts", "old/*.xml"], ["a", "old/e/f"]),
        ("c", ["/drafts/", "./a.xml"], ["old/d", "old/e/f"]),
        ("c", ["*.xml"], []),
        ("c", ["c", "c/drafts", "/absolute/c/drafts"], ["a", "drafts/b", "old/d", "old/e/f"]),
        ("c/a.xml", ["a.xml"], []),
        ("c/**/*.xml", ["drafts/*.xml"], ["a", "old/d", "old/e/f"]),
        ("@list", ["c/drafts", "d.xml"], ["a", "old/e/f"]),
        ("l.zip", ["old/*.xml"], ["a", "drafts/b", "old/e/f"]),
        ("@zipped", ["drafts", "l.zip/old/*.xml"], ["a", "old/e/f"]),
    ],
)
def test_exclusions_are_names_anywhere_or_paths_below_each_source(
    tmp_path: Path, source: str, patterns: list[str], expected: list[str]
) -> None:
    members = dict.fromkeys(("a.xml", "drafts/b.xml", "old/d.xml", "old/e/f.xml"), XML)
    make(tmp_path, {f"c/{name}": content for name, content in members.items()})
    make(tmp_path, {"list": b"c\n", "zipped": b"l.zip\n", "l.zip": ARCHIVES[".zip"](members)})
    at = "@" if source.startswith("@") else ""
    path = f"{at}{tmp_path}/{source.removeprefix('@')}"

    with open_sources([path, *(f"!{pattern}" for pattern in patterns)]) as listing:
        assert ids(listing) == expected
        assert listing.ignored.get("excluded", 0) == len(members if source != "c/a.xml" else ["a"]) - len(expected)


def test_only_exclusions_without_effect_have_a_notice(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": XML, "cache/b.xml": XML, "cache/c.docx": b"", "drafts/x/d\n.xml": XML})
    os.mkfifo(tmp_path / "cache/fifo")

    with open_sources(["!cache", tmp_path, "!draft", "!x"]) as listing:
        assert (ids(listing), listing.skipped) == (["a"], [])
        assert listing.ignored == {"excluded": 2, ".docx": 1}
        assert listing.unmatched == ("!draft",)


def is_excluded(steps: list[str], names: list[str]) -> bool:
    """Return whether steps match the first of some names, or all of them."""
    if not steps:
        return True
    if steps == ["**"]:
        return bool(names)
    if steps[0] == "**":
        return any(is_excluded(steps[1:], names[begin:]) for begin in range(len(names)))
    return bool(names) and fnmatch.fnmatchcase(names[0], steps[0]) and is_excluded(steps[1:], names[1:])


@settings(max_examples=effort(20, 5000, thorough=1000))
@given(
    st.lists(st.one_of(st.just("**"), st.text("ab*?.", min_size=1, max_size=5)), min_size=1, max_size=5),
    st.lists(st.text("ab.", min_size=1, max_size=4), min_size=1, max_size=5),
)
def test_exclusions_are_those_that_a_slow_reading_step_by_step_finds(steps: list[str], names: list[str]) -> None:
    steps = [step for step in steps if step != "."] or ["a"]
    matches = patterns.excluded_by(f"/{'/'.join(steps)}", "/d").fullmatch(f"/d/{'/'.join(names)}")

    assert bool(matches) == is_excluded(steps, names)


def test_no_pattern_takes_long() -> None:
    path = "/d/" + "a/" * 60 + "a" * 250

    for pattern in (
        "**/" * 30 + "b",
        "**/a/" * 30 + "b",
        "**/a*/" * 30 + "b",
        "a*" * 60 + "b",
        "**/" + "*a" * 60 + "b*c",
    ):
        assert not patterns.excluded_by(pattern, "/d").fullmatch(path)


@pytest.mark.parametrize(("pattern", "problem"), [("[z-a]", "bad character range"), ("", "a name"), ("//", "a name")])
def test_what_is_no_pattern_of_exclusions_is_refused(tmp_path: Path, pattern: str, problem: str) -> None:
    make(tmp_path, {"a.xml": XML, "list": b"a.xml\n\n!" + pattern.encode()})

    with pytest.raises(CollectionError, match=rf"^the pattern '!{re.escape(pattern)}' is not a pattern: .*{problem}"):
        list_ids(tmp_path, f"!{pattern}")
    with pytest.raises(CollectionError, match=r"list:3: the pattern '!"):
        list_ids(f"@{tmp_path}/list")
