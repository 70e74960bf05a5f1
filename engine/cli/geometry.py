"""The index as what gives sizes and offsets to the commands of the evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.index.geometry import IndexGeometry


def open_geometry(index: Path) -> IndexGeometry:
    """Return what an index knows of where elements lie.

    Raises: IndexFormatError when there is no index that can be read.
    """
    from engine.index.geometry import IndexGeometry  # noqa: PLC0415  (slow to import, and often not needed)
    from engine.index.index import open_index  # noqa: PLC0415

    return IndexGeometry(open_index(index))


def geometry_of(index: Path | None) -> IndexGeometry | None:
    """Return the same of an index that need not be given."""
    return None if index is None else open_geometry(index)
