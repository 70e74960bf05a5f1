"""All rows of a collection under one variant: which system answers which task, and what it scores at every topic."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from bench.effectiveness.cached_weights import CachedRetrieval, collection_digest, one_an_article, queries_digest
from bench.effectiveness.data import Questions
from bench.effectiveness.folds import folds
from bench.effectiveness.measures import TASKS, Values, values
from bench.effectiveness.systems import System, foxir_rankings
from bench.effectiveness.value_cache import ENGINE, PEERS, THESIS, cached_values
from bench.effectiveness.variants import Variant
from bench.fidelity_runs import overlap_removed
from engine.index.locator import IndexLocator
from engine.index.reader import IndexReader
from engine.runs import Ranking
from engine.text.analyser import make_analyser
from eval.judgements.judged_elements import with_elements
from eval.judgements.judgements import Judgements
from eval.simulation import SimulatedKind, simulated_run
from foxir.chunks.chunkers import Chunks, cut
from foxir.chunks.collection import Collection
from foxir.chunks.ranking import LIMIT, Queries, Rankings, Retrieval
from foxir.chunks.retrievers import retrieve

CROSS_VALIDATED = "paragraph + c × article, c cross-validated"
SHARES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # that cross-validation chooses from
CHUNK_SIZES = (256, 512, 1000)  # characters
LEAVES_MERGED = (12, LIMIT)  # leaves retrieved before merging: as in LlamaIndex's own examples, and all that count

WITHOUT_OVERLAP = ("focussed", "passages")  # judged alike, so peers answer both with the same pieces
OF_ELEMENTS = (*WITHOUT_OVERLAP, "thorough")
IN_CONTEXT = ("in-context", "best-in-context")

Make = Callable[[str], Rankings]  # of a task
Found = Iterator[tuple[str, str, dict[str, Values]]]


@dataclass(frozen=True)
class Row:
    """A system: its name, the tasks it answers, how, and which code its answers depend on.

    by_task: whether it answers its tasks in different ways. asked: what of the topics its answers depend on.
    """

    name: str
    tasks: Sequence[str]
    make: Make
    code: str = PEERS
    by_task: bool = False
    asked: str = ""


@dataclass(frozen=True)
class Contest:
    """Peers and foxir over one collection, its topics and judgements, words treated in one way."""

    questions: Questions
    collection: Collection
    variant: Variant
    seed: int
    cached_only: bool = False  # leave out what is not in the cache

    @cached_property
    def index(self) -> IndexReader:
        """The index as foxir searches it; peers need its stemmer only."""
        return self.questions.index(self.variant)

    @cached_property
    def ids(self) -> list[str]:
        """The topics, in their order."""
        return [topic.topic_id for topic in self.questions.topics]

    @cached_property
    def peers(self) -> Retrieval:
        """What peers retrieve from."""
        titles = {topic.topic_id: topic.title for topic in self.questions.topics}
        stop_words = make_analyser("default", "none", self.variant.stop).stop_words
        queries = Queries(titles, make_analyser("default", self.variant.stem, "none"), stop_words)
        return CachedRetrieval(self.collection, queries, self.folder / self.variant.stem)

    @property
    def folder(self) -> Path:
        """Where columns of weights and values are cached."""
        return self.questions.folder / self.questions.name

    @cached_property
    def locator(self) -> IndexLocator:
        """Where elements lie."""
        return IndexLocator(self.collection.index)

    def systems(self, tasks: Sequence[str], systems: Sequence[System]) -> Found:
        """Yield task, name and values of every row of foxir; what is in the cache is not computed again."""
        yield from self._found(tasks, [self._foxir_row(system) for system in systems])

    def rows(self, tasks: Sequence[str]) -> Found:
        """Yield task, name and values of every peer that is not part of foxir."""
        yield from self._found(tasks, self.peer_rows())
        for task in WITHOUT_OVERLAP:
            if task in tasks:
                shares = (self._peer(_paragraph(s), (task,), self._of("paragraphs", s)) for s in SHARES)
                candidates = [self.values_of(row, task) for row in shares]
                if all(candidates):
                    yield task, CROSS_VALIDATED, self._cross_validated(candidates)

    def bounds(self, tasks: Sequence[str]) -> Found:
        """Yield task, name and values of what is made from the judgements."""
        rows = (
            Row("ideal: highlighted passages", ("passages", "in-context"), lambda _: self._simulated("passage")),
            Row("ideal: best entry points (BEP)", ("focussed", "thorough"), lambda _: self._simulated("bep")),
            Row("ideal: all relevant elements", ("focussed", "thorough"), lambda _: self._simulated("fullrb")),
            Row("ideal: densest elements", ("focussed", "thorough", "in-context"), lambda _: self._densest()),
        )
        yield from self._found(tasks, rows)

    def _found(self, tasks: Sequence[str], rows: Iterable[Row]) -> Found:
        for row in rows:
            for task in row.tasks:
                if task in tasks and (found := self.values_of(row, task)):
                    yield task, row.name, found

    def peer_rows(self) -> list[Row]:
        """Return the peers that are not part of foxir."""
        chunks = {n: f"langchain:{n}" for n in CHUNK_SIZES}
        return [
            self._peer("whole articles, BM25", OF_ELEMENTS, self._of("documents", 0.0)),
            *(self._peer(_paragraph(share), OF_ELEMENTS, self._of("paragraphs", share)) for share in (0.0, 0.5, 4.0)),
            *(
                self._peer(f"{n}-character chunk{_plus(share)}", OF_ELEMENTS, self._of(kind, share))
                for n, kind in chunks.items()
                for share in (0.0, 4.0)
            ),
            *(self._peer(f"auto-merging, {n} leaves{_plus(4.0)}", OF_ELEMENTS, self._merged(n)) for n in LEAVES_MERGED),
            self._peer("article (whole)", IN_CONTEXT, self._one("documents")),
            self._peer("one paragraph an article", IN_CONTEXT, self._one("paragraphs")),
            *(
                self._peer(f"one {n}-character chunk an article", IN_CONTEXT, self._one(kind))
                for n, kind in chunks.items()
            ),
            *(
                self._peer(f"element{_plus(share)}", OF_ELEMENTS, self._of("elements", share), by_task=True)
                for share in (0.0, 4.0)
            ),
            self._peer("one element an article", IN_CONTEXT, self._one("elements")),
        ]

    def _peer(self, name: str, tasks: Sequence[str], make: Make, *, by_task: bool = False) -> Row:
        return Row(name, tasks, make, by_task=by_task, asked=queries_digest(self.peers.queries))

    def _foxir_row(self, system: System) -> Row:
        topics = list(self.questions.topics)
        options = f"{system.options}{system.file.read_text(encoding='utf-8') if system.file else ''}"
        return Row(
            system.name,
            system.tasks,
            lambda task: foxir_rankings(self.index, topics, system, task),
            code=f"{THESIS if system.is_peer else ENGINE}|{options}",
            by_task=True,
            asked=f"{[topic.title for topic in topics]}{self.variant}",
        )

    def _of(self, chunker: str, share: float) -> Make:
        """Return what ranks chunks by BM25 and a share of the article's, without overlap where the task has none."""

        def make(task: str) -> Rankings:
            chunks = self._chunks(chunker)
            if task not in WITHOUT_OVERLAP:
                chunks = replace(chunks, are_nested=False)
            return retrieve(self.peers, chunks, f"bm25+{share:g}", {})

        return make

    def _chunks(self, chunker: str) -> Chunks:
        known: dict[str, Chunks] = self.collection.__dict__.setdefault("_known_chunks", {})
        named = f"paragraphs:{','.join(self.questions.paragraphs)}" if chunker == "paragraphs" else chunker
        if named not in known:
            known[named] = cut(self.collection, named)
        return known[named]

    def _one(self, chunker: str) -> Make:
        def make(_task: str) -> Rankings:
            chunks = self._chunks(chunker)
            return self.peers.each(one_an_article(self.peers.scored(chunks.kind, chunks.units)), chunks.units)

        return make

    def _merged(self, n_leaves: int) -> Make:
        return lambda _task: retrieve(self.peers, self._chunks("llamaindex-tree"), f"auto-merging:{n_leaves}+4", {})

    def _simulated(self, kind: SimulatedKind) -> Rankings:
        return simulated_run(self.questions.assessments, kind, max_answers=LIMIT, locator=self.locator).rankings

    def _densest(self) -> Rankings:
        return {
            topic: densest(with_elements(self.questions.assessments.topics[topic], self.locator)) for topic in self.ids
        }

    def values_of(self, row: Row, task: str) -> dict[str, Values]:
        """Return the values of a row, from the cache if its code, questions and judgements are what they were.

        Empty for a row that is not in the cache, if only those that are there are wanted.
        """
        judgements = self.questions.judgements(task)
        way = task if row.by_task else ""
        asked = f"{row.code}|{row.name}|{way}|{TASKS[task].judged_by}|{row.asked}|{judgements.source}"
        key = hashlib.sha256(f"{asked}|{collection_digest(self.collection)}".encode()).hexdigest()[:16]

        def made() -> dict[str, Values]:
            began = time.perf_counter()
            found = values(self._rankings(row, task), task, judgements, self.locator, self.ids)
            means = " ".join(f"{measure} {scores.mean():.4f}" for measure, scores in found.items())
            where = f"{self.questions.name}, {task}, {self.variant.title if row.asked else 'from judgements'}"
            seconds = time.perf_counter() - began
            print(f"bench: {where}: {row.name}: {means} ({seconds:.0f} s)", file=sys.stderr, flush=True)
            return found

        file = self.folder / "values" / f"{key}.npz"
        return {} if self.cached_only and not file.exists() else cached_values(file, made)

    def _rankings(self, row: Row, task: str) -> Rankings:
        """Return what a row answers; the last is cached, since another task may judge the same answers."""
        last: dict[tuple[str, str], Rankings] = self.__dict__.setdefault("_last_rankings", {})
        key = row.name, task if row.by_task else ""
        if key not in last:
            last.clear()
            last[key] = row.make(task)
        return last[key]

    def _cross_validated(self, candidates: Sequence[Mapping[str, Values]]) -> dict[str, Values]:
        """Return each topic's values under the candidate that is best, by the first measure, over the other folds."""
        first = next(iter(candidates[0]))
        chosen = {name: np.empty(len(self.ids)) for name in candidates[0]}
        for held_out in folds(len(self.ids), self.seed):
            best = max(candidates, key=lambda each: float(each[first][~held_out].mean()))
            for name, column in chosen.items():
                column[held_out] = best[name][held_out]
        return chosen


def _plus(share: float) -> str:
    return f" + {share:g} × article" if share else ""


def _paragraph(share: float) -> str:
    return f"paragraph{_plus(share)}"


def densest(judgements: Judgements) -> Ranking:
    """Return the judged elements by falling share of highlighted text, without overlap."""
    elements = judgements.elements
    order = np.argsort(-elements.rsizes / np.maximum(elements.sizes, 1), kind="stable")[:LIMIT].tolist()
    documents = [judgements.documents[row] for row in elements.document_rows[order].tolist()]
    return overlap_removed(Ranking.ranked(judgements.topic, documents, [elements.paths[row] for row in order]))
