"""Queries accept every tag and attribute name that XML allows, and no XPath axes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import QueryError
from engine.index.reader import open_reader
from engine.query.nexi.parser import parse_nexi
from tests.engine.small_index import answers_to, build_index, write

HINDI = "हिन्दी"  # with vowel signs, which are not letters to `str.isalnum`
ACCENT = "e\u0301tude"  # an e, and an accent that combines with it
NAMES = [HINDI, ACCENT, "ns\u00b7x", "a\u203fb", "\U00010400", "章節", "данные", "_a.b-c_9", "été", "ไทย"]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_xml_is_a_name_of_nexi(name):
    query = parse_nexi(f"//({name}|p)/{name}[about(.//{name}, x) and @{name} = 1]/@{name}")

    assert [step.names for step in query.steps] == [(name, "p"), (name,), (name,)]
    assert parse_nexi(str(query)) == query


def test_names_with_combining_characters_are_found(tmp_path: Path):
    write(tmp_path / "in", {"a": f'<{HINDI}><{ACCENT} {HINDI}="1">lamp</{ACCENT}><n:p xmlns:n="u">fog</n:p></{HINDI}>'})
    (tmp_path / "profile.toml").write_text(f'attributes = ["{HINDI}"]', "utf-8")
    build_index(tmp_path / "in", into=tmp_path / "index", profile=str(tmp_path / "profile.toml"))
    index = open_reader(tmp_path / "index")

    def paths(query: str) -> list[str]:
        return [answer.path for answer in answers_to(index, query, overlap="keep")]

    assert paths(f"//{HINDI}[about(., lamp)]") == [f"/{HINDI}[1]"]
    assert paths(f"//{HINDI}/{ACCENT}[@{HINDI} = 1]") == [f"/{HINDI}[1]/{ACCENT}[1]"]
    assert paths(f"//@{HINDI}") == [f"/{HINDI}[1]/{ACCENT}[1]"]
    assert paths("//any:p[about(., fog)]") == [f"/{HINDI}[1]/p[1]"]


@pytest.mark.parametrize("step", ["child::p", "descendant-or-self::p", "following-sibling::p", "attribute::id"])
def test_an_axis_is_not_a_prefix(step):
    with pytest.raises(QueryError, match=r"^query, position 7: [a-z-]+:: is not a step of a path") as error:
        parse_nexi(f"//sec/{step}[about(., x)]")
    assert str(error.value).endswith("write / for one to children, // for one to all below.")


@pytest.mark.parametrize("name", ["1sec", "-a", ".a", "\u0301a", "\u00b7", "a\u2028b", "\u00d7"])
def test_names_that_xml_does_not_allow_are_refused(name):
    with pytest.raises(QueryError):
        parse_nexi(f"//{name}")


@pytest.mark.parametrize(
    ("name", "columns"), [("p", 1), ("章節", 4), (ACCENT, 5), (HINDI, 5), ("ｐ", 2), ("\U00010400", 1)]
)
def test_the_caret_is_below_the_position_on_a_terminal(name, columns):
    with pytest.raises(QueryError) as error:
        parse_nexi(f"//{name}!")
    first, _, caret, _ = str(error.value).splitlines()

    assert first.startswith(f"query, position {3 + len(name)}: ")
    assert caret == " " * (2 + 2 + columns) + "^"
