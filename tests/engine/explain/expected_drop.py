"""What drops an element, derived slowly from the answers of untraced searches with fewer and fewer filters."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.index.texts.passage_offsets import passage_offsets
from engine.planning.plan import AnswerRule, ByHeuristic, ByScore, Selection, WholeArticles
from engine.query.query_terms import QueryTerm
from engine.ranking.candidate_columns import Candidates
from engine.ranking.matches import Matches, rows_with, term_occurrences
from engine.ranking.scoring.passages import sentence_range
from engine.ranking.trace import Reason
from engine.settings import Settings
from engine.thesis.coherent_elements import original_cres
from tests.engine.check_answers import search
from tests.reference.path_scope import PathScope
from tests.reference.repeated_texts import repeats

Expected = tuple[str, Reason, int | None]  # stage, reason and, of an overlap, the place of the candidate that stays


class ExpectedDrops:
    """The expected stage and reason of every element that does not answer a query; every collection is one batch."""

    def __init__(self, index: IndexReader, query: str, settings: Settings) -> None:
        self.index = index
        self.values = stage_values(index, query, settings)
        self.unlimited = stage_values(index, query, replace(settings, max_matches=None))
        self.unscoped = stage_values(index, query, replace(settings, max_matches=None, inside=None, outside=None))
        self.scope = PathScope(index, settings)
        self.plan, self.query = self.values["plan"], self.values["plan"].query
        self.elements = index.elements
        self.order = expected_order(self.values["candidates"], self.plan.selection)
        self.selection = expected_selection(index, self.values["candidates"], self.order, self.plan.selection)

    def of(self, row: int) -> Expected:
        """Return the stage, the reason and the row of the blocker of an element that is not an answer."""
        places = np.flatnonzero(self.values["candidates"].rows == row).tolist()
        if places:
            reason, blocker = self.selection[min(places, key=self.order.index)]
            return "selected", reason, blocker
        stage, reason = self._of_article(row) or self._of_matches(row) or self._of_candidates(row)
        return stage, reason, None

    def described(self, place: int | None) -> str | None:
        """Return how an explanation names a candidate: its path, and the sentences of a passage."""
        if place is None:
            return None
        scored = self.values["candidates"]
        path = element_paths(self.index, scored.rows[[place]])[0]
        if scored.sentences is None or scored.sentences[place].tolist() == [-1, -1]:
            return path
        return f"{path} {sentence_range(*scored.sentences[place].tolist())}"

    def _of_article(self, row: int) -> tuple[str, Reason] | None:
        document = int(self.elements.document(np.array([row]))[0])
        if document not in self.values["articles"].documents:
            words = [word for term in self.query.required for word in term.words]
            if not self.query.may_match_without_terms and not any(
                self._contains(document, word) for word in self.query.word_counts
            ):
                return "articles", Reason.NO_TERM
            if not all(self._contains(document, word) for word in words):
                return "articles", Reason.REQUIRED_TERM
            return "articles", Reason.MAX_ARTICLES if self.scope.has_document(document) else Reason.DOCUMENTS
        if isinstance(self.plan.order, WholeArticles):
            return "candidates", Reason.WHOLE_ARTICLES
        return None

    def _of_matches(self, row: int) -> tuple[str, Reason] | None:  # noqa: PLR0911  (one per reason)
        final: Matches = self.values["matches"]
        structured: Matches = self.unscoped["matches"]
        scoped: Matches = self.unlimited["matches"]
        document = int(self.elements.document(np.array([row]))[0])
        if not self.plan.answers.is_target and self._is_inline(row):
            return "matches", Reason.INLINE
        if not all(self._occurrences(term, document).size for term in self.query.required):
            return "matches", Reason.REQUIRED_TERM
        if self.plan.answers.is_target:
            assert structured.targets is not None
            assert final.targets is not None
            if row not in structured.targets:
                return "matches", Reason.STRUCTURE
            if not self.scope.has(row):
                return "matches", Reason.SCOPE
            return None if row in final.targets else ("matches", Reason.MAX_MATCHES)
        rows = rows_with(self.elements, structured.occurrences, needs_all=self.plan.matching.needs_all).tolist()
        if not self._contains_any(row, rows):
            return "matches", Reason.NO_MATCH
        for term in self.query.unwanted:
            unwanted = self._occurrences(term, document).tolist()
            rows = [match for match in rows if match not in unwanted]
            if not self._contains_any(row, rows):
                return "matches", Reason.UNWANTED_TERM
        targets = None if structured.targets is None else structured.targets.tolist()
        outside = targets is not None and not any(self._is_in(row, target) for target in targets)
        if outside or not self._contains_any(row, structured.rows.tolist()):
            return "matches", Reason.STRUCTURE
        if not self.scope.has(row) or not self._contains_any(row, scoped.rows.tolist()):
            return "matches", Reason.SCOPE
        return None if self._contains_any(row, final.rows.tolist()) else ("matches", Reason.MAX_MATCHES)

    def _of_candidates(self, row: int) -> tuple[str, Reason]:  # noqa: PLR0911  (one per reason)
        order, rule = self.plan.order, self.plan.answers
        matches: Matches = self.values["matches"]
        if isinstance(order, ByScore):
            if order.passages and (not order.whole_weight or self._is_inline(row)):
                is_leaf = row in matches.rows and int(self.elements.n_own_words(np.array([row]))[0]) > 0
                if is_leaf and self._is_mostly_titles(row):
                    return "candidates", Reason.MOSTLY_TITLES
                return "candidates", Reason.MIN_PASSAGE_WORDS if is_leaf else Reason.OF_ANOTHER_KIND
            if order.passages:
                rule = AnswerRule()
        build = original_cres if isinstance(order, ByHeuristic) else None
        build = rule.from_matches or build
        if build is not None and row not in build(self.elements, matches.rows, self.elements.document(matches.rows)):
            return "candidates", Reason.OF_ANOTHER_KIND
        assert isinstance(order, ByScore)
        tag = self.elements.tags[int(self.elements.tag(np.array([row]))[0])]
        if rule.tags is not None and tag not in rule.tags:
            return "candidates", Reason.TAG
        if build is None and rule.tags is None and self._is_fragment(row, order):
            return "candidates", Reason.FRAGMENT
        if build is None and rule.tags is None and self._is_mostly_titles(row):
            return "candidates", Reason.MOSTLY_TITLES
        if not self._is_long(row, order):
            return "candidates", Reason.MIN_WORDS
        block = self.index.statistics.block_words
        words = int(self.elements.n_words(np.array([row]))[0])
        if order.max_words is not None and words > order.max_words.resolve(block):
            return "candidates", Reason.MAX_WORDS
        if rule.lowest_only and any(
            self._contains_any(other, matches.rows.tolist())
            and not self._is_inline(other)
            and not self._is_fragment(other, order)
            and not self._is_mostly_titles(other)
            and self._is_long(other, order)
            and (order.max_words is None or self._words(other) <= order.max_words.resolve(block))
            for other in range(row + 1, self._end(row))
        ):
            return "candidates", Reason.NOT_LOWEST
        return "candidates", Reason.UNWANTED_TERM

    def _words(self, row: int) -> int:
        return int(self.elements.n_words(np.array([row]))[0])

    def _is_fragment(self, row: int, order: ByScore) -> bool:
        """Whether elements of the tag usually contain fragments: short leaves, and few words in all."""
        block = self.index.statistics.block_words
        shortest = order.min_leaf_words.resolve(block)
        if shortest <= 0 or int(self.elements.parent(np.array([row]))[0]) == row:
            return False
        lengths, n_words, n_elements = [], 0, 0  # the leaf of every word in an element of the tag
        for other in self._live_rows():
            if self._tag(other) == self._tag(row):
                inside = [
                    int(self.elements.n_own_words(np.array([leaf]))[0]) for leaf in range(other, self._end(other))
                ]
                lengths += [length for length in inside for _ in range(length)]
                n_words, n_elements = n_words + sum(inside), n_elements + 1
        return sum(lengths) / max(n_words, 1) < shortest and n_words / n_elements < block

    def _is_mostly_titles(self, row: int) -> bool:
        """Whether most words are in titles, but not those of the document, and no target or scope asks for titles."""
        titles = self.index.profile.titles
        has_target = self.query.path is not None and self.query.reading in ("SS", "SV", "VS")
        is_adaptive = self.plan.settings.element_similarity == "adaptive"
        if has_target or not is_adaptive or titles & set(self.plan.scope.inside or ()):
            return False
        root = int(self.elements.root(self.elements.document(np.array([row])))[0])
        return self._title_share(row, root) > 0.2 >= self._title_share(root, root)

    def _title_share(self, row: int, root: int) -> float:
        titles = self.index.profile.titles
        inside = set()  # the rows of titles and of what is in them
        for other in range(root + 1, self._end(root)):
            if self.elements.tags[self._tag(other)] in titles and not self._is_inline(other):
                inside |= set(range(other, self._end(other)))
        own = {each: int(self.elements.n_own_words(np.array([each]))[0]) for each in range(row, self._end(row))}
        return sum(n for each, n in own.items() if each in inside) / max(sum(own.values()), 1)

    def _live_rows(self) -> list[int]:
        ends = self.elements.document_end(self.index.live_documents).tolist()
        starts = self.elements.root(self.index.live_documents).tolist()
        return [row for start, end in zip(starts, ends, strict=True) for row in range(start, end)]

    def _tag(self, row: int) -> int:
        return int(self.elements.tag(np.array([row]))[0])

    def _is_long(self, row: int, order: ByScore) -> bool:
        is_root = int(self.elements.parent(np.array([row]))[0]) == row
        return is_root or self._words(row) >= order.min_words.resolve(self.index.statistics.block_words)

    def _contains(self, document: int, word: str) -> bool:
        return document in self.index.postings(word).documents

    def _occurrences(self, term: QueryTerm, document: int) -> np.ndarray[Any, Any]:
        return term_occurrences(self.elements, term, np.array([document])).rows

    def _is_inline(self, row: int) -> bool:
        return int(self.elements.nearest_non_inline(np.array([row]))[0]) != row

    def _end(self, row: int) -> int:
        return int(self.elements.end(np.array([row]))[0])

    def _is_in(self, row: int, outer: int) -> bool:
        return outer <= row < self._end(outer)

    def _contains_any(self, row: int, rows: list[int]) -> bool:
        return any(self._is_in(inner, row) for inner in rows)


def stage_values(index: IndexReader, query: str, settings: Settings) -> dict[str, Any]:
    """Return the values of the stages of an untraced search."""
    values: dict[str, Any] = {}
    values["search"] = search(index, query, settings, lambda name, value, _: values.setdefault(name, value))
    return values


def expected_order(scored: Candidates, selection: Selection) -> list[int]:
    """Return the places of all candidates, best first."""
    places = range(len(scored))
    if scored.scores is None:
        return list(places)
    score, article, begin = -scored.scores, scored.articles, scored.begins
    if selection.groups_by_article:
        return sorted(places, key=lambda place: (article[place], score[place], begin[place]))
    return sorted(places, key=lambda place: (score[place], article[place], begin[place]))


def said(index: IndexReader, scored: Candidates, place: int) -> list[str]:
    """Return the words of a candidate."""
    row = scored.rows[[place]]
    (span,) = index.spans_of(row)
    document = int(index.elements.document(row)[0])
    if scored.sentences is not None and scored.sentences[place, 0] >= 0:
        first, last = scored.sentences[[place]].T
        (span,) = passage_offsets(index, row, first, last)
    return re.findall(r"\w+", index.text(document)[slice(*span.tolist())].casefold())


def expected_selection(
    index: IndexReader, scored: Candidates, order: list[int], selection: Selection
) -> dict[int, tuple[Reason, int | None]]:
    """Return why candidates are not answers, the best candidate first, by place."""
    begins = scored.begins.tolist()
    ends = (index.elements.end(scored.rows) if scored.ends is None else scored.ends).tolist()
    dropped: dict[int, tuple[Reason, int | None]] = {}

    def overlapping(place: int, kept: list[int]) -> int | None:
        return next((other for other in kept if begins[other] < ends[place] and ends[other] > begins[place]), None)

    def apart(places: list[int]) -> list[int]:
        # of elements, a list in the order of articles is filtered by the scores all the same
        by_score = places if scored.scores is None or scored.sentences is not None else best_first
        kept: list[int] = []
        for place in by_score if selection.removes_overlap else []:
            other = overlapping(place, kept)
            if other is None:
                kept.append(place)
            else:
                dropped[place] = Reason.OVERLAP, other
        return [place for place in places if place not in dropped]

    def first_of_articles(places: list[int]) -> list[int]:
        n_answers: dict[int, int] = {}
        for place in places:
            article = int(scored.articles[place])
            n_answers[article] = n_answers.get(article, 0) + 1
            if selection.max_per_article is not None and n_answers[article] > selection.max_per_article:
                dropped[place] = Reason.MAX_PER_ARTICLE, None
        return [place for place in places if place not in dropped]

    def within_budget(places: list[int], left: int) -> list[int]:
        assert scored.words is not None
        shortest = min(scored.words.tolist(), default=0)
        kept: list[int] = []
        for place in places:
            other, words = overlapping(place, kept), int(scored.words[place])
            n_of_article = sum(scored.articles[place] == scored.articles[taken] for taken in kept)
            if left < shortest:
                dropped[place] = Reason.WORD_BUDGET, None
            elif other is not None:
                dropped[place] = Reason.OVERLAP, other
            elif selection.max_per_article is not None and n_of_article >= selection.max_per_article:
                dropped[place] = Reason.MAX_PER_ARTICLE, None
            elif words > left:
                dropped[place] = Reason.WORD_BUDGET, None
            elif repeated := [
                kept_one for kept_one in kept if repeats(said(index, scored, place), said(index, scored, kept_one))
            ]:
                dropped[place] = Reason.REPETITION, repeated[0]
            else:
                kept.append(place)
                left -= words
        return kept

    best_first = sorted(order, key=lambda place: 0.0 if scored.scores is None else -scored.scores[place])
    if selection.word_budget is not None:
        left = within_budget(order, selection.word_budget)
    elif scored.scores is None:
        left = apart(first_of_articles(order))
    else:
        left = first_of_articles(apart(order))
    dropped.update((place, (Reason.MAX_ANSWERS, None)) for place in left[selection.max_answers :])
    return dropped
