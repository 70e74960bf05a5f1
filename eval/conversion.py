"""How does a run or a judgement get into another format?

Between the file formats of INEX and TREC, and between element paths and offsets where an index is given.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from engine.errors import AssessmentError, FoxirError, MeasureError, RunFormatError
from engine.notices import Message, Notice
from engine.runs import Ranking, Run, n_written, read_run, write_run
from engine.runs.run import NOWHERE
from engine.system.files import replace_file, unwritable
from engine.system.input_files import read_input
from eval.judgements.element_expansion import expand, write_fol, write_xml
from eval.judgements.formats.read import read_assessments
from eval.judgements.judgements import Assessments, Judgements
from eval.output.tables import Column, PrintableResult, PrintedTable
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import highlighted_characters
from eval.text.offsets import entry_point, pointer_span, results_without_offsets, with_fol_fields, with_result_offsets

# ``inex``: XML submissions, XML assessments; ``fol``: the text formats of 2009-2010; ``trec``: documents only.
TargetFormat: TypeAlias = Literal["inex", "fol", "trec"]


@dataclass(frozen=True, repr=False)
class Conversion(PrintableResult):
    """The files written by a conversion, the number of their items and of those that were skipped."""

    kind: Literal["run", "assessments"]
    format: TargetFormat
    written: tuple[Path, ...]
    n_topics: int
    n_items: int
    n_skipped: int
    notices: tuple[Message, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"kind", "format", "written", "topics", "items", "skipped", "notices"}``."""
        return {
            "kind": self.kind,
            "format": self.format,
            "written": [str(file) for file in self.written],
            "topics": self.n_topics,
            "items": self.n_items,
            "skipped": self.n_skipped,
            "notices": list(map(str, self.notices)),
        }

    def tables(self) -> tuple[PrintedTable, ...]:
        """Return one row with the counts."""
        items = "results" if self.kind == "run" else "documents"
        counts = [Column(name, 0) for name in ("files", "topics", items, "skipped")]
        row = [self.kind, self.format, len(self.written), self.n_topics, self.n_items, self.n_skipped]
        title = str(self.written[0]) if self.written else ""
        return (PrintedTable.of("stdout" if title == "-" else title, ["kind", "format", *counts], [row]),)


def convert(
    file: str | Path, *, format: TargetFormat, out: str | Path, locator: ElementLocator | None = None
) -> Conversion:
    """Write a run or judgements in another format; the kind of the input is recognised by its content.

    Runs: to ``fol`` results by path get their offsets, to ``inex`` results by offset that are exactly an element get
    its path, both from the locator; ``trec`` keeps the first result of each document. Judgements: ``inex`` writes a
    folder with a file a topic, with a locator all elements that meet a passage; ``fol`` one file of passages by
    offset; ``trec`` one file of documents, relevant or not.

    Raises: FoxirError for a file that is neither, RunFormatError and AssessmentError where a format cannot
        represent it, MeasureError where an index is needed.
    """
    if format not in get_args(TargetFormat):
        raise MeasureError(
            f"there is no format {format!r} to convert to; choose one of: {', '.join(get_args(TargetFormat))}."
        )
    found = read_any(file)
    if isinstance(found, Run):
        return _convert_run(found, format, Path(out), locator)
    return _convert_assessments(found, format, Path(out), locator)


def read_any(file: str | Path) -> Run | Assessments:
    """Return the run or the judgements in a file or folder.

    Raises: RunFormatError or AssessmentError, whichever the file looks more like.
    """
    path = Path(file)
    return read_assessments(path) if contains_judgements(path) else read_run(path)


def contains_judgements(path: Path) -> bool:
    """Return whether a folder or file contains judgements rather than a run, by its beginning.

    Raises: FoxirError when it cannot be read.
    """
    return os.path.isdir(path) or _begins_like_judgements(path)


def trec_qrels(judgements: Judgements) -> Iterator[str]:
    """Yield ``topic 0 document relevance`` for each judged document; relevance is 1 if any part of it is relevant."""
    relevant = highlighted_characters(judgements) > 0
    rows = judgements.elements.document_rows[judgements.elements.relevant]
    relevant[rows] = True
    for document, is_relevant in zip(judgements.documents, relevant.tolist(), strict=True):
        yield f"{judgements.topic} 0 {document} {int(is_relevant)}\n"


def _convert_run(run: Run, format: TargetFormat, out: Path, locator: ElementLocator | None) -> Conversion:
    n_results, n_skipped, notices = run.n_results, 0, list(run.notices)
    if format == "fol" and locator is not None:
        run, n_skipped = run_with_offsets(run, locator)
        if n_skipped:
            notices.append(Notice("skipped_results", {"count": n_skipped, "results": n_results}, "exclusion"))
    if format == "inex" and locator is not None:
        run, not_elements = run_with_paths(run, locator)
        if not_elements:
            notices.append(Notice("results_no_elements", {"count": not_elements, "results": n_results}))
    write_run(run, out, format)
    n_converted = n_written(run, format)
    if n_converted < run.n_results:
        notices.append(Notice("documents_listed", {"results": run.n_results - n_converted}))
    return Conversion("run", format, (out,), len(run.rankings), n_converted, n_skipped, tuple(notices))


