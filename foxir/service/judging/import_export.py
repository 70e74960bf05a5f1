"""Judgements out and in: INEX XML, FOL qrels, TREC qrels; agreement; scores of runs on what is judged so far."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import foxir
from foxir.service.indexes import Snapshot
from foxir.service.judging.desk import Desk, text_in
from foxir.service.judging.intervals import size, united
from foxir.service.judging.judged import Judged
from foxir.service.judging.records import Imported
from foxir.service.judging.store import Assignment, checksum_of
from foxir.service.problems import ProblemError

if TYPE_CHECKING:
    from eval.judgements.assessor_agreement import AssessorAgreement

FORMATS = ("inex", "fol", "trec", "json")
# Bytes of a file of judgements that is taken in.
MOST_BYTES = 64 << 20


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
        from eval.conversion.convert import trec_qrels  # noqa: PLC0415  (slow to import)

        text = "".join(line for judgements in assessments.topics.values() for line in trec_qrels(judgements))
        return text.encode(), "text/plain; charset=utf-8", "qrels.txt"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            if form == "fol":
                (file,) = foxir.write_assessments(assessments, folder / "qrels-fol.txt", "fol")
                return file.read_bytes(), "text/plain; charset=utf-8", "qrels-fol.txt"
            has_passages = any(len(judgements.passages) for judgements in assessments.topics.values())
            expanded = foxir.expand_assessments(assessments, snapshot.index) if has_passages else assessments
            files = foxir.write_assessments(expanded, folder / "assessments")
        except foxir.FoxirError as error:
            raise ProblemError(422, str(error), "format") from None
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for each in sorted(files):
                archive.writestr(zipfile.ZipInfo(f"assessments/{each.name}"), each.read_bytes())
        return packed.getvalue(), "application/zip", "assessments.zip"


def as_json(desk: Desk, snapshot: Snapshot, assessor: str) -> dict[str, Any]:
    """Return everything that is judged, with quotes, notes and checksums."""
    found = desk.all_judged(snapshot, assessor)
    topics: dict[str, Any] = {}
    for topic, documents in found.items():
        topics[topic] = {}
        for document, state in documents.items():
            text = text_in(snapshot, document) or ""
            topics[topic][document] = {
                "checksum": state.checksum or checksum_of(text),
                "highlights": [{"start": a, "end": b, "quote": text[a:b]} for a, b in state.marks],
                "best_entry_point": state.entry,
                "note": state.note,
                "done": state.is_done,
                "nothing_relevant": state.is_irrelevant,
                "lost": [{"start": each.start, "end": each.end, "quote": each.quote} for each in state.lost],
            }
    return {"assessor": assessor, "index": snapshot.name, "topics": topics}


def imported(desk: Desk, snapshot: Snapshot, assessor: str, content: bytes, file: str = "") -> Imported:
    """Take in a file of judgements, instead of what the assessor has judged in its documents.

    file: its name, for messages.

    Raises: ProblemError 422 for a file that cannot be read.
    """
    if trec := _trec(content):
        judged = {
            (topic, document): united([(0, len(text_in(snapshot, document) or ""))] if relevant else [])
            for (topic, document), relevant in trec.items()
        }
        entries: dict[tuple[str, str], int] = {}
        notices: tuple[str, ...] = ()
    else:
        judged, entries, notices = _highlights(snapshot, content, file)
    left_out: list[str] = []
    known = {topic.topic_id for topic in desk.topics}
    n_taken = 0
    for (topic, document), marks in judged.items():
        text = text_in(snapshot, document)
        if topic not in known:
            left_out.append(f"topic {topic!r}: not one of this service")
        elif text is None:
            left_out.append(f"topic {topic!r}, document {document!r}: not in the index")
        elif any(end > len(text) for _, end in marks):
            left_out.append(f"topic {topic!r}, document {document!r}: a passage ends after the end of the text")
        else:
            body = {"marks": [list(mark) for mark in marks], "entry": entries.get((topic, document)), "lost": []}
            desk.store.add(Assignment(topic, assessor, document), text, [("import", body)])
            n_taken += 1
    return Imported(n_taken, list(dict.fromkeys(left_out)), list(notices))


def _highlights(
    snapshot: Snapshot, content: bytes, file: str
) -> tuple[dict[tuple[str, str], Any], dict[tuple[str, str], int], tuple[str, ...]]:
    """Return highlights and best entry points by (topic, document), and notices, of INEX XML (or zipped), FOL qrels."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "judgements"
        if content[:4] == b"PK\x03\x04":
            path.mkdir()
            _unpack(content, path)
        else:
            path = path.with_suffix(".xml" if content.lstrip()[:1] == b"<" else ".txt")
            path.write_bytes(content)

        def named(message: str) -> str:
            return message.replace(str(path), file or path.name)

        try:
            found = foxir.read_assessments(path)
            notices = tuple(named(str(notice)) for notice in found.notices)
            if any((judgements.passages.starts < 0).any() for judgements in found.topics.values()):
                found = foxir.expand_assessments(found, snapshot.index)
        except foxir.FoxirError as error:
            raise ProblemError(422, named(str(error)), "format") from None
    marks: dict[tuple[str, str], Any] = {}
    entries: dict[tuple[str, str], int] = {}
    for topic, judgements in found.topics.items():
        passages, bounds = judgements.passages, judgements.passage_bounds.tolist()
        for row, document in enumerate(judgements.documents):
            here = slice(bounds[row], bounds[row + 1])
            spans = zip(passages.starts[here].tolist(), passages.lengths[here].tolist(), strict=True)
            marks[topic, document] = united((start, start + length) for start, length in spans)
            point = int(judgements.entry_points[row])
            if point >= 0 and marks[topic, document] and point != marks[topic, document][0][0]:
                entries[topic, document] = point
    return marks, entries, notices


