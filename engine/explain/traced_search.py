"""A search with its trace: the stage that an element reached, and the filter that dropped it there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.answers.answer_columns import AnswerColumns
from engine.arrays import Rows, distinct, places_of
from engine.image_search.image_fusion import FusedScores
from engine.index.reader import IndexReader
from engine.planning.plan import ExampleImage, Plan
from engine.ranking.candidate_columns import Candidates
from engine.ranking.matches import Matches
from engine.ranking.parts.part import ElementScores
from engine.ranking.scoring.element_scorer import ElementScorer
from engine.ranking.search import search
from engine.ranking.selection.answers_by_rows import AnsweredByRows
from engine.ranking.selection.semantic_order import AddedParts
from engine.ranking.trace import Drop, Reason, Trace
from engine.settings import Settings
from engine.threads import cached_property


class TracedSearch:
    """The answers to a query and, for every element of one document, how far it came."""

    def __init__(
        self, index: IndexReader, text: str, settings: Settings, document: int, images: Sequence[ExampleImage] = ()
    ) -> None:
        trace = Trace(index.elements, document)
        self.index: IndexReader = index
        self.answers: AnswerColumns = search(index, text, settings, trace=trace, images=images)
        self._trace = trace

    @property
    def plan(self) -> Plan:
        """The plan of the search."""
        return self.answers.plan

    @property
    def candidates(self) -> Candidates:
        """The candidates with their scores, or in their order."""
        candidates: Candidates = self._trace.values["candidates"]
        return candidates

    @property
    def elements(self) -> ElementScores | None:
        """The scores of elements inside their articles; None where elements are not scored."""
        found = self._trace.values.get("elements")
        return found if isinstance(found, ElementScores) else None

    @property
    def matches(self) -> Matches:
        """The matches from which candidates were built."""
        matches: Matches = self._trace.values["matches"]
        return matches

    @property
    def fused(self) -> FusedScores | None:
        """The scores by image and by text with the fused ones; None where the query has no example image."""
        found = self._trace.values.get("fused")
        return found if isinstance(found, FusedScores) else None

    @property
    def _added_parts(self) -> tuple[AddedParts, ...]:
        """What the order by meaning added; empty without one."""
        parts: tuple[AddedParts, ...] = self._trace.values.get("meaning", ())
        return parts

    def added_to(self, place: int | None) -> list[tuple[AddedParts, int]]:
        """Return what the order by meaning added to a candidate, each with the place of the candidate in it."""
        found = ((each, None if place is None else each.at(place)) for each in self._added_parts)
        return [(each, at) for each, at in found if at is not None]

    def with_meaning(self, score: float, place: int | None) -> float:
        """Return a score by words of a candidate with what the order by meaning added to it, one after the other."""
        for each, at in self.added_to(place):
            score += float(each.parts[at])
        return score

    def score(self, place: int) -> float | None:
        """Return the score of a candidate with the part of its meaning; None where candidates have none."""
        if self.candidates.scores is None:
            return None
        return self.with_meaning(float(self.candidates.scores[place]), place)

    def compared_place(self, row: int) -> int | None:
        """Return the place of an element among the candidates if it was compared with the query by its meaning."""
        for each in self._added_parts:
            places = each.places[self.candidates.rows[each.places] == row].tolist()
            if places:
                return int(places[0])
        return None

    def is_by_meaning_alone(self, place: int | None) -> bool:
        """Return whether a candidate is one of the nearest blocks, whose words do not count."""
        n_by_words = self._trace.values.get("n_by_words", len(self.candidates))
        return place is not None and place >= n_by_words

    def nearest_block_at(self, row: int) -> int | None:
        """Return the place of a candidate by meaning alone inside an element or around it; None without one."""
        first, elements = self._trace.values.get("n_by_words", len(self.candidates)), self.index.elements
        rows, end = self.candidates.rows[first:], int(elements.end(np.array([row]))[0])
        here = places_of((rows < end) & (elements.end(rows) > row)).tolist()
        return first + here[0] if here else None

    @property
    def image_rows(self) -> Rows | None:
        """The elements that refer to images; None where the query has no example image."""
        return None if self.plan.images is None else distinct(self.index.images.references[0])

    @property
    def scorer(self) -> ElementScorer:
        """The scorer of the document's elements; only where elements are scored."""
        scorer: ElementScorer = self._trace.values["scorer"]
        return scorer

    def value(self, name: str) -> object:
        """Return another recorded value, such as the focus; None where the search has none."""
        return self._trace.values.get(name)

    @cached_property
    def ranks(self) -> Rows:
        """The rank of each candidate among the answers, 0 where it is none."""
        ranks = np.zeros(len(self.candidates), np.int64)
        places = self._trace.values["places"]
        if self._by_rows is None:
            ranks[places] = np.arange(1, len(places) + 1)
        else:
            kept = places_of(~self._by_rows.are_rows)
            ranks[places[self._by_rows.origins[kept]]] = kept + 1
        return ranks

    @property
    def _by_rows(self) -> AnsweredByRows | None:
        """The answers with rows in the place of long tables, None where there are none."""
        found = self._trace.values.get("by_rows")
        return found if isinstance(found, AnsweredByRows) else None

    def rank_in_table(self, row: int) -> int:
        """Return the rank of an element that is an answer as a row of a long table, 0 if it is none."""
        found = self._by_rows
        here = [] if found is None else places_of(found.are_rows & (found.selected.rows == row)).tolist()
        return here[0] + 1 if here else 0

    def score_in_table(self, row: int) -> float:
        """Return the score by which an answer that is a row of a long table is ordered among these rows."""
        if self._by_rows is None:
            raise TypeError("no table is answered by its rows")
        return float(self._by_rows.own_scores[self.rank_in_table(row) - 1])

    def first_rank(self, place: int) -> int:
        """Return the rank of a candidate, or of the first of its rows where it is a table answered by these."""
        rank, found = int(self.ranks[place]), self._by_rows
        if rank or found is None:
            return rank
        selected = places_of(self._trace.values["places"] == place)
        rows = places_of(found.are_rows & np.isin(found.origins, selected))
        return int(rows[0]) + 1 if rows.size else 0

    def table_of(self, row: int) -> int | None:
        """Return the place among the candidates of the table as a row of which an element is an answer."""
        rank, found = self.rank_in_table(row), self._by_rows
        return int(self._trace.values["places"][found.origins[rank - 1]]) if found is not None and rank else None

    def places(self, row: int) -> list[int]:
        """Return the places of an element, or of its passages, among the candidates, best first."""
        order = self._trace.order
        places: list[int] = order[self.candidates.rows[order] == row].tolist()
        return places

    def best_inside(self, row: int) -> int | None:
        """Return the place of the best candidate inside an element, None if there is none."""
        order, end = self._trace.order, self.index.elements.end(np.array([row]))[0]
        rows = self.candidates.rows[order]
        inside = order[(rows > row) & (rows < end)]
        return int(inside[0]) if len(inside) else None

    def article_score(self, row: int) -> float:
        """Return the score of an element's article, which is ranked."""
        ranked, document = self.answers.ranked, self.document(row)
        return float(ranked.scores[np.flatnonzero(ranked.documents == document)[0]])

    def drop_of(self, row: int) -> Drop | None:
        """Return the drop of an element, or of its best passage; None for an answer."""
        places, by_rows = self.places(row), self._by_rows
        if self.rank_in_table(row) or any(self.ranks[place] for place in places):
            return None
        if by_rows is not None and row in by_rows.cut:
            return Drop("answers", Reason.MAX_ANSWERS)
        if by_rows is not None and row in by_rows.unaffordable:
            return Drop("answers", Reason.WORD_BUDGET)
        if places:
            return self.drop_of_candidate(places[0])
        drop = self._trace.of_element(row)
        needs_image = drop is None or (drop.reason is Reason.NO_TERM and not self.plan.query.wanted)
        return Drop("fused", Reason.NO_IMAGE) if self.fused is not None and needs_image else drop

    def drop_of_candidate(self, place: int) -> Drop:
        """Return the drop of a candidate that is no answer."""
        selected = places_of(self._trace.values["places"] == place)
        if selected.size and self._by_rows is not None:
            if selected[0] in self._by_rows.within_budget:
                return Drop("answers", Reason.WORD_BUDGET)
            is_split = selected[0] in self._by_rows.origins
            return Drop("answers", Reason.MAX_TABLE_WORDS if is_split else Reason.MAX_ANSWERS)
        return self._trace.of_candidate(place)

    def unwanted_in(self, row: int) -> str | None:
        """Return the first unwanted term in the own text of an element; None if there is none."""
        return self._trace.unwanted_in(row)

    def document(self, row: int) -> int:
        """Return the number of an element's document."""
        return int(self.index.elements.document(np.array([row]))[0])
