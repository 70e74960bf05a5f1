"""Chroma's chunking evaluation: five corpora of running text, questions with the ranges of their references.

The five texts become documents of their natural parts: an article, an abstract, a chat; finance and the speech, which
have none, are cut at the first blank line after every 20,000 characters.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from bench.published.conversion import Document, Place, Questions

DATA = "chunking_evaluation/evaluation_framework/general_evaluation_data"
# Where a document of a corpus begins, and where a block ends.
BEGINS = {"wikitexts": r"(?m)^ = (?!=)[^\n]+ = $", "pubmed": r"(?m)^PMID: ", "chatlogs": r"(?m)^\[\{"}
BORDERS = {"wikitexts": r"\n+", "pubmed": r"\n+", "chatlogs": r"(?<=\}), (?=\{)"}
PARTS, PARAGRAPHS = 20_000, r"\n\n+"
# A heading of a wiki: as many equals signs as levels, on both sides.
HEADING = re.compile(r" ((?:= )+)[^=]+ (?:= ?)+")


def questions(folder: Path) -> Iterator[Questions]:
    """Yield the questions, of all corpora together, from a checkout of brandonstarxel/chunking_evaluation."""
    places = (folder / DATA, folder / "src" / DATA)
    data = next((each for each in places if each.exists()), folder)
    found = Questions()
    parts = {
        path.stem: dict(_documents(found, path.stem, path.read_text("utf-8")))
        for path in sorted((data / "corpora").glob("*.md"))
    }
    with (data / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            references = json.loads(row["references"])
            found.ask(
                row["question"], [place for each in references for place in _places(parts[row["corpus_id"]], each)]
            )
    yield found


def _documents(found: Questions, corpus: str, text: str) -> Iterator[tuple[int, Document]]:
    """Yield each document of a corpus with the place of its first character in it."""
    for number, (begin, end) in enumerate(pairwise([*_begins(corpus, text), len(text)])):
        if text[begin:end].strip():
            document = found.document(f"{corpus}-{number:03}")
            _write(document, text[begin:end], BORDERS.get(corpus, PARAGRAPHS))
            yield begin, document


def _begins(corpus: str, text: str) -> list[int]:
    if corpus in BEGINS:
        return sorted({0, *(match.start() for match in re.finditer(BEGINS[corpus], text))})
    begins = [0]
    while (blank := text.find("\n\n", begins[-1] + PARTS)) >= 0:
        begins.append(blank + 2)
    return begins


def _write(document: Document, text: str, border: str) -> None:
    """Write blocks as paragraphs, headings as titles of nested sections; characters between blocks stay."""
    at, depth = 0, 0
    ends = [*(match.span() for match in re.finditer(border, text)), (len(text), len(text))]
    for end, following in ends:
        block = text[at:end]
        if block.strip():
            heading = HEADING.fullmatch(block)
            if heading and (level := heading[1].count("=") - 1):
                document.tag("</sec>" * max(depth - level + 1, 0) + "<sec>")
                depth = min(depth, level - 1) + 1
            name = "title" if heading else "p"
            document.tag(f"<{name}>")
            document.text(block)
            document.tag(f"</{name}>")
        else:
            document.text(block)
        document.text(text[end:following])
        at = following
    document.tag("</sec>" * depth)


def _places(parts: Mapping[int, Document], reference: Mapping[str, int]) -> Iterator[Place]:
    """Yield the parts of a reference in each document of its corpus."""
    for begin, document in parts.items():
        first = max(reference["start_index"] - begin, 0)
        end = min(reference["end_index"] - begin, document.length)
        if first < end:
            yield document.name, first, end
