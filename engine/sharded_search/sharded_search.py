"""A search over all shards of an index, a session a shard; `merged_answers` makes one result of what they find.

A session runs the ordinary search (`engine.ranking.search`) over its shard, which stops wherever it needs totals, or
a value that is combined from all shards. Its next step depends only on the query, the generation of the index and the
combined values so far: another copy of the shard can take over after any of them.
"""

from __future__ import annotations

import threading
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, ClassVar, TypeAlias

import numpy as np

from engine.answers.answer_columns import AnswerColumns, status_values
from engine.arrays import ArrayRecord
from engine.errors import FoxirError
from engine.index.reader import IndexReader
from engine.index.shard_exchange import Key
from engine.planning.plan import ExampleImage, Plan
from engine.ranking.articles import RankedArticles
from engine.ranking.search import search
from engine.ranking.selection.repetitions import AlsoIn
from engine.settings import Settings
from engine.sharded_search.shard_merging import merged_order
from engine.shards.shard_counts import count
from engine.shards.shared_reader import SharedReader


@dataclass(frozen=True)
class NeedsTotals:
    """A session needs totals over all shards; `counts` are those of its own shard, by key."""

    is_last: ClassVar[bool] = False
    counts: Mapping[Key, Any]


@dataclass(frozen=True)
class SharedTotals:
    """The reply: totals by key, over all shards, or over those that answer this query."""

    by_key: Mapping[Key, Any]
    are_of_all: bool


@dataclass(frozen=True)
class CombineRequest:
    """A value of one shard, which is to be combined with those of all others by `combiner`."""

    is_last: ClassVar[bool] = False
    combiner: Callable[[Sequence[Any]], Any]
    value: Any


@dataclass(frozen=True)
class SessionResult:
    """A session has found its answers."""

    is_last: ClassVar[bool] = True
    columns: AnswerColumns


@dataclass(frozen=True)
class Failed:
    """A session has ended with an error."""

    is_last: ClassVar[bool] = True
    error: Exception


Step: TypeAlias = NeedsTotals | CombineRequest | SessionResult | Failed


class SearchCancelledError(Exception):
    """The other shards do not go on, so this session ends."""


class ShardSearch:
    """A search over one shard; it is an exchange (`engine.index.shard_exchange`) for the search itself.

    Args:
        number, n_shards: of this shard among those that answer.
        totals: of this generation that are known; what is learned is added, if it is of all shards.
        ask: gives a step to whoever leads the search over all shards, and returns the reply, or raises
            SearchCancelledError.
        combined: the combined values that are known already, in their order.
    """

    def __init__(
        self,
        reader: IndexReader,
        number: int,
        n_shards: int,
        totals: dict[Key, Any],
        ask: Callable[[Step], Any],
        combined: Sequence[Any] = (),
    ) -> None:
        self.number, self.n_shards = number, n_shards
        self._reader, self._totals, self._ask, self._combined = reader, totals, ask, list(reversed(combined))
        self._totals_of_some: dict[Key, Any] = {}

    def run(self, query: str, settings: Settings, images: Sequence[ExampleImage] = ()) -> SessionResult | Failed:
        """Search, and return the last step.

        Args:
            images: example images beside those that the query names.
        Raises: SearchCancelledError.
        """
        try:
            return SessionResult(search(SharedReader(self._reader, self), query, settings, images=images))
        except SearchCancelledError:
            raise
        except Exception as error:  # any error must reach the process that waits for a step
            return Failed(error)

    def totals(self, keys: Sequence[Key]) -> list[Any]:
        """Return totals over all shards."""
        known = ChainMap(self._totals_of_some, self._totals)
        missing = [key for key in keys if key not in known]
        if missing:
            found: SharedTotals = self._ask(NeedsTotals({key: count(self._reader, key) for key in missing}))
            (self._totals if found.are_of_all else self._totals_of_some).update(found.by_key)
        return [known[key] for key in keys]

    def combine(self, combiner: Callable[[Sequence[Any]], Any], value: Any) -> Any:
        """Return `combiner` of the values of all shards."""
        if self._combined:
            return self._combined.pop()
        return combiner([value]) if self.n_shards == 1 else self._ask(CombineRequest(combiner, value))


