"""Reads and writes the XML submissions of INEX 2003-2008.

<inex-submission participant-id= run-id= task= query= [topic-part= | result-type= ...]>
  <topic-fields title="yes" .../> <description/> <collections><collection/></collections>
  <topic topic-id=>
    <result><file/> (<path/> | <passage start= end=/> | <fol offset= length=/>)? <rank/>? <rsv/>? </result>

The description of a run has its origin and its settings: text, a line `Made of:`, then lines `name = value`, a line
`Settings:`, then such lines. A value of several lines, such as a list of documents, is a JSON string there.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, cast
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from lxml import etree

from engine.errors import ArgumentError, RunFormatError
from engine.notices import Notice
from engine.runs.columns import NO_RANK, Columns, is_natural, is_score, rankings
from engine.runs.run import NOWHERE, Ranking, Run
from engine.runs.text_format import UNPLACED

HEAD, ORIGIN = "Settings:", "Made of:"
LINE = re.compile(r"\s*([^\s=]+) = (.*)")


def whole_description(description: str, settings: Mapping[str, str], origin: Mapping[str, str] | None = None) -> str:
    """Return the description with the origin and the settings at its end.

    Raises: ArgumentError if a name contains white space or `=`.
    """
    sections = [_section(ORIGIN, origin or {}), _section(HEAD, settings)]
    return "\n".join(filter(None, [description, *sections]))


def _section(head: str, values: Mapping[str, str]) -> str:
    lines = [f"{name} = {_one_line(value)}" for name, value in values.items()]
    for line, name in zip(lines, values, strict=True):
        found = LINE.fullmatch(line)
        if found is None or found[1] != name:
            raise ArgumentError(f"setting {line!r}: expected a name without blanks.")
    return "\n".join([head, *lines]) if lines else ""


def _one_line(value: str) -> str:
    """Return a value; as a JSON string if it has line ends, is empty or padded with blanks, or begins with a quote.

    >>> _one_line("jats/fx-006\\njats/fx-003\\n")
    '"jats/fx-006\\\\njats/fx-003\\\\n"'
    """
    is_plain = value.isprintable() and value == value.strip() and value[:1] not in ("", '"')
    return value if is_plain else json.dumps(value)


def _value_of(line: str) -> str:
    """Return the value that `_one_line` wrote; that of a file with quotes of its own as it is."""
    try:
        return str(json.loads(line)) if line.startswith('"') else line
    except ValueError:
        return line


def split_description(text: str, head: str = HEAD) -> tuple[str, dict[str, str]]:
    """Return the description without its last section, by default the settings, and that section.

    >>> split_description("A first run.\\nSettings:\\nsimilarity = pcosine\\ns = 0.2")
    ('A first run.', {'similarity': 'pcosine', 's': '0.2'})
    """
    lines = text.strip().split("\n")
    for start in (i for i, line in enumerate(lines) if line.strip() == head):
        found = [LINE.fullmatch(line.rstrip()) for line in lines[start + 1 :]]
        if found and all(found):
            settings = {match[1]: _value_of(match[2]) for match in found if match}
            return "\n".join(lines[:start]).strip(), settings
    return text.strip(), {}


ROOT = "inex-submission"
FIELDS = ("file", "path", "passage", "fol", "rank", "rsv")
TOPIC_ATTRIBUTES = ("topic-id", "topic_id", "id")
TAGS = ("topic-fields", "description", "collection", "topic", "result")


@dataclass
class _Found:
    """State of the reader: the head of the file and the columns of all results so far."""

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
    """Return the run of an XML submission; no DTD, entity or other external resource is loaded.

    Raises: RunFormatError with file and line.
    """
    found = _Found(source)
    try:
        _read_root(next(_events(data, "start"))[1], found)
        for _, element in _events(data, "end", tag=TAGS):
            _add_element(element, found)
    except etree.XMLSyntaxError as error:
        raise RunFormatError(
            f"{source}:{error.lineno or 1}: not well-formed XML ({error.msg}): expected an INEX submission. "
            "Was the file cut off, or are & and < not written as &amp; and &lt;?"
        ) from error
    by_topic, notices = rankings(_columns(found), source, list(found.topics))
    notices += [Notice("unknown_field", {"tag": tag, "results": n}) for tag, n in sorted(found.unknown.items())]
    description, settings = split_description(found.description)
    description, origin = split_description(description, ORIGIN)
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
        origin=origin,
        source=source,
        format="inex",
        notices=tuple(notices),
    )


def _events(data: bytes, *events: str, tag: tuple[str, ...] | None = None) -> Iterator[tuple[str, etree._Element]]:
    """Yield the parser's events for elements with one of the tags; None for all elements."""
    return iter(
        etree.iterparse(io.BytesIO(data), events, tag=tag, resolve_entities=False, no_network=True, load_dtd=False)
    )


