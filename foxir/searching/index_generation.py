"""A generation of an index as a value: pickled, it can be opened again by another process."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.errors import IndexFormatError
from engine.index.locator import IndexLocator
from engine.index.reader import IndexReader, open_reader
from foxir.searching.kept_answers import KeptAnswers


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
