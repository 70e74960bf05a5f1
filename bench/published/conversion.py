"""XML, questions and judgements from texts with marked ranges; every character of a text stays where it was."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from eval.judgements.quotes import merged
from foxir import Assessments, Topic, read_assessments

NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]|\r")

# A range of a document: its name, the first character and the end.
Place = tuple[str, int, int]


class Document:
    """A document that is written piece by piece."""

    def __init__(self, name: str, root: str) -> None:
        self.name, self.length = name, 0
        self._root, self._xml = root, list[str]()

    def tag(self, markup: str) -> None:
        """Add markup, which has no characters."""
        self._xml.append(markup)

    def text(self, text: str) -> Place:
        """Add characters and return their range; those that XML cannot contain become spaces."""
        begin = self.length
        self.length += len(text)
        self._xml.append(escape(NOT_IN_XML.sub(" ", text), quote=False))
        return self.name, begin, self.length

    def element(self, tag: str, text: str) -> Place:
        """Add an element on a line of its own and return the range of its text."""
        self.tag(f"<{tag}>")
        place = self.text(text)
        self.tag(f"</{tag}>")
        self.text("\n")
        return place

    @property
    def xml(self) -> str:
        """The document, well-formed once all tags are closed."""
        return f"<?xml version='1.0' encoding='UTF-8'?>\n<{self._root}>{''.join(self._xml)}</{self._root}>\n"


@dataclass
class Questions:
    """Documents, and questions with the ranges that answer them; each is asked of all these documents."""

    documents: list[Document] = field(default_factory=list)
    asked: list[tuple[str, list[Place]]] = field(default_factory=list)

    def document(self, name: str, root: str = "article") -> Document:
        """Return a new document."""
        self.documents.append(Document(name, root))
        return self.documents[-1]

    def ask(self, question: str, places: Iterable[Place]) -> None:
        """Add a question; without words or ranges it is left out."""
        found = list(places)
        if found and question.strip():
            self.asked.append((" ".join(NOT_IN_XML.sub(" ", question).split()), found))

    @property
    def topics(self) -> list[Topic]:
        """The questions, numbered from 1."""
        return [Topic(str(number), "CO", title=question) for number, (question, _) in enumerate(self.asked, 1)]

    def write(self, folder: Path) -> None:
        """Write the documents, and the judgements in INEX's format of passages."""
        (folder / "documents").mkdir(parents=True)
        for document in self.documents:
            (folder / "documents" / f"{document.name}.xml").write_text(document.xml, "utf-8")
        (folder / "judgements.txt").write_text("\n".join(self._judgements()) + "\n", "utf-8")

    def judgements(self, folder: Path) -> Assessments:
        """Return the judgements that `write` has written."""
        return read_assessments(folder / "judgements.txt")

    def _judgements(self) -> Iterator[str]:
        lengths = {document.name: document.length for document in self.documents}
        for number, (_, places) in enumerate(self.asked, 1):
            for name in sorted({name for name, _, _ in places}):
                ranges = merged([(begin, end) for each, begin, end in places if each == name])
                size = sum(end - begin for begin, end in ranges)
                shown = " ".join(f"{begin}:{end - begin}" for begin, end in ranges)
                yield f"{number} Q0 {name} {size} {lengths[name]} {ranges[0][0]} {shown}"
