"""What `foxir index` prints of a build: notes, what was left out, totals, files not looked at, images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.collection.ingest_report import REPORT, IngestReport
from engine.notices import Message
from engine.system.byte_sizes import rounded_bytes
from engine.wording import counted, shortened

MOST_LISTED = 10  # skipped files that are printed; ingest.json lists all
MOST_NAMED = 5  # entities that are printed


def ignored_files(ignored: Mapping[str, int]) -> str:
    """Return a line on the files that were not looked at, the most frequent extensions first.

    >>> ignored_files({".docx": 2, ".png": 11})
    '13 files not looked at: .png 11, .docx 2'
    """
    most = sorted(ignored.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name} {count:,}" for name, count in most[:MOST_LISTED])
    more = f" and {len(most) - MOST_LISTED} other extensions" if len(most) > MOST_LISTED else ""
    return f"{counted(sum(ignored.values()), 'file')} not looked at: {shown}{more}"


def images_read(images: Mapping[str, int]) -> str:
    """Return how many images were read, and what became of the other references to images.

    >>> images_read({"read": 64, "missing": 2, "elsewhere": 1})
    '64 images read, 2 references to images that are missing, 1 reference to images elsewhere, which are not fetched'
    """
    read, refused, missing, elsewhere = (images.get(name, 0) for name in ("read", "refused", "missing", "elsewhere"))
    parts = (
        (read, f"{counted(read, 'image')} read"),
        (refused, f"{counted(refused, 'image')} left out"),
        (missing, f"{counted(missing, 'reference')} to images that are missing"),
        (elsewhere, f"{counted(elsewhere, 'reference')} to images elsewhere, which are not fetched"),
    )
    return ", ".join(part for count, part in parts if count) or "images not read"


def summary(report: IngestReport, index: Path | str) -> str:
    """Return the totals of an index and what this build did, in two lines."""
    speed = f" ({report.bytes / 1e6 / report.seconds:.1f} MB/s)" if report.bytes and report.seconds else ""
    read = f"read {counted(report.read, 'document')}, {rounded_bytes(report.bytes)}, in {report.seconds:.1f} s{speed}"
    dropped = f"removed {counted(report.dropped, 'document or old version', 'documents or old versions')}"
    done = [line for line, count in ((read, report.read), (dropped, report.dropped)) if count] or ["nothing changed"]
    return (
        f"{index}: {counted(report.documents, 'document')}, {counted(report.elements, 'element')}, "
        f"{counted(report.leaves, 'leaf', 'leaves')}, {counted(report.terms, 'term')}\n"
        f"{'; '.join(done)}; {len(report.skipped):,} skipped"
        f"{f'; {ignored_files(report.ignored)}' if report.ignored else ''}"
        f"{f'; {images_read(report.images)}' if report.images else ''}"
    )


def left_out(report: IngestReport, index: Path | str) -> Iterator[str]:
    """Yield what a build skipped, a reason for exit status 1."""
    for skipped in report.skipped[:MOST_LISTED]:
        place = f"{skipped.file}:{skipped.line}" if skipped.line else skipped.file
        yield f"skipped: {place}: {skipped.reason}"
    if len(report.skipped) > MOST_LISTED:
        listing = index / REPORT if isinstance(index, Path) else f"the newest object in {index}/reports"
        yield f"skipped: {len(report.skipped) - MOST_LISTED} more, see {listing}"


def notes(report: IngestReport) -> Iterator[Message]:
    """Yield the notices of a build, and what it read otherwise than it is written."""
    yield from report.notices
    if report.kept_entities:
        n_kept = counted(sum(report.kept_entities.values()), "reference")
        most = sorted(report.kept_entities.items(), key=lambda item: (-item[1], item[0]))[:MOST_NAMED]
        names = ", ".join(f"{shortened(name)} {count:,}" for name, count in most)
        more = ", ..." if len(report.kept_entities) > MOST_NAMED else ""
        yield f"{n_kept} to undefined entities kept as text: {names}{more}"
