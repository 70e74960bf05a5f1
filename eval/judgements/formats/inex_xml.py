"""INEX assessments in XML, 2002 to 2007: one topic per file, whose elements determine its generation."""

from __future__ import annotations

import re

from lxml import etree

from engine.errors import AssessmentError
from engine.notices import Notice, about
from eval.judgements.formats.inex_2002 import read_graded
from eval.judgements.formats.inex_2005 import entry_point, read_highlighted
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.judgements import Scale


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