def _convert_assessments(
    found: Assessments, format: TargetFormat, out: Path, locator: ElementLocator | None
) -> Conversion:
    notices, n_skipped = list(found.notices), 0
    graded = found.scale in ("2002", "2003")
    if graded and format != "trec":
        raise AssessmentError(
            f"{found.source}: judgements of {found.scale} grade elements and highlight no text, which the formats of "
            f"2005 on need; they can be converted to trec (documents)."
        )
    if format == "inex":
        if locator is not None and any(len(judgements.passages) for judgements in found.topics.values()):
            expansion = expand(found, locator)
            found, n_skipped = expansion.assessments, len(expansion.skipped)
            if n_skipped:
                notices.append(Notice("skipped_documents", {"documents": n_skipped}, "exclusion"))
        written = tuple(write_xml(found, out))
    elif format == "fol":
        n_points = sum(_without_entry_point(judgements, locator) for judgements in found.topics.values())
        if n_points:
            notices.append(Notice("no_entry_points", {"documents": n_points}))
        found = replace(found, topics={t: with_fol_fields(judged, locator) for t, judged in found.topics.items()})
        written = (write_fol(found, out),)
    else:
        text = "".join(line for judgements in found.topics.values() for line in trec_qrels(judgements))
        written = (_write(out, text),)
    n_documents = sum(len(judgements.documents) for judgements in found.topics.values())
    return Conversion("assessments", format, written, len(found.topics), n_documents, n_skipped, tuple(notices))


def _without_entry_point(judgements: Judgements, locator: ElementLocator | None) -> int:
    """Return the number of documents with passages but without a best entry point."""
    rows = np.flatnonzero(np.diff(judgements.passage_bounds)).tolist()
    return sum(entry_point(judgements, row, locator) is None for row in rows)


def _begins_like_judgements(path: Path) -> bool:
    """Return whether a file contains judgements: ``<assessments``, or a first line of FOL qrels instead of a run."""
    try:
        data = read_input(path, unpacks=True)
    except OSError as error:
        raise FoxirError(f"{path}: cannot be read: {error.strerror}. Expected a run or judgements.") from None
    text = data[:100_000].decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if text.startswith("<"):
        return "<assessments" in text
    fields = text.split("\n", 1)[0].split()
    return len(fields) == 5 or (len(fields) > 6 and all(":" in field for field in fields[6:]))


def _write(file: Path, text: str) -> Path:
    try:
        replace_file(file, text.encode())
    except OSError as error:
        raise RunFormatError(unwritable(file, error)) from None
    return file


def run_with_offsets(run: Run, locator: ElementLocator | None) -> tuple[Run, int]:
    """Return the run with the offset and length of every result, and the number of results missing from the index.

    Those are skipped; the others keep their order and are ranked 1, 2, 3 ... again.
    """
    rankings: dict[str, Ranking] = {}
    n_skipped = 0
    for topic, ranking in run.rankings.items():
        todo = results_without_offsets(ranking)
        found = with_result_offsets(ranking, locator)
        lost = {i for i in todo if found.starts[i] == NOWHERE}
        n_skipped += len(lost)
        rankings[topic] = selected(found, [i for i in range(len(found)) if i not in lost])
    return replace(run, rankings=rankings), n_skipped


def run_with_paths(run: Run, locator: ElementLocator) -> tuple[Run, int]:
    """Return the run with a path for every result whose span is an element, and the number of the other results.

    Of several elements with the same span the outermost is taken; the other results keep their offsets.
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
                known[document] = _paths_by_span(document, locator)
            if i in ranking.pointers:
                start, end = pointer_span(ranking.pointers[i], document, locator)
            else:
                end = start + length if length != NOWHERE else NOWHERE
            paths[i] = known[document].get((start, end))
            not_elements += paths[i] is None
        pointers = {i: pointers for i, pointers in ranking.pointers.items() if paths[i] is None}
        rankings[topic] = replace(ranking, paths=paths, pointers=pointers)
    return replace(run, rankings=rankings), not_elements


def _paths_by_span(document: str, locator: ElementLocator) -> dict[tuple[int, int], str]:
    elements = locator.elements(document)
    paths: dict[tuple[int, int], str] = {}
    if elements is not None:
        for path, start, end in zip(elements.paths, elements.starts.tolist(), elements.ends.tolist(), strict=True):
            paths.setdefault((start, end), path)
    return paths


def selected(ranking: Ranking, rows: Sequence[int]) -> Ranking:
    """Return the results in some rows (ascending), ranked 1, 2, 3 ... again."""
    if len(rows) == len(ranking):
        return ranking
    places = np.array(rows, dtype=np.int64)
    return Ranking.ranked(
        ranking.topic,
        [ranking.documents[row] for row in rows],
        [ranking.paths[row] for row in rows],
        rsv=ranking.rsv[places],
        starts=ranking.starts[places],
        lengths=ranking.lengths[places],
        lines=ranking.lines[places],
        pointers={place: ranking.pointers[row] for place, row in enumerate(rows) if row in ranking.pointers},
        source=ranking.source,
    )
