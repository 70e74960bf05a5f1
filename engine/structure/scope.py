"""The elements of some documents, as the parts of a path query ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.index.elements import Elements
from engine.index.index import Index
from engine.index.occurrences import Occurrences
from engine.index.ranges import ranges
from engine.matches import Matches, matching_rows, term_occurrences
from engine.nexi import Term
from engine.query import Query, QueryTerm, analyse
from engine.regions import Rows, ancestors_or_self, holds, is_member, parents

Names = tuple[str, ...]  # local names of which one must fit; none: any element


@dataclass(frozen=True)
class Scope:
    """Some documents, and how tags and terms are compared in them; every set of rows is ascending.

    tags: exact, or classes: names are equal when the index's profile puts them in one class.
    match: or, and: an about() holds where any of its terms does, or all.
    """

    index: Index
    documents: Rows  # ascending
    tags: str
    match: str
    _known: dict[QueryTerm, Occurrences] = field(default_factory=dict)
    _passing: dict[Names, Rows] = field(default_factory=dict)

    @classmethod
    def of(cls, index: Index, query: Query, matches: Matches, tags: str, match: str) -> Scope:
        """Return the scope of the documents whose matches are known."""
        known = {_unsigned(term): found for term, found in zip(query.wanted, matches.occurrences, strict=True)}
        return cls(index, matches.documents, tags, match, known)

    @property
    def elements(self) -> Elements:
        """The element store."""
        return self.index.elements

    def passing(self, names: Names) -> Rows:
        """Return all elements of one of the names; of no name, all elements."""
        found = self._passing.get(names)
        if found is None:
            named = self.elements.named(self._tag_numbers(names), self.documents) if names else self._every()
            found = self._passing[names] = named
        return found

    def filter(self, rows: Rows, names: Names) -> Rows:
        """Return the rows that have one of the names."""
        return rows[np.isin(self.elements.tag(rows), self._tag_numbers(names))] if names else rows

    def holding(self, names: Names, inner: Rows, *, properly: bool = False) -> Rows:
        """Return the elements of one of the names that are an inner element or hold one; properly: that hold one."""
        if not names:
            return ancestors_or_self(self.elements, parents(self.elements, inner) if properly else inner)
        rows = self.passing(names)
        return rows.compress(holds(self.elements, rows, inner, properly=properly))

    def matching(self, terms: tuple[Term, ...]) -> Rows:
        """Return the elements that match the terms of an about(), as `find_matches` has it for a whole query."""
        analysed = dict.fromkeys(analyse(terms, self.index.analyser))
        wanted = [self._occurrences(term) for term in analysed if term.sign != "-"]
        unwanted = [self._occurrences(term) for term in analysed if term.sign == "-"]
        rows = matching_rows(self.elements, wanted, unwanted, self.match)
        required = [self._occurrences(term) for term in analysed if term.sign == "+"]
        if required:
            holds_all = np.all([found.n_leaves > 0 for found in required], axis=0)
            rows = rows.compress(is_member(self.elements.document(rows), self.documents.compress(holds_all)))
        return rows

    def without_unwanted(self, rows: Rows, terms: tuple[Term, ...]) -> Rows:
        """Return the rows that hold no unwanted term of an about() in their own text."""
        unwanted = [term for term in dict.fromkeys(analyse(terms, self.index.analyser)) if term.sign == "-"]
        for term in unwanted:
            rows = rows[~is_member(rows, self._occurrences(term).rows)]
        return rows

    def attributes(self, names: Names) -> tuple[Rows, Sequence[str]]:
        """Return the attributes of one of the names: the elements that have them, and their values."""
        return self.elements.attributes(sorted(map(_local, names)), self.documents)

    def _occurrences(self, term: QueryTerm) -> Occurrences:
        key = _unsigned(term)
        if key not in self._known:
            self._known[key] = term_occurrences(self.elements, term, self.documents)
        return self._known[key]

    def _every(self) -> Rows:
        first = self.elements.root(self.documents)
        return ranges(first, self.elements.document_end(self.documents) - first)

    def _tag_numbers(self, names: Names) -> list[int]:
        wanted = {_local(name) for name in names}
        if self.tags == "classes":
            stands_for = self.index.profile.representative
            classes = {stands_for(name) for name in wanted}
            wanted = {tag for tag in self.elements.tags if stands_for(tag) in classes}
        numbers = self.elements.tag_numbers
        return sorted(numbers[name] for name in wanted if name in numbers)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _unsigned(term: QueryTerm) -> QueryTerm:
    return QueryTerm(term.words, term.places)
