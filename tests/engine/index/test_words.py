"""Words, sentences and phrases of an open index equal a reference that works word by word."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.index.reader import IndexReader
from engine.index.texts import opening
from engine.index.texts.element_texts import own_offsets, own_texts
from engine.index.texts.passage_offsets import passage_offsets
from engine.query.query import parse_query
from engine.ranking.matches import term_occurrences
from engine.settings import Settings
from engine.text.utf8 import encode
from tests.engine.check_answers import search
from tests.engine.small_index import grown_index, index_of
from tests.reference.flat_columns import FlatColumns, flat_columns
from tests.reference.inverted_index import contents, contents_of_index
from tests.reference.random_collections import PROFILE, STOP_WORDS, collections
from tests.shared_data import TRIALS, shared
from tests.trust.soak import effort

PHRASES = ['"sea tide"', '"sea of tide"', '"tide tide"', '"of sea"', '"lamp öl sea"', '"sea of of lamp"', '"lamp"']

steps = st.lists(collections, min_size=1, max_size=3)


def live(index: IndexReader) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array(sorted({number for name in index.ids if (number := index.number(name)) is not None}), np.int64)


@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@given(steps, st.sampled_from([1, 3, 50]))
@pytest.mark.long
def test_an_index_that_grew_equals_the_reference(steps: Sequence[Mapping[str, str]], n_opening: int) -> None:
    with (
        patch.object(opening, "OPENING_WORDS", n_opening),
        grown_index(steps, profile_text=PROFILE, stop_words=STOP_WORDS) as index,
    ):
        batch = [(name, markup.encode()) for name, markup in sorted(steps[-1].items())]
        expected = contents(batch, index.profile, index.analyser)

        assert contents_of_index(index) == expected
        assert index.statistics.n_leaves == sum(document.n_leaves for document in expected.documents.values())
        assert index.statistics.n_words == sum(document.first_words[-1] for document in expected.documents.values())
        roots = index.elements.root(np.arange(index.n_slots))
        lengths = index.elements.n_words(roots)
        assert index.elements.first_word(roots).tolist() == (np.cumsum(lengths) - lengths).tolist()
        for term in ["sea", "tide", "lamp", "öl", "seatide", "of", "nowhere"]:
            holding = expected.postings.get(term, {})
            statistics = index.statistics.term(term)
            assert statistics.leaf_frequency == sum(map(len, holding.values()))
            frequencies = [len(found) for leaves in holding.values() for found in leaves.values()]
            assert statistics.collection_frequency == sum(frequencies)
            numbers = [
                int(index.elements.first_word(index.elements.root(np.array([document])))[0])
                + expected.documents[index.ids[document]].first_words[leaf]
                + position
                for document in live(index).tolist()
                for leaf, positions in sorted(holding.get(index.ids[document], {}).items())
                for position in positions
            ]
            assert index.elements.word_numbers(term, live(index)).tolist() == numbers == sorted(numbers)
            for documents in (live(index), live(index)[::2], live(index)[:0]):
                together = index.elements.word_numbers_of_each(["sea", term, "lamp"], documents)
                assert together[1].tolist() == index.elements.word_numbers(term, documents).tolist()
                found = index.elements.occurrences(term, documents)
                assert found.n_leaves.tolist() == [len(holding.get(index.ids[d], {})) for d in documents.tolist()]
                assert found.n_leaves.sum() == len(found.rows)


@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@given(collections)
def test_sentences_begin_and_end_with_the_own_text_of_their_leaf(collection: Mapping[str, str]) -> None:
    with grown_index([collection], profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        for document in live(index).tolist():
            flat = flat_columns(collection[index.ids[document]].encode(), index.profile, index.analyser)
            leaves = int(index.elements.root(np.array([document]))[0]) + np.unique(
                [word.leaf for word in flat.words]
            ).astype(np.int64)
            none = np.zeros(len(leaves), np.int64)
            found = passage_offsets(index, leaves, none, index.elements.n_sentences(leaves) - 1)

            assert list(map(tuple, found.tolist())) == flat.own_spans


def occurrences_of_phrase(flat: FlatColumns, terms: Sequence[str | None]) -> dict[int, int]:
    """Return how often each leaf holds the terms one after the other in one text node; None: any word."""
    found: dict[int, int] = {}
    for first in range(len(flat.words) - len(terms) + 1):
        words = flat.words[first : first + len(terms)]
        one_node = len({(word.leaf, word.stretch) for word in words}) == 1
        if one_node and all(term in (None, word.term) for term, word in zip(terms, words, strict=True)):
            found[words[0].leaf] = found.get(words[0].leaf, 0) + 1
    return found


@settings(max_examples=effort(2, 1000, thorough=60), deadline=None)
@given(steps, st.sampled_from(PHRASES))
@pytest.mark.long
def test_a_phrase_is_words_with_adjacent_numbers_in_one_text_node(
    steps: Sequence[Mapping[str, str]], phrase: str
) -> None:
    with grown_index(steps, profile_text=PROFILE, stop_words=STOP_WORDS) as index:
        (term,) = parse_query(phrase, index.analyser).terms
        by_place = dict(zip(term.places, term.words, strict=True))
        terms = [by_place.get(place) for place in range(max(term.places) + 1)]
        found = term_occurrences(index.elements, term, live(index))

        expected, n_leaves = [], []
        for document in live(index).tolist():
            flat = flat_columns(steps[-1][index.ids[document]].encode(), index.profile, index.analyser)
            root = int(index.elements.root(np.array([document]))[0])
            holding = sorted(occurrences_of_phrase(flat, terms).items())
            expected += [(root + leaf, tf) for leaf, tf in holding]
            n_leaves.append(len(holding))
        assert list(zip(found.rows.tolist(), found.tf.tolist(), strict=True)) == expected
        assert found.n_leaves.tolist() == n_leaves


def test_a_phrase_with_more_stop_words_than_any_gap_stays_in_its_text_node(tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_text("of", "utf-8")
    many = " of" * 40
    document = f"<a><p>sea{many} tide</p><p>sea{many}<q/> tide</p><p>sea{many} of tide</p></a>"
    index = index_of(tmp_path, {"d": document}, stop=str(tmp_path / "stop.txt"))
    (term,) = parse_query(f'"sea{many} tide"', index.analyser).terms

    assert term_occurrences(index.elements, term, np.array([0])).rows.tolist() == [1]


def test_passages_are_windows_of_sentences(tmp_path: Path) -> None:
    document = "<a> <p>One. Two! <q>Aside. Yes.</q> and three? Four.</p> </a>"
    index = index_of(tmp_path, {"d": document})
    text = index.text(0)

    def passage(leaf: int, first: int, last: int) -> str:
        (found,) = passage_offsets(index, np.array([leaf]), np.array([first]), np.array([last])).tolist()
        return text[slice(*found)]

    assert index.elements.n_sentences(np.array([0, 1, 2])).tolist() == [0, 4, 2]
    assert [passage(1, each, each) for each in range(4)] == ["One.", "Two!", "and three?", "Four."]
    assert [passage(1, 0, 1), passage(1, 1, 2)] == ["One. Two!", "Two! Aside. Yes. and three?"]
    assert [passage(2, 0, 1), passage(2, 1, 1)] == ["Aside. Yes.", "Yes."]
    assert passage_offsets(index, *[np.empty(0, np.int64)] * 3).tolist() == []
    for leaf, first, last in ((1, 0, 4), (1, 1, 0), (1, -1, 0), (1, 4, 4), (0, 0, 0), (2, 0, 2)):
        with pytest.raises(ValueError, match="sentences"):
            passage(leaf, first, last)


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    with tarfile.open(shared(TRIALS)) as archive:
        members = [member for member in archive if member.name.endswith(".xml")][:60:3]
        sources = {Path(member.name).stem: file.read() for member in members if (file := archive.extractfile(member))}
    return index_of(tmp_path_factory.mktemp("trials"), sources, profile="jats")


@pytest.mark.shared_data(TRIALS)
@pytest.mark.long
def test_sentences_of_trials_hold_the_words_of_their_leaves(trials: IndexReader) -> None:
    elements, analyser = trials.elements, trials.analyser
    n_inside = 0
    for document in range(0, trials.n_documents, effort(6, 1, thorough=1)):
        (root,), (end,) = (get(np.array([document])).tolist() for get in (elements.root, elements.document_end))
        rows = np.arange(root, end)
        is_plain = elements.end(rows) == rows + 1  # without children, its text is its own
        leaves = rows[is_plain & (elements.nearest_non_inline(rows) == rows) & (elements.n_words(rows) > 0)]
        counts = elements.n_sentences(leaves)
        each = np.concatenate([np.arange(count) for count in counts.tolist()])
        leaf = np.repeat(leaves, counts)
        starts = elements.sentence_starts(np.array([document]))
        text = trials.text(document)
        first = elements.first_word(leaf)
        before = np.searchsorted(starts, first, side="right") + each - 1
        begins = np.where(each > 0, starts[np.maximum(before, 0)], first)
        passages = passage_offsets(trials, leaf, each, each).tolist()
        stops = np.append(begins[1:], 0)
        is_last = np.append(leaf[1:] != leaf[:-1], [True])
        stops[is_last] = (elements.first_word(leaf) + elements.n_words(leaf))[is_last]
        for (start, stop), n_words in zip(passages, (stops - begins).tolist(), strict=True):
            assert len(analyser.words(encode(text[start:stop])).starts) == n_words > 0
        for number, ((_, stop), (following, _)) in enumerate(pairwise(passages)):
            if not is_last[number]:
                assert text[stop:following].isspace()
                assert not text[stop - 1].isspace()
                assert not text[following].isspace()
                n_inside += 1
    assert n_inside > effort(50, 300, thorough=300)


# The own text of an element has the words that the index numbers there.


ARTICLE = """<article><front/><body><p>See <xref>Table 1 and <italic>2</italic></xref> for the lamps that burn,
10<sup>9</sup>times<fn><p>By<sup>a</sup> night.</p></fn> many things.</p></body></article>"""


@pytest.mark.long
def test_the_words_of_own_texts_are_those_of_the_index(sample: IndexReader) -> None:
    elements = sample.elements
    rows = np.concatenate([np.arange(*span) for span in zip(*spans_of(sample), strict=True)])
    rows = rows[(elements.n_own_words(rows) > 0) & ~elements.is_inline(rows)]
    texts = own_texts(sample, rows)

    assert len(rows) > 1000
    assert [len(sample.analyser.forms_of(text)) for text in texts] == elements.n_own_words(rows).tolist()


def test_own_texts_of_several_elements_are_those_of_each(tmp_path: Path) -> None:
    verse = "<l>The la<lb/>mp and<pb/> lamps<note>see<p>no</p>ted</note> of la<lb break='no'/>mps</l>"
    index = index_of(
        tmp_path, {"d": f"<TEI><text>of <body>lamps{verse}and lamp{verse}</body></text></TEI>"}, profile="tei"
    )
    rows = np.arange(index.elements.end(np.array([0]))[0])
    rows = rows.compress(~index.elements.is_inline(rows))

    texts = own_texts(index, rows)

    assert texts == [own_texts(index, np.array([row]))[0] for row in rows.tolist()]
    assert texts[1] == "of \1\1"
    assert texts[3] == "The la\1\1mp and\1\1 lamps\1 of lamps\1"


def spans_of(index: IndexReader) -> tuple[list[int], list[int]]:
    roots = index.elements.root(np.arange(index.n_documents))
    return roots.tolist(), index.elements.end(roots).tolist()


def test_text_in_marks_of_notes_and_references_is_own_text(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"d": ARTICLE}, profile="jats")
    row = int(index.elements.with_tags([index.elements.tag_numbers["p"]], index.live_documents)[0])
    (own,), text = own_texts(index, np.array([row])), index.text(0)

    shown = " ".join(own.replace("\1", "|").split())
    assert shown == "See |Table 1 and 2| for the lamps that burn, 10|9|times| many things.|"
    letters = [
        text[offset] for offset, character in zip(own_offsets(index, row), own, strict=True) if character != "\1"
    ]
    assert "".join(letters) == own.replace("\1", "")
    for word in ("=lamps", "=things", "=many", "=table", "=burn"):
        assert [answer.path for answer in search(index, word, Settings())] == ["/article[1]/body[1]/p[1]"]
    assert not len(search(index, "=lamp", Settings()))
