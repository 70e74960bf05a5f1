"""Run files: the ordered results of a system, in the formats of INEX and TREC."""

from engine.runs.files import read_run, write_run
from engine.runs.run import Ranking, Run

__all__ = ["Ranking", "Run", "read_run", "write_run"]
