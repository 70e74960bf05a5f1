"""Topics made from a collection itself, where nobody has judged.

Two kinds, one topic a document at most, drawn by a seed:

* KH: a section is looked for by its heading and the heading of its document; its text, the heading left out, is what
  is relevant;
* KS: a sentence is looked for by some of its words; the sentence is what is relevant.

They show whether a system chooses answers of the right size where markup differs, not whether it finds what people
ask for: words of the question are words of the answer, and nothing else is relevant, however good.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from foxir.chunks.collection import WORD, Collection

SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\n")
TOPICS_OF_KIND = 100
HEADING_WORDS = (3, 15)
SECTION_WORDS = (30, 400)
SENTENCE_WORDS = (12, 40)
ASKED = 6  # words of a sentence that its topic asks for
COMMON = 0.1  # of the documents hold a word: too common to be asked for
TRIES = 20  # documents looked at for each topic that is wanted, at most


@dataclass(frozen=True)
class Item:
    """A known item: the question, and the characters of a document that answer it."""

    topic: str
    title: str
    document: str
    length: int
    start: int
    end: int

    def qrel(self) -> str:
        """Return its line of FOL judgements."""
        size = self.end - self.start
        return f"{self.topic} Q0 {self.document} {size} {self.length} {self.start} {self.start}:{size}"


def known_items(collection: Collection, seed: int, n: int = TOPICS_OF_KIND) -> list[Item]:
    """Return at most n topics of each kind; the same collection and seed give the same ones."""
    order = np.random.default_rng(seed).permutation(sorted(range(len(collection.ids)), key=collection.ids.__getitem__))
    chosen = order[: TRIES * n].tolist()
    headings = _taken(_heading(collection, document) for document in chosen)
    asked = {document for document, *_ in headings[:n]}
    words = _Rarity(collection)
    rest = (document for document in chosen if document not in asked)
    sentences = _taken(_sentence(collection, words, document, seed) for document in rest)
    found = [("KH", headings[:n]), ("KS", sentences[:n])]
    return [
        Item(f"{kind}{number:03}", title, collection.ids[d], len(collection.text(d)), start, end)
        for kind, items in found
        for number, (d, title, start, end) in enumerate(items, 1)
    ]


_Found = tuple[int, str, int, int]  # document, question, start, end


def _taken(found: Iterator[_Found | None]) -> list[_Found]:
    """Return what was found, each question once."""
    asked: set[str] = set()
    found_once = []
    for item in found:
        if item is not None and item[1].casefold() not in asked:
            asked.add(item[1].casefold())
            found_once.append(item)
    return found_once


def _heading(collection: Collection, document: int) -> _Found | None:
    """Return a section of a document, the one of middling place among those that will do."""
    index, number = collection.index, int(collection.documents[document])
    rows = np.arange(collection.first_row[document], collection.end_row[document])
    names = index.profile_of(number).titles
    tags = [index.elements.tags[tag] for tag in index.elements.tag(rows).tolist()]
    titles = rows[[tag in names for tag in tags]]
    if len(titles) < 2:
        return None
    text = collection.text(document)
    spans = index.spans(number, titles)
    sections = index.elements.parent(titles)
    ends = index.spans(number, sections)[:, 1]
    first = " ".join(text[slice(*spans[0])].split())
    fitting = []
    for section, (start, after), end in zip(sections.tolist(), spans.tolist(), ends.tolist(), strict=True):
        title = f"{first}: {' '.join(text[start:after].split())}"
        n_asked, n_words = len(WORD.findall(title)), len(WORD.findall(text[after:end]))
        is_root = section == rows[0] or start == spans[0, 0]
        if not is_root and _within(n_asked, HEADING_WORDS) and _within(n_words, SECTION_WORDS):
            fitting.append((document, title, after, end))
    return fitting[len(fitting) // 2] if fitting else None


def _sentence(collection: Collection, words: _Rarity, document: int, seed: int) -> _Found | None:
    """Return a sentence of a document that no other one has, and some of its rarer words."""
    plain = collection.plain[document]
    random = np.random.default_rng([seed, document])
    fitting: list[tuple[int, int, list[str]]] = []
    for start, end in sentences(plain.text):
        asked = [w for w in dict.fromkeys(WORD.findall(plain.text[start:end].casefold())) if words.is_rare(w)]
        is_long_enough = _within(len(WORD.findall(plain.text[start:end])), SENTENCE_WORDS)
        if is_long_enough and len(asked) >= ASKED and words.is_single(plain.text[start:end]):
            fitting.append((start, end, asked))
    if not fitting:
        return None
    start, end, asked = fitting[int(random.integers(len(fitting)))]
    places = sorted(random.choice(len(asked), ASKED, replace=False).tolist())
    begin, stop = plain.source(np.array([start, end - 1])).tolist()
    return document, " ".join(asked[place] for place in places), begin, stop + 1


class _Rarity:
    """In how many documents words are, and which sentences there are more than once."""

    def __init__(self, collection: Collection) -> None:
        self.n = len(collection.ids)
        self.words: Counter[str] = Counter()
        self.sentences: Counter[int] = Counter()
        for plain in collection.plain:
            self.words.update(set(WORD.findall(plain.text.casefold())))
            self.sentences.update(_key(plain.text[start:end]) for start, end in sentences(plain.text))

    def is_rare(self, word: str) -> bool:
        return self.words[word] <= max(COMMON * self.n, 1)

    def is_single(self, sentence: str) -> bool:
        return self.sentences[_key(sentence)] == 1


def _key(sentence: str) -> int:
    return hash(tuple(WORD.findall(sentence.casefold())))  # equal within a process, which is enough


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where sentences of plain text begin and end, white space at both ends left out."""
    borders: Sequence[int] = [0, *(m.end() for m in SENTENCE_END.finditer(text)), len(text)]
    pieces = [(a, a + len(text[a:b].rstrip())) for a, b in pairwise(borders)]
    return [(a + len(text[a:b]) - len(text[a:b].lstrip()), b) for a, b in pieces if b > a and text[a:b].strip()]


def _within(n: int, limits: tuple[int, int]) -> bool:
    return limits[0] <= n <= limits[1]


def write_items(items: Sequence[Item], folder: Path) -> tuple[Path, Path]:
    """Write topics and judgements and return their files."""
    folder.mkdir(parents=True, exist_ok=True)
    topics, qrels = folder / "topics.xml", folder / "qrels-fol.txt"
    lines = [
        f'<inex_topic topic_id="{item.topic}" query_type="CO"><title>{escape(item.title)}</title></inex_topic>'
        for item in items
    ]
    topics.write_text("\n".join(["<inex_topics>", *lines, "</inex_topics>", ""]), encoding="utf-8")
    qrels.write_text("".join(f"{item.qrel()}\n" for item in items), encoding="utf-8")
    return topics, qrels
