"""Writes bench/notebook/fidelity.md: the fidelity experiment on the sample collection.

    python -m bench.fidelity [--check]

With ``--check`` nothing is written; the exit status is 1 if the page is not what would be written.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import foxir
from bench.fidelity_runs import PASSAGES, Fidelity, fidelity
from engine.index.locator import IndexLocator
from engine.index.reader import open_reader
from eval.output.tables.markup import markdown

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "bench" / "notebook" / "fidelity.md"

INTRODUCTION = """\
# Does HiXEval reward what it should?

Runs are made from the judgements of the sample topics (`topics/qrels.txt`), as in section 5.2 of Pehcevski's thesis:
the highlighted passages, the elements best in context (BEP), all relevant elements (FullRB), and the exact (EA),
partial (PA), broad (BA) and narrow (NA) ones, each by falling F. A measure that rewards highlighted text should rank
them in an order that is known in advance. This page is written by `python -m bench.fidelity`.
"""

EXPECTATIONS = (
    ("Passages score best over all (MAP), whether overlap is penalised or not", "overlap penalised", PASSAGES, False),
    ("Overlap penalised: BEP is the best of the element runs", "overlap penalised", "BEP", True),
    ("Overlap allowed: FullRB is the best of the element runs", "overlap allowed", "FullRB", True),
    ("A user who takes best entry points for answers: BEP is the best of the element runs", "user", "BEP", True),
)


def page(found: Fidelity) -> str:
    """Return the whole page."""
    lines = [INTRODUCTION, "| expected | found (MAP) | |", "| --- | --- | --- |"]
    for text, task, run, elements_only in EXPECTATIONS:
        means = {r: mean for r, mean in found.means(task, "AP").items() if not (elements_only and r == PASSAGES)}
        order = sorted(means, key=lambda r: -means[r])
        shown = ", ".join(f"{r} {means[r]:.4f}" for r in order[:3])
        lines.append(f"| {text} | {shown} | {'yes' if order[0] == run else 'no'} |")
    return "\n".join(lines) + "\n\n" + markdown(found.tables())


def experiment() -> Fidelity:
    """Return the experiment on the sample collection, which is indexed in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "sample.foxir"
        foxir.build_index(ROOT / "collections", into=index, stem="none")
        return fidelity(ROOT / "topics" / "qrels.txt", locator=IndexLocator(open_reader(index)))


def main() -> int:
    """Write the page, or compare it."""
    text = page(experiment())
    if "--check" in sys.argv[1:]:
        is_same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        print(f"{PAGE.relative_to(ROOT)} is {'up to date' if is_same else 'not what bench/fidelity.py writes'}")
        return 0 if is_same else 1
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
