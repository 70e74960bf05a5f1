"""All rows of a collection under one variant: which system answers which task, and what it scores at every topic."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from bench.effectiveness.bm25 import Queries
from bench.effectiveness.collection import Collection, Units
from bench.effectiveness.data import Questions
from bench.effectiveness.kept import ENGINE, PEERS, THESIS, kept
from bench.effectiveness.measures import TASKS, Values, values
from bench.effectiveness.peers import (
    CHUNK_SIZES,
    LEAVES_MERGED,
    LIMIT,
    SHARES,
    Merging,
    Peers,
    Rankings,
    auto_merging,
    chunked,
    folds,
    merging,
    one_an_article,
    with_article,
    without_overlap,
)
from bench.effectiveness.systems import System, foxir_rankings
from bench.effectiveness.variants import Variant
from engine.index.locator import IndexLocator
from engine.index.reader import IndexReader
from engine.runs import Ranking
from engine.text.analyser import make_analyser
from eval.judgements import Judgements
from eval.judgements.judged_elements import with_elements
from eval.simulation.fidelity import overlap_removed
from eval.simulation.simulate import simulated_run

CROSS_VALIDATED = "paragraph + c × article, c cross-validated"
ENOUGH = 20 * LIMIT  # best pieces that nearly always hold LIMIT without overlap

OF_PASSAGES, OF_ELEMENTS = ("focussed", "passages", "thorough"), ("focussed", "thorough")
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
    kept_only: bool = False  # leave out what is not in the cache

    @cached_property
    def index(self) -> IndexReader:
        """The index as foxir searches it; peers need its stemmer only."""
        return self.questions.index(self.variant)

    @cached_property
    def ids(self) -> list[str]:
        """The topics, in their order."""
        return [topic.topic_id for topic in self.questions.topics]

    @cached_property
    def peers(self) -> Peers:
        """What peers retrieve from."""
        titles = {topic.topic_id: topic.title for topic in self.questions.topics}
        stop_words = make_analyser("default", "none", self.variant.stop).stop_words
        queries = Queries(titles, make_analyser("default", self.variant.stem, "none"), stop_words)
        return Peers(self.collection, queries, self.folder / self.variant.stem)

    @property
    def folder(self) -> Path:
        """Where columns of weights and values are kept."""
        return self.questions.folder / self.questions.name

    @cached_property
    def locator(self) -> IndexLocator:
        """Where elements lie."""
        return IndexLocator(self.collection.index)

    def systems(self, tasks: Sequence[str], systems: Sequence[System]) -> Found:
        """Yield task, name and values of every row of foxir; what is in the cache is not computed again."""
        yield from self._found(tasks, [self._foxir_row(system) for system in systems])

    def rows(self, tasks: Sequence[str]) -> Found:
        """Yield task, name and values of every peer that is no part of foxir."""
        yield from self._found(tasks, self.peer_rows())
        for task in ("focussed", "passages"):
            if task in tasks:
                shares = (self._peer(_paragraph(s), (task,), self._of("paragraphs", s)) for s in SHARES)
                candidates = [self.values_of(row, task) for row in shares]
                if all(candidates):
                    yield task, CROSS_VALIDATED, self._cross_validated(candidates)

    def bounds(self, tasks: Sequence[str]) -> Found:
        """Yield task, name and values of what is made from the judgements."""
        rows = (
            Row("ideal: highlighted passages", ("passages", "in-context"), lambda _: self._simulated("passage")),
            Row("ideal: best entry points (BEP)", OF_ELEMENTS, lambda _: self._simulated("bep")),
            Row("ideal: all relevant elements", OF_ELEMENTS, lambda _: self._simulated("fullrb")),
            Row("ideal: densest elements", (*OF_ELEMENTS, "in-context"), lambda _: self._densest()),
        )
        yield from self._found(tasks, rows)

    def _found(self, tasks: Sequence[str], rows: Iterable[Row]) -> Found:
        for row in rows:
            for task in row.tasks:
                if task in tasks and (found := self.values_of(row, task)):
                    yield task, row.name, found

    def peer_rows(self) -> list[Row]:
        """Return the peers that are no part of foxir."""
        chunks = {n: f"chunks-{n}" for n in CHUNK_SIZES}
        return [
            self._peer("whole articles, BM25", OF_ELEMENTS, self._of("articles", 0.0)),
            *(self._peer(_paragraph(share), OF_PASSAGES, self._of("paragraphs", share)) for share in (0.0, 0.5, 4.0)),
            *(
                self._peer(f"{n}-character chunk{_plus(share)}", OF_PASSAGES, self._of(kind, share))
                for n, kind in chunks.items()
                for share in (0.0, 4.0)
            ),
            *(
                self._peer(f"auto-merging, {n} leaves{_plus(4.0)}", OF_PASSAGES, lambda _, n=n: self._merged(n))
                for n in LEAVES_MERGED
            ),
            self._peer("article (whole)", IN_CONTEXT, lambda _: self._one("articles")),
            self._peer("one paragraph an article", IN_CONTEXT, lambda _: self._one("paragraphs")),
            *(
                self._peer(f"one {n}-character chunk an article", IN_CONTEXT, lambda _, kind=kind: self._one(kind))
                for n, kind in chunks.items()
            ),
            *(
                self._peer(f"element{_plus(share)}", OF_ELEMENTS, self._of("elements", share), by_task=True)
                for share in (0.0, 4.0)
            ),
            self._peer("one element an article", IN_CONTEXT, lambda _: self._one("elements")),
        ]

    def _peer(self, name: str, tasks: Sequence[str], make: Make, *, by_task: bool = False) -> Row:
        return Row(name, tasks, make, by_task=by_task, asked=self.peers.queries.digest)

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

    def _of(self, kind: str, share: float) -> Make:
        """Return what ranks pieces of a kind by BM25 and a share of the article's, nested ones apart in Focussed."""

        def make(task: str) -> Rankings:
            units = self._units(kind)
            scored = self.peers.scored(kind, units)
            if kind == "elements" and task == "focussed":
                tried = (with_article(scored, share, ENOUGH), with_article(scored, share))
                return self.peers.each(without_overlap(units, *tried), units)
            return self.peers.each(with_article(scored, share, LIMIT), units)

        return make

    def _units(self, kind: str) -> Units:
        known: dict[str, Units] = self.collection.__dict__.setdefault("_known_units", {})
        if kind not in known:
            if kind.startswith("chunks-"):
                known[kind] = chunked(self.collection, int(kind.removeprefix("chunks-")))
            elif kind == "paragraphs":
                known[kind] = self.collection.named(self.questions.paragraphs)
            else:
                known[kind] = getattr(self.collection, kind)
        return known[kind]

    def _one(self, kind: str) -> Rankings:
        return self.peers.each(one_an_article(self.peers.scored(kind, self._units(kind))), self._units(kind))

    def _merged(self, n_leaves: int) -> Rankings:
        known: dict[str, Merging] = self.collection.__dict__.setdefault("_known_merging", {})
        tree = known["tree"] = known.get("tree") or merging(self.collection)
        leaves = np.flatnonzero(tree.is_leaf)
        units = Units(
            tree.units.document[leaves], tree.units.start[leaves], tree.units.end[leaves], np.empty(0, np.int64)
        )
        return self.peers.each(
            auto_merging(tree, self.peers.scored("leaf-chunks", units), leaves, n_leaves), tree.units
        )

    def _simulated(self, kind: str) -> Rankings:
        return simulated_run(self.questions.assessments, kind, limit=LIMIT, locator=self.locator).rankings  # type: ignore[arg-type]

    def _densest(self) -> Rankings:
        return {
            topic: densest(with_elements(self.questions.assessments.topics[topic], self.locator)) for topic in self.ids
        }

    def values_of(self, row: Row, task: str) -> dict[str, Values]:
        """Return the values of a row, from the cache if its code, questions and judgements are what they were.

        Empty for a row that is not in the cache, if only those that are there are wanted.
        """
        judgements = self.questions.entry_points if task == "best-in-context" else self.questions.assessments
        way = task if row.by_task else ""
        asked = f"{row.code}|{row.name}|{way}|{TASKS[task].judged_by}|{row.asked}|{judgements.source}"
        key = hashlib.sha256(f"{asked}|{self.collection.digest}".encode()).hexdigest()[:16]

        def made() -> dict[str, Values]:
            began = time.perf_counter()
            found = values(self._rankings(row, task), task, judgements, self.locator, self.ids)
            means = " ".join(f"{measure} {scores.mean():.4f}" for measure, scores in found.items())
            where = f"{self.questions.name}, {task}, {self.variant.title if row.asked else 'from judgements'}"
            seconds = time.perf_counter() - began
            print(f"bench: {where}: {row.name}: {means} ({seconds:.0f} s)", file=sys.stderr, flush=True)
            return found

        file = self.folder / "values" / f"{key}.npz"
        return {} if self.kept_only and not file.exists() else kept(file, made)

    def _rankings(self, row: Row, task: str) -> Rankings:
        """Return what a row answers; the last is kept, since another task may judge the same answers."""
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