class ShardSession:
    """A search over one shard in a thread of its own, which waits where it needs values of the others.

    Args: as of `ShardSearch`; images: example images beside those that the query names.
    """

    def __init__(
        self,
        reader: IndexReader,
        query: str,
        settings: Settings,
        number: int,
        n_shards: int,
        totals: dict[Key, Any],
        combined: Sequence[Any] = (),
        images: Sequence[ExampleImage] = (),
    ) -> None:
        self._steps: SimpleQueue[Step] = SimpleQueue()
        self._replies: SimpleQueue[Any] = SimpleQueue()
        search = ShardSearch(reader, number, n_shards, totals, self._ask, combined)
        threading.Thread(target=self._run, args=(search, query, settings, images), daemon=True).start()

    def step(self) -> Step:
        """Wait for the next step and return it."""
        return self._steps.get()

    def reply(self, value: Any) -> None:
        """Go on with the totals or the combined value that was asked for."""
        self._replies.put(value)

    def cancel(self) -> None:
        """End the search; its answers are no longer needed."""
        self._replies.put(SearchCancelledError())

    def _ask(self, step: Step) -> Any:
        self._steps.put(step)
        reply = self._replies.get()
        if isinstance(reply, SearchCancelledError):
            raise reply
        return reply

    def _run(self, search: ShardSearch, query: str, settings: Settings, images: Sequence[ExampleImage]) -> None:
        try:
            self._steps.put(search.run(query, settings, images))
        except SearchCancelledError:
            return


def raised(error: Exception) -> Exception:
    """Return the error of a session as it is raised to the user; a mistake of foxir stays one."""
    return error if isinstance(error, FoxirError) else RuntimeError(f"the search of a shard failed: {error!r}")


@dataclass(frozen=True, eq=False)
class ShardAnswers(ArrayRecord):
    """The answers of one shard, and the numbers of its first document, row and image among those of all shards."""

    columns: AnswerColumns
    first_document: int
    first_row: int
    first_image: int

    @property
    def images(self) -> Any:
        """The best image in each answer, numbered through all shards; -1 for none."""
        local = self.columns.images
        return None if local is None else np.where(local < 0, -1, local + self.first_image)


def merged_answers(found: Sequence[ShardAnswers], seconds: float) -> AnswerColumns:
    """Return the answers of one index with all documents, numbered through all shards."""
    parts = [each.columns for each in found]
    plan, scores = parts[0].plan, _joined([part.scores for part in parts])
    article = np.concatenate([part.article for part in parts])
    of_field = None if parts[0].article_order is None else parts[0].article_order.take(article)
    key = None if plan.follows_articles else scores
    by_article = plan.selection.groups_by_article
    order = merged_order(key, article, groups_by_article=by_article, field_places=of_field)
    order = order[: plan.settings.max_answers]
    first = np.cumsum([0, *map(len, parts)])
    numbers = {number: place for place, number in enumerate(order.tolist())}
    also_in = [
        AlsoIn(numbers[number], each.row + found[each.shard].first_row)
        for n, part in enumerate(parts)
        for each in part.also_in
        if (number := int(first[n]) + each.place) in numbers
    ]
    documents = np.concatenate([each.columns.documents + each.first_document for each in found])[order]
    sentences, image_scores = (
        _joined([getattr(part, name) for part in parts]) for name in ("sentences", "image_scores")
    )
    images = None if image_scores is None else np.concatenate([each.images for each in found])
    ranked = _ranked(found)
    return AnswerColumns(
        plan=plan,
        ranked=ranked,
        documents=documents,
        elements=np.concatenate([each.columns.elements + each.first_row for each in found])[order],
        article=article[order],
        rsv=_rsv(plan, ranked, article[order], None if scores is None else scores[order]),
        scores=None if scores is None else scores[order],
        sentences=None if sentences is None else sentences[order],
        images=None if images is None else images[order],
        image_scores=None if image_scores is None else image_scores[order],
        facets=parts[0].facets,
        article_order=parts[0].article_order,
        image_groups=parts[0].image_groups,
        also_in=tuple(sorted(also_in)),
        seconds=seconds,
    )


def _rsv(plan: Plan, ranked: RankedArticles, article: Any, scores: Any) -> Any:
    if plan.ranks_whole:
        return ranked.scores[article] if scores is None else scores
    return status_values(len(article), plan.settings.max_answers)


def _ranked(found: Sequence[ShardAnswers]) -> RankedArticles:
    """Return the ranked articles of all shards; each shard knows the numbers of its own."""
    documents = np.full(len(found[0].columns.ranked), -1)
    for each in found:
        local = each.columns.ranked.documents
        documents = np.where(local >= 0, local + each.first_document, documents)
    return RankedArticles(documents, found[0].columns.ranked.scores)


def _joined(columns: Sequence[Any]) -> Any:
    return None if columns[0] is None else np.concatenate(columns)
