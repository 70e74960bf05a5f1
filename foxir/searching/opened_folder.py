"""The open generation of an index: its contents, taking up a newer one, closing, opening again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self
from weakref import WeakValueDictionary

from engine.columns.checked_folder import reads_columns
from engine.errors import ClosedIndexError, FoxirError, IndexFormatError, closed_index
from engine.index.joined import absolute_place, current_generation, folders_of, place_of
from engine.index.locator import IndexLocator
from engine.index.reader import IndexReader, open_reader
from engine.threads import Lock
from foxir import arguments

if TYPE_CHECKING:
    from engine.collection.ingest_report import IngestReport


class KeepsAnswers(Protocol):
    """The protocol of answers: all of a search, a part, or one."""

    @property
    def _n_answers(self) -> int:
        """Number of answers."""

    def _keep(self) -> None:
        """Read documents, paths and spans, unless they are known."""


class KeptAnswers:
    """The answers of one open generation, held weakly; answers gone before its end cost nothing."""

    def __init__(self) -> None:
        self._by_id: WeakValueDictionary[int, KeepsAnswers] = WeakValueDictionary()  # their hashes would read columns

    def add(self, answers: KeepsAnswers) -> None:
        """Remember answers as long as something else refers to them."""
        self._by_id[id(answers)] = answers

    def keep(self) -> None:
        """Read the unread values, of most answers first, for others may be among these; a damaged index is left."""
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
        folder = place_of([folder.resolve() for folder in folders_of(reader.folder)])
        return cls(folder, reader.manifest.generation, hashlib.sha256(content).hexdigest()[:16])

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
    @reads_columns
    def documents(self) -> tuple[str, ...]:
        """Ids of live documents, by code point."""
        live = self.reader.live
        return tuple(sorted(each for number, each in enumerate(self.reader.ids) if live is None or live[number]))


class OpenedFolder:
    """The folder of an index with its open generation; safe to use from several threads.

    The generation is one attribute, which `refresh` replaces and `close` removes: whoever reads it once needs no lock.
    """

    def __init__(self, reader: IndexReader, shown: Path | None = None) -> None:
        """Make an index of a reader.

        Args:
            shown: the folder as the repr and messages name it; as the reader does if None.
        """
        if not isinstance(reader, IndexReader):
            raise arguments.refuse_type("reader", reader, "an IndexReader (foxir.open_index opens a folder)")
        self._folder = absolute_place(reader.folder)
        self._shown = reader.folder if shown is None else shown
        self._opened: OpenedGeneration | None = OpenedGeneration(reader)
        self._refreshing = Lock()

    @property
    def folder(self) -> Path:
        """Folder of the index, absolute; of several, their folders with commas between."""
        return self._folder

    @property
    def reader(self) -> IndexReader:
        """The reader of columns, postings and statistics; for programs that need more than answers."""
        return self._current.reader

    @property
    def generation(self) -> Generation:
        """The open generation: folder, number and digest."""
        return self._current.generation

    @property
    def locator(self) -> GenerationLocator:
        """Lengths, spans and offsets of documents, as `score(..., index=index)` uses them; can be pickled."""
        return self._current.locator

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return self.reader.n_documents

    @property
    def documents(self) -> tuple[str, ...]:
        """Document ids, by code point."""
        return self._current.documents

    @property
    def fields(self) -> dict[str, dict[str, Any]]:
        """The fields that documents have, by name: type, whether several, documents, distinct values, examples."""
        from foxir.searching.index_contents import describe_fields  # noqa: PLC0415  (rarely needed)

        return describe_fields(self.reader)

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._opened is None

    @property
    def is_current(self) -> bool:
        """Whether no other generation, newer or in the place of this one, was built meanwhile.

        Raises: IndexFormatError where the folder contains no index any more.
        """
        from engine.object_store.mirror import is_newest, origin_of  # noqa: PLC0415  (few programs stay open)

        origins = [(folder, origin) for folder in folders_of(self._folder) if (origin := origin_of(folder)) is not None]
        if any(not is_newest(origin, current_generation(folder)) for folder, origin in origins):
            return False
        return current_generation(self._folder) == self.reader.manifest

    def report(self) -> IngestReport:
        """Return the counts of the last build, and the skipped documents, with reasons; of several indexes, of all.

        Raises: IndexFormatError where the report is missing or damaged, which changes no answer; ClosedIndexError.
        """
        from engine.collection.ingest_report import IngestReport  # noqa: PLC0415  (rarely needed)

        if len(folders_of(self._folder)) > 1:
            from foxir.searching.index_contents import report_of  # noqa: PLC0415  (rarely needed)

            return report_of(self.reader)
        return IngestReport.read_from(self.reader.folder)

    def verify(self) -> None:
        """Compare every block of every file with its checksum; raises IndexFormatError at the first mismatch."""
        from engine.object_store.mirror import verify_opened  # noqa: PLC0415  (rarely needed)

        verify_opened(self.reader)

    def refresh(self) -> bool:
        """Take up the newest generation, and return whether it is another one than before.

        Searches that run meanwhile in other threads end over the generation they began with; answers keep theirs.
        Raises: IndexFormatError if the folder no longer contains an index; the index stays as it was.
        """
        from engine.object_store.mirror import open_mirror, origin_of  # noqa: PLC0415  (few programs stay open)

        with self._refreshing.own:
            if self.is_current:
                return False
            for folder in folders_of(self._folder):
                if (origin := origin_of(folder)) is not None:
                    open_mirror(origin)
            opened = OpenedGeneration(open_reader(self._folder))
            if self._opened is None:  # closed meanwhile
                opened.reader.close()
                raise self._closed()
            self._opened = opened
            return True

    def close(self) -> None:
        """Release the files of the index; it may be called again.

        Answers stay readable; their texts, snippets, titles and counts of words raise ClosedIndexError.
        """
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def __enter__(self) -> Self:
        _ = self._current
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} cannot be pickled: give other processes its folder, which open_index takes.")

    def __len__(self) -> int:
        return self.n_documents

    def __bool__(self) -> bool:
        return True

    @reads_columns
    def __contains__(self, document: object) -> bool:
        return isinstance(document, str) and self.reader.number(document) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.documents)

    @property
    def _current(self) -> OpenedGeneration:
        opened = self._opened
        if opened is None:
            raise self._closed()
        return opened

    def _closed(self) -> ClosedIndexError:
        return closed_index(self._shown)
