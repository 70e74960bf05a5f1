"""What answers and heuristic mean where a setting leaves them open."""

from __future__ import annotations

from engine.settings.choices import AnswerSelection, Heuristic, RankBy, Reading

STRICT_TARGET = ("SS", "SV")


def resolved_answers(answers: AnswerSelection, reading: Reading, rank_by: RankBy) -> AnswerSelection:
    """Return the values that `auto` means for a reading, as far as it is known."""
    if answers != "auto" or reading == "auto":
        return answers
    return "target" if reading in STRICT_TARGET else "any" if rank_by == "score" else "oCRE"


def default_heuristic(answers: AnswerSelection, heuristic: Heuristic) -> Heuristic:
    """Return the heuristic for a kind of answers: matching elements are in document order, others are not."""
    if answers == "matching":
        return "document"
    return "MpE" if heuristic == "document" else heuristic
