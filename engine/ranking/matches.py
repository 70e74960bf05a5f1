"""From ranked articles to matches: the elements that contain the query terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.arrays import ArrayRecord, Rows, distinct, places_of
from engine.index.elements.containment import lowest_common_ancestors
from engine.index.elements.element_store import Elements
from engine.index.elements.phrases import PhrasePlaces, phrase_places
from engine.index.postings.leaf_postings import Occurrences
from engine.planning.plan import Matching
from engine.query.query import Query
from engine.query.query_terms import QueryTerm
from engine.query_limits import check_time, reserve
from engine.ranking.trace import UNTRACED, Reason, current_trace
from engine.records import dataclass
from engine.threads import cached_property


@dataclass(frozen=True, eq=False, repr=False)
class Matches(ArrayRecord):
    """The matching elements of some documents, and where each wanted term occurs (also outside matches).

    documents: document numbers, ascending; those without a required term are left out.
    occurrences: one per wanted term, in the order of the query.
    known_rows: the matching elements, ascending, empty if the plan does not need them; None for all elements with an
        occurrence, which `rows` finds when they are asked for: elements are often counted without them.
    targets: elements that a strict reading asks for, ascending; None where the target is vague.
    image_rows: elements that refer to images, ascending; None where the query has no example image.
    are_occurrences: whether the rows are all elements with an occurrence, as the words alone say.
    rows_outside: matching elements outside the scope of the search, which count in the scores of what is beside them;
        None for a search without a scope.
    """

    documents: Rows
    occurrences: Sequence[Occurrences]
    known_rows: Rows | None
    targets: Rows | None = None
    image_rows: Rows | None = None
    rows_outside: Rows | None = None
    are_occurrences: bool = False

    @cached_property
    def rows(self) -> Rows:
        """The matching elements, ascending."""
        return union([found.rows for found in self.occurrences]) if self.known_rows is None else self.known_rows

    def __len__(self) -> int:
        return len(self.rows) if self.targets is None else len(self.targets)

    def __repr__(self) -> str:
        targets = "" if self.targets is None else f", targets={len(self.targets)}"
        occurrences = sum(int(found.tf.sum()) for found in self.occurrences)
        return f"Matches(rows={len(self.rows)}{targets}, documents={len(self.documents)}, occurrences={occurrences})"

    def n_counted(self, *, of_targets: bool) -> int:
        """Return the number that `max_matches` bounds: of targets, or of matching elements."""
        return len(self.targets) if of_targets and self.targets is not None else len(self.rows)

    def with_rows(self, rows: Rows) -> Matches:
        """Return these matches with other matching elements."""
        return replace(self, known_rows=rows, are_occurrences=False)

    def with_image_rows(self, image_rows: Rows) -> Matches:
        """Return these matches with other elements that refer to images."""
        return replace(self, image_rows=image_rows)

    def with_targets(self, targets: Rows) -> Matches:
        """Return these matches with strict targets."""
        return replace(self, targets=targets)


def find_matches(elements: Elements, query: Query, documents: Rows, matching: Matching) -> Matches:
    """Return the matches in some documents (ascending), before the structure of the query is read.

    OR: elements that contain a wanted term in their own text. AND: the lowest elements whose whole text contains all.
    Neither contains an unwanted term in its own text. Documents without a required term have no matches.
    Source: thesis 2.2.2, Table 2.2.
    """
    trace = current_trace()
    # what drops elements that contain no match; strict targets need none, and can be inline
    by_match = UNTRACED if matching.of_targets else trace
    by_match.keep_not_inline("matches")
    for term in query.required:
        documents = distinct(elements.document(term_occurrences(elements, term, documents).rows))
        trace.keep_documents("matches", Reason.REQUIRED_TERM, documents, term=str(term))
    wanted = occurrences_of_each(elements, query.wanted, documents)
    if not matching.finds_rows:
        return Matches(documents, wanted, np.empty(0, np.int64))
    if not (matching.needs_all or query.unwanted or by_match.is_on):
        return Matches(documents, wanted, None, are_occurrences=not any(term.is_phrase for term in query.wanted))
    needed = [found for term, found in zip(query.wanted, wanted, strict=True) if not term.is_within]
    rows = rows_with(elements, needed, needs_all=matching.needs_all)
    by_match.keep_containing("matches", Reason.NO_MATCH, rows)
    for term in query.unwanted:
        unwanted = term_occurrences(elements, term, documents).rows
        rows = rows_without(rows, unwanted)
        trace.record_unwanted(str(term), unwanted)
        by_match.keep_containing("matches", Reason.UNWANTED_TERM, rows, str(term))
    are_occurrences = not (matching.needs_all or query.unwanted or any(term.is_phrase for term in query.wanted))
    return Matches(documents, wanted, rows, are_occurrences=are_occurrences)


def rows_with(elements: Elements, wanted: Sequence[Occurrences], *, needs_all: bool) -> Rows:
    """Return the elements that contain any of the wanted terms, or the lowest that contain all, ascending."""
    containing = [found.rows for found in wanted]
    return _lowest_with_all(elements, containing) if needs_all else union(containing)


def rows_without(rows: Rows, unwanted: Rows) -> Rows:
    """Return the elements whose own text does not contain an unwanted term, ascending."""
    return np.setdiff1d(rows, unwanted, assume_unique=True)


def first_matches(elements: Elements, matches: Matches, ranked: Rows, n_first: int, *, of_targets: bool) -> Matches:
    """Return the first matches, or targets: article by article, inside each in document order.

    Args:
        ranked: the articles of the matches, best first.
    """
    rows = matches.targets if of_targets and matches.targets is not None else matches.rows
    by_number = np.argsort(ranked)
    article = by_number[np.searchsorted(ranked, elements.document(rows), sorter=by_number)]
    rows = np.sort(rows[np.lexsort((rows, article))[:n_first]])
    trace = current_trace()
    (trace.keep if of_targets else trace.keep_containing)("matches", Reason.MAX_MATCHES, rows)
    return matches.with_targets(rows) if of_targets else matches.with_rows(rows)


def occurrences_of_each(elements: Elements, terms: Sequence[QueryTerm], documents: Rows) -> list[Occurrences]:
    """Return where each term occurs, as `term_occurrences` does; words are read together."""
    check_time()
    words = [term.words[0] for term in terms if not term.is_phrase]
    found = elements.occurrences_of_each(words, documents)
    reserve(sum(2 * len(each.rows) + len(documents) for each in found))
    of_words = iter(found)
    return [term_occurrences(elements, term, documents) if term.is_phrase else next(of_words) for term in terms]


def term_occurrences(elements: Elements, term: QueryTerm, documents: Rows) -> Occurrences:
    """Return the leaves that contain a term in their own text, ascending, and how often."""
    check_time()
    if not term.is_phrase:
        found = elements.occurrences(term.words[0], documents)
        reserve(2 * len(found.rows) + len(documents))
        return found
    rows, tf = np.unique(phrase_intervals(elements, term, documents).rows, return_counts=True)
    place = np.searchsorted(documents, elements.document(rows))
    return Occurrences(rows, tf.astype(np.int64), np.bincount(place, minlength=len(documents)))


def term_numbers_of_each(elements: Elements, terms: Sequence[QueryTerm], documents: Rows) -> list[Rows]:
    """Return the numbers of the words of each term, as `term_numbers` does; words are read together."""
    check_time()
    words = [term.words[0] for term in terms if not term.is_phrase]
    of_words = iter(elements.word_numbers_of_each(words, documents))
    return [term_numbers(elements, term, documents) if term.is_phrase else next(of_words) for term in terms]


def term_numbers(elements: Elements, term: QueryTerm, documents: Rows) -> Rows:
    """Return the numbers of the words that are, or begin, an occurrence of a term, ascending."""
    if not term.is_phrase:
        return elements.word_numbers(term.words[0], documents)
    return np.sort(phrase_intervals(elements, term, documents).first)


def phrase_intervals(elements: Elements, term: QueryTerm, documents: Rows) -> PhrasePlaces:
    """Return the occurrences of a phrase, or of a word, in the documents, by their words."""
    if not term.is_phrase:
        numbers = elements.word_numbers(term.words[0], documents)
        return PhrasePlaces(numbers, numbers, numbers)

    def occurrences(word: str) -> Occurrences:
        return elements.occurrences(word, documents, positions=True)

    return phrase_places(elements, term.words, term.places, term.slop, occurrences)


def union(columns: Sequence[Rows]) -> Rows:
    """Return the distinct values of sorted columns, ascending."""
    if len(columns) == 1:
        return columns[0]
    reserve(2 * sum(map(len, columns)))
    while len(columns) > 1:
        columns = [_united(columns[at : at + 2]) for at in range(0, len(columns), 2)]
    return columns[0] if columns else np.empty(0, np.int64)


def _united(columns: Sequence[Rows]) -> Rows:
    check_time()
    merged = np.concatenate(columns)
    merged.sort(kind="stable")  # it merges runs
    is_new = np.ones(len(merged), np.bool_)
    is_new[1:] = merged[1:] != merged[:-1]
    return merged.compress(is_new)


def _lowest_with_all(elements: Elements, columns: Sequence[Rows]) -> Rows:
    """Return the lowest elements below which every column has a row (SLCA).

    Source: Xu and Papakonstantinou, Efficient keyword search for smallest LCAs in XML databases, SIGMOD 2005: from
    every row of the shortest list, climb to the lower of the common ancestors with the nearest rows of each other one.
    """
    if not columns or not all(len(column) for column in columns):
        return np.empty(0, np.int64)
    shortest, *others = sorted(columns, key=len)
    reached = shortest
    for column in others:
        reached = _nearest_ancestor(elements, reached, column)
    reached = elements.nearest_non_inline(union([np.sort(reached)]) if len(reached) else reached)
    reached = distinct(reached)
    has_lower = np.zeros(len(reached), np.bool_)
    has_lower[:-1] = reached[1:] < elements.end(reached[:-1])
    return reached[~has_lower]


def _nearest_ancestor(elements: Elements, rows: Rows, column: Rows) -> Rows:
    """Return for each row the lowest element that contains it and a row of the column; rows without one are dropped."""
    documents = elements.document(rows)
    first, last = elements.root(documents), elements.document_end(documents)
    after = np.searchsorted(column, rows)
    best = np.full(len(rows), -1, np.int64)
    best_depth = np.zeros(len(rows), np.int64)
    for place in (after - 1, after):
        other = column[np.clip(place, 0, len(column) - 1)]
        usable = places_of((place >= 0) & (place < len(column)) & (other >= first) & (other < last))
        low, high = np.minimum(rows[usable], other[usable]), np.maximum(rows[usable], other[usable])
        common = lowest_common_ancestors(elements, low, high)
        depth = elements.depth(common)
        deeper = depth > best_depth[usable]
        best[usable[deeper]], best_depth[usable[deeper]] = common[deeper], depth[deeper]
    return best[best >= 0]