def _read_root(root: etree._Element, found: _Found) -> None:
    if root.tag != ROOT:
        raise RunFormatError(
            f"{found.source}:{line_of(root)}: the root is <{root.tag}>: expected a run, <{ROOT}> or text of 6 to 8 "
            "columns. Is it a file of topics, which 'foxir run' answers, or of judgements, which come before the runs?"
        )
    found.head = {str(name): str(value) for name, value in root.attrib.items()}


def _add_element(element: etree._Element, found: _Found) -> None:
    """Add a complete element to the state. Results that have been added are freed, to bound memory."""
    if element.tag == "result":
        topic = element.getparent()
        if topic is None or topic.tag != "topic":
            raise RunFormatError(
                f"{found.source}:{line_of(element)}: a <result> outside a <topic>: enclose it in <topic topic-id=...>."
            )
        if topic is not found.element:
            _begin_topic(topic, found)
        _add_result(element, found)
        while element.getprevious() is not None:
            del topic[0]
    elif element.tag == "topic":
        if element is not found.element:  # a topic without results
            _begin_topic(element, found)
    elif element.tag == "topic-fields":
        found.topic_fields = {str(name): str(value) for name, value in element.attrib.items()}
    elif element.tag == "description":
        found.description = text_of(element, found.source)
    elif element.tag == "collection":
        found.collections.append(text_of(element, found.source).strip())


def _begin_topic(element: etree._Element, found: _Found) -> None:
    line = line_of(element)
    topic = next((element.get(name, "") for name in TOPIC_ATTRIBUTES if name in element.attrib), "").strip()
    if not topic:
        raise RunFormatError(f"{found.source}:{line}: <topic> without an id: expected it in the attribute topic-id.")
    if topic in found.topics:
        raise RunFormatError(
            f"{found.source}:{line}: duplicate topic {topic!r}, first in line {found.topics[topic]}: "
            "expected all results of a topic in one <topic>. Merge the two."
        )
    found.element, found.topic, found.topics[topic] = element, topic, line


def _add_result(result: etree._Element, found: _Found) -> None:
    """Add a row for one <result>; texts are converted later, a column at a time (`_columns`)."""
    line = line_of(result)
    texts: dict[str, str | None] = {}
    for child in result:
        tag = child.tag
        if tag in texts:
            raise RunFormatError(
                f"{found.source}:{line}: duplicate <{tag}> in a result: expected one location per <result>."
            )
        if tag in FIELDS:
            texts[tag] = text_of(child, found.source) if len(child) else child.text
        elif isinstance(tag, str):  # comments have a function in place of a tag
            found.unknown[tag] += 1
    start, length = NOWHERE, NOWHERE
    if "fol" in texts or "passage" in texts:
        where = f"{found.source}:{line}"
        for fol in result.iterchildren("fol"):
            start, length = span_of(fol, where)
        for passage in result.iterchildren("passage"):
            found.pointers[len(found.documents)] = pointers_of(passage, where)
    found.topic_column.append(found.topic)
    found.documents.append(texts.get("file"))
    found.paths.append(texts["path"] or "" if "path" in texts else None)
    found.starts.append(start)
    found.lengths.append(length)
    found.ranks.append(texts.get("rank"))
    found.rsv.append(texts.get("rsv"))
    found.lines.append(line)


