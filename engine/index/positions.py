"""Positions of occurrences, a byte each; the few past a byte stand in a list of their own.

position        an occurrence: its position, or FAR
far_places      ascending: the occurrences that have FAR there
far_positions   their positions
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.index.files import CheckedFolder, FolderWriter, narrow

FAR = 255


class PositionsWriter:
    """Writes the positions of a segment, slice by slice."""

    def __init__(self, writer: FolderWriter, n_occurrences: int) -> None:
        self._writer = writer
        self._file = writer.start_column("position", np.dtype("<u1"), (n_occurrences,))
        self._places: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        self._positions: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        self._done = 0

    def append(self, positions: NDArray[Any]) -> None:
        """Append positions."""
        far = np.flatnonzero(positions >= FAR)
        self._places.append(far + self._done)
        self._positions.append(positions[far].astype(np.int64))
        self._file.append(np.minimum(positions, FAR).astype(np.uint8))
        self._done += len(positions)

    def finish(self) -> None:
        """Close the columns."""
        self._writer.finish(self._file)
        self._writer.column("far_places", narrow(np.concatenate(self._places)))
        self._writer.column("far_positions", narrow(np.concatenate(self._positions)))


def positions_at(files: CheckedFolder, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions of some occurrences, int64."""
    positions = files.column("position").take(places).astype(np.int64)
    far = np.flatnonzero(positions == FAR)
    if far.size:
        where = np.searchsorted(files.column("far_places").all(), places[far])
        positions[far] = files.column("far_positions").take(where)
    return positions


def all_positions(files: CheckedFolder) -> NDArray[Any]:
    """Return the positions of all occurrences, in the narrowest dtype that holds them."""
    far = files.column("far_positions").all()
    positions = files.column("position").all().astype(np.promote_types(np.uint8, far.dtype))
    positions[files.column("far_places").all()] = far
    return positions
