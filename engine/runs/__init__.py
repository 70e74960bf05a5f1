"""Runs: the ranked results of a system per topic, read and written in the formats of INEX and TREC."""

from __future__ import annotations

from engine.runs.run import Ranking, Run
from engine.runs.run_files import format_of, n_written, read_run, write_run

__all__ = ["Ranking", "Run", "format_of", "n_written", "read_run", "write_run"]
