"""The index as what gives sizes and offsets to the commands of the evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eval.geometry import Geometry


def open_geometry(index: Path) -> Geometry:
    """Return what an index knows of where elements lie.

    Raises: IndexFormatError when there is no index that can be read.
    """
    from engine.cli.folder_geometry import FolderGeometry  # noqa: PLC0415  (slow to import, and often not needed)

    return FolderGeometry(index)


def geometry_of(index: Path | None) -> Geometry | None:
    """Return the same of an index that need not be given."""
    return None if index is None else open_geometry(index)
