"""Judgements as assessments and as files, written and taken in: INEX XML, FOL qrels, TREC qrels, JSON."""

from __future__ import annotations

import io
import lzma
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import foxir
from engine.collection.sources.archives import DAMAGES
from engine.query_limits import check_time
from engine.system.input_files import GZIP_MAGIC, ZIP_MAGIC, unpacked
from foxir.service.http.problems import ProblemError
from foxir.service.indexes import Snapshot
from foxir.service.judging.desk import Desk, text_in
from foxir.service.judging.judged import Assignment, Intervals, Judged, Steps, size, united
from foxir.service.judging.records import Imported, judged_document

FORMATS = ("inex", "fol", "trec", "json")
# What JSON has of a document.
EXPORTED = (
    *("checksum", "highlights", "best_entry_point", "note", "done", "nothing_relevant"),
    *("lost", "lost_entry_point"),
)


def assessments_of(
    snapshot: Snapshot, found: Mapping[str, Mapping[str, Judged]], source: str = "judgements"
) -> foxir.Assessments:
    """Return judgements as assessments; documents that are not in the index are left out."""
    from eval.judgements.formats.judgements_builder import JudgementsBuilder  # noqa: PLC0415  (slow to import)
    from eval.judgements.judgements import UNKNOWN  # noqa: PLC0415

    topics = {}
    for topic, documents in sorted(found.items()):
        builder = JudgementsBuilder(topic, "fol", source)
        for document, state in sorted(documents.items()):
            text = text_in(snapshot, document)
            if text is None:
                continue
            first = state.marks[0][0] if state.marks else UNKNOWN
            builder.document(
                document,
                source,
                length=len(text),
                highlighted=size(state.marks),
                entry_point=state.entry if state.entry is not None and state.marks else first,
            )
            for start, end in state.marks:
                builder.passage(start, end - start)
        judgements = builder.build()
        if judgements.documents:
            topics[topic] = judgements
    return foxir.Assessments(source, "fol", topics)


def exported(desk: Desk, snapshot: Snapshot, assessor: str, form: str) -> tuple[bytes, str, str]:
    """Return the judgements of an assessor in a format: content, media type, file name.

    Raises: ProblemError 404 where nothing is judged, 422 where the format cannot represent them.
    """
    found = desk.all_judged(snapshot, assessor)
    assessments = assessments_of(snapshot, found)
    if not assessments.topics:
        raise ProblemError(404, f"{assessor!r} has judged nothing in this index yet.", "not-found")
    if form == "trec":
        from eval.conversion import trec_qrels  # noqa: PLC0415  (slow to import)

        names = {*assessments.topics, *(each for judged in assessments.topics.values() for each in judged.documents)}
        if split := [name for name in sorted(names) if len(name.split()) != 1]:
            raise ProblemError(
                422,
                f"{split[0]!r} contains white space, which separates columns of TREC qrels: export INEX XML or JSON.",
                "format",
            )
        text = "".join(line for judgements in assessments.topics.values() for line in trec_qrels(judgements))
        return text.encode(), "text/plain; charset=utf-8", "qrels.txt"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            if form == "fol":
                (file,) = foxir.write_assessments(assessments, folder / "qrels-fol.txt", "fol")
                return file.read_bytes(), "text/plain; charset=utf-8", "qrels-fol.txt"
            has_passages = any(len(judgements.passages) for judgements in assessments.topics.values())
            expanded = (
                foxir.expand_assessments(assessments, snapshot.index, exhaustivity=None)
                if has_passages
                else assessments
            )
            files = foxir.write_assessments(expanded, folder / "assessments")
        except foxir.FoxirError as error:
            raise ProblemError(422, error, "format") from None
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for each in sorted(files):
                archive.writestr(zipfile.ZipInfo(f"assessments/{each.name}"), each.read_bytes())
        return packed.getvalue(), "application/zip", "assessments.zip"


def as_json(desk: Desk, snapshot: Snapshot, assessor: str) -> dict[str, Any]:
    """Return all judgements, lost highlights and notes, with quotes and checksums."""
    topics: dict[str, dict[str, Any]] = {}
    for (topic, _, document), state in desk.all_begun(snapshot, assessor):
        if not (state.is_judged or state.lost or state.lost_entry or state.note):
            continue
        text = desk.text(snapshot, document, state)
        plain = asdict(judged_document(topic, assessor, document, state, text))
        topics.setdefault(topic, {})[document] = {name: plain[name] for name in EXPORTED}
    return {"assessor": assessor, "index": snapshot.name, "topics": topics}


# Bytes of a file of judgements that is taken in, unpacked; XML files in an archive; lines about what is left out.
MOST_BYTES, MOST_FILES, MOST_LINES = 64 << 20, 10_000, 1000
TopicAndDocument = tuple[str, str]


class _Found(NamedTuple):
    """Contents of a file of judgements: highlights, best entry points, and lengths of texts where they are known."""

    marks: Mapping[TopicAndDocument, Intervals]
    entries: Mapping[TopicAndDocument, int]
    lengths: Mapping[TopicAndDocument, int]
    notices: tuple[str, ...]


