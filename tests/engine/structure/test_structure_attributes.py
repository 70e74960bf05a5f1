"""Attributes from the file to the index, and what is left of them after updates."""

from __future__ import annotations

import re

import numpy as np
import pytest

from engine.collection.markup.attributes import indexed_attributes, scan_attributes
from engine.collection.profiles.profile import Profile
from engine.collection.xml_reader import read_markup
from engine.index.reader import open_reader
from engine.indexing.build import compact_index
from engine.query.nexi.parser import parse_nexi
from tests.engine.small_index import answers_to, build_index, index_of, write

PROFILE = 'attributes = ["kind", "lang", "é"]\nskip = ["note"]\n'


def flat(*documents, attributes=("kind",)):
    """Return (row, name, value) of the attributes of some documents, each with a profile of its own."""
    markups = [read_markup(source.encode(), "made").text for source in documents]
    markup = b"".join(markups)
    starts = [at for at in range(len(markup)) if markup[at : at + 1] == b"<" and markup[at + 1 : at + 2] != b"/"]
    roots = np.cumsum([0, *(sum(text.count(b"<") - text.count(b"</") for text in [each]) for each in markups)])
    profiles = [Profile(str(number), attributes=frozenset(attributes)) for number in range(len(documents))]
    closes = [markup.index(b">", at) for at in starts]
    numbers = range(len(documents))
    scanned = scan_attributes(markup, np.array(starts), np.array(closes))
    found = indexed_attributes(
        scanned, roots, profiles, numbers, np.zeros(len(starts), np.bool_), ["p"], np.zeros(len(starts), np.int64)
    )
    names = [found.names[number] for number in found.name.tolist()]
    values = [found.values[number] for number in found.value.tolist()]
    return list(zip(found.rows.tolist(), names, values, strict=True))


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        ('<p kind="x"/>', "x"),
        ("<p kind='a \"b\"'/>", 'a "b"'),
        ('<p kind="&lt;b&gt; &amp;amp; &#10;"/>', "<b> &amp; \n"),
        ('<p kind=""/>', ""),
        ('<p kind="語"/>', "語"),
        ('<p a="1" kind = "x" b="2">text</p>', "x"),
        ('<p xmlns:n="urn:n" n:kind="x"/>', "x"),
        ("<p alt='kind=\"y\"' kind='x'/>", "x"),
        ('<p alt=" kind=" kind="x"/>', "x"),
    ],
)
def test_the_value_of_an_attribute(tag, value):
    assert flat(f"<a>{tag}</a>") == [(1, "kind", value)]


@pytest.mark.parametrize(
    "source",
    [
        '<a> kind="x"</a>',
        '<a kinds="x" akind="x" other="x"/>',
        "<a alt=' kind=\"x\"'/>",
        '<a alt=" kind=" b="x"/>',
        '<a xmlns:kind="urn:n"/>',
    ],
)
def test_what_only_looks_like_an_attribute(source):
    assert flat(source) == []


def test_attributes_of_several_documents_and_elements():
    first, second = '<a kind="1"><b lang="de" kind="2"/></a>', '<a><b kind="3"/><b/></a>'

    assert flat(first, second) == [(0, "kind", "1"), (1, "kind", "2"), (3, "kind", "3")]
    assert flat(first, second, attributes=()) == []
    assert flat(first, attributes=("lang",)) == [(1, "lang", "de")]


# --- in an index


def attributes(index, *names):
    """Return {document: [(row in it, value)]} of the live documents."""
    live = index.live_documents
    rows, values = index.elements.attributes(names, live)
    found = {index.ids[document]: [] for document in live.tolist()}
    documents = index.elements.document(rows)
    own_rows = rows - index.elements.root(documents)
    for document, row, value in zip(documents.tolist(), own_rows.tolist(), values, strict=True):
        found[index.ids[document]].append((row, value))
    return found


@pytest.fixture
def make(tmp_path):
    (tmp_path / "made.toml").write_text(PROFILE, "utf-8")
    (tmp_path / "source").mkdir()

    def build(documents, *, gone=()):
        write(tmp_path / "source", documents)
        for document in gone:
            (tmp_path / "source" / f"{document}.xml").unlink()
        build_index(tmp_path / "source", into=tmp_path / "index", profile=str(tmp_path / "made.toml"))
        return open_reader(tmp_path / "index")

    return build