def _unpack(content: bytes, folder: Path) -> None:
    """Write the XML files of an archive into a folder, under names of our own; raises ProblemError 422."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [each for each in archive.infolist() if each.filename.endswith(".xml")]
            if sum(each.file_size for each in members) > MOST_BYTES or len(members) > 10_000:
                raise ProblemError(422, f"the archive unpacks to more than {MOST_BYTES:,} bytes.", "format")
            left = MOST_BYTES
            for number, member in enumerate(members):
                with archive.open(member) as file:
                    unpacked = file.read(left + 1)
                left -= len(unpacked)
                if left < 0:
                    raise ProblemError(422, f"the archive unpacks to more than {MOST_BYTES:,} bytes.", "format")
                (folder / f"{number}.xml").write_bytes(unpacked)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise ProblemError(422, f"the archive cannot be read: {error}.", "format") from None


def _trec(content: bytes) -> dict[tuple[str, str], bool] | None:
    """Return (topic, document) -> relevant from TREC qrels (four columns), None for any other content."""
    try:
        lines = [line.split() for line in content.decode("utf-8").splitlines() if line.strip()]
    except UnicodeDecodeError:
        return None
    if not lines or not all(len(line) == 4 and line[3].lstrip("-").isdecimal() for line in lines):
        return None
    return {(topic, document): int(relevance) > 0 for topic, _, document, relevance in lines}


def agreement(desk: Desk, snapshot: Snapshot, first: str, second: str) -> AssessorAgreement:
    """Return how far two assessors agree on the topics and documents that both have judged; raises ProblemError 404."""
    one, other = desk.all_judged(snapshot, first), desk.all_judged(snapshot, second)
    both = {topic: documents.keys() & other.get(topic, {}).keys() for topic, documents in one.items()}
    kept = [
        assessments_of(
            snapshot,
            {
                topic: {each: judged[topic][each] for each in documents}
                for topic, documents in both.items()
                if documents
            },
            name,
        )
        for judged, name in ((one, first), (other, second))
    ]
    if not kept[0].topics:
        raise ProblemError(404, f"{first!r} and {second!r} have judged no document in common yet.", "not-found")
    try:
        return foxir.agreement(kept[0], kept[1], index=snapshot.index)
    except foxir.FoxirError as error:
        raise ProblemError(422, str(error), "format") from None


def scores(
    desk: Desk, snapshot: Snapshot, assessor: str, measures: str, topics: list[str] | None = None
) -> foxir.ScoreTable:
    """Return the scores of the runs on what an assessor has judged so far.

    Raises: ProblemError 404 where there are no runs or nothing is judged, 422 for a wrong measure.
    """
    if not desk.runs:
        raise ProblemError(404, "this service has no runs: start it with --pool RUN.", "not-found")
    assessments = assessments_of(snapshot, desk.all_judged(snapshot, assessor, topics))
    if not assessments.topics:
        raise ProblemError(404, f"{assessor!r} has judged nothing yet.", "not-found")
    try:
        return foxir.score(assessments, desk.runs, measures, index=snapshot.index)
    except foxir.FoxirError as error:
        raise ProblemError(422, str(error), "measure") from None
