"""Several profiles of one index: each document has the first that fits; titles in wrappers; names that touch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.collection.profiles.profile import Profile
from engine.collection.profiles.profile_files import digest_of, load_profile, load_profiles, profile_for
from engine.errors import ProfileError
from engine.index.reader import open_reader
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.presentation.breadcrumbs import breadcrumbs
from engine.presentation.readable_text import readable_text
from tests.engine.small_index import answers_to, write


def several(tmp_path: Path, *names: str, **files: str) -> Profile:
    for name, text in files.items():
        (tmp_path / f"{name}.toml").write_text(text)
    return load_profiles([*names, *(str(tmp_path / f"{name}.toml") for name in files)])


def test_of_several_profiles_each_document_has_the_first_that_fits_files_first(tmp_path: Path) -> None:
    chosen = several(
        tmp_path, "auto", mine='roots = ["ead", "TEI"]\nchildren = ["archdesc"]', other='namespaces = ["urn:x"]'
    )

    def name_for(root: str, namespace: str = "", children: frozenset[str] = frozenset()) -> str:
        return profile_for(chosen, root, namespace, children).name

    assert name_for("ead", children=frozenset({"archdesc"})) == "mine"
    assert name_for("TEI", "urn:x", frozenset({"archdesc"})) == "mine"
    assert name_for("TEI", "urn:x") == "other"
    assert name_for("TEI", children=frozenset({"text"})) == "tei"
    assert name_for("unknown") == "none"
    assert profile_for(several(tmp_path, "jats", mine='roots = ["a"]'), "TEI", "", {"text"}).name == "none"
    assert Profile.from_dict(chosen.to_dict()) == chosen
    assert chosen.titles >= load_profile("auto").titles
    assert digest_of(chosen) != digest_of(load_profile("auto"))


@pytest.mark.parametrize(
    ("names", "text", "reason"),
    [
        (["auto"], 'titles = ["x"]', "names no roots and no namespaces"),
        (["tei", "jast"], 'roots = ["x"]', "unknown profile 'jast'"),
    ],
)
def test_several_profiles_that_do_not_go_together_are_refused(
    tmp_path: Path, names: list[str], text: str, reason: str
) -> None:
    with pytest.raises(ProfileError, match=reason):
        several(tmp_path, *names, mine=text)


def test_two_profiles_have_different_names(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="two profiles are named 'tei'"):
        several(tmp_path, "auto", tei='roots = ["TEI"]')


def test_an_index_of_several_profiles_remembers_them(tmp_path: Path) -> None:
    profile = several(
        tmp_path, "auto", mine='roots = ["ead"]\ninline = ["b"]\ntitles = ["unittitle"]\nwrappers = ["did"]'
    )
    (tmp_path / "source").mkdir()
    write(
        tmp_path / "source",
        {
            "a": "<ead><c><did><unittitle>Letters</unittitle></did><p>Plum <b>dump</b>lings of the north</p></c></ead>",
            "b": "<TEI><text><persName>Kern</persName><placeName>Bonn</placeName>, <name>Ott</name>s</text></TEI>",
        },
    )
    update_index(tmp_path / "index", [str(tmp_path / "source")], BuildSettings(profile=profile))
    (tmp_path / "mine.toml").unlink()
    with open_reader(tmp_path / "index") as index:
        assert [index.profile_of(document).name for document in (0, 1)] == ["mine", "tei"]
        assert len(answers_to(index, "dumplings", min_words=1)) == 1
        assert breadcrumbs(index, np.array([0]), np.array([4])) == [["Letters"]]
        assert len(answers_to(index, "bonn otts", operator="and", min_words=1)) == 1
        assert readable_text(index, 1, index.elements.root(np.array([1]))[0], 0, 14) == "Kern Bonn, Otts"
