"""Content-only search the slow and obvious way: trees, dictionaries and loops; nothing is shared with the engine."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from lxml import etree

Path = tuple[tuple[str, int], ...]  # (("article", 1), ("sec", 2))
WORD = re.compile(r"[^\W_]+")
QUERY_PART = re.compile(r'([+-]?)(?:"([^"]*)"|([^\s"]+))')


def log(value: float) -> float:
    """The logarithm of arrays, so that articles whose scores are equal here are equal there to the last bit."""
    return float(np.log(np.float64(value)))


@dataclass
class Element:
    path: Path
    is_inline: bool
    runs: list[list[str | None]] = field(default_factory=list)  # words of each own text node, None for a stop word
    inside: list[list[str | None]] = field(default_factory=list)  # of an inline one, the words that begin inside it


@dataclass
class Document:
    """An article as a dictionary of elements in document order."""

    elements: dict[Path, Element]

    @classmethod
    def read(
        cls,
        source: str | bytes,
        inline: Sequence[str] = (),
        skip: Sequence[str] = (),
        stop_words: Sequence[str] = (),
        breaks: Sequence[str] = (),
    ) -> Document:
        root = etree.fromstring(source, etree.XMLParser(resolve_entities=True))
        document = cls({})
        for owner, pieces, is_left_out in _text_nodes(root, (), 1, document, set(inline), set(skip), set(breaks)):
            found = list(WORD.finditer("".join(text for text, _ in pieces)))
            words = [None if word[0].casefold() in stop_words else word[0].casefold() for word in found]
            if not words or is_left_out:
                continue
            document.elements[owner].runs.append(words)
            places = [path for text, path in pieces for _ in text]  # of every character
            runs: dict[Path, list[str | None]] = {}
            for match, word in zip(found, words, strict=True):
                path = places[match.start()]
                while path != owner:
                    runs.setdefault(path, []).append(word)
                    path = path[:-1]
            for path, run in runs.items():
                document.elements[path].inside.append(run)
        return document

    @cached_property
    def words(self) -> Counter[str]:
        return Counter(word for e in self.elements.values() for run in e.runs for word in run if word is not None)

    @cached_property
    def subtrees(self) -> dict[Path, list[Element]]:
        """Every element with all inside it."""
        found: dict[Path, list[Element]] = {path: [] for path in self.elements}
        for path, element in self.elements.items():
            for depth in range(1, len(path) + 1):
                found[path[:depth]].append(element)
        return found

    def parent(self, path: Path) -> Path:
        """The nearest ancestor that is not inline; a root is its own."""
        return self.lift(path[:-1] or path)

    def lift(self, path: Path) -> Path:
        while self.elements[path].is_inline:
            path = path[:-1]
        return path


def _name(element: etree._Element) -> str:
    return etree.QName(element).localname


def _text_nodes(
    element: etree._Element,
    above: Path,
    ordinal: int,
    document: Document,
    inline: set[str],
    skip: set[str],
    breaks: set[str],
) -> Iterator[tuple[Path, list[tuple[str, Path]], bool]]:
    """Yield (element it belongs to, its pieces, left out?) of every stretch of text between tags that are not inline.

    A piece is text with the innermost element around it. Elements that are skipped are as if absent; a root is not.
    Both tags of an inline element that ends words, a break, are pieces of one space.
    """
    pieces: list[tuple[str, Path]] = []

    left_out = _name(element) in skip

    def walk(element: etree._Element, above: Path, ordinal: int, owner: Path, is_absent: bool) -> Iterator[Any]:
        path = (*above, (_name(element), ordinal))
        is_inline = _name(element) in inline and bool(above)
        document.elements[path] = Element(path, is_inline)
        own = owner if is_inline else path
        is_absent = is_absent or (bool(above) and _name(element) in skip)
        if not is_inline and not is_absent:
            yield owner, pieces.copy(), left_out
            pieces.clear()
        gap = " " if is_inline and _name(element) in breaks else ""
        if not is_absent:
            pieces.append((gap + (element.text or ""), path))
        counts: Counter[str] = Counter()
        for child in element:
            if isinstance(child.tag, str):
                counts[_name(child)] += 1
                yield from walk(child, path, counts[_name(child)], own, is_absent)
            if not is_absent:
                pieces.append((child.tail or "", path))
        if gap and not is_absent:
            pieces.append((gap, path))
        if not is_inline and not is_absent:
            yield own, pieces.copy(), left_out
            pieces.clear()

    yield from walk(element, above, ordinal, above, False)


@dataclass(frozen=True)
class Term:
    """A word, or a phrase with None in the places of stop words."""

    words: tuple[str | None, ...]
    sign: str

    @property
    def plain(self) -> list[str]:
        return [word for word in self.words if word is not None]

    def count(self, element: Element) -> int:
        """How often the term occurs in the element's own text."""
        return self.count_in(element.runs)

    def count_in(self, runs: Sequence[Sequence[str | None]]) -> int:
        """How often the term occurs in some runs of words."""
        n = len(self.words)
        if n == 1:
            return sum(run.count(self.words[0]) for run in runs)
        return sum(
            all(wanted in (None, word) for wanted, word in zip(self.words, run[at : at + n], strict=True))
            for run in runs
            for at in range(len(run) - n + 1)
        )


