"""What is judged, as assessments and as files: INEX XML, FOL qrels, TREC qrels, JSON."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import foxir
from foxir.service.http.problems import ProblemError
from foxir.service.indexes import Snapshot
from foxir.service.judging.desk import Desk, text_in
from foxir.service.judging.intervals import size
from foxir.service.judging.judged import Judged

FORMATS = ("inex", "fol", "trec", "json")


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
    """Return everything that is judged, lost or noted, with quotes, notes and checksums."""
    topics: dict[str, dict[str, Any]] = {}
    for (topic, _, document), state in desk.all_begun(snapshot, assessor):
        if not (state.is_judged or state.lost or state.lost_entry or state.note):
            continue
        text = desk.text(snapshot, document, state)
        topics.setdefault(topic, {})[document] = {
            "checksum": state.checksum,
            "highlights": [{"start": a, "end": b, "quote": text[a:b]} for a, b in state.marks],
            "best_entry_point": state.entry,
            "note": state.note,
            "done": state.is_done,
            "nothing_relevant": state.is_irrelevant,
            "lost": [asdict(each) for each in state.lost],
            "lost_entry_point": asdict(state.lost_entry) if state.lost_entry else None,
        }
    return {"assessor": assessor, "index": snapshot.name, "topics": topics}
