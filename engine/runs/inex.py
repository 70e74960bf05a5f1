"""Reading the XML submissions of INEX 2003-2008.

<inex-submission participant-id= run-id= task= query= [topic-part= | result-type= ...]>
  <topic-fields title="yes" .../> <description/> <collections><collection/></collections>
  <topic topic-id=>
    <result><file/> (<path/> | <passage start= end=/> | <fol offset= length=/>)? <rank/>? <rsv/>? </result>
"""

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from lxml import etree

from engine.errors import RunFormatError
from engine.runs.columns import NO_RANK, Columns, rankings
from engine.runs.run import NOWHERE, Run
from engine.runs.settings import split_description
from engine.runs.text import UNPLACED, is_natural, is_score

ROOT = "inex-submission"
FIELDS = ("file", "path", "passage", "fol", "rank", "rsv")
TOPIC_ATTRIBUTES = ("topic-id", "topic_id", "id")
TAGS = ("topic-fields", "description", "collection", "topic", "result")


@dataclass
class _Found:
    """What has been read so far: the columns of all results and the head of the file."""

    source: str
    head: dict[str, str] = field(default_factory=dict)
    topic_fields: dict[str, str] = field(default_factory=dict)
    description: str = ""
    collections: list[str] = field(default_factory=list)
    topic: str = ""
    topics: dict[str, int] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)
    topic_column: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    paths: list[str | None] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    rsv: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    pointers: dict[int, tuple[str, str]] = field(default_factory=dict)


def read_inex(data: bytes, source: str) -> Run:
    """Return the run of an XML submission; no DTD, no entity and nothing from outside the file is loaded.

    Raises: RunFormatError, naming the line.
    """
    found = _Found(source)
    try:
        _take_root(next(_events(data, "start"))[1], found)
        for event, element in _events(data, "start", "end", tag=TAGS):
            if event == "start":
                _open(element, found)
            else:
                _close(element, found)
    except etree.XMLSyntaxError as error:
        raise RunFormatError(
            f"{source}:{error.lineno or 1}: not well-formed XML ({error.msg}): expected an INEX submission. "
            "Was the file cut off, or are & and < not written as &amp; and &lt;?"
        ) from error
    columns = Columns(
        topics=found.topic_column,
        documents=found.documents,
        paths=found.paths,
        starts=np.array(found.starts, dtype=np.int64),
        lengths=np.array(found.lengths, dtype=np.int64),
        ranks=np.array(found.ranks, dtype=np.int64),
        rsv=np.array(found.rsv, dtype=np.float64),
        lines=np.array(found.lines, dtype=np.int64),
        pointers=found.pointers,
    )
    by_topic, notices = rankings(columns, source, list(found.topics))
    notices += [f"<{tag}> in {n} results is not known and was left out" for tag, n in sorted(found.unknown.items())]
    description, settings = split_description(found.description)
    return Run(
        run_id=found.head.get("run-id", ""),
        rankings=by_topic,
        participant=found.head.get("participant-id", ""),
        task=found.head.get("task", "").strip(),
        query=found.head.get("query", ""),
        description=description,
        settings=settings,
        topic_fields=found.topic_fields,
        collections=tuple(found.collections),
        source=source,
        format="inex",
        notices=tuple(notices),
    )


def _events(data: bytes, *events: str, tag: tuple[str, ...] | None = None) -> Iterator[tuple[str, etree._Element]]:
    """Yield the parser's events for the elements with one of the tags; None stands for all."""
    return iter(
        etree.iterparse(io.BytesIO(data), events, tag=tag, resolve_entities=False, no_network=True, load_dtd=False)
    )


def _take_root(root: etree._Element, found: _Found) -> None:
    if root.tag != ROOT:
        raise RunFormatError(
            f"{found.source}:{_line(root)}: the root is <{root.tag}>: expected a run, <{ROOT}> or text of 6 to 8 "
            "columns. Is it a file of topics or judgements?"
        )
    found.head = {str(name): str(value) for name, value in root.attrib.items()}


def _open(element: etree._Element, found: _Found) -> None:
    """Take what stands in the start tag of an element."""
    if element.tag == "topic":
        line = _line(element)
        topic = next((element.get(name, "") for name in TOPIC_ATTRIBUTES if name in element.attrib), "").strip()
        if not topic:
            raise RunFormatError(
                f"{found.source}:{line}: <topic> without a topic: expected its id in the attribute topic-id."
            )
        if topic in found.topics:
            raise RunFormatError(
                f"{found.source}:{line}: topic {topic!r} stands twice, first in line {found.topics[topic]}: "
                "expected all results of a topic in one <topic>. Join the two."
            )
        found.topic, found.topics[topic] = topic, line
    elif element.tag == "topic-fields":
        found.topic_fields = {str(name): str(value) for name, value in element.attrib.items()}


