"""A search with its trace: which stage an element reached, and what dropped it there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.index.containment import contains_any, is_inside
from engine.index.reader import IndexReader
from engine.retrieval.answers import Answers
from engine.retrieval.candidates import ScoredCandidates
from engine.retrieval.matches import Matches
from engine.retrieval.order import Scored
from engine.retrieval.plan import Plan, WholeArticles
from engine.retrieval.search import search
from engine.retrieval.trace import Drop, Reason, Trace
from engine.settings import Settings

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Dropped:
    """The stage that dropped an element and its reason; blocker: the place of the candidate it overlaps with."""

    stage: str
    reason: Reason
    term: str = ""
    blocker: int | None = None


class TracedSearch:
    """The answers to a query and, for every element of the index, how far it came."""

    def __init__(self, index: IndexReader, text: str, settings: Settings) -> None:
        trace = Trace()
        self.index: IndexReader = index
        self.answers: Answers = search(index, text, settings, trace=trace)
        self._trace = trace

    @property
    def plan(self) -> Plan:
        """The plan of the search."""
        return self.answers.plan

    @property
    def scored(self) -> Scored:
        """The scored or ordered candidates."""
        scored: Scored = self._trace.values["scored"]
        return scored

    @property
    def candidates(self) -> ScoredCandidates | None:
        """The candidates with the scores of their context; None where elements are not scored."""
        found = self._trace.values["candidates"]
        return found if isinstance(found, ScoredCandidates) else None

    @property
    def matches(self) -> Matches:
        """The matches from which candidates were built, before `max_leaves`."""
        matches: Matches = self._trace.values["matches"]
        return matches

    def value(self, name: str) -> object:
        """Return another recorded value, such as the scorer."""
        return self._trace.values[name]

    @cached_property
    def ranks(self) -> Rows:
        """The rank of each scored candidate among the answers, 0 where it is none."""
        ranks = np.zeros(len(self.scored), np.int64)
        places = self._trace.values["places"]
        ranks[places] = np.arange(1, len(places) + 1)
        return ranks

    @cached_property
    def _order(self) -> Rows:
        """The places of all candidates, best first."""
        scored = self.scored
        if scored.scores is None:
            return np.arange(len(scored))
        if self.plan.selection.groups_by_article:
            return np.lexsort((scored.begins, -scored.scores, scored.articles))
        return np.lexsort((scored.begins, scored.articles, -scored.scores))

    @cached_property
    def ends(self) -> Rows:
        """One past the end of each candidate's interval, by which candidates overlap."""
        scored = self.scored
        return self.index.elements.end(scored.rows) if scored.ends is None else scored.ends

    def places(self, row: int) -> list[int]:
        """Return the places of an element, or of its passages, among the scored candidates, best first."""
        places: list[int] = self._order[self.scored.rows[self._order] == row].tolist()
        return places

    def article_score(self, row: int) -> float:
        """Return the score of an element's article, which is ranked."""
        ranked, document = self.answers.ranked, self._document(row)
        return float(ranked.scores[np.flatnonzero(ranked.documents == document)[0]])

    def dropped(self, row: int) -> Dropped | None:
        """Return the first stage that dropped an element, and why; None for an answer."""
        places = self.places(row)
        if any(self.ranks[place] for place in places):
            return None
        if places:
            return self.dropped_candidate(places[0])
        return self._by_articles(row) or self._by_matches(row) or self._by_candidates(row)

    def dropped_candidate(self, place: int) -> Dropped:
        """Return why a scored candidate is no answer."""
        drop = next(self._trace.of("selected", place))
        return Dropped("selected", drop.reason, drop.term, self._blocker(place, drop))

    def _by_articles(self, row: int) -> Dropped | None:
        document = self._document(row)
        if document not in self.answers.ranked.documents:
            return self._recorded("articles", document) or Dropped("articles", Reason.NO_TERM)
        if isinstance(self.plan.order, WholeArticles):
            return Dropped("candidates", Reason.WHOLE_ARTICLES)
        return None

    def _by_matches(self, row: int) -> Dropped | None:
        elements, here, is_target = self.index.elements, np.array([row]), self.plan.answers.is_target
        found, structured = self._trace.values["found"], self._trace.values["structured"]
        if elements.nearest_non_inline(here)[0] != row:
            return Dropped("matches", Reason.INLINE)
        if not is_target and not contains_any(elements, here, found.rows)[0]:
            required = self._recorded("documents", self._document(row))
            return required or self._recorded("matches", row) or Dropped("matches", Reason.NO_MATCH)
        if self._is_outside(here, structured):
            unwanted = next(self._trace.of("matches", row), None)
            return Dropped("matches", Reason.STRUCTURE, unwanted.term if unwanted else "")
        if self._is_outside(here, self.matches):
            return Dropped("matches", Reason.MAX_MATCHES)
        return None

    def _is_outside(self, here: Rows, matches: Matches) -> bool:
        """Return whether an element neither is nor contains a match, or is no target, or in no target."""
        elements, targets = self.index.elements, matches.targets
        if self.plan.answers.is_target and targets is not None:
            return not np.isin(here, targets)[0]
        outside = targets is not None and not is_inside(elements, here, targets)[0]
        return bool(outside or not contains_any(elements, here, matches.rows)[0])

    def _by_candidates(self, row: int) -> Dropped:
        candidates, here = self.candidates, np.array([row])
        if candidates is not None and not contains_any(self.index.elements, here, candidates.matches.rows)[0]:
            return Dropped("candidates", Reason.MAX_LEAVES)
        return self._recorded("candidates", row) or Dropped("candidates", Reason.OF_ANOTHER_KIND)

    def _recorded(self, stage: str, item: int) -> Dropped | None:
        drop = next(self._trace.of(stage, item), None)
        return None if drop is None else Dropped("matches" if stage == "documents" else stage, drop.reason, drop.term)

    def _blocker(self, place: int, drop: Drop) -> int | None:
        """Return the place of the best retained candidate that overlaps with a dropped one."""
        if drop.reason is not Reason.OVERLAP:
            return None
        is_kept = np.ones(len(self.scored), np.bool_)
        if self.plan.selection.word_budget is not None:
            is_kept = self.ranks > 0
            for other in self._trace.drops:
                if other.reason is Reason.MAX_ANSWERS:
                    is_kept[other.items] = True
        else:
            for other in self._trace.drops:
                if other.stage == "selected":
                    is_kept[other.items] = False
                if other is drop:
                    break
        begins = self.scored.begins
        overlaps = is_kept & (begins < self.ends[place]) & (self.ends > begins[place])
        kept = self._order[overlaps[self._order]]
        return int(kept[0]) if len(kept) else None

    def _document(self, row: int) -> int:
        return int(self.index.elements.document(np.array([row]))[0])
