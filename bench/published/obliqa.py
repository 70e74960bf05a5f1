"""ObliQA: questions on forty books of financial regulation, with the numbered passages that answer them.

The numbers of passages (1.2.3) become nested sections; a short passage of one line that is no sentence is a title.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from bench.published.conversion import Document, Place, Questions

# Levels of sections, and characters of a title at most.
DEEPEST, LONGEST_TITLE = 3, 100
STEP = re.compile(r"[.\s]+|(?<=\d)(?=\()")


def questions(folder: Path) -> Iterator[Questions]:
    """Yield the questions of the test set, of all books together, from a checkout of RegNLP/ObliQADataset."""
    found, places = Questions(), dict[tuple[str, str], Place]()
    for path in sorted((folder / "StructuredRegulatoryDocuments").glob("*.json"), key=lambda path: int(path.stem)):
        book = found.document(f"book-{int(path.stem):02}")
        for number, place in _passages(book, json.loads(path.read_text("utf-8"))):
            places.setdefault((path.stem, number), place)
    for asked in json.loads((folder / "ObliQA_test.json").read_text("utf-8")):
        passages = [(str(each["DocumentID"]), str(each["PassageID"])) for each in asked["Passages"]]
        if all(each in places for each in passages):
            found.ask(asked["Question"], (places[each] for each in passages))
    yield found


def _passages(book: Document, passages: list[dict[str, str]]) -> Iterator[tuple[str, Place]]:
    opened: list[str] = []
    for passage in passages:
        number, text = str(passage["PassageID"]), passage["Passage"]
        steps = [step for step in STEP.split(number) if step][:DEEPEST]
        shared = 0
        while shared < min(len(opened), len(steps) - 1) and opened[shared] == steps[shared]:
            shared += 1
        book.tag("</sec>" * (len(opened) - shared))
        del opened[shared:]
        begun = steps[shared:] if _is_title(text) else steps[shared:-1]
        book.tag("<sec>" * len(begun))
        opened += begun
        yield number, book.element("title" if _is_title(text) else "p", text)
    book.tag("</sec>" * len(opened))


def _is_title(text: str) -> bool:
    line = text.strip()
    return len(line) <= LONGEST_TITLE and "\n" not in line and not line.endswith((".", ";", ":"))