def _close(element: etree._Element, found: _Found) -> None:
    """Take a whole element, and free what has been taken."""
    if element.tag == "result":
        _take_result(element, found)
        element.clear()
        parent = element.getparent()
        while parent is not None and element.getprevious() is not None:
            del parent[0]
    elif element.tag == "description":
        found.description = _text(element, found.source)
    elif element.tag == "collection":
        found.collections.append(_text(element, found.source).strip())


def _take_result(result: etree._Element, found: _Found) -> None:
    """Add a row for one <result>."""
    line = _line(result)
    children: dict[str, etree._Element] = {}
    for child in result.iterchildren(etree.Element):
        tag = str(child.tag)
        if tag not in FIELDS:
            found.unknown[tag] += 1
        elif tag in children:
            raise RunFormatError(
                f"{found.source}:{line}: <{tag}> stands twice in a result: expected one place a <result>."
            )
        else:
            children[tag] = child
    texts = {tag: _text(child, found.source).strip() for tag, child in children.items()}
    where = f"{found.source}:{line}"
    if not found.topic:
        raise RunFormatError(f"{where}: a <result> outside of a <topic>: expected <topic topic-id=...> around it.")
    if not texts.get("file"):
        raise RunFormatError(
            f"{where}: a result without a document: expected <file>, such as <file>co/2000/r7108</file>."
        )
    start, length = _fol(children["fol"], where) if "fol" in children else (NOWHERE, NOWHERE)
    if "passage" in children:
        found.pointers[len(found.documents)] = _pointers(children["passage"], where)
    found.topic_column.append(found.topic)
    found.documents.append(texts["file"])
    found.paths.append(_path(texts["path"], where) if "path" in texts else None)
    found.starts.append(start)
    found.lengths.append(length)
    found.ranks.append(_rank(texts.get("rank", ""), where))
    found.rsv.append(_rsv(texts.get("rsv", ""), where))
    found.lines.append(line)


def _line(element: etree._Element) -> int:
    return cast(int, element.sourceline)


def _text(element: etree._Element, source: str) -> str:
    """Return the text of a field; comments in it are skipped, an entity or an element in it is an error."""
    parts = [element.text or ""]
    for child in element:
        if not isinstance(child, etree._Comment | etree._ProcessingInstruction):
            found = str(child.text) if isinstance(child, etree._Entity) else f"<{child.tag}>"
            raise RunFormatError(
                f"{source}:{_line(child)}: {found} in <{element.tag}>: expected plain text. "
                "Only the entities &lt; &gt; &amp; &quot; &apos; are known."
            )
        parts.append(child.tail or "")
    return "".join(parts)


def _path(text: str, where: str) -> str:
    if not text.startswith("/"):
        raise RunFormatError(
            f"{where}: path {text!r}: expected a path from the root, such as /article[1]/bdy[1]/sec[2]."
        )
    return text


def _pointers(passage: etree._Element, where: str) -> tuple[str, str]:
    start, end = passage.get("start", "").strip(), passage.get("end", "").strip()
    if not start or not end:
        raise RunFormatError(f"{where}: <passage> without both ends: expected start= and end= with a pointer each.")
    return _path(start, where), _path(end, where)


def _fol(fol: etree._Element, where: str) -> tuple[int, int]:
    """Return offset and length; an absent length makes a best entry point, an X is placed nowhere."""
    values = []
    for name in ("offset", "length"):
        value = fol.get(name, UNPLACED).strip()
        if value != UNPLACED and not is_natural(value):
            raise RunFormatError(f"{where}: {name} {value!r}: expected a whole number of characters, or {UNPLACED}.")
        values.append(NOWHERE if value == UNPLACED else int(value))
    return values[0], values[1]


def _rank(text: str, where: str) -> int:
    if text and not is_natural(text):
        raise RunFormatError(f"{where}: rank {text!r} is no whole number: expected 1, 2, 3 ...")
    return int(text) if text else NO_RANK


def _rsv(text: str, where: str) -> float:
    if text and not is_score(text):
        raise RunFormatError(f"{where}: rsv {text!r} is no finite number: expected a decimal number such as 0.99.")
    return float(text) if text else float("nan")
