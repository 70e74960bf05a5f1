"""Words of today find those of early prints where that is asked for; the long s is an s in any search."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir

TEXT = "<d><p>And vpon that hill the iudge did loue the vvind.</p><p>Upon it the judge did love the wind.</p></d>"


@pytest.mark.parametrize("query", ["love", "upon", "judge", "wind", "vvind", "//p[about(., judge)]", "+love judge"])
def test_words_of_today_find_those_of_early_prints(tmp_path: Path, query: str) -> None:
    (tmp_path / "a.xml").write_text(TEXT)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    index = foxir.open_index(tmp_path / "x.foxir")
    paths = {answer.path for answer in index.search(query, old_spelling=True, min_words="0")}

    assert paths in ({"/d[1]/p[1]", "/d[1]/p[2]"}, {"/d[1]"})
    assert len(index.search(query, min_words="0")) == 1


def test_a_long_s_is_an_s(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<d><p>The ſtone of the houſe is ſo old that no one knows it.</p></d>", "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    index = foxir.open_index(tmp_path / "x.foxir")

    assert [len(index.search(query)) for query in ("stone", "house", "ſtone")] == [1, 1, 1]