def _columns(found: _Found) -> Columns:
    """Return the columns with texts converted; raises RunFormatError with the line of the first invalid text."""
    # Columns have few distinct texts: each is converted once, and equal documents and paths share one string.
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
            refuse_path(path, _first(text, found.paths, found))
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
    """Return file and line of the first result with this text in the column."""
    return f"{found.source}:{found.lines[column.index(text)]}"


def _rank(text: str | None, found: _Found) -> int:
    """Return a rank, `NO_RANK` if it is missing."""
    value = (text or "").strip()
    if value and not is_natural(value):
        where = _first(text, found.ranks, found)
        raise RunFormatError(f"{where}: rank {value!r} is not a whole number: expected 1, 2, 3 ...")
    return int(value) if value else NO_RANK


def _score(text: str | None, found: _Found) -> float:
    """Return an rsv, NaN if it is missing."""
    value = (text or "").strip()
    if value and not is_score(value):
        where = _first(text, found.rsv, found)
        raise RunFormatError(f"{where}: rsv {value!r} is not a finite number: expected a decimal number such as 0.99.")
    return float(value) if value else np.nan


def line_of(element: etree._Element) -> int:
    """Return the line in which an element begins, from 1."""
    return cast(int, element.sourceline)


def text_of(element: etree._Element, source: str) -> str:
    """Return the text of a field without comments; raises RunFormatError for an entity or element in it."""
    parts = [element.text or ""]
    for child in element:
        if not isinstance(child, etree._Comment | etree._ProcessingInstruction):
            found = str(child.text) if isinstance(child, etree._Entity) else f"<{child.tag}>"
            raise RunFormatError(
                f"{source}:{line_of(child)}: {found} in <{element.tag}>: expected plain text. "
                "Only the entities &lt; &gt; &amp; &quot; &apos; are allowed."
            )
        parts.append(child.tail or "")
    return "".join(parts)


def refuse_path(path: str, where: str) -> NoReturn:
    """Raise the RunFormatError of a path that does not begin at the root."""
    raise RunFormatError(f"{where}: path {path!r}: expected a path from the root, such as /article[1]/bdy[1]/sec[2].")


def pointers_of(passage: etree._Element, where: str) -> tuple[str, str]:
    """Return both ends of a passage as pointers; raises RunFormatError."""
    start, end = passage.get("start", "").strip(), passage.get("end", "").strip()
    if not start or not end:
        raise RunFormatError(f"{where}: <passage> without both ends: expected a pointer in start= and in end=.")
    for pointer in (start, end):
        if not pointer.startswith("/"):
            refuse_path(pointer, where)
    return start, end


def span_of(fol: etree._Element, where: str) -> tuple[int, int]:
    """Return offset and length, `NOWHERE` for a missing value or an X; without length it is a best entry point."""
    values = []
    for name in ("offset", "length"):
        value = fol.get(name, UNPLACED).strip()
        if value != UNPLACED and not is_natural(value):
            raise RunFormatError(f"{where}: {name} {value!r}: expected a whole number of characters, or {UNPLACED}.")
        values.append(NOWHERE if value == UNPLACED else int(value))
    return values[0], values[1]


# Characters that XML 1.0 does not allow (fifth edition, production 2).
NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Characters that are escaped in the text of an element.
ESCAPED = re.compile(r"[&<>\r]")


