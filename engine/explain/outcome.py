"""The outcome of a search for an element: its rank, or the stage that dropped it and the reason, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.explain.image_score import ONLY_WHOLE_ARTICLES, not_among_documents, why_no_image
from engine.explain.traced_search import TracedSearch
from engine.index.elements.headings import MOST_OF_TITLES
from engine.index.locator import element_paths
from engine.planning.plan import WholeArticles
from engine.ranking.scoring.passages import sentence_range
from engine.ranking.selection.answer_scope import is_in_scope
from engine.ranking.trace import Drop, Reason
from engine.wording import counted


@dataclass(frozen=True)
class Blocker:
    """The candidate in favour of which an element is dropped; rank is None if that is dropped, too.

    relation: inside, contains or overlaps; repeats where it says the same, beside where it is a sibling.
    """

    path: str
    relation: str
    rank: int | None
    score: float | None

    @property
    def fate(self) -> str:
        """Its rank in words."""
        return "which is dropped later" if self.rank is None else f"rank {self.rank}"

    def to_dict(self) -> dict[str, Any]:
        """Return the blocker as `--json` prints it."""
        return {"path": self.path, "relation": self.relation, "rank": self.rank, "score": self.score}


@dataclass(frozen=True)
class Outcome:
    """The rank of an answer, or the stage that dropped an element with its reason; `description` is both in words."""

    rank: int | None
    stage: str | None
    reason: Reason | None
    description: str
    blocker: Blocker | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as `--json` prints it."""
        return {
            "rank": self.rank,
            "stage": self.stage,
            "reason": None if self.reason is None else str(self.reason),
            "description": self.description,
            "blocker": None if self.blocker is None else self.blocker.to_dict(),
        }


def outcome_of(traced: TracedSearch, row: int) -> Outcome:
    """Return the outcome of an element, or of its best passage."""
    drop = traced.drop_of(row)
    places = traced.places(row)
    if drop is None:
        rank = traced.rank_in_table(row)
        return _returned(traced, rank or min(int(traced.ranks[place]) for place in places if traced.ranks[place]))
    if places:
        return outcome_of_candidate(traced, places[0])
    return _not_returned(drop, _in_words(traced, row, drop))


def outcome_of_candidate(traced: TracedSearch, place: int) -> Outcome:
    """Return the outcome of a candidate."""
    rank = int(traced.ranks[place])
    if rank:
        return _returned(traced, rank)
    drop = traced.drop_of_candidate(place)
    blocker = None
    if drop.blocker is not None:
        blocker = _blocker(traced, place, drop.blocker, RELATIONS.get(drop.reason))
    return _not_returned(drop, _in_selection(traced, place, drop, blocker), blocker)


def _not_returned(drop: Drop, why: str, blocker: Blocker | None = None) -> Outcome:
    description = f"not returned: {why}"
    return Outcome(None, drop.stage, drop.reason, description, blocker)


def _returned(traced: TracedSearch, rank: int) -> Outcome:
    siblings, among = traced.answers.siblings, ""
    if siblings is not None and siblings[rank - 1, 0] != siblings[rank - 1, 1]:
        among = f", as the best of {' to '.join(element_paths(traced.index, siblings[rank - 1]))}"
    return Outcome(rank, None, None, f"returned at rank {rank}{among}")


RELATIONS = {Reason.REPETITION: "repeats", Reason.SIBLINGS: "beside"}


def _blocker(traced: TracedSearch, place: int, other: int, relation: str | None) -> Blocker:
    candidates = traced.candidates
    path = element_paths(traced.index, candidates.rows[other : other + 1])[0]
    if candidates.sentences is not None:
        path = f"{path} {sentence_range(*candidates.sentences[other].tolist())}".rstrip()
    begins, ends = candidates.begins, candidates.ends
    is_inside = begins[other] <= begins[place] and ends[other] >= ends[place]
    contains = begins[other] >= begins[place] and ends[other] <= ends[place]
    relation = relation or ("inside" if is_inside else "contains" if contains else "overlaps")
    return Blocker(path, relation, traced.first_rank(other) or None, traced.score(other))


