from __future__ import annotations

import itertools
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.collection.profiles.profile import PREFORMATTED, ROWS, TABLES, Profile
from engine.collection.profiles.profile_files import (
    VOCABULARIES,
    choose_profile,
    digest_of,
    load_profile,
    profile_for,
    profile_names,
    profile_text,
    with_attributes,
)
from engine.errors import ProfileError
from tests.engine.small_index import index_of
from tests.trust.soak import effort

DOCBOOK = "http://docbook.org/ns/docbook"
TEI = "http://www.tei-c.org/ns/1.0"


def write(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_profile_none_gives_no_tag_a_meaning() -> None:
    none = load_profile("none")

    assert none == Profile(name="none", attributes=None)


def test_inex_ieee_has_the_classes_of_the_topic_guidelines() -> None:
    profile = load_profile("inex-ieee")

    assert [profile.representative(tag) for tag in ("sec", "ss1", "ss3", "ip1", "ilrj", "p", "bdy", "st")] == [
        *("sec", "sec", "sec", "p", "p", "p", "bdy", "st")
    ]


@pytest.mark.parametrize(
    ("name", "inline", "block"),
    [
        ("jats", {"italic", "xref", "sub", "sup", "mi", "mo"}, {"p", "td", "break", "surname", "title"}),
        ("tei", {"hi", "lb", "pb", "persName", "emph"}, {"p", "l", "sp", "stage", "note", "forename", "del"}),
        ("docbook", {"parameter", "function", "literal", "link"}, {"para", "type", "term", "refname", "entry"}),
        ("dita", {"ph", "codeph", "b", "xref"}, {"p", "cmd", "uicontrol", "entry", "title"}),
    ],
)
def test_tags_between_adjacent_words_are_not_inline(name: str, inline: set[str], block: set[str]) -> None:
    profile = load_profile(name)

    assert inline <= profile.inline
    assert profile.inline.isdisjoint(block)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_a_title_and_a_class_are_never_inline(name: str) -> None:
    profile = load_profile(name)

    assert profile.inline.isdisjoint(profile.titles)
    assert profile.inline.isdisjoint({*profile.classes, *profile.classes.values()})


@pytest.mark.parametrize(
    ("root", "namespace", "children", "expected"),
    [
        ("article", "", {"fno", "doi", "fm", "bdy", "bm"}, "inex-ieee"),
        ("article", "", {"header", "bdy"}, "inex-ieee"),
        ("article", "", {"front", "body", "back"}, "jats"),
        ("article", "http://example.org/harvest", {"front", "body"}, "jats"),
        ("article", "", {"name", "body"}, "none"),  # INEX 2006 Wikipedia
        ("article", "", {"title", "articleinfo", "sect1"}, "docbook"),
        ("article", DOCBOOK, {"front"}, "docbook"),
        ("refentry", DOCBOOK, set(), "docbook"),
        ("refentry", "", {"refnamediv", "refsect1"}, "docbook"),
        ("chapter", "", {"title", "sect1"}, "docbook"),
        ("section", "https://law.example/schemas/code", {"num", "heading", "para"}, "none"),
        ("alto", "http://www.loc.gov/standards/alto/ns-v9#", {"Layout"}, "alto"),
        ("book", "", {"author", "price"}, "none"),
        ("reference", "", {"title", "partintro", "refentry"}, "docbook"),
        ("reference", "", {"title", "refbody"}, "dita"),
        ("reference", "", {"title", "reference"}, "dita"),
        ("topic", "", {"title", "body"}, "dita"),
        ("topic", "", {"title", "castitle", "narrative"}, "none"),  # an INEX topic
        ("concept", "", {"title", "shortdesc", "conbody"}, "dita"),
        ("task", "", {"title", "taskbody"}, "dita"),
        ("map", "", {"title", "topicref"}, "dita"),
        ("TEI", TEI, {"teiHeader", "text"}, "tei"),
        ("div", TEI, {"p"}, "tei"),
        ("TEI.2", "", {"teiHeader", "text"}, "tei"),
        ("teiCorpus", "", {"teiHeader", "TEI"}, "tei"),
        ("versions", "", {"function"}, "none"),
        ("html", "http://www.w3.org/1999/xhtml", {"head", "body"}, "html"),
        ("html", "", {"body"}, "html"),
    ],
)
def test_auto_recognises_documents_by_namespace_or_root_and_children(
    root: str, namespace: str, children: set[str], expected: str
) -> None:
    assert choose_profile(root, namespace, children).name == expected


def test_only_auto_chooses_another_profile() -> None:
    jats = ("article", "", {"front", "body"})

    assert profile_for(load_profile("auto"), *jats) is load_profile("jats")
    assert profile_for(load_profile("none"), *jats) is load_profile("none")


def test_auto_has_the_classes_and_titles_of_all_vocabularies() -> None:
    auto = load_profile("auto")

    assert {auto.representative(tag) for tag in ("sec", "ss2", "div", "section", "refsect1", "topic")} == {"sec"}
    assert {"article-title", "head", "refname", "atl"} <= auto.titles
    assert not auto.inline


def test_the_vocabularies_agree_on_classes() -> None:
    # otherwise the union that stands for auto would depend on their order
    for one, other in itertools.permutations(map(load_profile, VOCABULARIES), 2):
        for tag, representative in one.classes.items():
            assert other.classes.get(tag, representative) == representative
            assert representative not in other.classes


def test_a_user_profile_is_named_after_its_file(tmp_path: Path) -> None:
    profile = load_profile(
        write(tmp_path, 'inline = ["b"]\nskip = ["x"]\n[classes]\nsec = ["sec", "chapter", "part"]\n')
    )

    assert (profile.name, profile.inline, profile.skip) == ("mine", frozenset("b"), frozenset("x"))
    assert profile.classes == {"chapter": "sec", "part": "sec"}
    assert profile.representative("toString") == "toString"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "jat",
            r"'jat': did you mean 'jats'\? expected auto, none, inex-ieee, jats, tei, dita, docbook, html",
        ),
        ("xyzzy", r"unknown profile 'xyzzy': expected auto"),
        ("nowhere.toml", r"nowhere\.toml: the profile cannot be read \(there is no such file\): expected a TOML file"),
        ("nowhere/jats", r"nowhere/jats: the profile cannot be read \(there is no folder 'nowhere'\)"),
    ],
)
def test_an_unknown_profile_names_the_known_ones(name: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        load_profile(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('inline = ["b"]\nskip = [b]', r"mine\.toml: the profile cannot be read \(not TOML: .*line 2"),
        ('inlin = ["b"]', r"mine\.toml: unknown key 'inlin': did you mean 'inline'\? keys are inline, breaks, "),
        ('name = "x"', r"mine\.toml: unknown key 'name': a profile is named after its file, 'mine'"),
        ('inline = "b"', r"mine\.toml: inline: found 'b', expected a list of names"),
        ("skip = [3]", r"mine\.toml: skip: found 3, expected a local name"),
        ('inline = ["mml:mi"]', r"inline: found 'mml:mi', expected a local name without prefix"),
        ('titles = [" a"]', r"titles: found ' a', expected a local name"),
        ('classes = ["a"]', r"classes: found \['a'\], expected lines such as"),
        ('[classes]\nsec = "a"', r"classes\.sec: found 'a', expected a list"),
        ('[classes]\nsec = ["a"]\np = ["a"]', r"classes: 'a' is in two classes, 'sec' and 'p'"),
        ('[classes]\nsec = ["p"]\np = ["a"]', r"classes\.sec: 'p' is the representative of another class"),
        ('inline = ["a"]\nskip = ["a"]', r"'a' is both inline and skip"),
        ('tables = ["-table"]', r"tables: found '-table': only a profile that extends another removes names"),
        ('inline = ["hi", "-b"]', r"inline: found '-b': only a profile that extends another"),
        ('headings = "h1"', r"headings: found 'h1', expected a list"),
        ('headings = ["h1", 2]', r"headings: found 2, expected a local name"),
    ],
)
def test_a_malformed_profile_is_refused_with_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        load_profile(write(tmp_path, text))


