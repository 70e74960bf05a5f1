"""Files that sources exclude by patterns, from lists, by options, in archives."""

from __future__ import annotations

import fnmatch
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.collection.sources import patterns
from engine.collection.sources.source_listing import open_sources
from engine.errors import CollectionError
from tests.engine.collection.source_files import ARCHIVES, XML, ids, list_ids, make
from tests.trust.soak import effort


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
