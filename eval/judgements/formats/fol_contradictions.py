"""Lines of FOL qrels that contradict themselves: they are read as written, and a notice says which they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from eval.notice_kinds import DoubtNotice

BEYOND, OVERLAP, COUNT = (
    "passages end after the document's size",
    "passages overlap",
    "rsize is not the number of characters in passages",
)


class Contradictions:
    """The contradicting lines of one file: of each kind their number, and the first with what it says."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def check(self, line: int, rsize: int, size: int, passages: Sequence[int]) -> None:
        """Note whether a line contradicts itself; `passages` are offset, length, offset, length ..."""
        spans = sorted((start, start + length) for start, length in zip(passages[::2], passages[1::2], strict=True))
        spans = [(start, end) for start, end in spans if end > start]
        highlighted = sum(passages[1::2])
        if spans and (last := max(end for _, end in spans)) > size:
            self._note(line, BEYOND, f"at {last} of {size}")
        elif overlapping := next(((a, b) for a, b in pairwise(spans) if b[0] < a[1]), None):
            (start, end), (next_start, next_end) = overlapping
            self._note(line, OVERLAP, f"characters {start}-{end} and {next_start}-{next_end}")
        elif highlighted != rsize:
            self._note(line, COUNT, f"{rsize}, passages have {highlighted}")

    def notices(self) -> Iterator[DoubtNotice]:
        """Yield a notice for each kind of contradiction."""
        for kind, count in self._counts.items():
            more = f"; so in {count} lines" if count > 1 else ""
            yield DoubtNotice(
                f"{self._first[kind]}{more}: scores by such lines are doubtful, correct them "
                "('foxir judgements check JUDGEMENTS --index INDEX' compares them with an index)"
            )

    def _note(self, line: int, kind: str, found: str) -> None:
        self._counts[kind] += 1
        self._first.setdefault(kind, f"{self._source}:{line}: {kind} ({found})")