def test_a_profile_that_is_not_utf8_or_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'inline = ["\xe9"]')
    (tmp_path / "folder.toml").mkdir()

    with pytest.raises(ProfileError, match="byte 0xe9 in line 1 is not UTF-8"):
        load_profile(str(tmp_path / "latin.toml"))
    with pytest.raises(ProfileError, match=r"cannot be read \(it is a folder, not a file\)"):
        load_profile(str(tmp_path / "folder.toml"))


def test_the_digest_depends_on_the_content_not_on_the_name() -> None:
    jats = load_profile("jats").to_dict()
    renamed = Profile.from_dict({**jats, "name": "other"})
    changed = Profile.from_dict({**jats, "skip": []})

    assert digest_of(renamed) == digest_of(load_profile("jats")) != digest_of(changed)
    assert len({digest_of(load_profile(name)) for name in profile_names()}) == len(profile_names())


@pytest.mark.parametrize("name", profile_names())
def test_profiles_round_trip_through_dictionaries_and_pickle(name: str) -> None:
    profile = load_profile(name)

    assert Profile.from_dict(profile.to_dict()) == profile
    assert digest_of(Profile.from_dict(profile.to_dict())) == digest_of(profile)
    assert pickle.loads(pickle.dumps(profile)) == profile
    assert hash(profile) == hash(pickle.loads(pickle.dumps(profile)))


