"""What did a system answer?

Runs, the ranked results per topic, in memory and in the files of INEX and TREC; no index is needed to read them.
"""

from __future__ import annotations

from engine.runs.run import Ranking, Run
from engine.runs.run_files import format_of, n_written, read_run, write_run

__all__ = ["Ranking", "Run", "format_of", "n_written", "read_run", "write_run"]
