"""The course of a choice: how far each element came on the way from scores to answers, and what stopped it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.answers import Answers, element_paths
from engine.cre import KINDS
from engine.matches import find_matches, term_occurrences
from engine.regions import holds, lies_in
from engine.scoring.answering import ScoredAnswers, ScoredArticles, score_articles, scored_answers
from engine.scoring.passages import windows_of
from engine.scoring_settings import words

Rows = NDArray[np.int64]
Key = tuple[int, ...]

NO_LIMIT = int(np.iinfo(np.int64).max)


@dataclass(frozen=True)
class Course:
    """What the stops leave: scored elements, candidates in order, those that are kept, answers.

    Kept are those that overlap with no better one; within a budget, those that fit.
    """

    answers: Answers
    articles: ScoredArticles
    candidates: ScoredAnswers
    kept: ScoredAnswers

    @cached_property
    def _intervals(self) -> tuple[Rows, Rows]:
        return _intervals(self.answers, self.candidates)

    @property
    def begins(self) -> Rows:
        """Where each candidate begins: a row, of passages a number of a word."""
        return self._intervals[0]

    @property
    def ends(self) -> Rows:
        """One past the end of each candidate, likewise."""
        return self._intervals[1]

    @cached_property
    def ranks(self) -> Rows:
        """The rank of each candidate among the answers, 0 where it is none."""
        known = self._rank_of
        return np.array([known.get(key, 0) for key in _keys(self.candidates.rows, self.candidates.sentences)], np.int64)

    @cached_property
    def _rank_of(self) -> dict[Key, int]:
        return {key: rank for rank, key in enumerate(_keys(self.answers.elements, self.answers.sentences), 1)}

    @cached_property
    def _kept_places(self) -> Rows:
        """The places of what was kept among the candidates, ascending."""
        kept = set(_keys(self.kept.rows, self.kept.sentences))
        keys = _keys(self.candidates.rows, self.candidates.sentences)
        return np.array([place for place, key in enumerate(keys) if key in kept], np.int64)

    def article_score(self, row: int) -> float:
        """Return the score of an element's article, which is ranked."""
        document = self.answers.index.elements.document(np.array([row]))[0]
        ranked = self.answers.ranked
        return float(ranked.scores[np.flatnonzero(ranked.documents == document)[0]])

    def places(self, row: int) -> list[int]:
        """Return the places of an element, or of its passages, among the candidates."""
        places: list[int] = np.flatnonzero(self.candidates.rows == row).tolist()
        return places

    def standing(self, row: int) -> str:
        """Return how far an element came: its rank, or what stopped it."""
        places = self.places(row)
        if not places:
            return self.no_candidate(row)
        ranks = [int(self.ranks[place]) for place in places if self.ranks[place]]
        return f"rank {ranks[0]}" if ranks else self.left_out(places[0])

    def no_candidate(self, row: int) -> str:
        """Return why an element that holds fitting matches cannot be an answer."""
        return next(self._reasons(row))

    def _reasons(self, row: int) -> Iterator[str]:
        """Yield what keeps an element from being a candidate, in the order in which it is looked at."""
        index, settings = self.answers.index, self.answers.settings
        scoring, elements, here = settings.scoring, index.elements, np.array([row])
        matches, has_passages = self.articles.matches, settings.scoring.passages == "on"
        if has_passages and row not in self._matching(here):
            yield f"no match itself: passages lie in elements that are{self._best_inside(row)}"
        if settings.answers == "target" and matches.targets is not None and not has_passages:
            yield "no target of the query"
        if matches.targets is not None and not lies_in(elements, here, matches.targets)[0]:
            yield "in no target of the query"
        for term in self.answers.query.unwanted:
            if holds(elements, here, term_occurrences(elements, term, elements.document(here)).rows)[0]:
                yield f"holds the unwanted {term}"
        if has_passages or not holds(elements, here, matches.rows)[0]:
            cut = "matches" if scoring.best_leaves is None else "best_leaves"
            yield f"its matches are not among those that answers are built from ({cut})"
        if settings.answers in KINDS and row not in self._of_kind(here):
            yield f"no {'match itself' if settings.answers == 'matching' else settings.answers}"
        if settings.answers.startswith("//") and not self._has_tag(here):
            yield f"its tag is not one of {settings.answers}"
        size = int(elements.n_words(here)[0])
        shortest = words(scoring.shortest, index.block_words)
        if size < shortest and elements.parent(here)[0] != row:
            yield f"too short: {size} words, shortest is {shortest:.1f}"
        if scoring.longest is not None and size > (longest := words(scoring.longest, index.block_words)):
            yield f"too long: {size} words, longest is {longest:.1f}"
        yield "not one of the lowest that are long enough"

    def _matching(self, here: Rows) -> Rows:
        elements, query = self.answers.index.elements, self.answers.query
        return find_matches(elements, query, elements.document(here), self.answers.settings.match).rows

    def _best_inside(self, row: int) -> str:
        """Return which of the passages below an element is the best, where there are any."""
        end = self.answers.index.elements.end(np.array([row]))[0]
        found, sentences = self.candidates.rows, self.candidates.sentences
        inside = np.flatnonzero((found > row) & (found < end))
        if not len(inside) or sentences is None:
            return ""
        best = int(inside[0])
        path = element_paths(self.answers.index, found[best : best + 1])[0]
        standing = f"rank {self.ranks[best]}" if self.ranks[best] else "left out"
        return f"; the best in it: {path} {sentences_in_words(*sentences[best].tolist())}, {standing}"

    def _of_kind(self, here: Rows) -> Rows:
        elements, matches = self.answers.index.elements, self.articles.matches
        own = matches.rows[elements.document(matches.rows) == elements.document(here)[0]]
        return KINDS[self.answers.settings.answers](elements, own, elements.document(own))

    def _has_tag(self, here: Rows) -> bool:
        elements = self.answers.index.elements
        names = self.answers.settings.answers.strip("/()").split("|")
        return elements.tags[int(elements.tag(here)[0])] in names

    def left_out(self, place: int) -> str:
        """Return why a candidate is no answer: overlap, the cut in its article, the budget, or the end of the list."""
        settings, kept = self.answers.settings, self._kept_places
        before = kept[kept < place]
        if place not in kept:
            overlapping = before[(self.begins[before] < self.ends[place]) & (self.ends[before] > self.begins[place])]
            if len(overlapping):
                return self._cover(place, int(overlapping[0]))
        n_before = int((self.candidates.article[before] == self.candidates.article[place]).sum())
        if settings.per_article is not None and n_before >= settings.per_article:
            return f"number {n_before + 1} of its article, past per_article {settings.per_article}"
        if settings.scoring.budget is not None:
            begins, ends = _word_intervals(self.answers, self.candidates)
            left = settings.scoring.budget - int((ends - begins)[before].sum())
            if (size := int(ends[place] - begins[place])) > left:
                return f"its {size} words are more than the {left} that better answers leave of the budget"
        return f"the {settings.limit} answers before it fill the list (limit)"

    def _cover(self, place: int, other: int) -> str:
        """Return how a candidate that was kept overlaps with one, and where it stands."""
        begins, ends = self.begins, self.ends
        outer = begins[other] <= begins[place] and ends[other] >= ends[place]
        inner = begins[other] >= begins[place] and ends[other] <= ends[place]
        relation = "covered by" if outer else "covers" if inner else "overlaps with"
        path = element_paths(self.answers.index, self.candidates.rows[other : other + 1])[0]
        if self.candidates.sentences is not None:
            path += f" {sentences_in_words(*self.candidates.sentences[other].tolist())}"
        rank = int(self.ranks[other])
        where = f"rank {rank}" if rank else "itself left out later"
        return f"{relation} {path}, score {self.candidates.scores[other]:.6f}, {where}"


