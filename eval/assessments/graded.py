"""INEX 2002-2004 assessments: two graded dimensions an element.

::

    <assessments topic='192'>
     <file file='cg/1998/g1016'><path path='/article[1]' exhaustiveness='3' specificity='3'/></file>
    </assessments>

2002 writes ``relevance="0..3"`` and ``coverage`` (none, large, exact, small). It is read on the scale of 2003: E is
the relevance, S is 0 for no coverage, 1 for too large, 3 for exact; too small has no counterpart and counts as not
assessed. ``E=`` and ``S=`` are short names.
"""

from lxml import etree

from engine.errors import AssessmentError
from eval.assessments.builder import JudgementsBuilder
from eval.assessments.judgements import UNKNOWN
from eval.assessments.numbers import grade

COVERAGE = {"n": 0, "l": 1, "e": 3, "s": None}
"""2002 coverage -> 2003 specificity. Source: the thesis, chapter 2, and the INEX 2003 guidelines."""


def read_graded(file: etree._Element, builder: JudgementsBuilder, where: str) -> int:
    """Add the elements of one ``file``; return how many were left out because their coverage was too small."""
    left_out = 0
    for element in file.iterchildren("path"):
        place = f"{where}:{element.sourceline}"
        path = element.get("path")
        if not path:
            raise AssessmentError(f"{place}: <path> has no attribute 'path'.")
        exhaustivity, specificity = _grades(element, place)
        if specificity is None:
            left_out += 1
            continue
        builder.element(path, exhaustivity, float(specificity), UNKNOWN, UNKNOWN)
    return left_out


def _grades(element: etree._Element, place: str) -> tuple[int, int | None]:
    """Return exhaustivity and specificity, None for a specificity that 2003 does not know."""
    relevance = element.get("relevance")
    if relevance is not None:
        coverage = element.get("coverage", "").strip().lower()[:1]
        if coverage not in COVERAGE:
            raise AssessmentError(
                f"{place}: coverage {element.get('coverage')!r} is not known; expected N, L, E or S "
                f"(none, too large, exact, too small)."
            )
        return grade(relevance, place, "relevance", 3), COVERAGE[coverage]
    exhaustivity = element.get("exhaustiveness") or element.get("exhaustivity") or element.get("E")
    specificity = element.get("specificity") or element.get("S")
    if exhaustivity is None or specificity is None:
        raise AssessmentError(
            f"{place}: <path> needs 'exhaustiveness' and 'specificity' (or 'E' and 'S'; 2002: 'relevance' and "
            f"'coverage'); found {', '.join(map(str, element.keys()))}."
        )
    return grade(exhaustivity, place, "exhaustiveness", 3), grade(specificity, place, "specificity", 3)
