"""Scored elements: every element that holds a word of the query gets a score, and the best set of them is chosen."""

from engine.scoring.answering import ScoredAnswers, scored_answers

__all__ = ["ScoredAnswers", "scored_answers"]
