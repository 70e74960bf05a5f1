"""Why a scored element or passage is an answer, or at which stop it was left out, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.answers import Answers, element_paths
from engine.matches import find_matches
from engine.regions import holds, lies_in
from engine.scoring.course import Course
from engine.structure import read_structure
from engine.verdict import no_article, no_match, not_led_to


def scored_verdict(explanation: dict[str, Any], answers: Answers, course: Course, row: int) -> str:
    """Return why an element stands at its rank, or the first stop at which it was left out."""
    article, rank = explanation["article"], explanation["rank"]
    if article["rank"] is None:
        return f"not returned: {no_article(article, answers)}"
    if rank:
        return f"returned at rank {rank}: {_of_parts(explanation)}{_beaten(explanation)}"
    places = course.places(row)
    if not places:
        return f"not returned: {_no_candidate(answers, course, row)}"
    better = " and its other passages have no more" if len(places) > 1 else ""
    what = "its best passage: " if course.candidates.sentences is not None else ""
    return f"not returned: {what}{course.left_out(places[0])}; its score is {explanation['score']:.6f}{better}"


def _of_parts(explanation: dict[str, Any]) -> str:
    """Return the sum that a score is, in three parts: its own, its surroundings', its article's."""
    score, element = explanation["score"], explanation["element"]
    of_article = element["article_part"]["part"]
    if passages := explanation.get("passages"):
        best = next(passage for passage in passages if passage["rank"] == explanation["rank"])
        return (
            f"score {score:.6f} = passage {best['own']:.6f} + leaf {best['leaf_part']:.6f} + article {of_article:.6f}"
        )
    own, *others = [part["part"] for part in element["context"]]
    surroundings = f" + surroundings {sum(others):.6f}" if others else ""
    return f"score {score:.6f} = own {own:.6f}{surroundings} + article {of_article:.6f}"


def _beaten(explanation: dict[str, Any]) -> str:
    """Return which of the answers that it excludes came nearest to it."""
    is_covered = [other for other in explanation["around"] if "covers " in other["standing"]]
    is_covered += [other for other in explanation["around"] if "covered by " in other["standing"]]
    is_covered = [other for other in is_covered if f" {explanation['path']}, score" in other["standing"]]
    if not is_covered:
        return ""
    best = max(is_covered, key=lambda other: float(other["score"]))
    return f"; it beat {best['path']} {best['relation']} it, {best['score']:.6f}"


def _no_candidate(answers: Answers, course: Course, row: int) -> str:
    """Return why an element of a ranked article cannot be an answer."""
    index, query, settings = answers.index, answers.query, answers.settings
    elements, here = index.elements, np.array([row])
    lifted = elements.lift(here)
    if lifted[0] != row:
        return f"an inline element, its text belongs to {element_paths(index, lifted)[0]}"
    document = elements.document(here)
    matching = find_matches(elements, query, document, settings.match)
    if not holds(elements, here, matching.rows)[0] and settings.answers != "target":
        return no_match(answers, row)
    fitting = read_structure(index, query, settings, matching)
    is_outside = fitting.targets is not None and not lies_in(elements, here, fitting.targets)[0]
    if is_outside or not holds(elements, here, fitting.rows)[0]:
        return not_led_to(answers, row)
    return course.no_candidate(row)
