"""What did a system return for each topic, and how is it written down?

Runs as columns, in the formats of INEX and TREC. Nothing here knows the collection: offsets that a run lacks come from
`eval/text/offsets.py`.
"""

from __future__ import annotations

from engine.runs.run import Ranking, Run
from engine.runs.run_files import format_of, n_written, read_run, write_run

__all__ = ["Ranking", "Run", "format_of", "n_written", "read_run", "write_run"]
