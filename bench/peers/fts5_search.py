"""SQLite FTS5 asked from a fresh process: `fts5_search.py DATABASE 'a OR b'` prints the ten best leaves, shortened."""

from __future__ import annotations

import sqlite3
import sys

QUERY = """
SELECT rank, (SELECT path FROM document WHERE first_row <= unit.rowid ORDER BY first_row DESC LIMIT 1), unit.rowid,
       snippet(unit, 0, '[', ']', '...', 30)
FROM unit WHERE unit MATCH ? ORDER BY rank LIMIT 10
"""

for answer in sqlite3.connect(sys.argv[1]).execute(QUERY, (sys.argv[2],)):
    print(*answer, sep="\t")
