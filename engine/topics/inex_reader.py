"""Reads topics of INEX 2002-2010, and of the later tracks of TREC and CLEF that write theirs alike (XML)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from lxml import etree

from engine.query.nexi.element_path import begins_with_slash
from engine.query.path_or_words import is_path_or_mistake
from engine.topics.topic import NoTopicFileError, QueryType, Topic, TopicProblem

QUERY_TYPES: Mapping[str, QueryType] = {"CO": "CO", "CAS": "CAS", "CO+S": "CO+S", "COS": "CO+S"}

QUERY = "query"  # the title of a topic that has no <title>

# Element name, in lower case and with underscores -> field of `Topic`.
TEXT_FIELDS = {
    "title": "title",
    "castitle": "castitle",
    "description": "description",
    "narrative": "narrative",
    "keywords": "keywords",
    "ontopic_keywords": "keywords",
    "parent": "parent",
    "phrasetitle": "phrase_title",
    "query": QUERY,
    "desc": "description",
    "narr": "narrative",
}
# Attributes and elements that contain the id.
IDS = ("topic_id", "id", "number", "num", "identifier")

EXPECTED = "expected topics: <inex_topic>, <topic> or <top>, each with an id and a query"


class UnreadableTopicError(Exception):
    """A topic cannot be read; has the line and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


def read_inex_topics(data: bytes, source: str) -> Iterator[Topic | TopicProblem]:
    """Yield the topics of an XML file and the problems found; no DTD is fetched.

    Raises: NoTopicFileError if the file is not well-formed or contains no topics.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise NoTopicFileError(source, error.lineno or 1, f"not well-formed XML ({error.msg}): {EXPECTED}.") from error
    elements = [root] if _name(root) == "inex_topic" else [child for child in root if _is_topic(child, root)]
    if not elements:
        raise NoTopicFileError(source, _line(root), f"found <{root.tag}> without topics: {EXPECTED}.")
    entities = _entities(root)
    for element in elements:
        topic_id = _attribute(element, *IDS) or _id_element(element)
        try:
            topic = _topic(element, topic_id, source, entities)
        except UnreadableTopicError as unreadable:
            yield TopicProblem(source, unreadable.line, topic_id, unreadable.reason)
            continue
        if any(_name(child) in ("te", "ce") for child in element.iter(etree.Element)):
            reason = "target (te) and context elements (ce) of 2002 are ignored, as NEXI has no equivalent"
            yield TopicProblem(source, _line(element), topic_id, reason)
        yield topic


def _topic(element: etree._Element, topic_id: str, source: str, entities: Mapping[str, str]) -> Topic:
    """Return a topic; raises UnreadableTopicError if it has no id, no query, or an undefined entity."""
    line = _line(element)
    if not topic_id:
        raise UnreadableTopicError(line, "no id: expected an attribute such as topic_id, id or number")
    texts: dict[str, str] = {}
    for child in element.iterchildren(etree.Element):
        if field := TEXT_FIELDS.get(_name(child)):
            if texts.get(field):
                raise UnreadableTopicError(_line(child), f"duplicate <{child.tag}>")
            words = [part for part in child.iterchildren(etree.Element) if _name(part) == "cw"] or [child]
            texts[field] = " ".join(" ".join(_text(part, entities) for part in words).split())
    query = texts.pop(QUERY, "") or _only_text(element, entities)
    if query and not texts.get("title"):
        texts["title"] = query
    query_type, title = _attribute(element, "query_type"), texts.get("title", "")
    is_path = begins_with_slash(title) if query_type.upper() == "CAS" else is_path_or_mistake(title)
    if is_path and not texts.get("castitle"):
        texts["castitle"] = texts.pop("title")  # CAS topics of 2003 and 2004 have their path query in <title>
    if not texts.get("title") and not texts.get("castitle"):
        raise UnreadableTopicError(line, "no query: expected <title>, <query> or <castitle>")
    return Topic(topic_id=topic_id, query_type=_query_type(query_type, texts, line), source=source, line=line, **texts)


def _query_type(given: str, texts: Mapping[str, str], line: int) -> QueryType:
    """Return the query type that the topic states, else the one that follows from its queries."""
    if not given:
        if not texts.get("castitle"):
            return "CO"
        return "CO+S" if texts.get("title") else "CAS"
    if given.upper() not in QUERY_TYPES:
        raise UnreadableTopicError(line, f"query type {given!r}: expected CO, CAS or CO+S")
    return QUERY_TYPES[given.upper()]


def _text(element: etree._Element, entities: Mapping[str, str]) -> str:
    """Return the text of an element and its descendants, without comments; entities of the file are expanded."""
    parts: list[str] = []
    for node in element.iter():
        if isinstance(node, etree._Entity):
            name = str(node.text)[1:-1]
            if name not in entities:
                raise UnreadableTopicError(
                    _line(node), f"entity &{name}; is not defined in the file: write the character itself"
                )
            parts.append(entities[name])
        elif not isinstance(node, etree._Comment | etree._ProcessingInstruction):
            parts.append(node.text or "")
        if node is not element:
            parts.append(node.tail or "")
    return "".join(parts)


def _entities(root: etree._Element) -> dict[str, str]:
    """Return the entities that the file defines as plain text; external, nested and markup entities are ignored.

    Topic files of INEX 2009 and 2010 redefine lt, gt and amp, which XML forbids; the parser ignores this.
    """
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is None:
        return {}
    contents = {entity.name: entity.content for entity in cast(Any, dtd).iterentities()}
    return {name: text for name, text in contents.items() if text and "&" not in text and "<" not in text}


def _is_topic(element: etree._Element, root: etree._Element) -> bool:
    """Return whether an element is a topic; `<topic>` only in a topic file, as runs have elements of that name too."""
    if _name(element) != "topic":
        return _name(element) == "inex_topic"
    return "topic" in _name(root) or any(_name(child) in ("title", "query", "castitle") for child in element)


def _id_element(element: etree._Element) -> str:
    """Return the text of a child that contains the id, "" if there is none."""
    texts = (child.text or "" for child in element.iterchildren(etree.Element) if _name(child) in IDS)
    return next((text.strip() for text in texts if text.strip()), "")


def _only_text(element: etree._Element, entities: Mapping[str, str]) -> str:
    """Return the text of a topic without child elements, "" if it has any."""
    return (
        ""
        if next(element.iterchildren(etree.Element), None) is not None
        else " ".join(_text(element, entities).split())
    )


def _name(element: etree._Element) -> str:
    """Return the local name in lower case with `_` for `-`; "" for comments and processing instructions."""
    if not isinstance(element.tag, str):
        return ""
    local = element.tag.rpartition("}")[2].rpartition(":")[2]  # an undefined prefix is part of the tag
    return local.lower().replace("-", "_")


def _attribute(element: etree._Element, *names: str) -> str:
    """Return the first non-empty attribute of these names, ignoring - and _; "" if there is none."""
    values = {str(name).replace("-", "_"): str(value).strip() for name, value in element.attrib.items()}
    return next((values[name] for name in names if values.get(name)), "")


def _line(element: etree._Element) -> int:
    return cast(int, element.sourceline)
