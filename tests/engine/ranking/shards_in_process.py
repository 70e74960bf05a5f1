"""A search over several shards in one process: sessions, and what a coordinator does for them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from engine.answers.answer_columns import AnswerColumns
from engine.index.generation import ShardedManifest
from engine.index.reader import IndexReader
from engine.planning.plan import ExampleImage
from engine.settings import Settings
from engine.sharded_search.sharded_search import (
    CombineRequest,
    Failed,
    NeedsTotals,
    SessionResult,
    ShardAnswers,
    ShardSession,
    SharedTotals,
    Step,
    merged_answers,
)
from engine.shards.shard_counts import add, count
from tests.engine.joined_answers import JoinedAnswers
from tests.engine.ranking.sent_values import sent


class SearchedShards:
    """The shards of an index, each with a reader of its own.

    replaced: share of the combined values after which a session is given up and another one takes over.
    """

    def __init__(self, readers: Sequence[IndexReader], *, replaced: float = 0.0) -> None:
        self._readers = readers
        self._totals: list[dict[Any, Any]] = [{} for _ in self._readers]
        self._known: dict[Any, Any] = {}
        self._replaced, self._random = replaced, random.Random(1)

    def columns(self, query: str, settings: Settings, images: Sequence[ExampleImage] = ()) -> AnswerColumns:
        n_shards = len(self._readers)
        combined: list[Any] = []

        def session(number: int) -> ShardSession:
            reader, totals = self._readers[number], self._totals[number]
            return ShardSession(reader, query, settings, number, n_shards, totals, combined, sent(images))

        sessions = [session(number) for number in range(n_shards)]
        while True:
            with ThreadPoolExecutor(n_shards) as threads:  # a session may wait for another one
                steps = list(threads.map(self._next, sessions))
            failed = [step.error for step in steps if isinstance(step, Failed)]
            if failed:
                for each in sessions:
                    each.cancel()
                raise failed[0]
            if all(isinstance(step, SessionResult) for step in steps):
                return self._merged([step for step in steps if isinstance(step, SessionResult)])
            asked = [step for step in steps if isinstance(step, CombineRequest)]
            assert len(asked) == n_shards
            assert len({repr(step.combiner) for step in asked}) == 1
            reply = sent(asked[0].combiner)([sent(step.value) for step in asked])
            combined.append(reply)
            for number, each in enumerate(sessions):
                if self._random.random() < self._replaced:
                    each.cancel()
                    sessions[number] = session(number)
                else:
                    each.reply(sent(reply))

    def _next(self, session: ShardSession) -> Step:
        while isinstance(step := session.step(), NeedsTotals):
            for key in sent(step).counts:
                if key not in self._known:
                    self._known[key] = add([sent(count(reader, key)) for reader in self._readers])
            session.reply(sent(SharedTotals({key: self._known[key] for key in step.counts}, are_of_all=True)))
        return step

    def _merged(self, steps: list[SessionResult]) -> AnswerColumns:
        found, n_documents, n_rows, n_images = [], 0, 0, 0
        for step, reader in zip(steps, self._readers, strict=True):
            found.append(ShardAnswers(sent(step.columns), n_documents, n_rows, n_images))
            n_documents += int(reader.elements.document_base[-1])
            n_rows += int(reader.elements.row_base[-1])
            n_images += reader.images.n_slots
        return merged_answers(found, 0.0)


class Shards(SearchedShards):
    """The shards of a sharded index; `whole` reads all of them."""

    def __init__(self, index: Path, *, replaced: float = 0.0) -> None:
        manifest = ShardedManifest.read(index)
        self.whole = IndexReader(index)
        readers = [IndexReader(index, manifest.combined((n,))) for n in range(len(manifest.shards))]
        super().__init__(readers, replaced=replaced)

    def search(self, query: str, images: Sequence[ExampleImage] = (), **settings: Any) -> JoinedAnswers:
        """Return the answers of all shards."""
        return JoinedAnswers(self.whole, self.columns(query, Settings.from_options(**settings), images))
