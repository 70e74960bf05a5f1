"""INEX 2005-2007 assessments: highlighted text and the elements that intersect it.

::

    <file collection="ieee" name="co/2000/r7108">
     <best-entry-point path="/article[1]/bdy[1]"/>
     <passage start="/article[1]/p[2]/text()[1].12" end="/article[1]/p[3]" size="345"/>
     <element path="/article[1]" exhaustivity="1" size="13,556" rsize="5,494"/>
    </file>

Three generations differ: the earliest gives ``specificity="0.47"`` instead of sizes, the papers print ``E=`` and
thousands commas, the latest adds passages and the best entry point. ``rsize`` of an element may exceed the union of
its passages by a few characters, because the writer of October 2005 counted one for every passage that intersects
the element: numbers are not changed.
"""

from __future__ import annotations

from lxml import etree

from engine.errors import AssessmentError
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.formats.number_fields import character_count, grade_value, share
from eval.judgements.judgements import NOT_JUDGED, TOO_SMALL, UNKNOWN


def read_highlighted(file: etree._Element, builder: JudgementsBuilder, where: str) -> None:
    """Add the passages and elements of one ``file``."""
    for child in file.iterchildren("passage"):
        _read_passage(child, builder, f"{where}:{child.sourceline}")
    for child in file.iterchildren("element"):
        path = child.get("path")
        if not path:
            raise AssessmentError(f"{where}:{child.sourceline}: <element> has no attribute 'path'.")
        _read_element(child, path, builder, f"{where}:{child.sourceline}")


def entry_point(file: etree._Element, where: str) -> tuple[int, str | None]:
    """Return the best entry point of one ``file``: its offset, -1 if not given, and its path or pointer."""
    best = file.find("best-entry-point")
    if best is None:
        return UNKNOWN, None
    offset = best.get("offset")
    return UNKNOWN if offset is None else character_count(offset, where, "best entry point"), best.get("path")


def _read_passage(passage: etree._Element, builder: JudgementsBuilder, place: str) -> None:
    start, end = passage.get("start"), passage.get("end")
    size, offset, length = passage.get("size"), passage.get("offset"), passage.get("length")
    if not (start and end) and not (offset and length):
        raise AssessmentError(f"{place}: <passage> needs 'start' and 'end', or 'offset' and 'length'.")
    measured = length or size
    builder.passage(
        UNKNOWN if offset is None else character_count(offset, place, "offset"),
        UNKNOWN if measured is None else character_count(measured, place, "length of the passage"),
        (start, end) if start and end else None,
    )


def _read_element(element: etree._Element, path: str, builder: JudgementsBuilder, place: str) -> None:
    size, rsize, specificity = element.get("size"), element.get("rsize"), element.get("specificity") or element.get("S")
    exhaustivity = _exhaustivity(
        element.get("exhaustivity") or element.get("exhaustiveness") or element.get("E"), place
    )
    if size is not None and rsize is not None:
        n_size, n_rsize = character_count(size, place, "size"), character_count(rsize, place, "rsize")
        builder.element(path, exhaustivity, n_rsize / n_size if n_size else 0.0, n_size, n_rsize)
    elif specificity is not None:
        builder.element(path, exhaustivity, share(specificity, place, "specificity"), UNKNOWN, UNKNOWN)
    else:
        raise AssessmentError(f"{place}: <element> needs 'size' and 'rsize', or 'specificity'.")


def _exhaustivity(value: str | None, place: str) -> int:
    if value is None:
        return NOT_JUDGED
    return TOO_SMALL if value.strip() == "?" else grade_value(value, place, "exhaustivity", 2)
