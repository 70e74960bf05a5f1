"""All rows of the table: which system answers which task, and what it scores at every topic."""

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
from bench.effectiveness.collection import Collection, Ints, Units
from bench.effectiveness.data import Questions
from bench.effectiveness.measures import Values, values
from bench.effectiveness.peers import (
    CHUNK_SIZES,
    LEAVES_MERGED,
    LIMIT,
    SHARE,
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
from bench.effectiveness.systems import System, expression_elements, foxir_rankings
from engine.index.locator import IndexLocator
from engine.index.reader import IndexReader
from engine.retrieval.overlap import without_overlap as rows_without_overlap
from engine.runs import Ranking
from eval.judgements import Judgements
from eval.judgements.judged_elements import with_elements
from eval.simulation.fidelity import overlap_removed
from eval.simulation.simulate import simulated_run

PARAGRAPHS = ("p", "para", "simpara", "ip1")  # JATS and TEI, DocBook, INEX
BASELINE = "paragraph + 4 × article, BM25"
FRAMEWORK = {"GPX": "gpx", "XFIRM": "xfirm"}  # run by foxir's own similarity framework
HERE = Path(__file__).parent


def _digest(files: Iterable[Path]) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


CODE = _digest(HERE / f"{name}.py" for name in ("bm25", "chunks", "collection", "contest", "measures", "peers"))
FRAMEWORK_CODE = CODE + _digest(sorted((HERE.parents[1] / "engine" / "similarity").glob("*.py")))
"""What kept values depend on: the code as it was when it was loaded."""

Make = Callable[[], Rankings]


@dataclass(frozen=True)
class Contest:
    """Everything under one stemming: peers and foxir over one collection, its topics and judgements."""

    questions: Questions
    collection: Collection
    index: IndexReader  # stemmed as this contest is; the collection's own index is unstemmed
    folder: Path
    seed: int

    @cached_property
    def ids(self) -> list[str]:
        """The topics, in their order."""
        return [topic.topic_id for topic in self.questions.topics]

    @cached_property
    def peers(self) -> Peers:
        """What peers retrieve from."""
        titles = {topic.topic_id: topic.title for topic in self.questions.topics}
        return Peers(
            self.collection,
            Queries(titles, self.index.analyser),
            self.folder / self.questions.name / self.index.analyser.stem,
        )

    @cached_property
    def locator(self) -> IndexLocator:
        """Where elements lie."""
        return IndexLocator(self.collection.index)

    def rows(self, tasks: Sequence[str], systems: Sequence[System]) -> Iterator[tuple[str, str, dict[str, Values]]]:
        """Yield task, name and values of every row; those of peers come from the cache if nothing has changed."""
        for task in tasks:
            for name, make in self._peers(task).items():
                yield task, name, self._kept(task, name, make)
            for name, by_share in self._shared(task).items():
                yield (
                    task,
                    name,
                    self._cross_validated([self._kept(task, f"{name} {s:g}", by_share(s)) for s in SHARES]),
                )
            for system in systems:
                if task in system.tasks:
                    began = time.perf_counter()
                    rankings = foxir_rankings(self.index, list(self.questions.topics), system, task)
                    yield task, system.name, self._values(task, rankings, system.name, began)

    def _peers(self, task: str) -> Mapping[str, Make]:
        if task == "in-context":
            return {
                "article (whole)": lambda: self._one("articles"),
                "one paragraph an article, BM25": lambda: self._one("paragraphs"),
                "one element an article, BM25": lambda: self._one("elements"),
                **{f"one {n}-character chunk an article": lambda n=n: self._one(f"chunks-{n}") for n in CHUNK_SIZES},
                "ideal: highlighted passages": lambda: self._simulated("passage"),
                "ideal: densest elements": self._densest,
            }
        of_passages: dict[str, Make] = {
            BASELINE: lambda: self._ranked("paragraphs", SHARE),
            "paragraph BM25": lambda: self._ranked("paragraphs", 0.0),
            **{
                f"{n}-character chunk + 4 × article": lambda n=n: self._ranked(f"chunks-{n}", SHARE)
                for n in CHUNK_SIZES
            },
            **{f"auto-merging, {n} leaves + 4 × article": lambda n=n: self._merged(n) for n in LEAVES_MERGED},
        }
        if task == "passages":
            return {**of_passages, "ideal: highlighted passages": lambda: self._simulated("passage")}
        is_focussed = task == "focussed"
        return {
            "whole articles, BM25": lambda: self._ranked("articles", 0.0),
            **of_passages,
            "element + 4 × article, BM25": lambda: self._ranked("elements", SHARE, apart=is_focussed),
            "element BM25": lambda: self._ranked("elements", 0.0, apart=is_focussed),
            **{name: lambda e=e: self._expression(e, apart=is_focussed) for name, e in FRAMEWORK.items()},
            "ideal: best entry points (BEP)": lambda: self._simulated("bep"),
            "ideal: all relevant elements": lambda: self._simulated("fullrb"),
            "ideal: densest elements": self._densest,
        }

    def _shared(self, task: str) -> Mapping[str, Callable[[float], Make]]:
        """Return the peers whose share of the article's score is chosen by cross-validation."""
        found: dict[str, Callable[[float], Make]] = {}
        if task in ("focussed", "passages"):
            found["paragraph + c × article, c cross-validated"] = lambda c: lambda: self._ranked("paragraphs", c)
        if task == "thorough":
            found["element + c × article, c cross-validated"] = lambda c: lambda: self._ranked("elements", c)
        return found

    def _units(self, kind: str) -> Units:
        known: dict[str, Units] = self.__dict__.setdefault("_known_units", {})
        if kind not in known:
            if kind.startswith("chunks-"):
                known[kind] = chunked(self.collection, int(kind.removeprefix("chunks-")))
            else:
                known[kind] = (
                    self.collection.named(PARAGRAPHS) if kind == "paragraphs" else getattr(self.collection, kind)
                )
        return known[kind]

    def _ranked(self, kind: str, share: float, *, apart: bool = False) -> Rankings:
        units = self._units(kind)
        choose = with_article(self.peers.scored(kind, units), share)
        return self.peers.each(without_overlap(units, choose) if apart else choose, units)

    def _one(self, kind: str) -> Rankings:
        return self.peers.each(one_an_article(self.peers.scored(kind, self._units(kind))), self._units(kind))

    @cached_property
    def _hierarchy(self) -> Merging:
        return merging(self.collection)

    def _merged(self, n_leaves: int) -> Rankings:
        tree = self._hierarchy
        leaves = np.flatnonzero(tree.is_leaf)
        units = Units(
            tree.units.document[leaves], tree.units.start[leaves], tree.units.end[leaves], np.empty(0, np.int64)
        )
        return self.peers.each(
            auto_merging(tree, self.peers.scored("leaf-chunks", units), leaves, n_leaves), tree.units
        )

    def _expression(self, name: str, *, apart: bool) -> Rankings:
        def rank(topic: str) -> Ranking:
            rows, scores = expression_elements(self.index, self.peers.queries.terms[topic], name)
            rows = rows[np.argsort(-scores, kind="stable")]
            if apart:
                rows = rows[rows_without_overlap(rows, self.index.elements.end(rows))]
            return self.peers.ranking(topic, self._of_rows(rows[:LIMIT]), np.arange(min(len(rows), LIMIT)))

        return {topic: rank(topic) for topic in self.ids}

    def _of_rows(self, rows: Ints) -> Units:
        """Return elements in the order of their rows given, which may be any."""
        documents = self.index.elements.document(rows)
        spans = np.empty((len(rows), 2), np.int64)
        for document in np.unique(documents).tolist():
            here = documents == document
            spans[here] = self.index.spans(document, rows[here])
        return Units(documents, spans[:, 0], spans[:, 1], rows)

    def _simulated(self, kind: str) -> Rankings:
        return simulated_run(self.questions.assessments, kind, limit=LIMIT, locator=self.locator).rankings  # type: ignore[arg-type]

    def _densest(self) -> Rankings:
        return {
            topic: densest(with_elements(self.questions.assessments.topics[topic], self.locator)) for topic in self.ids
        }

    def _kept(self, task: str, name: str, make: Make) -> dict[str, Values]:
        """Return the values of a peer, from the cache if its making and the questions are what they were."""
        began = time.perf_counter()
        code = FRAMEWORK_CODE if name in FRAMEWORK else CODE
        asked = f"{task}|{name}|{self.peers.queries.digest}|{self.questions.assessments.source}"
        key = hashlib.sha256(f"{code}|{asked}|{self.index.manifest.segments}".encode()).hexdigest()[:16]
        file = self.peers.folder / "values" / f"{key}.npz"
        if file.exists():
            return dict(np.load(file))
        found = self._values(task, make(), name, began)
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part.npz")
        np.savez(part, **found)
        part.replace(file)
        return found

    def _values(self, task: str, rankings: Rankings, name: str, began: float) -> dict[str, Values]:
        found = values(rankings, task, self.questions.assessments, self.locator, self.ids)
        means = " ".join(f"{measure} {scores.mean():.4f}" for measure, scores in found.items())
        seconds = time.perf_counter() - began
        print(
            f"bench: {self.index.analyser.stem} {task}: {name}: {means} ({seconds:.0f} s)", file=sys.stderr, flush=True
        )
        return found

    def _cross_validated(self, candidates: Sequence[Mapping[str, Values]]) -> dict[str, Values]:
        """Return each topic's values under the candidate that is best, by the first measure, over the other folds."""
        first = next(iter(candidates[0]))
        chosen = {name: np.empty(len(self.ids)) for name in candidates[0]}
        for held_out in folds(len(self.ids), self.seed):
            best = max(candidates, key=lambda each: float(each[first][~held_out].mean()))
            for name, column in chosen.items():
                column[held_out] = best[name][held_out]
        return chosen


def densest(judgements: Judgements) -> Ranking:
    """Return the judged elements by falling share of highlighted text, without overlap."""
    elements = judgements.elements
    order = np.argsort(-elements.rsizes / np.maximum(elements.sizes, 1), kind="stable")[:LIMIT].tolist()
    documents = [judgements.documents[row] for row in elements.document_rows[order].tolist()]
    return overlap_removed(Ranking.ranked(judgements.topic, documents, [elements.paths[row] for row in order]))
