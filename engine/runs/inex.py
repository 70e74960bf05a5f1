"""Reading the XML submissions of INEX 2003-2008.

<inex-submission participant-id= run-id= task= query= [topic-part= | result-type= ...]>
  <topic-fields title="yes" .../> <description/> <collections><collection/></collections>
  <topic topic-id=>
    <result><file/> (<path/> | <passage start= end=/> | <fol offset= length=/>)? <rank/>? <rsv/>? </result>
"""

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, cast

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
    element: etree._Element | None = None
    topic: str = ""
    topics: dict[str, int] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)
    topic_column: list[str] = field(default_factory=list)
    documents: list[str | None] = field(default_factory=list)
    paths: list[str | None] = field(default_factory=list)
    ranks: list[str | None] = field(default_factory=list)
    rsv: list[str | None] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    pointers: dict[int, tuple[str, str]] = field(default_factory=dict)


def read_inex(data: bytes, source: str) -> Run:
    """Return the run of an XML submission; no DTD, no entity and nothing from outside the file is loaded.

    Raises: RunFormatError, naming the line.
    """
    found = _Found(source)
    try:
        _take_root(next(_events(data, "start"))[1], found)
        for _, element in _events(data, "end", tag=TAGS):
            _take(element, found)
    except etree.XMLSyntaxError as error:
        raise RunFormatError(
            f"{source}:{error.lineno or 1}: not well-formed XML ({error.msg}): expected an INEX submission. "
            "Was the file cut off, or are & and < not written as &amp; and &lt;?"
        ) from error
    by_topic, notices = rankings(_columns(found), source, list(found.topics))
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


def _take(element: etree._Element, found: _Found) -> None:
    """Take a whole element, and free the results that have been taken."""
    if element.tag == "result":
        topic = element.getparent()
        if topic is None or topic.tag != "topic":
            raise RunFormatError(
                f"{found.source}:{_line(element)}: a <result> outside of a <topic>: expected <topic topic-id=...> "
                "around it."
            )
        if topic is not found.element:
            _begin_topic(topic, found)
        _take_result(element, found)
        while element.getprevious() is not None:
            del topic[0]
    elif element.tag == "topic":
        if element is not found.element:  # no result stands in it
            _begin_topic(element, found)
    elif element.tag == "topic-fields":
        found.topic_fields = {str(name): str(value) for name, value in element.attrib.items()}
    elif element.tag == "description":
        found.description = _text(element, found.source)
    elif element.tag == "collection":
        found.collections.append(_text(element, found.source).strip())


def _begin_topic(element: etree._Element, found: _Found) -> None:
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
    found.element, found.topic, found.topics[topic] = element, topic, line


def _take_result(result: etree._Element, found: _Found) -> None:
    """Add a row for one <result>; its texts stay as they are until the whole column is known."""
    line = _line(result)
    texts: dict[str, str | None] = {}
    for child in result:
        tag = child.tag
        if tag in texts:
            raise RunFormatError(
                f"{found.source}:{line}: <{tag}> stands twice in a result: expected one place a <result>."
            )
        if tag in FIELDS:
            texts[tag] = _text(child, found.source) if len(child) else child.text
        elif isinstance(tag, str):  # no comment
            found.unknown[tag] += 1
    start, length = NOWHERE, NOWHERE
    if "fol" in texts or "passage" in texts:
        where = f"{found.source}:{line}"
        for fol in result.iterchildren("fol"):
            start, length = _fol(fol, where)
        for passage in result.iterchildren("passage"):
            found.pointers[len(found.documents)] = _pointers(passage, where)
    found.topic_column.append(found.topic)
    found.documents.append(texts.get("file"))
    found.paths.append(texts["path"] or "" if "path" in texts else None)
    found.starts.append(start)
    found.lengths.append(length)
    found.ranks.append(texts.get("rank"))
    found.rsv.append(texts.get("rsv"))
    found.lines.append(line)


def _columns(found: _Found) -> Columns:
    """Return the columns, their texts checked and read; what does not fit is named with its line.

    Few texts of a column are different: each is read once, and documents and paths are kept once.
    """
    documents = {text: (text or "").strip() for text in dict.fromkeys(found.documents)}
    for text, document in documents.items():
        if not document:
            where = _first(text, found.documents, found)
            raise RunFormatError(
                f"{where}: a result without a document: expected <file>, such as <file>co/2000/r7108</file>."
            )
    paths = {text: text if text is None else text.strip() for text in dict.fromkeys(found.paths)}
    for text, path in paths.items():
        if path is not None and not path.startswith("/"):
            _refuse_path(path, _first(text, found.paths, found))
    ranks = {text: _rank(text, found) for text in dict.fromkeys(found.ranks)}
    scores = {text: _score(text, found) for text in dict.fromkeys(found.rsv)}
    return Columns(
        topics=found.topic_column,
        documents=[documents[text] for text in found.documents],
        paths=[paths[text] for text in found.paths],
        starts=np.array(found.starts, dtype=np.int64),
        lengths=np.array(found.lengths, dtype=np.int64),
        ranks=np.array([ranks[text] for text in found.ranks], dtype=np.int64),
        rsv=np.array([scores[text] for text in found.rsv], dtype=np.float64),
        lines=np.array(found.lines, dtype=np.int64),
        pointers=found.pointers,
    )


def _first(text: str | None, column: Sequence[str | None], found: _Found) -> str:
    """Return file and line of the first result that has a text in a column."""
    return f"{found.source}:{found.lines[column.index(text)]}"


def _rank(text: str | None, found: _Found) -> int:
    """Return a rank, NO_RANK where there is none."""
    value = (text or "").strip()
    if value and not is_natural(value):
        where = _first(text, found.ranks, found)
        raise RunFormatError(f"{where}: rank {value!r} is no whole number: expected 1, 2, 3 ...")
    return int(value) if value else NO_RANK


def _score(text: str | None, found: _Found) -> float:
    """Return a score, NaN where there is none."""
    value = (text or "").strip()
    if value and not is_score(value):
        where = _first(text, found.rsv, found)
        raise RunFormatError(f"{where}: rsv {value!r} is no finite number: expected a decimal number such as 0.99.")
    return float(value) if value else np.nan


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


def _refuse_path(path: str, where: str) -> NoReturn:
    raise RunFormatError(f"{where}: path {path!r}: expected a path from the root, such as /article[1]/bdy[1]/sec[2].")


def _pointers(passage: etree._Element, where: str) -> tuple[str, str]:
    start, end = passage.get("start", "").strip(), passage.get("end", "").strip()
    if not start or not end:
        raise RunFormatError(f"{where}: <passage> without both ends: expected start= and end= with a pointer each.")
    for pointer in (start, end):
        if not pointer.startswith("/"):
            _refuse_path(pointer, where)
    return start, end


def _fol(fol: etree._Element, where: str) -> tuple[int, int]:
    """Return offset and length; an absent length makes a best entry point, an X is placed nowhere."""
    values = []
    for name in ("offset", "length"):
        value = fol.get(name, UNPLACED).strip()
        if value != UNPLACED and not is_natural(value):
            raise RunFormatError(f"{where}: {name} {value!r}: expected a whole number of characters, or {UNPLACED}.")
        values.append(NOWHERE if value == UNPLACED else int(value))
    return values[0], values[1]
