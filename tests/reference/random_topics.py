"""Small random documents, highlights and rankings, for properties and comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.judgements import Judgements
from tests.reference.flat_documents import FlatDocuments
from tests.reference.hixeval import Place, characters
from tests.trust.soak import effort

TOPIC = "1"


@dataclass
class Topic:
    documents: FlatDocuments
    highlights: dict[str, list[tuple[int, int]]]
    results: list[tuple[str, str]]

    @property
    def relevant(self) -> set[tuple[str, int]]:
        return {
            c for name, spans in self.highlights.items() for start, end in spans for c in characters(name, start, end)
        }

    @property
    def places(self) -> list[Place]:
        return [(name, *self.documents.places[name][path]) for name, path in self.results]

    def rsize(self, document: str, path: str) -> int:
        return len(characters(document, *self.documents.places[document][path]) & self.relevant)

    def judgements(self, *, passages: bool = True, elements: bool = True) -> Judgements:
        builder = JudgementsBuilder(TOPIC, "2005" if elements else "fol", "random")
        for name, places in self.documents.places.items():
            builder.document(name, name, length=len(self.documents.texts[name]))
            if passages:
                for start, end in self.highlights.get(name, []):
                    builder.passage(start, end - start)
            for path, (start, end) in places.items() if elements else ():
                rsize = self.rsize(name, path)
                if rsize:
                    builder.element(path, 1, rsize / (end - start), end - start, rsize)
        return builder.build()

    def ranking(self, *, offsets: bool = False) -> Ranking:
        names = [name for name, _ in self.results]
        if not offsets:
            return Ranking.ranked(TOPIC, names, [path for _, path in self.results])
        starts = np.array([start for _, start, _ in self.places], dtype=np.int64)
        lengths = np.array([end - start for _, start, end in self.places], dtype=np.int64)
        return Ranking.ranked(TOPIC, names, starts=starts, lengths=lengths)


def random_text(random: Random) -> str:
    return random.choice(["", "a", "bc", "d e f"])


def random_element(random: Random, depth: int) -> str:
    if depth == 0 or random.random() < 0.5:
        return f"<p>{random_text(random)}</p>"
    name = random.choice(["sec", "ss1"])
    inner = [random_element(random, depth - 1) + random_text(random) for _ in range(random.randint(1, 3))]
    return f"<{name}>{random_text(random)}{''.join(inner)}</{name}>"


def random_article(random: Random) -> str:
    elements = [random_element(random, 2) for _ in range(random.randint(0, 3))]
    return f"<article>{random_text(random)}{''.join(elements)}</article>"


# Made once, as Hypothesis would make a hundred choices for every topic; failures shrink to the first, the shortest.
_RANDOM = Random(1)
ARTICLES = sorted({random_article(_RANDOM) for _ in range(effort(1_000, 50_000))}, key=lambda text: (len(text), text))


@st.composite
def topics(draw: st.DrawFn) -> Topic:
    sources = draw(st.lists(st.sampled_from(ARTICLES), min_size=1, max_size=3))
    documents = FlatDocuments({f"d{i}": source for i, source in enumerate(sources)})
    highlights = {}
    for name, text in documents.texts.items():
        n_bytes = -(-len(text) // 8)
        bits = np.frombuffer(draw(st.binary(min_size=n_bytes, max_size=n_bytes)), dtype=np.uint8)
        marks = np.unpackbits(bits, count=len(text))
        edges = np.flatnonzero(np.diff(marks, prepend=0, append=0)).tolist()
        highlights[name] = list(zip(edges[::2], edges[1::2], strict=True))
    every = [(name, path) for name, places in documents.places.items() for path in places]
    results = draw(st.lists(st.sampled_from(every), max_size=8))
    return Topic(documents, highlights, results)


def doubled(topic: Topic, data: st.DataObject) -> list[tuple[str, str]]:
    """Return the results of a topic, one of them a second time at any later rank."""
    assume(topic.results)
    repeated = data.draw(st.sampled_from(topic.results))
    at = data.draw(st.integers(topic.results.index(repeated) + 1, len(topic.results)))
    return [*topic.results[:at], repeated, *topic.results[at:]]
