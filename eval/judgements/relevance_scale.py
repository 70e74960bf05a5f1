"""Kinds of judged elements: grades of exhaustivity and of specificity, the five-point relevance scale NR PA EA BA NA.

The scale is by highlighted text or by the grades of 2004: exact answers (EA) are just right and highly relevant,
partial ones (PA) just right and relevant, broad ones (BA) too large and relevant, narrow ones (NA) too small and highly
relevant; NR is not relevant. Source: Pehcevski, thesis, 4.3.1 and 4.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.errors import MeasureError
from eval.judgements.judgements import NOT_JUDGED, TOO_SMALL, UNKNOWN, Judgements
from eval.judgements.quantisation import dimensions
from eval.numbers import BoolArray

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


# Exhaustivity and specificity on the scale of 2003 and 2004, 0 to 3 each.
Grade: TypeAlias = tuple[int, int]

SCALE = ("NR", "PA", "EA", "BA", "NA")
NR, PA, EA, BA, NA = range(5)

# Percent of highlighted text: an element is broad below the first, exact above the second, else partial.
BROAD_BELOW, EXACT_ABOVE = 33, 66


def scale_of_shares(judgements: Judgements) -> npt.NDArray[np.int8]:
    """Return the index in ``SCALE`` of every judged element, by its share of highlighted text, shape (n_elements,).

    EA in (0.66, 1], PA in [0.33, 0.66], BA in (0, 0.33), NR = 0; NA if the shares of the element and its parent are 1.
    Source: thesis, 4.4.2. Shares are exact ratios, or the decimals of the file where it has no sizes.
    """
    elements = judgements.elements
    if judgements.scale in ("2002", "2003") and len(elements):
        raise MeasureError(
            f"{judgements.source}: judgements of {judgements.scale} highlight no text; map their grades instead (M1 to "
            f"M20)."
        )
    sized = (elements.sizes != UNKNOWN) & (elements.rsizes != UNKNOWN)
    parts = np.where(sized, elements.rsizes * 100, elements.specificity * 100)
    wholes = np.where(sized, elements.sizes, 1)
    grades = np.select(
        [parts <= 0, _below(parts, BROAD_BELOW * wholes), ~_above(parts, EXACT_ABOVE * wholes)],
        [NR, BA, PA],
        default=EA,
    ).astype(np.int8)
    whole = parts >= 100 * wholes
    grades[whole & _parents(judgements, whole)] = NA
    return grades


def _below(parts: npt.NDArray[np.float64], bounds: npt.NDArray[np.float64]) -> BoolArray:
    """Return parts < bounds; rounded, because 100 times a decimal fraction is inexact."""
    less: BoolArray = np.round(parts, 9) < bounds
    return less


def _above(parts: npt.NDArray[np.float64], bounds: npt.NDArray[np.float64]) -> BoolArray:
    more: BoolArray = np.round(parts, 9) > bounds
    return more


def _parents(judgements: Judgements, whole: BoolArray) -> BoolArray:
    """Return for each judged element whether its parent is marked."""
    documents, rows = judgements.elements.document_rows.tolist(), whole.tolist()
    marked = {(d, path) for d, path, mark in zip(documents, judgements.elements.paths, rows, strict=True) if mark}
    return np.array(
        [(d, path[: path.rfind("/")]) in marked for d, path in zip(documents, judgements.elements.paths, strict=True)],
        dtype=np.bool_,
    )


def _mappings() -> Mapping[str, Mapping[Grade, int]]:
    """Return M1 to M20: four choices of exact answers, each with five of broad ones.

    NR is not relevant, NA is E1S3 in all mappings, PA the remaining grades. EA is E3S3 in M1 to M5; E3S3 and E3S2 in M6
    to M10; E3S3 and E2S3 in M11 to M15; all three in M16 to M20. BA is, in turn, S1, S2, E1S1, E2S1 and E3S1, except
    grades that are EA. Source: thesis, 4.4.1, which prints M5 and M20; the others follow from its text.
    """
    grades = [(e, s) for e in (1, 2, 3) for s in (1, 2, 3)]
    exact = ([(3, 3)], [(3, 3), (3, 2)], [(3, 3), (2, 3)], [(3, 3), (3, 2), (2, 3)])
    broad = ([(e, 1) for e in (1, 2, 3)], [(e, 2) for e in (1, 2, 3)], [(1, 1)], [(2, 1)], [(3, 1)])
    found = {}
    for number, (exacts, broads) in enumerate(product(exact, broad), 1):
        found[f"M{number}"] = {
            grade: EA if grade in exacts else NA if grade == (1, 3) else BA if grade in broads else PA
            for grade in grades
        }
    return found


MAPPINGS = _mappings()


def scale_of_grades(judgements: Judgements, mapping: str) -> npt.NDArray[np.int8]:
    """Return the index in ``SCALE`` of every judged element by its grades of 2003-2004, int8, shape (n_elements,).

    Args:
        mapping: ``M1`` to ``M20`` (case ignored); MeasureError for another one.
    """
    table = MAPPINGS.get(mapping.upper())
    if table is None:
        raise MeasureError(f"there is no mapping {mapping!r}; choose M1 to M{len(MAPPINGS)}.")
    elements = judgements.elements
    if judgements.scale not in ("2002", "2003") and len(elements):
        raise MeasureError(
            f"{judgements.source}: judgements from 2005 on are not graded from 0 to 3, which {mapping} maps; they are "
            f"placed on the scale by their share of highlighted text."
        )
    pairs = zip(elements.exhaustivity.tolist(), elements.specificity.astype(int).tolist(), strict=True)
    return np.array([table.get(pair, NR) for pair in pairs], dtype=np.int8)
