"""Scored elements as slowly and plainly as can be: one element at a time, straight from the formulas.

An element is known by its key: document, and place among the elements of the document that are not inline. Nothing here
comes from the engine.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from tests.reference.similarity import Node, Scorer, Unit, fused, is_phrase, propagated, units_of

Key = tuple[int, ...]
HEADING = "b"
INLINE = "i"


@dataclass
class Query:
    """Words; a required or an unwanted one is a word, too. sentence: all words as typed, where half do not count."""

    wanted: Sequence[str]
    required: Sequence[str]
    unwanted: Sequence[str]
    sentence: Sequence[str] = ()

    @property
    def scored(self) -> Sequence[str]:
        """The terms that an expression is asked for, each as often as it is wanted."""
        return self.wanted


class ElementReference:
    """The elements of a collection, scored for a query under settings (their names, lengths as text)."""

    def __init__(
        self,
        collection: Sequence[Node],
        sizes: Mapping[Key, int],
        query: Query,
        settings: Mapping,
        parameters: Mapping,
        rows: Mapping[Key, int],
        ranked: str = "",
        of_tables: tuple[str, str] = ("", ""),
    ):
        """sizes: elements in the subtree of each, inline ones and itself included; rows: in their documents.

        ranked: names of headings of what follows them, the highest rank first. of_tables: names of tables, and of rows.
        """
        self.ranked, (self.tables, self.table_rows) = ranked, of_tables
        self.units = {unit.key: unit for unit in units_of(collection, "E")}
        self.sizes, self.query, self.settings = sizes, query, settings
        self.n_inline = sum(size for (_, place), size in sizes.items() if not place) - len(self.units)
        own = [n_plain(unit.node.words) for unit in self.units.values()]
        self.n_words = sum(own)
        self.block_words = self.text_block(sum(n * n for n in own) / max(self.n_words, 1))
        scored = max(self.block_words, min(25.0, 0.1 * self.n_words / max(len(collection), 1)))
        block = {"block": max(self.length("block_words", scored), 1.0)}
        self.collection, self.parameters, self.rows = collection, {**parameters, **block}, rows
        self.own = self.own_scores(range(len(collection)))

    def own_scores(self, documents: Collection[int]) -> dict[Key, float]:
        """Return the scores by the expression; the best of those that are fused is one of some documents."""
        text, p = self.settings["element_similarity"], self.parameters
        if text.startswith("C[F"):
            return dict(propagated(text[3], text[7:], self.collection, self.query.scored, p))
        if text.startswith("C[G"):
            document, element = text.removeprefix("C[G-]--").split("--")
            return dict(fused(document, element, self.collection, self.query.scored, p, documents))
        found = Scorer(text, self.collection, self.query.scored, p).scores()
        return {key: score * self.evened(key[0]) for key, score in found.items()}

    def length(self, name: str, block_words: float = 0.0) -> float:
        written = self.settings[name]
        return float(written[:-1]) * (block_words or self.block_words) if written.endswith("x") else float(written)

    def inside(self, key: Key) -> float:
        settings = self.settings
        beside = max((self.full(other) for other in self.neighbours(key)), default=0.0)
        said = set(self.query.wanted) & set(self.units[key].terms) or self.in_headings(key)
        headings = settings["heading_weight"] * self.headings(key) * self.covered(key[0], said)
        inside = self.inherited(key) + headings + settings["neighbour_weight"] * settings["focus"] * beside
        return inside + self.sequence(key, *own_texts(self.units[key].node))

    def sequence(self, key: Key, *texts: list[str]) -> float:
        """Return what the query adds to an element, or a passage, with a text that has its sentence as typed."""
        if len(self.query.sentence) < 4 or not any(has_run(text, self.query.sentence) for text in texts):
            return 0.0
        weight = sum(self.weight(key[0], term) for term in set(self.query.wanted) if self.leaves(term))
        return float(self.settings["sequence_weight"]) * weight

    def inherited(self, key: Key) -> float:
        above = self.parent(key)
        return self.full(key) + (
            self.settings["parent_weight"] * self.settings["focus"] * self.inherited(above) if above else 0.0
        )

    def parent(self, key: Key) -> Key | None:
        """Return the parent of an element, None where that is the root."""
        ancestors = self.units[key].ancestors
        return ancestors[0] if ancestors and self.units[ancestors[0]].ancestors else None

    def full(self, key: Key) -> float:
        """Return the element score: that of the expression, times coverage."""
        return self.own.get(key, 0.0) * self.covered(key[0], self.units[key].terms)

    def covered(self, document: int, terms: Collection[str]) -> float:
        if not self.settings["coverage"]:
            return 1.0
        weights = {term: self.weight(document, term) for term in set(self.query.wanted) if self.leaves(term)}
        share = sum(weight for term, weight in weights.items() if term in terms) / sum(weights.values())
        return float(share ** self.settings["coverage"])

    def leaves(self, term: str, document: int | None = None) -> int:
        return sum(
            term in unit.node.words for key, unit in self.units.items() if document is None or key[0] == document
        )

    def weight(self, document: int, term: str) -> float:
        """Return the weight of a term in the expressions of which coverage and headings are tested: letters T and V."""
        if "V" not in self.settings["element_similarity"]:
            return self.in_document(document, term)
        return self.between(document, term) * self.evened(document)

    def evened(self, document: int) -> float:
        """Return the factor by which a query weighs in a document, by letter V, what it does in the collection."""
        if "V" not in self.settings["element_similarity"]:
            return 1.0
        terms = [term for term in set(self.query.wanted) if self.leaves(term)]
        return sum(map(self.in_collection, terms)) / (sum(self.between(document, term) for term in terms) or 1.0)

    def between(self, document: int, term: str) -> float:
        focus = self.settings["focus"]
        return self.in_document(document, term) ** focus * self.in_collection(term) ** (1 - focus)

    def in_document(self, document: int, term: str) -> float:
        n_inside = sum(bool(unit.node.words) for key, unit in self.units.items() if key[0] == document)
        return okapi(n_inside, self.leaves(term, document))

    def in_collection(self, term: str) -> float:
        return okapi(sum(bool(unit.node.words) for unit in self.units.values()), self.leaves(term))

    def headings(self, key: Key) -> float:
        if not self.settings["heading_weight"]:
            return 0.0
        return sum(self.weight(key[0], term) for term in self.in_headings(key)) * (1 + self.named(key))

    def named(self, key: Key) -> float:
        """Return the share of an element's own title that is of the query, times that of the query in headings ^ 4."""
        weights = {term: self.weight(key[0], term) for term in set(self.query.wanted) if self.leaves(term)}
        said = sum(weights[term] for term in self.in_headings(key)) / (sum(weights.values()) or 1.0)
        own = [
            self.units[other]
            for other, scope in self.scopes.items()
            if key in scope and key in self.units[other].ancestors
        ]
        asked = [min(sum(each.terms[term] for term in weights) / each.words, 1.0) for each in own if each.words]
        return max(asked, default=0.0) * said**4 if said >= 0.5 and len(weights) > 1 else 0.0

    def in_headings(self, key: Key) -> set[str]:
        """Return the terms in the headings of an element and of those above it, the root excepted."""
        if not self.units[key].ancestors:
            return set()
        terms = {
            term
            for other, scope in self.scopes.items()
            if key in scope
            for term in set(self.query.wanted) & set(self.units[other].terms)
        }
        above = self.parent(key)
        return terms | self.in_headings(above) if above else terms

    @cached_property
    def scopes(self) -> dict[Key, list[Key]]:
        """The elements that each heading speaks of."""
        return {key: self.scope(self.units[key]) for key in self.scored}

    def scope(self, heading: Unit) -> list[Key]:
        """Return the elements that a heading speaks of, without those below them."""
        if not heading.ancestors:
            return []
        if heading.name not in HEADING + self.ranked:
            return self.headed_table(heading) if self.settings["header_rows"] else []
        if heading.name not in self.ranked:
            return heading.ancestors[:1]
        beside = [unit for unit in self.units.values() if unit.ancestors[:1] == heading.ancestors[:1]]
        behind = beside[beside.index(heading) + 1 :]
        last = heading
        while behind and behind[0].name == heading.name and self.touches(last.key, behind[0].key):
            last = behind.pop(0)
        ends = [
            place
            for place, unit in enumerate(behind)
            if 0 <= self.ranked.find(unit.name) <= self.ranked.index(heading.name)
        ]
        if ends[:1] == [1] and not behind[0].words and self.begins(heading, beside):
            ends = []  # an empty element alone, as that of a chapter's number, stands before the next heading
        return [unit.key for unit in behind[: min(ends, default=len(behind))]]

    def begins(self, heading: Unit, beside: Sequence[Unit]) -> bool:
        """Return whether a heading, or one of its name directly before it, is first; at most an empty one is before."""
        place = beside.index(heading)
        while place and beside[place - 1].name == heading.name and self.touches(beside[place - 1].key, heading.key):
            place, heading = place - 1, beside[place - 1]
        return place == 0 or (place == 1 and not beside[0].words)

    def headed_table(self, row: Unit) -> list[Key]:
        """Return the table of which a row is one of two header rows: the first, or the one after that if both are."""
        table = self.table_of(row)
        if not table:
            return []
        rows = [unit for unit in self.units.values() if self.table_of(unit) == table][:2]
        headers: list[Key] = []
        for number, each in enumerate(rows):
            is_most = sum(other.words for other in rows[: number + 1]) > 0.5 * self.units[table[0]].words
            if is_most or any(unit.name in self.tables and each.key in unit.ancestors for unit in self.units.values()):
                break
            headers.append(each.key)
        return table if row.key in headers else []

    def table_of(self, row: Unit) -> list[Key]:
        """Return the table around a row with words; none of other elements."""
        if row.name not in self.table_rows or not row.words:
            return []
        return [key for key in row.ancestors[:3] if self.units[key].name in self.tables][:1]

    def neighbours(self, key: Key) -> list[Key]:
        """Return the elements directly before and after one, of the same parent, if all are long enough."""
        if not self.is_long(key):
            return []
        parent = self.units[key].ancestors[:1]
        beside = [other for other in self.scored if self.units[other].ancestors[:1] == parent and self.is_long(other)]
        return [other for other in beside if self.touches(key, other) or self.touches(other, key)]

    def is_long(self, key: Key) -> bool:
        return bool(self.units[key].ancestors) and self.units[key].words >= 0.2 * self.block_words

    def touches(self, one: Key, other: Key) -> bool:
        return self.rows[one] + self.sizes[one] == self.rows[other]

    def all_matches(self, documents: Collection[int]) -> list[Key]:
        held = {number: set(self.units[number, 0].terms) for number in documents}
        return [
            key
            for key, unit in self.units.items()
            if key[0] in held
            and held[key[0]].issuperset(self.query.required)
            and set(self.query.wanted) & set(unit.node.words)
            and not set(self.query.unwanted) & set(unit.node.words)
        ]

    @cached_property
    def scored(self) -> set[Key]:
        """The elements with a match in them."""
        matches = self.all_matches(range(len(self.collection)))
        return {key for match in (*matches, *self.headed(matches)) for key in (match, *self.units[match].ancestors)}

    def headed(self, matches: Sequence[Key]) -> list[Key]:
        """Return the first of the eight elements after each heading with a match that is long enough, no heading.

        None where its parent has no words but those of the two.
        """
        if self.settings["answers"] in ("matching", "oCRE", "nCRE") or not self.settings["heading_weight"]:
            return []
        around = {key for match in matches for key in (match, *self.units[match].ancestors)}
        headings = [unit for key, unit in self.units.items() if key in around and unit.name in self.ranked]
        found = []
        for heading in headings:
            behind = [self.units[key] for key in self.scope(heading)[:8]]
            block = next(filter(self.is_block, behind), None)
            if block and self.units[block.ancestors[0]].words > heading.words + block.words:
                found.append(block.key)
        return found

    def is_block(self, unit: Unit) -> bool:
        """Return whether an element can be the answer for what a heading before it says."""
        return unit.name not in self.ranked and unit.words >= max(0.2 * self.block_words, 1)

    def matches(self, documents: Sequence[int]) -> list[Key]:
        return sorted(self.all_matches(documents))

    def elements(self, documents: Sequence[int]) -> list[Key]:
        """Return the elements that can be answers."""
        found = self.of_kind(self.matches(documents))
        found = [
            key
            for key in found
            if self.units[key].words <= self.longest
            and (self.units[key].words >= self.length("min_words") or not self.units[key].ancestors)
        ]
        if self.settings["answers"] == "blocks":
            found = [key for key in found if not any(key in self.units[other].ancestors for other in found)]
        return [key for key in found if not set(self.query.unwanted) & set(self.units[key].terms)]

    @property
    def longest(self) -> float:
        """Words of an answer, at most."""
        return float("inf") if self.settings["max_words"] == "all" else self.length("max_words")

    def of_kind(self, matches: Sequence[Key]) -> list[Key]:
        answers = self.settings["answers"]
        line = {key: [key, *self.units[key].ancestors] for key in self.units}
        if answers == "matching":
            return list(matches)
        if answers in ("oCRE", "nCRE"):
            cres = set()
            for number in {key[0] for key in matches}:
                of_article = [key for key in matches if key[0] == number]
                pairs = zip(of_article, of_article[1:] or of_article, strict=False)
                cres |= {next(key for key in line[one] if key in line[other]) for one, other in pairs}
            if answers == "nCRE":
                cres |= {key for key in matches if not (set(line[key][1:2] or [key]) & cres)}
            return sorted(cres)
        around = sorted({key for match in (*matches, *self.headed(matches)) for key in line[match]})
        if answers in ("any", "blocks"):
            return [
                key
                for key in around
                if not self.units[key].ancestors
                or not (
                    self.is_fragment(self.units[key].name)
                    or self.is_part_of_table(key)
                    or (self.is_mostly_titles(key) and not self.is_named(key))
                )
            ]
        return [key for key in around if self.units[key].name in answers.strip("/()").split("|")]

    def is_part_of_table(self, key: Key) -> bool:
        """Return whether an element is, or is in, a short cell of a row of a table."""
        return self.length("min_leaf_words") > 0 and any(
            self.units[cell].words < 12 and self.table_of(self.units[row])
            for cell, row in pairwise([key, *self.units[key].ancestors])
        )

    def is_named(self, key: Key) -> bool:
        """Return whether a title of an element has all words of the query, and others like that are beside it."""
        unit, wanted = self.units[key], set(self.query.wanted)
        titles = [self.units[other] for other, scope in self.scopes.items() if key in scope]
        titles = [title for title in titles if key in title.ancestors and wanted <= set(title.terms)]
        (siblings,) = (each for each in flat(self.collection[key[0]]) if any(child is unit.node for child in each))
        names = [child.name for child in siblings]
        (at,) = (number for number, child in enumerate(siblings) if child is unit.node)
        is_one_of_several = unit.name in names[:at] or names[at + 1 : at + 2] == [unit.name]
        return bool(wanted) and is_one_of_several and any(unit.words > title.words for title in titles)

    def is_mostly_titles(self, key: Key) -> bool:
        """Return whether most words of an element are in headings, but not most of its document."""
        root = self.units[key].ancestors[-1] if self.units[key].ancestors else key
        is_adaptive = "V" in self.settings["element_similarity"]
        return is_adaptive and self.title_share(key) > 0.2 >= self.title_share(root)

    def title_share(self, key: Key) -> float:
        """Return the share of an element's words that are in headings, roots excepted."""
        of_titles = 0
        for other, unit in self.units.items():
            line = [each for each in (other, *unit.ancestors) if self.units[each].ancestors]
            if key in (other, *unit.ancestors) and any(self.units[each].name in HEADING + self.ranked for each in line):
                of_titles += n_plain(unit.node.words)
        return of_titles / max(self.units[key].words, 1)

    def is_fragment(self, name: str) -> bool:
        """Return whether the elements of a name hold short leaves, and are short themselves; tables never are."""
        usual_leaf, usual = self.usual_lengths(name)
        return name != self.tables and usual_leaf < self.length("min_leaf_words") and usual < self.length("block_words")

    def text_block(self, by_words: float) -> float:
        """Return the length of a text block, from that of the text that contains a word, averaged over words."""
        blocks = []
        for name in {unit.name for unit in self.units.values()}:
            named = [unit for unit in self.units.values() if unit.name == name]
            own = [n_plain(unit.node.words) for unit in named]
            is_long = self.usual_lengths(name)[0] >= 0.3 * by_words
            if is_long and sum(own) > 0 and sum(own) >= sum(unit.words for unit in named) / 2:
                blocks += own + [0] * (self.n_inline if name == INLINE else 0)
        return min(by_words, math.sqrt(1.5 * sum(blocks) / len(blocks) * by_words)) if blocks else by_words

    def usual_lengths(self, name: str) -> tuple[float, float]:
        """Return the usual length of a leaf in the elements of a name, and of the elements."""
        words, squares, count = 0, 0, 0
        for key, unit in self.units.items():
            if unit.name == name:
                leaves = [other for o, other in self.units.items() if o == key or key in other.ancestors]
                words += unit.words
                squares += sum(n_plain(leaf.node.words) ** 2 for leaf in leaves)
                count += 1
        return squares / max(words, 1), words / count


def flat(node: Node) -> Iterator[list[Node]]:
    """Yield the children of a node and of all in it."""
    yield node.children
    for child in node.children:
        yield from flat(child)


def okapi(n: float, n_t: float) -> float:
    return math.log(1 + (n - n_t + 0.5) / (n_t + 0.5))


def n_plain(words: Sequence[str]) -> int:
    """Return how many words there are; phrases that are noted among them are none."""
    return sum(not is_phrase(word) for word in words)


def own_texts(node: Node) -> Iterator[list[str]]:
    """Yield the words of the own text of an element, and of those inside it, without titles."""
    if node.name != HEADING:
        yield node.words
    for child in node.children:
        yield from own_texts(child)


def has_run(text: list[str], words: Sequence[str]) -> bool:
    """Return whether words stand one after the other in a text."""
    return any(text[n : n + len(words)] == list(words) for n in range(len(text) - len(words) + 1))
