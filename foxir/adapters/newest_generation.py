"""Keeps an index that an adapter opened itself at its newest generation."""

from __future__ import annotations

import time
from threading import Lock

from foxir.searching.opened_index import Index

# Seconds between two looks for a new generation.
REFRESH_S = 1.0


class NewestGeneration:
    """An open index that takes up its newest generation, which is looked for once in REFRESH_S seconds at most."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._next = time.monotonic() + REFRESH_S
        self._looking = Lock()

    def take_up(self) -> None:
        """Take up the newest generation if it is time to look for it; queries that run go on with theirs.

        Raises: IndexFormatError where the index has been removed; ClosedIndexError; StorageError.
        """
        if time.monotonic() < self._next or not self._looking.acquire(blocking=False):
            return
        try:
            self.index.refresh()
            self._next = time.monotonic() + REFRESH_S
        finally:
            self._looking.release()
