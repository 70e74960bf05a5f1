"""Flat documents equal a traversal of the tree, element by element and word by word."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.collection.markup.flat_documents import FlatDocuments, flatten
from engine.collection.profiles.profile import Profile
from engine.collection.xml_reader import read_markup
from engine.index.locator import paths_of
from engine.text.analyser import Analyser
from tests.reference.flat_columns import Border, flat_columns
from tests.reference.random_xml import analysers, documents, profiles
from tests.trust.soak import effort

NONE = Profile("none")


def flat(*raws: bytes, profile: Profile = NONE, analyser: Analyser | None = None) -> FlatDocuments:
    markups = [read_markup(raw, "made.xml").text for raw in raws]
    return flatten(markups, [profile], [0] * len(raws), analyser or Analyser())


def words(batch: FlatDocuments) -> list[tuple[str | None, int]]:
    """Return term and leaf row of every word, in the order of their numbers."""
    terms = [batch.terms[number] if number >= 0 else None for number in batch.word_terms.tolist()]
    return list(zip(terms, batch.word_leaves.tolist(), strict=True))


def borders(batch: FlatDocuments, first_word: int, n_words: int) -> list[Border]:
    """Return where sentences begin inside leaves of the document that has these words."""
    found = [Border(*values) for values in zip(*(column.tolist() for column in batch.sentences), strict=True)]
    last_word = first_word + n_words
    return [each._replace(word=each.word - first_word) for each in found if first_word <= each.word < last_word]


def all_paths(batch: FlatDocuments) -> list[str]:
    return paths_of(batch.parent.tolist(), batch.tag.tolist(), batch.ordinal.tolist(), batch.tags)


@settings(max_examples=effort(8, 5000, thorough=200), deadline=None)
@given(
    st.lists(st.tuples(documents(), st.integers(0, 1)), min_size=1, max_size=4),
    st.tuples(profiles(), profiles()),
    analysers(),
)
@pytest.mark.long
def test_columns_equal_a_traversal_of_the_tree(
    batch: Sequence[tuple[bytes, int]], two: Sequence[Profile], analyser: Analyser
) -> None:
    made = flatten([read_markup(raw, "x").text for raw, _ in batch], two, [which for _, which in batch], analyser)

    found_words = words(made)
    places = all_paths(made)
    first_row = first_word = 0
    for number, (raw, which) in enumerate(batch):
        expected = flat_columns(raw, two[which], analyser)
        n_rows, n_words = len(expected.elements), len(expected.words)
        rows = range(first_row, first_row + n_rows)
        assert made.first_rows[number] == first_row
        assert made.texts[number].decode() == expected.text
        assert [made.tags[made.tag[row]] for row in rows] == [element.tag for element in expected.elements]
        for name in ("parent", "end"):
            column = getattr(made, name)[first_row : first_row + n_rows] - first_row
            assert column.tolist() == [getattr(element, name) for element in expected.elements], name
        for name in ("depth", "ordinal", "start", "stop"):
            column = getattr(made, name)[first_row : first_row + n_rows]
            assert column.tolist() == [getattr(element, name) for element in expected.elements], name
        assert [places[row] for row in rows] == [element.path for element in expected.elements]
        assert found_words[first_word : first_word + n_words] == [
            (word.term, word.leaf + first_row) for word in expected.words
        ]
        assert (made.first_words[first_row : first_row + n_rows + 1] - first_word).tolist() == expected.first_words
        assert borders(made, first_word, n_words) == expected.borders
        first_row, first_word = first_row + n_rows, first_word + n_words
    assert made.first_rows.tolist()[-1] == len(made.tag) == first_row
    assert len(made.word_terms) == first_word


def test_rows_are_numbered_per_batch_and_offsets_per_document() -> None:
    batch = flat(b"<a>one<b>two</b></a>", b"<b>x<a/></b>")

    assert batch.first_rows.tolist() == [0, 2, 4]
    assert batch.parent.tolist() == [0, 0, 2, 2]
    assert batch.start.tolist() == [0, 3, 0, 1]
    assert batch.stop.tolist() == [6, 6, 1, 1]
    assert batch.texts == [b"onetwo", b"x"]


def test_offsets_are_code_points() -> None:
    batch = flat("<a>\u00df\U0001d49c<b>e\u0301</b>z</a>".encode())

    assert batch.start.tolist() == [0, 2]
    assert batch.stop.tolist() == [5, 4]  # ß 𝒜 e ◌́ z


def test_ordinals_count_siblings_of_one_local_name() -> None:
    batch = flat(b'<a xmlns:n="urn:n"><b/><c/><n:b/><b><b/></b></a>')

    assert all_paths(batch) == ["/a[1]", "/a[1]/b[1]", "/a[1]/c[1]", "/a[1]/b[2]", "/a[1]/b[3]", "/a[1]/b[3]/b[1]"]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (b"wi<b>fi</b>", [("wi", 0), ("fi", 1)]),
        (b"wi<b/>fi", [("wi", 0), ("fi", 0)]),
        (b"wi<!-- -->fi", [("wifi", 0)]),
        (b"wi<?pi ?>fi", [("wifi", 0)]),
        (b"wi<![CDATA[fi<b>]]>x", [("wifi", 0), ("b", 0), ("x", 0)]),
        (b"wi&#102;i", [("wifi", 0)]),
        (b"wi&amp;fi", [("wi", 0), ("fi", 0)]),
        (b"R&amp;amp;D", [("r", 0), ("amp", 0), ("d", 0)]),
    ],
)
def test_only_tags_end_words_among_all_markup(inside: bytes, expected: list[tuple[str, int]]) -> None:
    assert words(flat(b"<a>" + inside + b"</a>")) == expected


def test_words_continue_across_inline_tags_and_belong_to_the_ancestor() -> None:
    inline = Profile("made", inline=frozenset({"i"}))
    batch = flat(b"<a>H<i>2</i>O <p>or <i>so<i>me</i></i>thing</p></a>", profile=inline)

    assert words(batch) == [("h2o", 0), ("or", 2), ("something", 2)]


def test_a_root_is_never_inline() -> None:
    batch = flat(b"<i>x<i>y</i></i>", profile=Profile("made", inline=frozenset({"i"})))

    assert words(batch) == [("xy", 0)]


def test_skipped_elements_keep_their_text_but_have_no_words() -> None:
    batch = flat(b"<a>x <s>y<b>z</b></s>w</a>", profile=Profile("made", skip=frozenset({"s"})))

    assert words(batch) == [("x", 0), ("w", 0)]
    assert batch.texts == [b"x yzw"]
    assert batch.stop.tolist() == [5, 4, 4]


def test_words_and_sentences_continue_across_skipped_elements() -> None:
    markup = b"<a>data<s>y<b>z. Q</b></s>base<s/>s. <s>No. </s>Two<s>!</s>, <s>x</s>three.<s>four</s> Five</a>"
    batch = flat(markup, profile=Profile("made", skip=frozenset({"s"})))

    assert words(batch) == [("databases", 0), ("two", 0), ("three", 0), ("five", 0)]
    text = batch.texts[0].decode()
    assert batch.sentences.words.tolist() == [1, 3]
    assert [text[: batch.sentences.ends[0]], text[batch.sentences.starts[0] : batch.sentences.ends[1]]] == [
        "datayz. Qbases.",
        "Two!, xthree.",
    ]
    assert text[batch.sentences.starts[1] :] == "Five"


def test_documents_of_one_batch_follow_their_own_profiles() -> None:
    markups = [read_markup(b"<a>x<i>y</i></a>", "made.xml").text] * 2
    batch = flatten(markups, [NONE, Profile("made", inline=frozenset({"i"}))], [1, 0], Analyser())

    assert words(batch) == [("xy", 0), ("x", 2), ("y", 3)]


def test_a_thousand_levels_and_a_thousand_siblings_have_correct_columns() -> None:
    deep, wide = b"<a>" * 1000 + b"x" + b"</a>" * 1000, b"<a>" + b"<b/>" * 1000 + b"</a>"
    batch = flat(deep, wide)

    assert batch.depth.tolist() == [*range(1, 1001), 1, *[2] * 1000]
    assert batch.end.tolist() == [*[1000] * 1000, 2001, *range(1002, 2002)]
    assert batch.ordinal.tolist() == [*[1] * 1000, 1, *range(1, 1001)]
    assert batch.stop[:1000].tolist() == [1] * 1000


@pytest.mark.parametrize("length", [1, 63, 64, 65, 66, 200])
def test_tag_names_of_any_length_are_found(length: int) -> None:
    name = "n" * length
    batch = flat(f"<{name} a='b'><{name}/><p:{name} xmlns:p='u'>x</p:{name}\n></{name}>".encode())

    assert all_paths(batch) == [f"/{name}[1]", f"/{name}[1]/{name}[1]", f"/{name}[1]/{name}[2]"]
