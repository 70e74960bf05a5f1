"""Resolves `auto` in the settings reading, answers and heuristic."""

from __future__ import annotations

from engine.errors import QueryError, SettingsError
from engine.notices import Notice
from engine.settings.choices import CONTENT_ONLY, STRICT_TARGET, AnswerSelection, Approach, Heuristic, RankBy, Reading
from engine.settings.kinds.values import Length, TagSelector

# Answers that can be ranked by structure.
BY_STRUCTURE = ("auto", "oCRE", "nCRE", "matching", "target")


def resolved_reading(reading: Reading, approach: Approach, *, is_path: bool) -> Reading:
    """Return the reading of one query, a path query or words.

    Raises: QueryError for words where a path query is needed; SettingsError for a reading that the approach excludes.
    """
    if not is_path and reading not in ("auto", *CONTENT_ONLY):
        raise QueryError(
            f"reading {reading} needs a path query, found words: write //*[about(., words)], or read them CO."
        )
    if not is_path:
        return "CO"
    ranks_articles = approach == "fulltext"
    if reading == "auto":
        return "VV" if ranks_articles else "SS"
    if ranks_articles and reading not in CONTENT_ONLY:
        raise SettingsError(
            f"reading = '{reading}': fulltext ranks whole articles by their words: read it VV, or use hybrid."
        )
    return reading


def resolved_answers(answers: AnswerSelection, reading: Reading, rank_by: RankBy) -> AnswerSelection:
    """Return the values that `auto` means for a reading, as far as it is known."""
    if answers != "auto" or reading == "auto":
        return answers
    return "target" if reading in STRICT_TARGET else "any" if rank_by == "score" else "oCRE"


def check_answers(
    answers: AnswerSelection, reading: Reading, approach: Approach, rank_by: RankBy, *, is_automatic: bool
) -> None:
    """Refuse answers that a query or the order of elements does not have.

    Args:
        reading: of the query, resolved. is_automatic: whether no reading was asked for.

    Raises: QueryError for targets of words; SettingsError.
    """
    if approach == "fulltext":
        return
    if answers == "target" and reading not in STRICT_TARGET:
        if is_automatic:
            raise QueryError("answers = 'target' needs a path query, found words: write //*[about(., words)].")
        raise SettingsError(f"answers = 'target': only SS and SV have a strict target, the reading is {reading}.")
    if rank_by == "structure" and answers not in BY_STRUCTURE:
        raise SettingsError(
            f"answers = '{answers}': elements are ranked by structure, which takes {', '.join(BY_STRUCTURE)}: "
            "choose one of these, or rank_by = 'score'."
        )


def default_heuristic(answers: AnswerSelection, heuristic: Heuristic) -> Heuristic:
    """Return the heuristic for a kind of answers: matching elements are in document order, others are not."""
    if answers == "matching":
        return "document"
    return "MpE" if heuristic == "document" else heuristic


def check_lengths(shortest: Length, longest: Length | None) -> None:
    """Raise SettingsError where no answer has both lengths, however long the text blocks of a collection are."""
    if longest is not None and _always_exceeds(shortest, longest):
        raise SettingsError(
            f"min_words = {shortest} is more than max_words = {longest}: no answer has both lengths; lower "
            "min_words, or raise max_words."
        )


def _always_exceeds(one: Length, other: Length) -> bool:
    """Return whether a length is more than another one in every collection."""
    if one.relative and not other.relative:
        return False  # not where text blocks are short
    if one.relative and (one.value <= other.value or one.most is None):
        return one.value > other.value
    most, most_of_other = (each.most if each.relative else each.value for each in (one, other))
    return most is not None and most_of_other is not None and most > most_of_other


def check_scope(approach: Approach, inside: TagSelector | None, outside: TagSelector | None) -> None:
    """Raise SettingsError for a scope inside articles where whole articles are answers."""
    if approach == "fulltext" and (inside is not None or outside is not None):
        name, selector = ("inside", inside) if inside is not None else ("outside", outside)
        raise SettingsError(Notice("scope_of_whole_articles", {"name": name, "selector": str(selector)}))


def check_encoder(semantic: str | None, reranker: str | None, approach: Approach, rank_by: RankBy) -> None:
    """Raise SettingsError for an encoder or a reranker where elements are not scored."""
    for name, by in (("semantic", semantic), ("reranker", reranker)):
        if by is not None and (rank_by == "structure" or approach == "fulltext"):
            raise SettingsError(
                f"{name} = '{by}': only scored elements are ordered by meaning: add rank_by = score, and "
                f"another approach than fulltext, or {name} = none."
            )


def check_floor(approach: Approach, rank_by: RankBy, min_score: float) -> None:
    """Raise SettingsError for a lowest score of elements that are ranked by structure."""
    if min_score and rank_by == "structure" and approach != "fulltext":
        raise SettingsError(
            "min_score: elements ranked by structure have no scores: add rank_by = score, or min_score = 0."
        )


def check_passages_and_budget(approach: Approach, rank_by: RankBy, unit: str | float, word_budget: int | None) -> None:
    """Raise SettingsError for passages or a word budget of elements that are ranked by structure."""
    if rank_by == "score" or approach == "fulltext":
        return
    asked = unit not in ("element", "auto")
    for name, unset, is_set in (("unit", "element", asked), ("word_budget", "all", word_budget is not None)):
        if is_set:
            raise SettingsError(f"{name}: only scored elements have it: add rank_by = score, or {name} = {unset}.")