TAGS = st.lists(st.text("abcde-.é", min_size=1, max_size=3), max_size=4)


@settings(max_examples=effort(5, 1000, thorough=100), deadline=None)
@given(TAGS, TAGS, TAGS, st.dictionaries(st.sampled_from("XYZ"), TAGS, max_size=2))
def test_every_accepted_profile_round_trips_through_its_dictionary(
    inline: list[str], titles: list[str], headings: list[str], classes: dict[str, list[str]]
) -> None:
    data = {"name": "any", "inline": inline, "titles": titles, "headings": headings, "classes": classes}
    members = [tag for group in classes.values() for tag in set(group)]
    if len(members) != len(set(members)):
        with pytest.raises(ProfileError, match="is in two classes"):
            Profile.from_dict(data)
        return

    profile = Profile.from_dict(data)

    assert Profile.from_dict(profile.to_dict()) == profile
    assert {tag: group for group, tags in classes.items() for tag in tags} == profile.classes


def test_a_profile_extends_a_built_in_one_by_adding_and_removing_names(tmp_path: Path) -> None:
    text = 'extends = "tei"\ninline = ["own", "-persName"]\nattributes = ["n"]\n[classes]\np = ["ab", "line"]\n'
    tei, mine = load_profile("tei"), load_profile(write(tmp_path, text))

    assert mine.name == "mine"
    assert mine.inline == tei.inline - {"persName"} | {"own"}
    assert (mine.titles, mine.skip, mine.roots, mine.attributes) == (tei.titles, tei.skip, tei.roots, frozenset({"n"}))
    assert {tag: mine.representative(tag) for tag in ("ab", "line", "div1")} == {"ab": "p", "line": "p", "div1": "sec"}


def test_the_headings_of_a_profile_keep_their_ranks_and_replace_those_it_extends(tmp_path: Path) -> None:
    mine = load_profile(write(tmp_path, 'extends = "html"\nheadings = ["h2", "h1", "h2", "term"]\n'))

    assert mine.headings == ("h2", "h1", "term")
    assert mine.title_and_heading_tags == load_profile("html").titles | {"term"}
    assert load_profile("html").headings[:2] == ("h1", "h2")


