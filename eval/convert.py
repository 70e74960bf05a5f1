"""Turns a run or judgements into another format; between element paths and offsets with the help of an index."""

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from engine.errors import AssessmentError, FoxirError, MeasureError, RunFormatError
from engine.runs import Ranking, Run, read_run, write_run
from engine.runs.run import NOWHERE
from eval.assessments import Assessments, Judgements, read_assessments
from eval.expand import expand, write_fol, write_xml
from eval.geometry import Geometry
from eval.highlighted import highlighted_characters
from eval.left_out import LeftOut
from eval.placing import entry_point, placed, span_of, unplaced, with_measures
from eval.sheets import Column, Result, Sheet

Format: TypeAlias = Literal["inex", "fol", "trec"]
"""``inex``: XML submissions, XML assessments; ``fol``: the text formats of 2009-2010; ``trec``: documents only."""


@dataclass(frozen=True)
class Conversion(Result):
    """What was written: a run of so many results, or judgements of so many documents, and what stayed behind."""

    kind: Literal["run", "assessments"]
    to: Format
    written: tuple[Path, ...]
    n_topics: int
    n_items: int
    left_out: int
    notices: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"kind", "to", "written", "topics", "items", "left_out", "notices"}``."""
        return {
            "kind": self.kind,
            "to": self.to,
            "written": [str(file) for file in self.written],
            "topics": self.n_topics,
            "items": self.n_items,
            "left_out": self.left_out,
            "notices": list(self.notices),
        }

    def sheets(self) -> tuple[Sheet, ...]:
        """Return what was written, in one row."""
        items = "results" if self.kind == "run" else "documents"
        counts = [Column(name, 0) for name in ("files", "topics", items, "left out")]
        row = [self.kind, self.to, len(self.written), self.n_topics, self.n_items, self.left_out]
        return (Sheet.of(f"{self.written[0]}" if self.written else "", ["kind", "format", *counts], [row]),)


def convert(file: str | Path, *, to: Format, out: str | Path, geometry: Geometry | None = None) -> Conversion:
    """Write a run or judgements in another format; what the file is shows in its content.

    Runs: to ``fol`` results by path get their offsets, to ``inex`` results by offset that are exactly an element get
    its path, both from the geometry; ``trec`` keeps the first result of each document. Judgements: ``inex`` writes a
    folder with a file a topic, with a geometry all elements that meet a passage; ``fol`` one file of passages by
    offset; ``trec`` one file of documents, relevant or not.

    Raises: FoxirError for a file that is neither, RunFormatError and AssessmentError where a format cannot hold it,
        MeasureError where an index is needed.
    """
    if to not in get_args(Format):
        raise MeasureError(f"there is no format {to!r} to convert to; choose one of: {', '.join(get_args(Format))}.")
    found = read_any(file)
    if isinstance(found, Run):
        return _convert_run(found, to, Path(out), geometry)
    return _convert_assessments(found, to, Path(out), geometry)


def read_any(file: str | Path) -> Run | Assessments:
    """Return the run or the judgements in a file or folder.

    Raises: RunFormatError or AssessmentError, whichever the file looks more like.
    """
    path = Path(file)
    if path.is_dir() or _begins_like_judgements(path):
        return read_assessments(path)
    return read_run(path)


def run_with_offsets(run: Run, geometry: Geometry | None) -> tuple[Run, int]:
    """Return the run with the offset and length of every result, without those that the index does not have.

    Their number stands beside it; the others keep their order and are ranked 1, 2, 3 ... anew.
    """
    rankings: dict[str, Ranking] = {}
    left_out = 0
    for topic, ranking in run.rankings.items():
        todo = unplaced(ranking)
        found = placed(ranking, geometry)
        lost = {i for i in todo if found.starts[i] == NOWHERE}
        left_out += len(lost)
        rankings[topic] = _selected(found, [i for i in range(len(found)) if i not in lost])
    return replace(run, rankings=rankings), left_out


def run_with_paths(run: Run, geometry: Geometry) -> tuple[Run, int]:
    """Return the run with the path of every result that is exactly an element, the outermost one of that span.

    The number of results that are no element, and keep their offsets, stands beside it.
    """
    known: dict[str, dict[tuple[int, int], str]] = {}
    rankings: dict[str, Ranking] = {}
    not_elements = 0
    for topic, ranking in run.rankings.items():
        paths = list(ranking.paths)
        for i, document in enumerate(ranking.documents):
            start, length = int(ranking.starts[i]), int(ranking.lengths[i])
            if paths[i] is not None or (start == NOWHERE and i not in ranking.pointers):
                continue
            if document not in known:
                known[document] = _paths_by_span(document, geometry)
            if i in ranking.pointers:
                start, end = span_of(ranking.pointers[i], document, geometry)
            else:
                end = start + length if length != NOWHERE else NOWHERE
            paths[i] = known[document].get((start, end))
            not_elements += paths[i] is None
        pointers = {i: pointers for i, pointers in ranking.pointers.items() if paths[i] is None}
        rankings[topic] = replace(ranking, paths=paths, pointers=pointers)
    return replace(run, rankings=rankings), not_elements


def trec_qrels(judgements: Judgements) -> Iterator[str]:
    """Yield a line for each judged document: ``topic 0 document relevance``, 1 if it holds anything relevant."""
    relevant = highlighted_characters(judgements) > 0
    rows = judgements.elements.document_rows[judgements.elements.relevant]
    relevant[rows] = True
    for document, is_relevant in zip(judgements.documents, relevant.tolist(), strict=True):
        yield f"{judgements.topic} 0 {document} {int(is_relevant)}\n"


def _convert_run(run: Run, to: Format, out: Path, geometry: Geometry | None) -> Conversion:
    n_results, left_out, notices = run.n_results, 0, list(run.notices)
    if to == "fol" and geometry is not None:
        run, left_out = run_with_offsets(run, geometry)
        if left_out:
            notices.append(LeftOut(f"{left_out} of {n_results} results are not in the index and were left out"))
    if to == "inex" and geometry is not None:
        run, not_elements = run_with_paths(run, geometry)
        if not_elements:
            notices.append(f"{not_elements} of {n_results} results are no element and keep their offsets")
    write_run(run, out, to)
    if to == "trec":
        firsts = sum(len(set(ranking.documents)) for ranking in run.rankings.values())
        if firsts < run.n_results:
            notices.append(f"{run.n_results - firsts} results in documents returned before stay behind")
        return Conversion("run", to, (out,), len(run.rankings), firsts, 0, tuple(notices))
    return Conversion("run", to, (out,), len(run.rankings), run.n_results, left_out, tuple(notices))


def _convert_assessments(found: Assessments, to: Format, out: Path, geometry: Geometry | None) -> Conversion:
    notices, left_out = list(found.notices), 0
    graded = found.scale in ("2002", "2003")
    if graded and to != "trec":
        raise AssessmentError(
            f"{found.source}: judgements of {found.scale} grade elements and highlight no text, which the formats of "
            f"2005 on need; they can be converted to trec (documents)."
        )
    if to == "inex":
        if geometry is not None and any(len(judgements.passages) for judgements in found.topics.values()):
            expansion = expand(found, geometry)
            found, left_out = expansion.assessments, len(expansion.left_out)
            if left_out:
                notices.append(LeftOut(f"{left_out} judged documents are not in the index and were left out"))
        written = tuple(write_xml(found, out))
    elif to == "fol":
        n_points = sum(_without_entry_point(judgements, geometry) for judgements in found.topics.values())
        if n_points:
            notices.append(f"{n_points} documents without best entry point: the start of the first passage was taken")
        found = replace(found, topics={t: with_measures(judged, geometry) for t, judged in found.topics.items()})
        written = (write_fol(found, out),)
    else:
        text = "".join(line for judgements in found.topics.values() for line in trec_qrels(judgements))
        written = (_write(out, text),)
    n_documents = sum(len(judgements.documents) for judgements in found.topics.values())
    return Conversion("assessments", to, written, len(found.topics), n_documents, left_out, tuple(notices))


def _without_entry_point(judgements: Judgements, geometry: Geometry | None) -> int:
    """Return how many documents with passages have no best entry point."""
    rows = np.flatnonzero(np.diff(judgements.passage_bounds)).tolist()
    return sum(entry_point(judgements, row, geometry) is None for row in rows)


def _paths_by_span(document: str, geometry: Geometry) -> dict[tuple[int, int], str]:
    elements = geometry.elements(document)
    paths: dict[tuple[int, int], str] = {}
    if elements is not None:
        for path, start, end in zip(elements.paths, elements.starts.tolist(), elements.ends.tolist(), strict=True):
            paths.setdefault((start, end), path)
    return paths


def _selected(ranking: Ranking, kept: Sequence[int]) -> Ranking:
    """Return the results in the given rows."""
    if len(kept) == len(ranking):
        return ranking
    rows = np.array(kept, dtype=np.int64)
    return Ranking.ranked(
        ranking.topic,
        [ranking.documents[i] for i in kept],
        [ranking.paths[i] for i in kept],
        rsv=ranking.rsv[rows],
        starts=ranking.starts[rows],
        lengths=ranking.lengths[rows],
        lines=ranking.lines[rows],
        pointers={n: ranking.pointers[i] for n, i in enumerate(kept) if i in ranking.pointers},
    )


def _begins_like_judgements(path: Path) -> bool:
    """Return whether a file holds judgements: ``<assessments``, or a line of FOL qrels and no run id in it."""
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FoxirError(f"{path}: cannot be read: {reason}. Expected a run or judgements.") from None
    text = data[:100_000].decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if text.startswith("<"):
        return "<assessments" in text
    fields = text.split("\n", 1)[0].split()
    return len(fields) == 5 or (len(fields) > 6 and all(":" in field for field in fields[6:]))


def _write(file: Path, text: str) -> Path:
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise RunFormatError(f"{file}: cannot be written: {error.strerror}.") from None
    return file