def parse(query: str, stop_words: Sequence[str] = ()) -> list[Term]:
    terms = []
    for sign, phrase, word in QUERY_PART.findall(query):
        words = [None if w in stop_words else w for w in map(str.casefold, WORD.findall(phrase or word))]
        for group in [words] if phrase else [[word] for word in words]:
            places = [place for place, word in enumerate(group) if word is not None]
            if places:
                terms.append(Term(tuple(group[places[0] : places[-1] + 1]), sign))
    return terms


def has_words(query: str) -> bool:
    """Whether a query has words outside its phrases that are not unwanted."""
    return any(sign != "-" and WORD.search(word) for sign, _, word in QUERY_PART.findall(query))


# --- ranking articles


def article_scores(
    documents: Mapping[str, Document], terms: Sequence[Term], similarity: str, p: Mapping[str, Any]
) -> dict[str, float]:
    """The score of every article that holds a word of the query: equations (2.1) to (2.3)."""
    counts = {name: document.words for name, document in documents.items()}
    f_q = Counter(word for term in terms if term.sign != "-" for word in term.plain)
    holding = {word: [name for name in counts if word in counts[name]] for word in f_q}
    words = sorted(word for word in f_q if holding[word])
    n = len(documents)
    length = {name: sum(words.values()) for name, words in counts.items()}
    w_d = pivots(counts, length, p)
    scores = {}
    for name in documents:
        found = [word for word in words if word in counts[name]]
        if not found:
            continue
        score = 0.0
        for word in found:
            f_dt, f_qt, n_t = counts[name][word], f_q[word], len(holding[word])
            if similarity == "pcosine":
                score += f_qt * math.log(1 + n / n_t) * (1 + log(f_dt)) / w_d[name]
            elif similarity == "okapi":
                k1, b, k3 = p.get("k1", 1.2), p.get("b", 0.75), p.get("k3", math.inf)
                w_t = max(math.log((n - n_t + 0.5) / (n_t + 0.5)), 1.19e-7)
                r_qt = f_qt if k3 == math.inf else (k3 + 1) * f_qt / (k3 + f_qt)
                mean = sum(length.values()) / n
                score += w_t * (k1 + 1) * f_dt / (k1 * ((1 - b) + b * length[name] / mean) + f_dt) * r_qt
            else:
                in_collection = sum(each[word] for each in counts.values()) / sum(length.values())
                probability = in_collection if p.get("background", "collection") == "collection" else n_t / n
                score += f_qt * log(f_dt / (p.get("mu", 2000.0) * probability) + 1)
        if similarity == "dirichlet":
            mu = p.get("mu", 2000.0)
            score += sum(f_q[word] for word in words) * log(mu / (mu + length[name]))
        if similarity == "pcosine" and p.get("query_norm"):
            score /= math.sqrt(math.fsum((f_q[w] * math.log(1 + n / len(holding[w]))) ** 2 for w in words))
        scores[name] = score
    return scores


def pivots(counts: Mapping[str, Counter[str]], length: Mapping[str, int], p: Mapping[str, Any]) -> dict[str, float]:
    """W_D of every article."""
    s = p.get("s", 0.2)
    if p.get("length") == "tokens":
        weights = {name: float(length[name]) for name in counts}
    else:
        weights = {name: weight(counts[name], p.get("weight_bits", 0)) for name in counts}
    mean = math.fsum(weights.values()) / len(weights)
    return {name: (1 - s) + s * weights[name] / mean if mean else 1.0 for name in counts}


def weight(counts: Counter[str], bits: int) -> float:
    by_frequency = Counter(counts.values())
    exact = math.sqrt(math.fsum((1 + math.log(f)) ** 2 * n for f, n in by_frequency.items()))
    if not bits:
        return exact
    fraction, exponent = math.frexp(exact)
    return float(math.floor(fraction * (2**bits - 1)) / (2**bits - 1) * 2.0**exponent)


def rank(documents: Mapping[str, Document], terms: Sequence[Term], s: Mapping[str, Any]) -> list[tuple[str, float]]:
    scores = article_scores(documents, terms, s["similarity"], s)
    required = [word for term in terms if term.sign == "+" for word in term.plain]
    kept = [name for name in scores if all(word in documents[name].words for word in required)]
    if s["approach"] == "fulltext" and s["rank_by"] == "score":
        kept = [name for name in kept if fulfils_signs(documents[name], terms)]
    if s["approach"] == "native":
        return [(name, 0.0) for name in sorted(kept)]
    best_first = sorted(kept, key=lambda name: (-scores[name], name))
    return [
        (name, scores[name])
        for name in best_first[: s["max_answers" if s["approach"] == "fulltext" else "max_articles"]]
    ]


