"""Derives judged elements from highlighted passages; writes judgements as INEX 2005 XML or FOL qrels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from engine.errors import AssessmentError
from engine.notices import Notice, about
from engine.system.files import replace_file, unwritable
from engine.system.platform import may_be_named
from eval.judgements.formats.qrels import fol_lines
from eval.judgements.judged_elements import expand_topic
from eval.judgements.judgements import NOT_JUDGED, TOO_SMALL, Assessments, Judgements
from eval.text.element_locator import ElementLocator
from eval.text.offsets import with_fol_fields


@dataclass(frozen=True)
class Expansion:
    """Expanded judgements, and the (topic, document) pairs skipped because the document is not in the index."""

    assessments: Assessments
    skipped: tuple[tuple[str, str], ...]


def expand(assessments: Assessments, locator: ElementLocator, *, exhaustivity: int = 1) -> Expansion:
    """Return the judgements with all elements that intersect a passage, in document order.

    Requires passages (FOL qrels, or XML with passages). Elements get their size and rsize in characters; a judged
    element keeps its exhaustivity, others get the one given. Passages keep their pointers and get offsets.

    Raises: AssessmentError if there are no passages; MeasureError if the pointers of a passage do not resolve.
    """
    if not any(len(judgements.passages) for judgements in assessments.topics.values()):
        raise AssessmentError(
            f"{assessments.source}: no passages to expand; expected FOL qrels or assessments with <passage>."
        )
    topics: dict[str, Judgements] = {}
    skipped: list[tuple[str, str]] = []
    for topic, judgements in assessments.topics.items():
        topics[topic], missing = expand_topic(judgements, locator, exhaustivity=exhaustivity)
        skipped.extend((topic, document) for document in missing)
    return Expansion(replace(assessments, scale="2005", topics=topics), tuple(skipped))


def write_xml(assessments: Assessments, folder: str | Path, *, collection: str = "") -> list[Path]:
    """Write an INEX 2005 file for each topic, ``TOPIC.xml``, and return the files; each is written atomically.

    All are in the folder to which the path leads at the beginning.
    """
    folder = Path(folder)
    real = Path(os.path.realpath(folder))
    written = []
    for topic, judgements in assessments.topics.items():
        if topic.startswith(".") or not topic.isprintable() or not may_be_named(topic):
            raise AssessmentError(f"{assessments.source}: topic {topic!r} cannot name a file.")
        _write(real / f"{topic}.xml", "".join(xml_lines(judgements, collection)))
        written.append(folder / f"{topic}.xml")
    return written


def write_fol(assessments: Assessments, file: str | Path, locator: ElementLocator | None = None) -> Path:
    """Write all topics into one file of FOL qrels, atomically.

    Entry points that are not known come from the index, if given, or are the start of the first passage.

    Raises: AssessmentError if offsets or lengths are not known (expand first), or a name contains white space.
    """
    for judgements in assessments.topics.values():
        if (judgements.passages.starts < 0).any() or (judgements.lengths < 0).any():
            raise AssessmentError(about(judgements.source, Notice("offsets_unknown", {"topic": judgements.topic})))
    topics = [with_fol_fields(judgements, locator) for judgements in assessments.topics.values()]
    lines = (line for judgements in topics for line in fol_lines(judgements))
    return _write(Path(file), "".join(f"{line}\n" for line in lines))


def xml_lines(judgements: Judgements, collection: str = "") -> Iterator[str]:
    """Yield the lines of a topic in INEX 2005 XML."""
    topic = quoteattr(judgements.topic)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<assessments pool={topic} topic={topic} version="2">\n'
    for row in range(len(judgements.documents)):
        inside = list(_document_lines(judgements, row))
        attributes = f" collection={quoteattr(collection)}" if collection else ""
        start = f" <file{attributes} name={quoteattr(judgements.documents[row])}"
        if inside:
            yield f"{start}>\n"
            yield from inside
            yield " </file>\n"
        else:
            yield f"{start}/>\n"
    yield "</assessments>\n"


def _document_lines(judgements: Judgements, row: int) -> Iterator[str]:
    path, point = judgements.entry_paths[row], _known(judgements.entry_points[row])
    if path is not None or point is not None:
        yield f"   <best-entry-point{_given(path=path, offset=point)}/>\n"
    passages, elements = judgements.passages, judgements.elements
    for i in range(*judgements.passage_bounds[row : row + 2].tolist()):
        start, end = passages.pointers[i] or (None, None)
        offset, length = _known(passages.starts[i]), _known(passages.lengths[i])
        with_result_offsets = {} if offset is None else {"offset": offset, "length": length}
        yield f"   <passage{_given(start=start, end=end, size=length, **with_result_offsets)}/>\n"
    for i in range(*judgements.element_bounds[row : row + 2].tolist()):
        code = int(elements.exhaustivity[i])
        grade = "?" if code == TOO_SMALL else None if code == NOT_JUDGED else code
        size, rsize = _known(elements.sizes[i]), _known(elements.rsizes[i])
        share = repr(float(elements.specificity[i])).removesuffix(".0") if size is None else None
        measured = _given(
            path=elements.paths[i], E=grade, exhaustivity=grade, specificity=share, size=size, rsize=rsize
        )
        yield f"   <element{measured}/>\n"


def _known(value: np.int64) -> int | None:
    return None if value < 0 else int(value)


def _given(**attributes: str | int | None) -> str:
    """Return the attributes with a value, as XML."""
    return "".join(f" {name}={quoteattr(str(value))}" for name, value in attributes.items() if value is not None)


def _write(file: Path, text: str) -> Path:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, text.encode())
    except OSError as error:
        raise AssessmentError(unwritable(file, error)) from None
    return file