def _in_selection(  # noqa: PLR0911  (one per reason)
    traced: TracedSearch, place: int, drop: Drop, blocker: Blocker | None
) -> str:
    """Return why a candidate is no answer."""
    selection = traced.plan.selection
    match drop.reason:
        case Reason.OVERLAP if blocker is not None:
            score = "" if blocker.score is None else f", score {blocker.score:.6f}"
            relation = "overlaps with" if blocker.relation == "overlaps" else blocker.relation
            return f"{relation} {blocker.path}{score}, {blocker.fate} (overlap)"
        case Reason.REPETITION if blocker is not None and drop.blocker is not None:
            document = traced.index.elements.document(traced.candidates.rows[[drop.blocker]])[0]
            where = f"{traced.index.ids[document]}, {blocker.path}"
            setting = "word_budget" if selection.word_budget is not None else "repetitions"
            return f"says in nearly the same words what a better answer says: {where}, {blocker.fate} ({setting})"
        case Reason.SIBLINGS if blocker is not None:
            return f"the answer of a better sibling takes it in, {blocker.path}, {blocker.fate} (unit siblings)"
        case Reason.MAX_PER_ARTICLE:
            return f"its article has {counted(selection.max_per_article or 0, 'better answer')} (max_per_article)"
        case Reason.WORD_BUDGET:
            words = traced.candidates.words
            size = "does " if words is None else f"its {int(words[place]):,} words do "
            of_rows = traced.first_rank(place)
            rows = f"; rows of it do, from rank {of_rows} on" if of_rows else ""
            return f"{size}not fit the rest of the budget of {selection.word_budget:,} words{rows} (word_budget)"
        case Reason.MAX_TABLE_WORDS:
            length = _words(traced, int(traced.candidates.rows[place]))
            where = f"in its place, from rank {traced.first_rank(place)} on"
            longest = traced.plan.settings.max_table_words
            return f"a table of {length}: its rows are answers {where} (max_table_words {longest})"
        case _:
            return _list_is_full(traced)


def _list_is_full(traced: TracedSearch) -> str:
    return f"{counted(traced.plan.settings.max_answers, 'answer')} before it fill the list (max_answers)"


def _in_words(traced: TracedSearch, row: int, drop: Drop) -> str:  # noqa: PLR0911, PLR0912  (one per reason)
    """Return why an element is not a candidate."""
    index, plan, here = traced.index, traced.plan, np.array([row])
    reading = plan.query.reading
    match drop.reason:
        case Reason.NO_TERM:
            also = "" if traced.fused is None else f"; {why_no_image(traced, row)}"
            return f"its document contains no query term{also}{_by_meaning(traced, row)}"
        case Reason.NO_IMAGE:
            return why_no_image(traced, row)
        case Reason.REQUIRED_TERM:
            return f"its document does not contain the required {drop.term}"
        case Reason.DOCUMENTS:
            return not_among_documents(plan)
        case Reason.MAX_ARTICLES:
            setting = "max_answers" if isinstance(plan.order, WholeArticles) else "max_articles"
            return f"its article is not among the {plan.articles.n_best:,} best ({setting})"
        case Reason.WHOLE_ARTICLES:
            return ONLY_WHOLE_ARTICLES
        case Reason.INLINE:
            path = element_paths(index, index.elements.nearest_non_inline(here))[0]
            return f"an inline element: its text belongs to {path}"
        case Reason.UNWANTED_TERM if drop.stage == "matches":
            where = "its own text" if traced.unwanted_in(row) == drop.term else "the own text of what matches in it"
            return f"no match: {where} contains the unwanted {drop.term}"
        case Reason.UNWANTED_TERM if drop.stage == "articles":
            return "its article has no match: unwanted words stand wherever one of the others does"
        case Reason.UNWANTED_TERM:
            return f"contains the unwanted {drop.term}"
        case Reason.NO_MATCH:
            lowest = ": no lowest element with all query terms" if plan.matching.needs_all else ""
            return f"it contains no match{lowest}{_by_meaning(traced, row)}"
        case Reason.STRUCTURE:
            term = traced.unwanted_in(row)
            unwanted = "" if term is None else f"; its own text contains the unwanted {term}"
            return f"the structure of the query does not lead to it (reading {reading}){unwanted}"
        case Reason.SCOPE:
            return _out_of_scope(traced, row)
        case Reason.MAX_MATCHES:
            return f"its matches come after the first {plan.matching.n_first:,} of the query (max_matches)"
        case Reason.MIN_SCORE:
            return f"its score is less than {traced.plan.settings.min_score:g} of the best one (min_score)"
        case Reason.MAX_ANSWERS:
            return _list_is_full(traced)
        case Reason.WORD_BUDGET:
            budget = f"the rest of the budget of {plan.selection.word_budget:,} words"
            return f"its {_words(traced, row)} do not fit {budget} (word_budget)"
        case Reason.TAG:
            return f"its tag is not one of {', '.join(plan.answers.tags or ())} (answers)"
        case Reason.FRAGMENT if index.elements.is_tag(index.profile.row_group_tags).take(index.elements.tag(here))[0]:
            return f"it is a group of rows of a table (min_leaf_words {plan.settings.min_leaf_words})"
        case Reason.FRAGMENT:
            return f"its tag usually contains fragments of text (min_leaf_words {plan.settings.min_leaf_words})"
        case Reason.PART_OF_TABLE:
            return "it says little without its table: a header row, or a short cell whose row can be an answer"
        case Reason.IN_RECORD:
            return (
                "it is a part of a short record, which is the smallest answer (min_leaf_words 0 makes its parts some)"
            )
        case Reason.UNDIVIDED_TEXT:
            return "it contains undivided text, whose sentences are passages (passages)"
        case Reason.MOSTLY_TITLES:
            return f"more than {MOST_OF_TITLES:.0%} of its words are in titles, or it is a caption or a lead-in"
        case Reason.MIN_WORDS:
            return f"too short: {_words(traced, row)} (min_words {plan.settings.min_words})"
        case Reason.MAX_WORDS:
            return f"too long: {_words(traced, row)} (max_words {plan.settings.max_words})"
        case Reason.MIN_PASSAGE_WORDS:
            return f"all its passages are too short (min_passage_words {plan.settings.min_passage_words})"
        case Reason.NOT_LOWEST:
            return "not one of the lowest elements with min_words (answers blocks)"
        case _:
            return _other_kind(traced, row)