def fulfils_signs(document: Document, terms: Sequence[Term]) -> bool:
    """Whether an article has the required phrases, and a word of the query where no unwanted term stands."""
    every = document.elements.values()
    words = [Term((word,), "") for term in terms if term.sign != "-" for word in term.plain]
    unwanted = [term for term in terms if term.sign == "-"]
    has_match = any(any(word.count(e) for word in words) and not any(term.count(e) for term in unwanted) for e in every)
    return has_match and all(any(term.count(e) for e in every) for term in terms if term.sign == "+")


# --- elements of one article


def find_matches(document: Document, terms: Sequence[Term], match: str) -> list[Path]:
    """Matching elements, in document order."""
    wanted = [term for term in terms if term.sign != "-"]
    every = document.elements.values()
    if not all(any(term.count(e) for e in every) for term in terms if term.sign == "+"):
        return []
    if match == "or":
        found = [e.path for e in every if any(term.count(e) for term in wanted)]
    else:
        holding = [e.path for e in every if not e.is_inline and holds_all(document, e.path, wanted)]
        found = [path for path in holding if not any(is_below(other, path) for other in holding)]
    unwanted = [term for term in terms if term.sign == "-"]
    return [path for path in found if not any(term.count(document.elements[path]) for term in unwanted)]


def is_below(path: Path, above: Path) -> bool:
    return len(path) > len(above) and path[: len(above)] == above


def holds_all(document: Document, path: Path, terms: Sequence[Term]) -> bool:
    return bool(terms) and all(any(term.count(e) for e in document.subtrees[path]) for term in terms)


def common_ancestor(document: Document, one: Path, other: Path) -> Path:
    n = 0
    while n < min(len(one), len(other)) and one[n] == other[n]:
        n += 1
    return document.lift(one[:n])


def candidates(document: Document, matches: list[Path], answers: str) -> set[Path]:
    if answers == "matching" or len(matches) == 1:
        return set(matches)
    original = {common_ancestor(document, one, other) for one, other in pairwise(matches)}
    if answers == "oCRE":
        return original
    return original | {path for path in matches if document.parent(path) not in original}


def order(
    document: Document, matches: list[Path], chosen: set[Path], terms: Sequence[Term], heuristic: str
) -> list[Path]:
    wanted = {term.words: term for term in terms if term.sign != "-"}.values()
    ordered = [path for path in document.elements if path in chosen]  # document order, for what remains tied
    keys = {
        "M": lambda path: sum(m == path or is_below(m, path) for m in matches),
        "P": len,
        "T": lambda path: sum(any(term.count(e) for e in document.subtrees[path]) for term in wanted),
        "F": lambda path: sum(term.count(e) for e in document.subtrees[path] for term in wanted),
        "E": lambda path: tuple(ordinal for _, ordinal in path),
    }
    for letter in reversed("" if heuristic == "document" else heuristic):
        key = keys["E" if letter == "B" else letter.upper()]
        ordered.sort(key=key, reverse=letter in "MPTFE")
    return ordered


# --- the whole line


DEFAULTS: Mapping[str, Any] = {
    "approach": "hybrid",
    "rank_by": "score",
    "similarity": "pcosine",
    "operator": "or",
    "max_matches": None,
    "answers": "oCRE",
    "heuristic": "MpE",
    "max_per_article": None,
    "max_articles": 500,
    "max_answers": 1500,
    "overlap": "keep",
}


def search(
    documents: Mapping[str, Document], query: str, stop_words: Sequence[str] = (), **settings: Any
) -> list[tuple[str, str, float]]:
    """Return (document, path, score of the article) of every answer, best first."""
    s = {**DEFAULTS, **settings}
    terms = parse(query, stop_words)
    ranked = rank(documents, terms, s)
    if s["approach"] == "fulltext":
        return [(name, written(next(iter(documents[name].elements))), score) for name, score in ranked]
    answers: list[tuple[str, Path, float]] = []
    n_matches = 0
    for name, score in ranked:
        matches = find_matches(documents[name], terms, s["operator"])
        if s["max_matches"] is not None:
            matches = matches[: s["max_matches"] - n_matches]
        n_matches += len(matches)
        chosen = candidates(documents[name], matches, s["answers"])
        ordered = order(documents[name], matches, chosen, terms, s["heuristic"])
        answers += [(name, path, score) for path in ordered[: s["max_per_article"]]]
    if s["overlap"] == "remove":
        answers = without_overlap(answers)
    return [(name, written(path), score) for name, path, score in answers[: s["max_answers"]]]


def without_overlap(answers: list[tuple[str, Path, float]]) -> list[tuple[str, Path, float]]:
    kept: list[tuple[str, Path, float]] = []
    for name, path, score in answers:
        met = [other for document, other, _ in kept if document == name]
        if not any(path == other or is_below(path, other) or is_below(other, path) for other in met):
            kept.append((name, path, score))
    return kept


def written(path: Path) -> str:
    return "".join(f"/{name}[{ordinal}]" for name, ordinal in path)
