"""The similarity framework as slowly and plainly as can be: counters of terms, one unit at a time, one term at a time.

A collection is a list of trees; units are articles (D), texts of elements (T) or elements with all below them (E).
Nothing here comes from the engine; letters are read off the text of the expression.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass
class Node:
    name: str
    words: list[str] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)


@dataclass
class Unit:
    key: tuple[int, int]  # document, place of the element in document order
    name: str
    terms: Counter[str]
    node: Node
    ancestors: list[tuple[int, int]]  # keys, the nearest first

    @property
    def words(self) -> int:
        """How many words it holds; a phrase among its terms, which begins with a quote, is none of its own."""
        return sum(count for term, count in self.terms.items() if not is_phrase(term))


def is_phrase(term: str) -> bool:
    return term.startswith('"')


def nodes(tree: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Yield the nodes in document order with their ancestors, the nearest first."""

    def walk(node: Node, above: list[Node]) -> Iterator[tuple[Node, list[Node]]]:
        yield node, above
        for child in node.children:
            yield from walk(child, [node, *above])

    yield from walk(tree, [])


def without_inline(node: Node, name: str = "i") -> Node:
    """Return a tree in which a tag hands its words and children to the element around it; the root's does not."""
    words, children = list(node.words), []
    for child in (without_inline(each, name) for each in node.children):
        if child.name == name:
            words += child.words
            children += child.children
        else:
            children.append(child)
    return Node(node.name, words, children)


def all_words(node: Node) -> list[str]:
    return node.words + [word for child in node.children for word in all_words(child)]


def units_of(collection: Sequence[Node], context: str) -> list[Unit]:
    found = []
    for document, tree in enumerate(collection):
        walked = list(nodes(tree))
        keys = {id(node): (document, place) for place, (node, _) in enumerate(walked)}
        for node, above in walked:
            if (context == "D" and above) or (context == "T" and not node.words):
                continue
            terms = Counter(node.words if context == "T" else all_words(node))
            found.append(Unit(keys[id(node)], node.name, terms, node, [keys[id(each)] for each in above]))
    return found


def ln(x: float) -> float:
    return math.log(x) if x > 0 else 0.0


def over(a: float, b: float) -> float:
    return a / b if b else 0.0


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


COUNTED_BY_WEIGHT = dict(zip("BCDEFGHIJKLMNOPQRSTUVWX", "DPNDPNDPNDPEDPEDDBBCBDP", strict=True))