def _by_meaning(traced: TracedSearch, row: int) -> str:
    """Return in words that an element inside or around another is the answer of a near block, if it is."""
    place = traced.nearest_block_at(row)
    if place is None:
        return ""
    path, rank = element_paths(traced.index, traced.candidates.rows[place : place + 1])[0], traced.first_rank(place)
    fate = f"rank {rank}" if rank else "which is dropped later"
    return f"; by its meaning, {path} is the answer here, {fate} (semantic_blocks)"


def _out_of_scope(traced: TracedSearch, row: int) -> str:
    """Return in words why the scope of the search leaves an element out."""
    index, plan, here = traced.index, traced.plan, np.array([row])
    settings, document = plan.settings, index.elements.document(here)
    scopes = (replace(plan.scope, outside=None), replace(plan.scope, inside=None))
    is_inside, is_not_outside = (is_in_scope(index, replace(plan, scope=s), here, document)[0] for s in scopes)
    if not is_inside:
        return f"not inside {settings.inside} (inside)"
    return "all its matches are out of the scope" if is_not_outside else f"inside {settings.outside} (outside)"


def _words(traced: TracedSearch, row: int) -> str:
    return counted(int(traced.index.elements.n_words(np.array([row]))[0]), "word")


def _other_kind(traced: TracedSearch, row: int) -> str:
    plan, candidates = traced.plan, traced.candidates
    if plan.returns_passages and traced.elements is not None:
        best = traced.best_inside(row)
        if best is None:
            return "passages are parts of matching elements, and it is none"
        path = element_paths(traced.index, candidates.rows[best : best + 1])[0]
        sentences = sentence_range(*candidates.sentences[best].tolist())  # type: ignore[index]
        rank = int(traced.ranks[best])
        fate = f"rank {rank}" if rank else "dropped"
        return (
            f"passages are parts of matching elements, and it is none; the best inside it: {path} {sentences}, {fate}"
        )
    match plan.settings.answers:
        case "matching":
            return "it is not a matching element itself (answers matching)"
        case "target":
            return "it is not a target of the query (answers target)"
        case answers:
            is_match = bool(np.isin(row, traced.matches.rows))
            kind = "a match, but no" if is_match else "no"
            return f"{kind} {answers}: no two neighbouring matches have it as their lowest common ancestor"