def course_of(answers: Answers) -> Course:
    """Return the course of the choice that led to some answers."""
    index, query, ranked, settings = answers.index, answers.query, answers.ranked, answers.settings
    scoring = settings.scoring
    kept_settings = replace(settings, limit=NO_LIMIT, per_article=settings.per_article if scoring.budget else None)
    everything = replace(kept_settings, per_article=None, overlap="keep", scoring=replace(scoring, budget=None))
    candidates = scored_answers(index, query, ranked, everything)
    kept = scored_answers(index, query, ranked, kept_settings)
    articles = score_articles(index, query, ranked.documents, settings, everything=True)
    return Course(answers, articles, candidates, kept)


def sentences_in_words(first: int, last: int) -> str:
    """Return which sentences of its element a passage is, counted from 1 as people do."""
    return f"sentence {first + 1}" if first == last else f"sentences {first + 1}-{last + 1}"


def _keys(rows: Rows, sentences: Rows | None) -> list[Key]:
    """Return what tells candidates apart: the row, of passages with their sentences."""
    columns = [rows] if sentences is None else [rows, *sentences.T]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _key(rows: Rows, sentences: Rows | None, place: int) -> Key:
    one = slice(place, place + 1)
    return _keys(rows[one], None if sentences is None else sentences[one])[0]


def _intervals(answers: Answers, found: ScoredAnswers) -> tuple[Rows, Rows]:
    """Return begin and end of candidates by which they overlap: rows, of passages words."""
    if found.sentences is None:
        return found.rows, answers.index.elements.end(found.rows)
    return _word_intervals(answers, found)


def _word_intervals(answers: Answers, found: ScoredAnswers) -> tuple[Rows, Rows]:
    """Return begin and end of candidates, in words."""
    elements = answers.index.elements
    if found.sentences is None:
        first = elements.first_word(found.rows)
        return first, first + elements.n_words(found.rows)
    leaves, place = np.unique(found.rows, return_inverse=True)
    each = windows_of(elements, leaves, 1, 0)
    at = np.searchsorted(each.leaf, place)
    return each.begin[at + found.sentences[:, 0]], each.end[at + found.sentences[:, 1]]
