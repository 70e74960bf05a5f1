"""Scored search over markup, slowly: phrases, path queries, inline tags in mixed content, tags that are left out.

Words, matches and targets are those of `co_search` and `nexi_search`, formulas those of `scored_elements` and
`scored_answers`. An element is known by its document and its place among those that are not inline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.query.nexi.element_path import begins_with_slash
from engine.query.nexi.parser import parse_nexi
from tests.reference import co_search, nexi_search
from tests.reference.co_search import Path, Term
from tests.reference.nexi_search import Rules, Tree
from tests.reference.scored_answers import Reference, split
from tests.reference.scored_elements import Key, Query
from tests.reference.similarity import Node


@dataclass
class TermQuery(Query):
    """Words and phrases; as many as an expression is asked for, in the form in which it scores them."""

    asked: Sequence[str] = ()

    @property
    def scored(self) -> Sequence[str]:
        return self.asked


@dataclass
class Text(Node):
    """An element with the texts between its child elements; a phrase is noted before its first word."""

    runs: Sequence[list[str]] = ()


class Collection:
    """Articles, in the order of their ids, and what a query is about in each."""

    def __init__(self, sources: Mapping[str, str], query: str, reading: str, rules: Rules) -> None:
        self.trees = [Tree(sources[name], rules) for name in sorted(sources)]
        self.reading, self.rules = reading, rules
        self.nexi = parse_nexi(query) if begins_with_slash(query) else None
        self.terms = (
            self._keyword_terms(query) if self.nexi is None else nexi_search.text_terms(self.nexi, reading, rules)
        )

    def _keyword_terms(self, query: str) -> list[Term]:
        """Return words and phrases; beside words, an unsigned phrase that no article contains stands for its words."""
        terms = co_search.parse(query, self.rules.stop_words)
        if self.rules.match == "and" or not co_search.has_words(query):
            return terms
        elements = [element for tree in self.trees for element in tree.words.elements.values()]
        return [
            part
            for term in terms
            for part in (
                [term]
                if term.sign or any(map(term.count, elements))
                else [Term((word,), term.sign) for word in term.plain]
            )
        ]

    @cached_property
    def keys(self) -> dict[tuple[int, Path], Key]:
        """The elements that are not inline."""
        found = {}
        for number, tree in enumerate(self.trees):
            own = [path for path, element in tree.words.elements.items() if not element.is_inline]
            found |= {(number, path): (number, place) for place, path in enumerate(own)}
        return found

    @cached_property
    def sizes(self) -> dict[Key, int]:
        """How many elements the subtree of each has."""
        return {key: len(self.trees[key[0]].words.subtrees[path]) for (_, path), key in self.keys.items()}

    def nodes(self, *, with_phrases: bool) -> list[Node]:
        """Return trees of the elements that are not inline."""
        return [self._node(tree, tree.root_path, with_phrases) for tree in self.trees]

    def _node(self, tree: Tree, path: Path, with_phrases: bool) -> Node:
        document = tree.words
        phrases = [term for term in self.terms if len(term.words) > 1] if with_phrases else []
        runs = [noted(run, phrases) for run in document.elements[path].runs]
        below = [
            p for p, e in document.elements.items() if not e.is_inline and p != path and document.parent(p) == path
        ]
        children = [self._node(tree, each, with_phrases) for each in below]
        return Text(path[-1][0], [word for run in runs for word in run], children, runs)

    def targets(self, number: int) -> list[Path] | None:
        """Return the elements that a strict target stands for in an article, None where there is none."""
        if self.nexi is None:
            return None
        return nexi_search.strict_targets(self.trees[number], self.nexi, self.reading, self.terms)

    def matches(self, number: int) -> list[Path]:
        """Return the matches that the structure of the query leaves."""
        tree, targets = self.trees[number], self.targets(number)
        found = co_search.find_matches(tree.words, self.terms, self.rules.match)
        if targets is not None:
            return [path for path in found if nexi_search.lies_in(path, targets)]
        steps = () if self.nexi is None else self.nexi.steps
        if self.reading == "VS" and len(steps) > 1 and not tree.targets(steps[:-1]):
            return []
        return found

    def answers_at_all(self, number: int) -> bool:
        """Return whether an article holds what is required."""
        tree = self.trees[number]
        return all(nexi_search.holds_term(tree, tree.root_path, [term]) for term in self.terms if term.sign == "+")


def noted(run: Sequence[str | None], phrases: Sequence[Term]) -> list[str]:
    """Return the words of a text, before each the phrases that begin with it."""
    words = [word for word in run if word is not None]
    assert len(words) == len(run), "stop words are not looked at"
    found = []
    for place, word in enumerate(words):
        found += sorted(
            {named(term) for term in phrases if tuple(words[place : place + len(term.words)]) == term.words}
        )
        found.append(word)
    return found


def named(term: Term) -> str:
    return f'"{" ".join(term.plain)}"' if len(term.words) > 1 else term.plain[0]


def query_of(terms: Sequence[Term], *, with_phrases: bool) -> TermQuery:
    """Return the terms by name; an expression is asked for phrases as such, or for their words."""
    wanted = [term for term in terms if term.sign != "-"]
    asked = [named(term) for term in wanted] if with_phrases else [word for term in wanted for word in term.plain]
    return TermQuery([], [], [named(term) for term in terms if term.sign == "-"], asked=asked)


class MarkupReference(Reference):
    """Scored elements and passages of a collection."""

    def __init__(
        self, collection: Collection, ranked: Sequence[int], settings: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> None:
        self.markup = collection
        with_phrases = weighs_phrases(settings["element_similarity"])
        query = query_of(collection.terms, with_phrases=with_phrases)
        super().__init__(collection.nodes(with_phrases=with_phrases), collection.sizes, query, settings, parameters, {})
        self.own = self.own_scores(ranked)

    def matches(self, documents: Sequence[int]) -> list[Key]:
        found: list[Key] = []
        for number in documents:
            if self.markup.answers_at_all(number):
                found += [self.markup.keys[number, path] for path in self._lifted(number)]
        return sorted(found)

    def _lifted(self, number: int) -> list[Path]:
        return list(dict.fromkeys(map(self.markup.trees[number].words.lift, self.markup.matches(number))))

    def elements(self, documents: Sequence[int]) -> list[Key]:
        if self.settings["answers"] == "target":
            targets = [
                self.markup.keys[number, path]
                for number in documents
                if self.markup.answers_at_all(number)
                for path in self.markup.targets(number) or []
            ]
            return [key for key in targets if self.units[key].words <= self.longest]
        found = [key for key in self.of_kind_and_length(documents) if self._lies_in_target(key)]
        return [key for key in found if not self._holds_unwanted(key)]

    def of_kind_and_length(self, documents: Sequence[int]) -> list[Key]:
        """Return the elements as if nothing was unwanted, and no target was named."""
        query, self.query = self.query, Query(self.query.wanted, [], [])
        try:
            return super().elements(documents)
        finally:
            self.query = query

    def _path(self, key: Key) -> Path:
        return next(path for (number, path), other in self.markup.keys.items() if other == key)

    def _lies_in_target(self, key: Key) -> bool:
        targets = self.markup.targets(key[0])
        return targets is None or nexi_search.lies_in(self._path(key), targets)

    def _holds_unwanted(self, key: Key) -> bool:
        inside = self.markup.trees[key[0]].words.subtrees[self._path(key)]
        return any(term.count(element) for term in self.markup.terms if term.sign == "-" for element in inside)

    def runs(self, leaf: Key) -> list[list[list[str]]]:
        node = self.units[leaf].node
        assert isinstance(node, Text)
        return [split(run) for run in node.runs]


def weighs_phrases(scoring: str) -> bool:
    """Return whether a phrase is a term to an expression: where it weighs terms inside the article, or not at all."""
    return scoring.startswith("E[") and scoring[3] in "AST"
