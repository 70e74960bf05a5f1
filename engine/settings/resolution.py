"""Resolves `auto` in the settings reading, answers and heuristic."""

from __future__ import annotations

from engine.errors import QueryError, SettingsError
from engine.settings.choices import CONTENT_ONLY, STRICT_TARGET, AnswerSelection, Approach, Heuristic, RankBy, Reading

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
