"""INEX assessments in XML, 2002 to 2007: one topic per file, whose elements determine its generation.

2002-2004, two graded dimensions an element::

    <assessments topic='192'>
     <file file='cg/1998/g1016'><path path='/article[1]' exhaustiveness='3' specificity='3'/></file>
    </assessments>

2002 writes ``relevance="0..3"`` and ``coverage`` (none, large, exact, small). It is read on the scale of 2003: E is
the relevance, S is 0 for no coverage, 1 for too large, 3 for exact; too small has no counterpart and counts as not
judged. ``E=`` and ``S=`` are short names.

2005-2007, highlighted text and the elements that intersect it::

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

import re

from lxml import etree

from engine.errors import AssessmentError
from engine.notices import Notice, about
from eval.judgements.formats.judgements_builder import JudgementsBuilder, character_count, grade_value, share
from eval.judgements.judgements import NOT_JUDGED, TOO_SMALL, UNKNOWN, Scale


def parse(content: bytes, source: str) -> etree._Element:
    """Return the root of an XML file: no network, no external entities, nothing recovered."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        line_no = error.lineno or 1
        raise AssessmentError(f"{source}:{line_no}: not well-formed XML: {error.msg}") from None


def read_xml(root: etree._Element, source: str, builders: dict[str, JudgementsBuilder], notices: list[Notice]) -> None:
    """Add one file of assessments to the builder of its topic."""
    topic = _topic(root, source)
    scale = _scale(root)
    builder = builders.get(topic)
    if builder is None:
        builder = builders[topic] = JudgementsBuilder(topic, scale, source)
    elif builder.scale != scale:
        raise AssessmentError(
            f"{source}: topic {topic!r} is judged on the scale of {scale} here and of {builder.scale} in "
            f"{builder.source}; give one of the two."
        )
    skipped = 0
    for file in root.iter("file"):
        document = file.get("file") or file.get("name")
        place = f"{source}:{file.sourceline}"
        if not document:
            raise AssessmentError(
                f"{place}: <file> names no document; expected 'file' (2002-2004) or 'name' (2005 on)."
            )
        offset, path = entry_point(file, place)
        builder.document(document, place, entry_point=offset, entry_path=path)
        if scale == "2005":
            read_highlighted(file, builder, source)
        else:
            skipped += read_graded(file, builder, source)
    if skipped:
        notices.append(about(source, Notice("too_small_elements", {"elements": skipped})))


def _topic(root: etree._Element, source: str) -> str:
    """Return the attribute ``topic``; where it is absent the first number among the attributes of the root."""
    topic = (root.get("topic") or "").strip()
    if topic:
        return topic
    number = re.search(r"\d+", " ".join(str(value) for value in root.attrib.values()))
    if number is None:
        raise AssessmentError(f'{source}:{root.sourceline}: <assessments> names no topic; expected topic="99".')
    return number.group()


def _scale(root: etree._Element) -> Scale:
    """Return the relevance scale, from the first judged element or, without one, from how documents are named."""
    graded = next(root.iter("path"), None)
    if graded is not None:
        return "2002" if graded.get("relevance") is not None else "2003"
    if next(root.iter("element", "passage"), None) is not None:
        return "2005"
    file = next(root.iter("file"), None)
    return "2003" if file is not None and file.get("file") is not None else "2005"


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