def test_code_is_preformatted_where_a_profile_tells_it_from_code_in_a_sentence(tmp_path: Path) -> None:
    mine = load_profile(write(tmp_path, 'extends = "html"\npreformatted = ["poem", "-pre"]\n'))

    assert mine.preformatted_tags == PREFORMATTED - {"pre"} | {"poem"}
    assert Profile.from_dict(mine.to_dict()) == mine
    assert load_profile("jats").preformatted_tags == PREFORMATTED == load_profile("none").preformatted_tags | {"code"}


def test_a_code_whose_text_is_the_name_in_an_attribute_is_not_preformatted(tmp_path: Path) -> None:
    mine = load_profile(write(tmp_path, 'extends = "docbook"\ntext_attributes = ["code/@displayName"]\n'))

    assert mine.preformatted_tags == PREFORMATTED - {"code"}


def test_tables_and_rows_of_a_profile_replace_the_usual_ones_or_add_to_them(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('tables = ["grid"]\n')
    own = load_profile(str(tmp_path / "own.toml"))
    mine = load_profile(write(tmp_path, 'extends = "tei"\ntables = ["grid"]\nrows = ["line", "-tr"]\n'))

    assert (own.table_tags, own.row_tags) == (frozenset({"grid"}), ROWS)
    assert (mine.table_tags, mine.row_tags) == (TABLES | {"grid"}, ROWS - {"tr"} | {"line"})
    assert Profile.from_dict(mine.to_dict()) == mine
    (tmp_path / "again.toml").write_text(profile_text(mine))
    assert load_profile(str(tmp_path / "again.toml")).tables == mine.tables


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extends = "tie"', "extends: found 'tie': did you mean 'tei'"),
        ('extends = "auto"', "extends: found 'auto': expected one of none, inex-ieee"),
        ("extends = 3", "extends: found 3"),
        ('extends = "tei"\ninline = ["-foo"]', "inline: '-foo': 'foo' is not in the profile 'tei'"),
        ('extends = "tei"\nrows = ["-zeile"]', "rows: '-zeile': 'zeile' is not in the profile 'tei'"),
        ("tables = 3", "tables: found 3"),
        ('extends = "tei"\ninlin = ["x"]', "unknown key 'inlin'"),
        ('extends = "tei"\nskip = ["hi"]', "'hi' is both inline and skip"),
    ],
)
def test_a_profile_that_extends_wrongly_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ProfileError) as caught:
        load_profile(write(tmp_path, text))
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["none", *VOCABULARIES])
def test_a_printed_profile_is_read_as_the_same(tmp_path: Path, name: str) -> None:
    profile = load_profile(name)

    assert replace(load_profile(write(tmp_path, profile_text(profile))), name=name) == profile


@pytest.mark.parametrize(
    ("text", "expected"),
    [("all", None), ("none", frozenset()), ("lang", {"lang"}), (" lang,@role ,", {"lang", "role"})],
)
def test_the_attributes_of_a_profile_can_be_replaced(text: str, expected: set[str] | None) -> None:
    for name in ("jats", "auto"):
        assert with_attributes(load_profile(name), text).attributes == expected
    assert profile_for(with_attributes(load_profile("auto"), text), "article", "", {"front"}).attributes == expected


def test_a_name_of_an_attribute_that_is_none_is_refused() -> None:
    with pytest.raises(ProfileError, match=r"^attributes: "):
        with_attributes(load_profile("none"), "xml:lang")


def test_scripts_and_styles_of_html_have_no_words_and_emphasis_parts_none(tmp_path):
    page = "<html><head><style>p {}</style><script>var x</script></head><body><h1>T<i>id</i>es</h1></body></html>"
    with index_of(tmp_path, {"a": page}, profile="html") as index:
        words = {word: len(index.postings(word).documents) for word in ("tides", "var", "p", "id")}
    assert words == {"tides": 1, "var": 0, "p": 0, "id": 0}
