"""Every search of a test made in other ways, with the same answers: after the idea of Lucene's CheckHits.

`search` and `answers_to` of the tests check what they return:

in_numpy         NumPy in place of C, in a reader of its own: nothing that it has cached comes from kernels
over_shards      a session a shard. The shards are the index itself, three times, each with other documents deleted
explained        explanations of some answers have their ranks and scores, to which their parts add up

What is compared is equal bit by bit: answers, order, scores, ranked articles, notices, and errors.

`make soak` checks every search in all ways, `make test-thorough` each in one of them, `make test` every second one so.
A hash of the test's name, the query and the settings chooses: the same in every run.
"""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from engine.answers.answer_columns import AnswerColumns
from engine.answers.answer_texts import ids_of, paths_of, spans_of, words_of
from engine.arrays import same_content
from engine.errors import IndexFormatError, QueryError, QueryLimitError, SettingsError
from engine.explain.element_explanation import ElementExplanation
from engine.explain.explain import explain
from engine.index.manifest import Manifest
from engine.index.reader import IndexReader
from engine.kernels.table import has_kernels, without_kernels
from engine.planning.plan import ExampleImage
from engine.ranking import search as searching
from engine.ranking.articles import RankedArticles
from engine.ranking.observed_stage import Observer
from engine.ranking.scoring.passages import WHOLE
from engine.ranking.trace import Trace
from engine.records import with_values
from engine.settings import Settings
from tests.engine.explain.adding_up import assert_adds_up
from tests.engine.joined_answers import JoinedAnswers
from tests.engine.ranking.shards_in_process import SearchedShards
from tests.trust.soak import SOAKING, THOROUGH, effort

N_SHARDS = 3
# Answers of a search that are explained, the first one among them.
MOST_EXPLAINED = effort(1, 3, thorough=2)
# In the error of a search that is not offered over shards.
OF_ONE_INDEX = "search the index itself"
COMPARED = ("documents", "elements", "article", "rsv", "scores", "sentences", "images", "image_scores")
Outcome = AnswerColumns | QueryError | SettingsError
Way = Callable[[IndexReader, str, Settings, Sequence[ExampleImage], Outcome], object]


def search(
    index: IndexReader,
    text: str,
    settings: Settings,
    observe: Observer | None = None,
    trace: Trace | None = None,
    images: Sequence[ExampleImage] = (),
    ways: Sequence[Way] | None = None,
) -> JoinedAnswers:
    """Return the answers to a query, joined with the index, checked in some ways."""
    try:
        columns = searching.search(index, text, settings, observe, trace, images)
    except (QueryError, SettingsError) as error:
        check_answers(index, text, settings, images, error, ways)
        raise
    check_answers(index, text, settings, images, columns, ways)
    return JoinedAnswers(index, columns)


