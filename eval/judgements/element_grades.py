"""Judged elements by grade of exhaustivity and of specificity."""

from __future__ import annotations

from collections.abc import Mapping

from eval.arrays import BoolArray
from eval.judgements.judgements import NOT_JUDGED, TOO_SMALL, Judgements
from eval.judgements.quantisation import dimensions

# From 2005 on specificity is a share; S1 is (0, 0.33], S2 (0.33, 0.67], S3 above. Source: thesis, 4.2.3.
THIRDS = (0.0, 0.33, 0.67)


def exhaustivity_grades(judgements: Judgements) -> Mapping[str, BoolArray]:
    """Return the relevant elements of each grade of exhaustivity, lowest first, shape (n_elements,) each.

    E1, E2, E3 on the scales of 2002-2004; ``E?`` (too small), E1, E2 from 2005 on. Empty where the file gives none.
    """
    elements = judgements.elements
    if len(elements) and (elements.exhaustivity == NOT_JUDGED).all():
        return {}
    codes = {"E1": 1, "E2": 2, "E3": 3}
    if dimensions(judgements.scale) == "highlighted":
        codes = {"E?": TOO_SMALL, "E1": 1, "E2": 2}
    return {name: elements.relevant & (elements.exhaustivity == code) for name, code in codes.items()}


def specificity_grades(judgements: Judgements) -> Mapping[str, BoolArray]:
    """Return the relevant elements of S1, S2 and S3, shape (n_elements,) each."""
    elements = judgements.elements
    if dimensions(judgements.scale) == "graded":
        return {f"S{grade}": elements.relevant & (elements.specificity == grade) for grade in (1, 2, 3)}
    above = [elements.specificity > bound for bound in THIRDS]
    return {
        "S1": elements.relevant & above[0] & ~above[1],
        "S2": elements.relevant & above[1] & ~above[2],
        "S3": elements.relevant & above[2],
    }


def grades(judgements: Judgements) -> Mapping[str, BoolArray]:
    """Return the relevant elements of every grade of both dimensions."""
    return {**exhaustivity_grades(judgements), **specificity_grades(judgements)}