def test_attributes_through_updates_deletions_and_compaction(make, tmp_path):
    make({"a": '<a kind="1"><b lang="de"/></a>', "b": '<a><b kind="two words"/><b kind="ü"/></a>'})
    make({"c": '<a é="x" kind="5"/>', "d": "<a/>"})
    index = make({"a": '<a><b kind="6"/></a>'}, gone=["c"])
    expected = {"a": [(1, "6")], "b": [(1, "two words"), (2, "ü")], "d": []}

    assert len(index.segments) > 1
    assert attributes(index, "kind") == expected
    for gone in ("lang", "é", "none"):
        assert attributes(index, gone) == {"a": [], "b": [], "d": []}

    compact_index(tmp_path / "index")
    compacted = open_reader(tmp_path / "index")

    assert len(compacted.segments) == 1
    assert attributes(compacted, "kind") == expected
    assert compacted.segments[0].elements.strings("attribute_names").all() == [b"kind"]  # nobody has the others


def test_elements_that_are_left_out_have_no_attributes(make):
    index = make({"a": '<a><note kind="1"><b kind="2"/></note><b kind="3"/></a>'})

    assert attributes(index, "kind") == {"a": [(3, "3")]}
    assert [answer.path for answer in answers_to(index, "//b[./@kind > 0]")] == ["/a[1]/b[1]"]


def test_several_names_come_in_document_order(make):
    index = make({"a": '<a kind="1"><b lang="2" kind="3"/><b lang="4"/></a>'})

    assert attributes(index, "kind", "lang") == {"a": [(0, "1"), (1, "2"), (1, "3"), (2, "4")]}


MARKUP = f'''<a><p role="note" xml:id="p1" long="{"x" * 129}">lamp</p><p id="{"i" * 129}">lamp</p><p n="">fog</p></a>'''


@pytest.mark.parametrize(
    ("condition", "paths"),
    [
        ("@role", ["/a[1]/p[1]"]),
        ("@n", ["/a[1]/p[3]"]),  # an empty value is a value
        ("@role and about(., lamp)", ["/a[1]/p[1]"]),
        ("(@role or @n)", ["/a[1]/p[1]", "/a[1]/p[3]"]),
        ("not(@role)", ["/a[1]/p[2]", "/a[1]/p[3]"]),
        ("@id", ["/a[1]/p[1]", "/a[1]/p[2]"]),
        ("@long", ["/a[1]/p[1]"]),
        ("not(@long)", ["/a[1]/p[2]", "/a[1]/p[3]"]),
        (f'@long = "{"x" * 129}"', ["/a[1]/p[1]"]),
        (f'@long = " {"x" * 129}\n"', ["/a[1]/p[1]"]),
        (f'@long = "{"x" * 130}"', []),
        (f'@long != "{"x" * 130}"', ["/a[1]/p[1]"]),
        (f'@long != "{"x" * 129}"', []),
        ('@long > "x"', ["/a[1]/p[1]"]),
        ('@long < "xy"', ["/a[1]/p[1]"]),
        ("@long > 5", []),
    ],
)
@pytest.mark.long
def test_an_attribute_alone_is_a_condition(tmp_path, condition, paths):
    index = index_of(tmp_path, {"d": MARKUP}, profile="auto")

    found = answers_to(index, f"//p[{condition}]", reading="SS", answers="target")
    assert sorted(answer.path for answer in found) == paths


@pytest.mark.parametrize(
    ("attributes", "names"),
    [(None, {"role", "id", "n", "long"}), (frozenset(), {"id"}), (frozenset({"role", "long"}), {"role", "id", "long"})],
)
def test_all_attributes_are_indexed_or_those_that_are_named_and_ids_always(attributes, names):
    markup = read_markup(MARKUP.encode(), "made").text
    opens = np.array([match.start() for match in re.finditer(b"<[^/]", markup)])
    closes = np.array([markup.index(b">", at) for at in opens.tolist()])

    scanned = scan_attributes(markup, opens, closes)
    profiles = [Profile("x", attributes=attributes)]
    found = indexed_attributes(
        scanned, np.array([0, 4]), profiles, [0], np.zeros(len(opens), np.bool_), ["p"], np.zeros(4, np.int64)
    )

    assert set(found.names) == names


def test_words_are_searched_in_the_known_beginning_of_a_long_value(tmp_path):
    value = f"seamark {'tide ' * 30}lighthouse"
    index = index_of(tmp_path, {"d": f'<a><p note="{value}">lamp</p></a>'}, profile="auto")

    def found(condition):
        return len(answers_to(index, f"//p[{condition}]", reading="SS", answers="target"))

    assert found("about(./@note, seamark)") == 1
    assert found("about(./@note, lighthouse)") == 0
    assert found(f'./@note = "{value}"') == 1


def test_a_condition_of_an_attribute_prints_as_it_was_written():
    text = "//p[.//@role and ./@n = 1]"

    assert str(parse_nexi("//p[.//@role and @n = 1]")) == str(parse_nexi(text))
    assert str(parse_nexi(str(parse_nexi(text)))) == str(parse_nexi(text))
