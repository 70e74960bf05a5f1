"""A new segment: parts merged into a folder named after its content."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from engine.collection.profiles.profile import Profile
from engine.columns.checksum_writer import FolderWriter
from engine.errors import IndexFormatError
from engine.index.segment import Segment
from engine.index.segment_description import DESCRIPTION, Description
from engine.index.whoosh_contents import CONTENTS, whoosh_contents
from engine.indexing.element_table import write_element_table
from engine.indexing.index_part import Part
from engine.indexing.merge import merge
from engine.system.files import sync_folder

# Prefix of the folders of segments that are being written.
UNFINISHED = "new-"


def write_segment(
    parts: Sequence[Part],
    segments: Path,
    profile: Profile,
    advance: Callable[[int], None] | None = None,
    memory: int = 2**30,
) -> tuple[str, str]:
    """Merge parts into a new segment under `segments`, within `memory` bytes.

    Args:
        profile: of the index.

    Returns: its name and the SHA-256 of its description.

    Every file and folder is durable on return; no manifest names the segment yet.
    """
    folder = segments / f"{UNFINISHED}{os.getpid()}"
    folder.mkdir(parents=True)
    elements, articles = FolderWriter(folder / "elements", sync=True), FolderWriter(folder / "articles", sync=True)
    counts = merge(parts, elements, articles, advance, memory)
    articles.bytes(CONTENTS, whoosh_contents(counts.n_documents, counts.n_tokens))
    described = Description(**vars(counts), articles=articles.close(), elements=elements.written)
    write_element_table(Segment(folder, described), profile, elements)
    raw = replace(described, elements=elements.close()).to_bytes()
    digest = hashlib.sha256(raw).hexdigest()
    (folder / DESCRIPTION).write_bytes(raw)
    with (folder / DESCRIPTION).open("rb") as written:
        os.fsync(written.fileno())
    sync_folder(folder)
    name = digest[:16]
    if _is_whole(segments / name, digest):  # equal content: a live segment, or one that a killed build left
        shutil.rmtree(folder)
    else:
        shutil.rmtree(segments / name, ignore_errors=True)
        folder.rename(segments / name)
    sync_folder(segments)
    sync_folder(segments.parent)
    return name, digest


def _is_whole(folder: Path, digest: str) -> bool:
    """Return whether a folder contains the complete segment of this digest."""
    try:
        Segment.open(folder, digest).verify()
    except IndexFormatError:
        return False
    return True
