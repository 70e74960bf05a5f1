"""A generation of an index as a value: pickled, it can be opened again by another process."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary

from engine.errors import FoxirError, IndexFormatError
from engine.index.locator import IndexLocator
from engine.index.reader import IndexReader, open_reader


class KeepsAnswers(Protocol):
    """What shows answers: all of a search, some of them, or one."""

    @property
    def _n_answers(self) -> int:
        """Number of answers."""

    def _keep(self) -> None:
        """Read documents, paths and spans, unless they are known."""


class KeptAnswers:
    """The answers of one open generation, held weakly; those that are gone when it is closed cost nothing."""

    def __init__(self) -> None:
        self._by_id: WeakValueDictionary[int, KeepsAnswers] = WeakValueDictionary()  # their hashes would read columns

    def add(self, answers: KeepsAnswers) -> None:
        """Remember answers as long as something else refers to them."""
        self._by_id[id(answers)] = answers

    def keep(self) -> None:
        """Read what is not read yet, of most answers first, for others may be among these; a damaged index is left."""
        live = [answers for each in self._by_id.valuerefs() if (answers := each()) is not None]
        for answers in sorted(live, key=lambda each: each._n_answers, reverse=True):
            with suppress(FoxirError):
                answers._keep()


@dataclass(frozen=True)
class Generation:
    """One generation of the index in a folder.

    number: of the generation, which rises by 1 with every build; digest: SHA-256 of its manifest, 16 hexadecimal
    digits, by which a folder that was deleted and built again is distinguished from this one.
    """

    folder: Path
    number: int
    digest: str

    @classmethod
    def of(cls, reader: IndexReader) -> Generation:
        """Return the generation that a reader has opened."""
        content = json.dumps(asdict(reader.manifest), sort_keys=True).encode()
        return cls(reader.folder.resolve(), reader.manifest.generation, hashlib.sha256(content).hexdigest()[:16])

    def open(self) -> IndexReader:
        """Return a reader of the generation.

        Raises: IndexFormatError where the folder contains another generation, or no index any more.
        """
        reader = open_reader(self.folder)
        found = Generation.of(reader)
        if found != self:
            reader.close()
            raise IndexFormatError(
                f"{self.folder}: generation {self.number} ({self.digest}) is needed, and was replaced by generation "
                f"{found.number} ({found.digest}): search again."
            )
        return reader


class GenerationLocator(IndexLocator):
    """Lengths, spans and offsets of the documents of a generation; unpickling reopens the generation."""

    def __init__(self, reader: IndexReader) -> None:
        super().__init__(reader)
        self._generation = Generation.of(reader)

    def __eq__(self, other: object) -> bool:
        return self._generation == other._generation if isinstance(other, GenerationLocator) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._generation)

    def __repr__(self) -> str:
        return f"GenerationLocator({str(self._generation.folder)!r}, generation={self._generation.number})"

    def __reduce__(self) -> tuple[object, tuple[Generation]]:
        """Return the constructor and its arguments, for pickling."""
        return _reopened, (self._generation,)


def _reopened(generation: Generation) -> GenerationLocator:
    return GenerationLocator(generation.open())


class OpenedGeneration:
    """A reader with values derived from it on first use."""

    def __init__(self, reader: IndexReader) -> None:
        self.reader = reader
        self.generation = Generation.of(reader)
        self.locator = GenerationLocator(reader)
        self.kept_answers = KeptAnswers()

    def close(self) -> None:
        """Release the files; answers that a program still has stay readable."""
        self.kept_answers.keep()
        self.reader.close()

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of live documents, by code point."""
        live = self.reader.live
        return tuple(sorted(each for number, each in enumerate(self.reader.ids) if live is None or live[number]))
