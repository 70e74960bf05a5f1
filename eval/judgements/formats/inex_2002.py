"""INEX 2002-2004 assessments: two graded dimensions an element.

::

    <assessments topic='192'>
     <file file='cg/1998/g1016'><path path='/article[1]' exhaustiveness='3' specificity='3'/></file>
    </assessments>

2002 writes ``relevance="0..3"`` and ``coverage`` (none, large, exact, small). It is read on the scale of 2003: E is
the relevance, S is 0 for no coverage, 1 for too large, 3 for exact; too small has no counterpart and counts as not
judged. ``E=`` and ``S=`` are short names.
"""

from __future__ import annotations

from lxml import etree

from engine.errors import AssessmentError
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.formats.number_fields import grade_value
from eval.judgements.judgements import UNKNOWN

# 2002 coverage -> 2003 specificity. Source: the thesis, chapter 2, and the INEX 2003 guidelines.
COVERAGE = {"n": 0, "l": 1, "e": 3, "s": None}


def read_graded(file: etree._Element, builder: JudgementsBuilder, where: str) -> int:
    """Add the elements of one ``file``; return the number skipped because their coverage was too small."""
    skipped = 0
    for element in file.iterchildren("path"):
        place = f"{where}:{element.sourceline}"
        path = element.get("path")
        if not path:
            raise AssessmentError(f"{place}: <path> has no attribute 'path'.")
        exhaustivity, specificity = _grades(element, place)
        if specificity is None:
            skipped += 1
            continue
        builder.element(path, exhaustivity, float(specificity), UNKNOWN, UNKNOWN)
    return skipped


def _grades(element: etree._Element, place: str) -> tuple[int, int | None]:
    """Return exhaustivity and specificity, None for a coverage without specificity on the scale of 2003."""
    relevance = element.get("relevance")
    if relevance is not None:
        coverage = element.get("coverage", "").strip().lower()[:1]
        if coverage not in COVERAGE:
            raise AssessmentError(
                f"{place}: coverage {element.get('coverage')!r} is not known; expected N, L, E or S "
                f"(none, too large, exact, too small)."
            )
        return grade_value(relevance, place, "relevance", 3), COVERAGE[coverage]
    exhaustivity = element.get("exhaustiveness") or element.get("exhaustivity") or element.get("E")
    specificity = element.get("specificity") or element.get("S")
    if exhaustivity is None or specificity is None:
        raise AssessmentError(
            f"{place}: <path> needs 'exhaustiveness' and 'specificity' (or 'E' and 'S'; 2002: 'relevance' and "
            f"'coverage'); found {', '.join(map(str, element.keys()))}."
        )
    return grade_value(exhaustivity, place, "exhaustiveness", 3), grade_value(specificity, place, "specificity", 3)