def imported(desk: Desk, snapshot: Snapshot, assessor: str, content: bytes, file: str = "") -> Imported:
    """Take in a file of judgements, all or nothing, in place of the judgements of the assessor in its documents.

    file: its name, for messages.

    Raises: ProblemError 422 for a file that cannot be read.
    """
    found = _highlights(snapshot, content, file)
    skipped: list[str] = []
    known = {topic.topic_id for topic in desk.topics}
    taken: list[tuple[Assignment, str, Steps]] = []
    for (topic, document), marks in found.marks.items():
        check_time()
        text = text_in(snapshot, document)
        if topic not in known:
            skipped.append(f"topic {topic!r}: not one of this service")
        elif text is None:
            skipped.append(f"topic {topic!r}, document {document!r}: not in the index")
        elif any(end > len(text) for _, end in marks):
            skipped.append(f"topic {topic!r}, document {document!r}: a passage ends after the end of the text")
        elif marks and found.lengths.get((topic, document), len(text)) != len(text):
            skipped.append(
                f"topic {topic!r}, document {document!r}: judged in a text of "
                f"{found.lengths[topic, document]:,} characters, the indexed one has {len(text):,}: another version"
            )
        else:
            body = {"marks": [list(mark) for mark in marks], "entry": found.entries.get((topic, document)), "lost": []}
            taken.append((Assignment(topic, assessor, document), text, [("import", body)]))
    desk.store.add_all(taken)
    skipped = list(dict.fromkeys(skipped))
    if len(skipped) > MOST_LINES:
        skipped[MOST_LINES:] = [f"and {len(skipped) - MOST_LINES:,} more"]
    return Imported(len(taken), skipped, list(found.notices))


def _highlights(snapshot: Snapshot, content: bytes, file: str) -> _Found:
    """Return the contents of INEX XML, also zipped, FOL or TREC qrels; raises ProblemError 422 if they are wrong."""
    from eval.judgements.formats.read import read_assessments  # noqa: PLC0415  (slow to import)

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "judgements"
        if content.startswith(ZIP_MAGIC):
            path.mkdir()
            _unpack(content, path)
        else:
            if content.startswith(GZIP_MAGIC):
                try:
                    content = unpacked(content, MOST_BYTES)
                except OSError as error:
                    raise ProblemError(422, f"the file cannot be read: {error.strerror}.", "format") from None
            path = path.with_suffix(".xml" if content.lstrip()[:1] == b"<" else ".txt")
            path.write_bytes(content)

        def named(message: str) -> str:
            return message.replace(str(path), file or path.name)

        try:
            found = read_assessments(path, may_judge_documents=True)
            notices = tuple(named(str(notice)) for notice in found.notices)
            if any((judgements.passages.starts < 0).any() for judgements in found.topics.values()):
                found = foxir.expand_assessments(found, snapshot.index)
        except foxir.QueryLimitError:
            raise
        except foxir.FoxirError as error:
            raise ProblemError(422, named(str(error)), "format") from None
    marks: dict[TopicAndDocument, Intervals] = {}
    entries: dict[TopicAndDocument, int] = {}
    lengths: dict[TopicAndDocument, int] = {}
    for topic, judgements in found.topics.items():
        passages, bounds = judgements.passages, judgements.passage_bounds.tolist()
        for row, document in enumerate(judgements.documents):
            here = slice(bounds[row], bounds[row + 1])
            spans = list(zip(passages.starts[here].tolist(), passages.lengths[here].tolist(), strict=True))
            if found.scale == "trec":
                spans = [(0, len(text_in(snapshot, document) or ""))] if judgements.highlighted[row] > 0 else []
            marks[topic, document] = united((start, start + length) for start, length in spans)
            if (length := int(judgements.lengths[row])) >= 0:
                lengths[topic, document] = length
            point = int(judgements.entry_points[row])
            if point >= 0 and marks[topic, document] and point != marks[topic, document][0][0]:
                entries[topic, document] = point
    return _Found(marks, entries, lengths, notices)


def _unpack(content: bytes, folder: Path) -> None:
    """Write the XML files of an archive into a folder, under names of our own; raises ProblemError 422."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [each for each in archive.infolist() if each.filename.endswith(".xml")]
            if len(members) > MOST_FILES:
                raise ProblemError(422, f"the archive has more than {MOST_FILES:,} XML files.", "format")
            if sum(each.file_size for each in members) > MOST_BYTES:
                raise ProblemError(422, f"the archive unpacks to more than {MOST_BYTES:,} bytes.", "format")
            left = MOST_BYTES
            for number, member in enumerate(members):
                with archive.open(member) as file:
                    unpacked = file.read(left + 1)
                left -= len(unpacked)
                if left < 0:
                    raise ProblemError(422, f"the archive unpacks to more than {MOST_BYTES:,} bytes.", "format")
                (folder / f"{number}.xml").write_bytes(unpacked)
    except (*DAMAGES, RuntimeError, zlib.error, lzma.LZMAError) as error:
        raise ProblemError(422, f"the archive cannot be read: {error}.", "format") from None