def inex_lines(run: Run) -> Iterator[str]:
    """Yield the XML of a run in pieces of whole lines.

    An element is written as `<path>`, a passage between pointers as `<passage>`, a passage by offsets as `<fol>`
    (without length: a best entry point), any other result as its document alone.

    Raises: RunFormatError if a text contains a character that XML does not allow, or a name is empty or padded with
        blanks.
    """
    for part in _parts(run):
        if not part.replace("\n", "").isprintable() and (bad := NOT_XML.search(part)):  # the first test is faster
            line = part[part.rfind("\n", 0, bad.start()) + 1 :].strip().partition("\n")[0]
            raise RunFormatError(f"run {run.run_id!r}: {bad[0]!r} in {line[:60]!r} is not allowed in XML: remove it.")
        yield part


def _parts(run: Run) -> Iterator[str]:
    head = {
        "participant-id": run.participant,
        "run-id": run.run_id,
        "task": run.task,
        "query": run.query,
        "result-type": _result_type(run),
    }
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<inex-submission{_attributes(head)}>\n"
    if run.topic_fields:
        yield f" <topic-fields{_attributes(run.topic_fields)}/>\n"
    yield f" <description>{_text(whole_description(run.description, run.settings, run.origin))}</description>\n"
    yield " <collections>\n"
    for collection in run.collections:
        yield f"  <collection>{_text(collection)}</collection>\n"
    yield " </collections>\n"
    for ranking in run.rankings.values():
        yield f" <topic topic-id={quoteattr(_name(ranking.topic, 'topic', run))}>\n"
        yield "".join(_plain_results(ranking) or _results(ranking, run))
        yield " </topic>\n"
    yield "</inex-submission>\n"


def _plain_results(ranking: Ranking) -> list[str]:
    """Return the lines of a ranking of paths without blanks and escaped characters, checked together; [] of another."""
    documents, paths = ranking.documents, [path for path in ranking.paths if path is not None]
    texts = [*dict.fromkeys(documents), *paths]
    joined = "\n".join(texts)
    if len(paths) < len(ranking.paths) or joined.split() != texts or ESCAPED.search(joined):
        return []
    columns = zip(documents, paths, ranking.ranks.tolist(), ranking.rsv.tolist(), strict=True)
    return [
        f"  <result><file>{document}</file><path>{path}</path><rank>{rank}</rank><rsv>{rsv!r}</rsv></result>\n"
        for document, path, rank, rsv in columns
    ]


def _results(ranking: Ranking, run: Run) -> Iterator[str]:
    starts, lengths = ranking.starts.tolist(), ranking.lengths.tolist()
    files = {document: _text(_name(document, "document", run)) for document in dict.fromkeys(ranking.documents)}
    columns = zip(ranking.documents, ranking.paths, ranking.ranks.tolist(), ranking.rsv.tolist(), strict=True)
    for i, (document, path, rank, rsv) in enumerate(columns):
        if path is not None:
            place = f"<path>{_text(_name(path, 'path', run))}</path>"
        elif i in ranking.pointers:
            start, end = ranking.pointers[i]
            place = f"<passage{_attributes({'start': start, 'end': end})}/>"
        else:
            offsets = {"offset": starts[i], "length": lengths[i]}
            given = {name: str(value) for name, value in offsets.items() if value != NOWHERE}
            place = f"<fol{_attributes(given)}/>" if given else ""
        yield f"  <result><file>{files[document]}</file>{place}<rank>{rank}</rank><rsv>{rsv!r}</rsv></result>\n"


def _result_type(run: Run) -> str:
    """Return the result type of INEX 2007-2008: element, passage or fol; element for a mixture."""
    rankings = run.rankings.values()
    if any(path is not None for ranking in rankings for path in ranking.paths):
        return "element"
    if any(ranking.pointers for ranking in rankings):
        return "passage"
    return "fol" if any((ranking.starts != NOWHERE).any() for ranking in rankings) else "element"


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in values.items())


def _text(text: str) -> str:
    return escape(text, {"\r": "&#13;"}) if ESCAPED.search(text) else text


def _name(name: str, what: str, run: Run) -> str:
    if not name or name != name.strip():
        raise RunFormatError(f"run {run.run_id!r}: {what} {name!r} is empty or begins or ends with a blank.")
    return name