def check_answers(
    index: IndexReader,
    text: str,
    settings: Settings,
    images: Sequence[ExampleImage],
    found: Outcome,
    ways: Sequence[Way] | None = None,
) -> None:
    """Compare what a search found with what it finds in other ways; all but searches in threads, and up to limits.

    Args:
        ways: None for those that are chosen for the search.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    if not isinstance(found, QueryLimitError) and settings.max_seconds is None:
        for way in chosen_ways(text, settings) if ways is None else ways:
            way(index, text, settings, images, found)


def in_numpy(index: IndexReader, text: str, settings: Settings, images: Sequence[ExampleImage], found: Outcome) -> None:
    """Compare with the same search without the compiled kernels."""
    other = readers_of(index).of_all
    if not has_kernels() or other is None:
        return
    with without_kernels():
        expected = outcome(lambda: searching.search(other, text, settings, images=images))
    assert_same(found, expected)


def over_shards(
    index: IndexReader, text: str, settings: Settings, images: Sequence[ExampleImage], found: Outcome
) -> None:
    """Compare with the same search over shards; searches that shards do not offer are left out."""
    shards = readers_of(index).shards
    if shards is None:
        return
    other = outcome(lambda: shards.columns(text, settings, images))
    if isinstance(other, SettingsError) and OF_ONE_INDEX in str(other):
        return
    if isinstance(other, AnswerColumns):
        other = renumbered(other, index)
    assert_same(found, other)
    if isinstance(found, AnswerColumns) and isinstance(other, AnswerColumns):
        assert found.also_in == other.also_in


def explained(
    index: IndexReader,
    text: str,
    settings: Settings,
    images: Sequence[ExampleImage],
    found: Outcome,
    most: int = MOST_EXPLAINED,
) -> list[ElementExplanation]:
    """Compare some answers with their explanations, whose parts add up; return the explanations."""
    if not isinstance(found, AnswerColumns):
        return []
    explanations = []
    for place in range(0, len(found), max(1, -(-len(found) // most))):
        at = np.array([place])
        (document,), (path,) = ids_of(index, found, at), paths_of(index, found, at)
        explanation = explain(index, text, document, path, settings, images)
        assert_explains(explanation, index, found, place)
        explanations.append(explanation)
    return explanations


def assert_explains(explanation: ElementExplanation, index: IndexReader, found: AnswerColumns, place: int) -> None:
    """Compare an explanation with the answer at a place: its rank, score and text, and those of its article."""
    article, at = explanation.article, np.array([place])
    if article.value is not None:
        of_answer = found.ranked.scores[found.article[place]], found.article[place] + 1
        assert (article.value, article.facts["rank"]) == of_answer
    assert explanation.outcome.rank is not None
    assert explanation.rsv == found.rsv[explanation.outcome.rank - 1]
    assert_adds_up(article, exactly=False)
    if explanation.element is not None:
        assert_adds_up(explanation.element)
    for each in explanation.passages:
        assert_adds_up(each.score)
    scored = [(explanation.outcome, explanation.score)]
    if explanation.passages:
        shown = [each for each in explanation.passages if each.sentences == sentences_of(found, place)]
        assert shown or len(explanation.passages) < explanation.n_passages
        scored = [(each.outcome, each.score.value) for each in shown]
        for each in shown:
            assert [each.start, each.end] == spans_of(index, found, at)[0].tolist()
            assert [each.words] == words_of(index, found, at)
    for outcome, score in scored:
        assert outcome.rank == place + 1
        assert found.scores is None or score is None or score == found.scores[place]


def sentences_of(found: AnswerColumns, place: int) -> tuple[int, int] | None:
    """Return the first and the last sentence of the passage at a place, None for a whole element."""
    if found.sentences is None or found.sentences[place, 0] == WHOLE:
        return None
    first, last = found.sentences[place].tolist()
    return first, last


WAYS: tuple[Way, ...] = (in_numpy, over_shards, explained)


def chosen_ways(text: str, settings: Settings) -> Sequence[Way]:
    """Return the ways in which a search of the running test is checked."""
    if SOAKING:
        return WAYS
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    way, is_checked = divmod(zlib.crc32(f"{test} {text} {settings}".encode()), 2)
    return (WAYS[way % len(WAYS)],) if is_checked or THOROUGH else ()


class OtherReaders:
    """Other readers of the generation of a reader; None where its files are gone."""

    def __init__(self, index: IndexReader) -> None:
        self._folder, self._manifest = index.folder, index.manifest
        self._counts = [len(segment.ids) for segment in index.segments]

    @cached_property
    def of_all(self) -> IndexReader | None:
        """One reader of all documents."""
        return self._opened(self._manifest)

    @cached_property
    def shards(self) -> SearchedShards | None:
        """A reader a shard: of all documents, of which every shard has others that are not deleted."""
        opened = [self._opened(self._of_shard(number)) for number in range(N_SHARDS)]
        readers = [reader for reader in opened if reader is not None]
        return SearchedShards(readers) if len(readers) == N_SHARDS else None

    def _of_shard(self, number: int) -> Manifest:
        segments = []
        for entry, count in zip(self._manifest.segments, self._counts, strict=True):
            others = {place for place in range(count) if place % N_SHARDS != number}
            segments.append(replace(entry, deleted=tuple(sorted(others.union(entry.deleted)))))
        return replace(self._manifest, segments=tuple(segments))

    def _opened(self, manifest: Manifest) -> IndexReader | None:
        try:
            return IndexReader(self._folder, manifest)
        except IndexFormatError:
            return None


_readers: WeakKeyDictionary[IndexReader, OtherReaders] = WeakKeyDictionary()


def readers_of(index: IndexReader) -> OtherReaders:
    """Return the other readers of an index, opened once."""
    if index not in _readers:
        _readers[index] = OtherReaders(index)
    return _readers[index]


def renumbered(columns: AnswerColumns, index: IndexReader) -> AnswerColumns:
    """Return the answers of all shards in the numbers of the index, which each of them has, too."""
    n_documents, n_rows = index.n_slots, int(index.elements.row_base[-1])
    images = columns.images
    return with_values(
        columns,
        documents=columns.documents % n_documents,
        elements=columns.elements % n_rows,
        also_in=tuple(each._replace(row=each.row % n_rows) for each in columns.also_in),
        images=None if images is None else np.where(images < 0, images, images % max(index.images.n_slots, 1)),
        ranked=RankedArticles(columns.ranked.documents % n_documents, columns.ranked.scores),
    )


def outcome(searched: Callable[[], AnswerColumns]) -> Outcome:
    """Return the answers of a search, or its error."""
    try:
        return searched()
    except (QueryError, SettingsError) as error:
        return error


def assert_same(one: Outcome, other: Outcome) -> None:
    """Compare the outcomes of two searches, bit by bit."""
    if isinstance(one, AnswerColumns) and isinstance(other, AnswerColumns):
        for name in COMPARED:
            assert same_content(getattr(one, name), getattr(other, name)), name
        assert same_content(one.ranked.documents, other.ranked.documents)
        assert same_content(one.ranked.scores, other.ranked.scores)
        assert (one.plan.all_notices, one.interpretation) == (other.plan.all_notices, other.interpretation)
    else:
        assert (type(one), str(one)) == (type(other), str(other))