class Scorer:
    """One calculated expression over one collection."""

    def __init__(self, text: str, collection: Sequence[Node], query: Sequence[str], p: Mapping[str, float | str]):
        self.context, self.combining, self.weight = text[0], text[2], text[3]
        self.unit_method, self.unit_frequency, self.unit_length = text[5:8]
        self.query_method, self.query_frequency, self.query_length = text[9:12]
        self.p = p
        self.documents = units_of(collection, "D")
        self.texts = units_of(collection, "T")
        self.elements = units_of(collection, "E")
        self.units = {"D": self.documents, "T": self.texts, "E": self.elements}[self.context]
        self.collection_words = Counter(word for each in self.documents for word in each.terms.elements())
        self.query = Counter(word for word in query if word in self.collection_words)

    def scores(self) -> dict[tuple[int, int], float]:
        return {unit.key: self.score(unit) for unit in self.units if any(term in unit.terms for term in self.query)}

    def counted_with(self, unit: Unit) -> list[Unit]:
        which = COUNTED_BY_WEIGHT[self.weight]
        if which == "N":
            return [each for each in self.elements if each.name == unit.name]
        if which == "B":
            return [each for each in self.texts if each.key[0] == unit.key[0]]
        return {"D": self.documents, "P": self.texts, "E": self.elements}[which]

    def w_t(self, term: str, unit: Unit) -> float:
        if self.weight == "A":
            return 1.0
        if self.weight == "U":
            return sum(self.collection_words.values()) / self.collection_words[term]
        members = self.counted_with(unit)
        n, n_t = len(members), sum(term in each.terms for each in members)
        if n_t == 0:
            return 0.0
        formulas = {
            "BCDQS": lambda: math.log(1 + n / n_t),
            "EFG": lambda: ln((n - n_t) / n_t),
            "HIJ": lambda: math.log((n - n_t + 0.5) / (n_t + 0.5)),
            "KLM": lambda: sum(len(each.terms) for each in members) / n_t,
            "NOP": lambda: n / n_t,
            "R": lambda: max(math.log((n - n_t + 0.5) / (n_t + 0.5)), 1.19e-7),
            "TWX": lambda: math.log(1 + (n - n_t + 0.5) / (n_t + 0.5)),
            "V": lambda: (
                math.log(1 + (n - n_t + 0.5) / (n_t + 0.5)) ** self.p["focus"]
                * self.w_t_in_all_texts(term) ** (1 - self.p["focus"])
            ),
        }
        return next(formula() for letters, formula in formulas.items() if self.weight in letters)

    def w_t_in_all_texts(self, term: str) -> float:
        n, n_t = len(self.texts), sum(term in each.terms for each in self.texts)
        return math.log(1 + (n - n_t + 0.5) / (n_t + 0.5))

    def r(self, letter: str, f: float, f_t: float, terms: Counter[str]) -> float:
        words, p = sum(terms.values()), self.p
        formulas = {
            "A": lambda: 1.0,
            "B": lambda: 1 + math.log(f),
            "C": lambda: (1 + math.log(f)) / (1 + math.log(words / len(terms))),
            "D": lambda: p["augment"] + (1 - p["augment"]) * f / max(terms.values()),
            "F": lambda: p["lambda"] * f / ((1 - p["lambda"]) * words),
            "G": lambda: f / p["mu"],
            "H": lambda: f / f_t,
            "I": lambda: f,
        }
        return formulas[letter]()

    def mean_words(self) -> float:
        return mean([each.words for each in self.units])

    def r_unit(self, term: str, unit: Unit) -> float:
        f = unit.terms[term]
        k1, b = self.p["k1"], self.p["b"]
        if self.unit_frequency == "E":
            return over((k1 + 1) * f, self.length(unit) + f)
        if self.unit_frequency == "J":
            k = k1 * ((1 - b) + b * max(unit.words, self.p["floor"]) / self.mean_words())
            return (k1 + 1) * f / (k + f)
        if self.unit_frequency == "K":
            k = k1 * ((1 - b) + b * max(unit.words, self.p["block"]) / self.p["block"])
            return (k1 + 1) * f / (k + f)
        return self.r(self.unit_frequency, f, self.collection_words[term], unit.terms)

    def r_query(self, term: str) -> float:
        f = self.query[term]
        if self.query_frequency == "E":
            return f if math.isinf(self.p["k3"]) else (self.p["k3"] + 1) * f / (self.p["k3"] + f)
        return self.r(self.query_frequency, f, self.collection_words[term], self.query)

    def w_unit(self, term: str, unit: Unit) -> float:
        return self.r_unit(term, unit) * (self.w_t(term, unit) if self.unit_method == "B" else 1)

    def w_query(self, term: str, unit: Unit) -> float:
        return self.r_query(term) * (self.w_t(term, unit) if self.query_method == "B" else 1)

    def vector(self, unit: Unit) -> float:
        return math.sqrt(sum(self.w_unit(term, unit) ** 2 for term in unit.terms))

    def length(self, unit: Unit) -> float:
        letter, p, words = self.unit_length, self.p, unit.words
        floored = max(words, p["floor"])

        def pivoted(value: float, average: float) -> float:
            return (1 - p["s"]) + p["s"] * over(value, average)

        def okapi(value: float) -> float:
            return p["k1"] * ((1 - p["b"]) + p["b"] * value / self.mean_words())

        formulas = {
            "A": lambda: 1.0,
            "B": lambda: self.vector(unit),
            "C": lambda: float(len(unit.terms)),
            "D": lambda: float(words),
            "E": lambda: pivoted(self.vector(unit), mean([self.vector(each) for each in self.units])),
            "F": lambda: pivoted(words, self.mean_words()),
            "G": lambda: pivoted(len(unit.terms), mean([len(each.terms) for each in self.units])),
            "H": lambda: okapi(words),
            "I": lambda: p["beta"] * math.log(words),
            "J": lambda: math.log(p["mu"] / (p["mu"] + words)),
            "K": lambda: floored,
            "L": lambda: pivoted(floored, self.mean_words()),
            "M": lambda: okapi(floored),
        }
        return formulas[letter]()

    def length_of_query(self, unit: Unit) -> float:
        words = sum(self.query.values())
        formulas = {
            "A": lambda: 1.0,
            "B": lambda: math.sqrt(sum(self.w_query(term, unit) ** 2 for term in self.query)),
            "C": lambda: len(self.query),
            "D": lambda: words,
            "I": lambda: self.p["beta"] * math.log(words),
            "J": lambda: words,
        }
        return formulas[self.query_length]()

    def score(self, unit: Unit) -> float:
        held = [term for term in sorted(self.query) if term in unit.terms]
        products = {term: self.w_query(term, unit) * self.w_unit(term, unit) for term in held}
        if self.combining == "A":
            needed = len(self.query) if self.p["boolean"] == "and" else 1
            return float(len(held) >= needed)
        if self.combining == "B":
            return over(sum(products.values()), self.length_of_query(unit) * self.length(unit))
        if self.combining == "C":
            return sum(products.values())
        if self.combining == "E":
            return self.p["gpx"] ** (len(held) - 1) * sum(products.values())
        times = {term: self.query[term] if self.combining == "H" else 1 for term in held}
        logarithms = sum(times[term] * ln(products[term] + 1) for term in held)
        return logarithms + self.length_of_query(unit) * self.length(unit) * (self.context != "T")


