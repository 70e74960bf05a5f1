"""Small random documents, highlights and rankings, for properties and comparisons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from engine.runs import Ranking
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.judgements import Judgements
from tests.reference.flat_documents import FlatDocuments
from tests.reference.hixeval import Place, characters

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


_texts = st.sampled_from(["", "a", "bc", "d e f"])
_elements = st.recursive(
    st.builds("<p>{}</p>".format, _texts),
    lambda inner: st.builds(
        "<{0}>{1}{2}</{0}>".format,
        st.sampled_from(["sec", "ss1"]),
        _texts,
        st.lists(st.builds("{}{}".format, inner, _texts), min_size=1, max_size=3).map("".join),
    ),
    max_leaves=6,
)
_articles = st.builds("<article>{}{}</article>".format, _texts, st.lists(_elements, max_size=3).map("".join))


@st.composite
def topics(draw: st.DrawFn) -> Topic:
    sources = draw(st.lists(_articles, min_size=1, max_size=3))
    documents = FlatDocuments({f"d{i}": source for i, source in enumerate(sources)})
    highlights = {}
    for name, text in documents.texts.items():
        marks = draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text)))
        edges = np.flatnonzero(np.diff([0, *marks, 0])).tolist()
        highlights[name] = list(zip(edges[::2], edges[1::2], strict=True))
    every = [(name, path) for name, places in documents.places.items() for path in places]
    results = draw(st.lists(st.sampled_from(every), max_size=8))
    return Topic(documents, highlights, results)
