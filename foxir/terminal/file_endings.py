"""A notice where the ending of an output file's name stands for another format than the one that is written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.runs.run_files import Format
from foxir.terminal.output_files import is_stream

# Endings that stand for a format; others, as in `runs/v1.3`, are part of a name.
FORMATS = (
    *(".xml", ".fol", ".trec", ".run", ".qrels", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".gz"),
    *(".html", ".htm", ".md", ".tex", ".toml", ".yaml", ".yml", ".xls", ".xlsx", ".parquet", ".zip"),
)


RUN_ENDINGS = (".xml", ".fol", ".trec")


def other_run_ending(out: Path, format_: Format | None) -> str:
    """Return a notice on the name of a run file whose format no option gives; "" if there is nothing to say."""
    if format_ is not None:
        return ""
    advice = "--format chooses fol, trec or inex, as the endings .fol, .trec and .xml do"
    return other_ending(out, "INEX XML", RUN_ENDINGS, advice, may_be_packed=True)


def other_ending(out: Path, written: str, endings: Sequence[str], advice: str, *, may_be_packed: bool = False) -> str:
    """Return a notice on a name whose ending stands for another format; "" for any other name, and for a stream.

    Args:
        written: what is written, in words.
        endings: those that stand for it.
        advice: how another format is written.
        may_be_packed: whether `.gz` behind the ending compresses the file.

    >>> other_ending(Path("a.csv"), "lines of JSON", [".jsonl"], "name it a.jsonl")
    'a.csv: has lines of JSON, which .csv does not stand for: name it a.jsonl.'
    """
    name = out.name.lower()
    ending = Path(name.removesuffix(".gz") if may_be_packed else name).suffix
    if ending not in FORMATS or ending in endings or is_stream(out):
        return ""
    return f"{out}: has {written}, which {ending} does not stand for: {advice}."