def calculated(
    text: str, collection: Sequence[Node], query: Sequence[str], p: Mapping[str, float | str]
) -> dict[tuple[int, int], float]:
    """Return the score of each unit that holds a term of the query, by document and place."""
    return Scorer(text, collection, query, p).scores()


def propagated(
    function: str, text: str, collection: Sequence[Node], query: Sequence[str], p: Mapping[str, float | str]
) -> dict[tuple[int, int], float]:
    """Return the score of each element that holds a term, constructed from those of the text nodes."""
    leaves = calculated(text, collection, query, p)
    below = Counter(key for leaf in units_of(collection, "T") for key in (leaf.key, *leaf.ancestors))
    found: dict[tuple[int, int], float] = {}
    for leaf in units_of(collection, "T"):
        if leaf.key not in leaves:
            continue
        for distance, key in enumerate([leaf.key, *leaf.ancestors]):
            if function == "A" or distance == 0:
                worth = 1.0
            elif function == "B":
                worth = p["alpha"] ** distance
            else:
                worth = 0.49 if below[key] == 1 else 0.99
            found[key] = found.get(key, 0.0) + worth * leaves[leaf.key]
    return found


def fused(
    document: str,
    element: str,
    collection: Sequence[Node],
    query: Sequence[str],
    p: Mapping[str, float | str],
    documents: Collection[int] | None = None,
) -> dict[tuple[int, int], float]:
    """Return the score of each element that holds a term, of all or some documents, pivoted with its document's."""
    chosen = range(len(collection)) if documents is None else documents
    articles = {key[0]: score for key, score in calculated(document, collection, query, p).items() if key[0] in chosen}
    own = {key: score for key, score in calculated(element, collection, query, p).items() if key[0] in chosen}
    name = {unit.key: unit.name for unit in units_of(collection, "E")}
    found = {}
    for key, score in own.items():
        best = max(abs(own[other]) for other in own if name[other] == name[key])
        best_article = max(map(abs, articles.values()))
        found[key] = p["pivot"] * over(articles[key[0]], best_article) + (1 - p["pivot"]) * over(score, best)
    return found
