"""The strings of a column that are a word but for their accents: found by how they begin without them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.columns.checked_folder import Strings
from engine.query_limits import check_time, reserve
from engine.text.characters import ACCENTED, spellings_without_accents
from engine.text.utf8 import code_points
from engine.threads import cached_property

# Letters by which strings are grouped, and bytes that hold so many of any script; strings that are read at a time.
LETTERS, BYTES, AT_A_TIME = 3, 12, 2**17
FIRST_LEAD = 0xC0  # of the first bytes of characters beyond ASCII
BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


class AccentedStrings:
    """The strings with accents of a sorted column, in groups of those that begin with the same letters."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings

    def beginning(self, letters: str) -> list[str]:
        """Return the strings that may begin with these letters without accents where accents are left out.

        By their first letters, and by those before the first accent.
        """
        begins = [letters[:n_letters] for n_letters in range(LETTERS + 1)]
        if len(letters) < LETTERS:
            begins = [plain for plain in self._groups if plain.startswith(letters) or letters.startswith(plain)]
        groups = [rows for plain in begins for rows in self._groups.get(plain, ())]
        if not groups:
            return []
        found = distinct(np.concatenate(groups))
        reserve(found.nbytes)
        wanted = letters.encode()
        return [
            string.decode()
            for string in self._strings.take(found)
            if (plain := BEYOND_ASCII.split(string, 1)[0]).startswith(wanted) or wanted.startswith(plain)
        ]

    @cached_property
    def _groups(self) -> Mapping[str, list[NDArray[np.int64]]]:
        """The rows of each group, by the first letters without accents."""
        rows = self._rows()
        begins = [string.decode("utf-8", "ignore")[:LETTERS] for string in self._strings.take(rows, BYTES)]
        groups: dict[str, list[NDArray[np.int64]]] = {}
        start = 0
        for letters, alike in groupby(begins):
            end = start + sum(1 for _ in alike)
            for plain in spellings_without_accents(letters):
                groups.setdefault(plain[:LETTERS], []).append(rows[start:end])
            start = end
        return groups

    def _rows(self) -> NDArray[np.int64]:
        found = [np.empty(0, np.int64)]
        for first in range(0, len(self._strings), AT_A_TIME):
            check_time()
            offsets, encoded = self._strings.range(first, min(first + AT_A_TIME, len(self._strings)))
            beyond = np.flatnonzero(encoded >= FIRST_LEAD)
            accented = beyond[ACCENTED.of(code_points(encoded, beyond)[0]) > 0]
            found.append(distinct(offsets.searchsorted(accented, "right") - 1) + first)
        return np.concatenate(found)
