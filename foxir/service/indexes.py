"""The open indexes of a service, each at its newest generation."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import foxir
from engine.columns.cache import SizedCache
from engine.errors import SettingsError, empty_index
from engine.index.joined import name_of, place_of
from engine.index.reader import IndexReader, open_reader
from engine.notices import about
from engine.presentation.breadcrumbs import document_titles
from engine.semantic.encoders import Encoder
from engine.threads import cached_property
from foxir.searching.opened_folder import Generation
from foxir.service.http.problems import not_found
from foxir.service.options import ServiceOptions

logger = logging.getLogger("foxir.service")

# Documents of an index whose titles are suggested.
MOST_TITLED = 20_000


@dataclass(frozen=True)
class Snapshot:
    """One generation of an index, from which a request reads everything.

    views: documents as pages read them. examples: queries of its start page, once they are known.
    """

    name: str
    index: foxir.Index
    reader: IndexReader
    generation: Generation
    views: SizedCache[str, Any] = field(default_factory=lambda: SizedCache(lambda view: view.size), compare=False)
    examples: list[str] = field(default_factory=list, compare=False)

    @property
    def tag(self) -> str:
        """A text that no other generation has."""
        return f"{self.generation.number}-{self.generation.digest}"

    def index_of(self, document: str) -> str:
        """Return the name of the index that a document is in: of several, its own."""
        number = self.reader.number(document)
        return self.name if number is None else name_of(self.reader.folder_of(number))

    @cached_property
    def kind_of(self) -> Callable[[str], str]:
        """A function from a document id to its kind, the name of its profile, which remembers recent ones."""

        @lru_cache(MOST_TITLED)
        def kind_of(document: str) -> str:
            number = self.reader.number(document)
            return "none" if number is None else self.reader.profile_of(number).name

        return kind_of

    @cached_property
    def titled(self) -> tuple[list[str], list[str]]:
        """The ids and the titles of the documents, none where there are more than MOST_TITLED."""
        if self.reader.n_documents > MOST_TITLED:
            return [], []
        numbers = self.reader.live_documents
        return [self.reader.ids[number] for number in numbers.tolist()], document_titles(self.reader, numbers)


class OpenIndex:
    """An index by name; `refresh` takes up a new generation, during which requests go on."""

    def __init__(self, folder: Path, options: ServiceOptions) -> None:
        self.name = name_of(folder)
        self.index = _opened(folder, options)
        _check_documents(folder, self.index.n_documents)
        self.problem = ""
        self._snapshot = self._taken()

    def _taken(self) -> Snapshot:
        reader = self.index.reader
        return Snapshot(self.name, self.index, reader, Generation.of(reader))

    @property
    def snapshot(self) -> Snapshot:
        """The newest generation that was taken up."""
        return self._snapshot

    def refresh(self) -> bool:
        """Take up a new generation, and return whether there is one; a damaged one is reported and not taken up."""
        try:
            is_new = self.index.refresh()
        except (foxir.FoxirError, OSError) as error:
            if str(error) != self.problem:
                logger.warning("%s: generation %d is kept: %s", self.name, self._snapshot.generation.number, error)
            self.problem = str(error)
            return False
        self.problem = ""
        if is_new:
            self._snapshot = self._taken()
            logger.info("%s: generation %d", self.name, self._snapshot.generation.number)
        return is_new


class Indexes:
    """All open indexes, by name, in the order in which they were given.

    together: the name under which all of them are searched as one, "" for a single one, for indexes that were not made
        alike, and on a cluster.
    """

    def __init__(self, options: ServiceOptions) -> None:
        self._open = {name_of(folder): OpenIndex(folder, options) for folder in options.indexes}
        self._as_one = _as_one(options)
        self.together = "" if self._as_one is None else self._as_one.name

    def __iter__(self) -> Iterator[OpenIndex]:
        return iter(self._open.values())

    def __len__(self) -> int:
        return len(self._open)

    @property
    def names(self) -> list[str]:
        """Their names."""
        return list(self._open)

    @property
    def first(self) -> Snapshot:
        """The newest generation of the first index, whose documents are judged."""
        return next(iter(self)).snapshot

    def snapshot(self, name: str) -> Snapshot:
        """Return the newest generation of an index; if it is not named, of all as one, where that is not possible, of
        the first; raises ProblemError 404.
        """
        name = name or self.together or self.names[0]
        chosen = self._as_one if name == self.together else self._open.get(name)
        if chosen is None:
            raise not_found(f"index {name!r}: there is none of this name; the names are {', '.join(self._open)}.")
        return chosen.snapshot

    def refresh(self) -> None:
        """Take up new generations, and let go of the files of old ones."""
        if sum(each.refresh() for each in self._every()):
            gc.collect()  # parts of an open index refer to each other

    def close(self) -> None:
        """Release the files."""
        for each in self._every():
            each.index.close()

    def _every(self) -> list[OpenIndex]:
        return [*self, *([] if self._as_one is None else [self._as_one])]


def _as_one(options: ServiceOptions) -> OpenIndex | None:
    """Return all indexes as one, None where there is only one, or where they cannot be searched together."""
    if len(options.indexes) < 2 or options.ray is not None:
        return None
    try:
        return OpenIndex(place_of(options.indexes), options)
    except foxir.IndexFormatError as error:
        logger.info("no search of all indexes: %s", error)
        return None


def check_index(folder: Path, by: Encoder | None = None) -> None:
    """Raise IndexFormatError for a folder without an index, or with a damaged or an empty one.

    Args:
        by: the encoder of all searches: SettingsError for an index without vectors by it.
    """
    _check_documents(folder, _checked(folder, by))


def filled_indexes(folders: Sequence[Path], by: Encoder | None = None) -> list[Path]:
    """Return the indexes that have documents, at least one; raises as `check_index` does.

    Args:
        by: the encoder of all searches.
    """
    filled = [folder for folder in folders if _checked(folder, by)]
    if not filled:
        raise empty_index(folders[0])
    return filled


def _checked(folder: Path, by: Encoder | None) -> int:
    """Return the number of documents of an index."""
    with open_reader(folder) as reader:
        if by is not None and reader.n_documents:
            try:
                reader.vectors.check(by)
            except SettingsError as error:
                raise error if error.notice is None else SettingsError(about(str(folder), error.notice)) from None
        return reader.n_documents


def _check_documents(folder: Path, number: int) -> None:
    if not number:
        raise empty_index(folder)


def _opened(folder: Path, options: ServiceOptions) -> foxir.Index:
    """Return the index in a folder, searched here or by a cluster."""
    if options.ray is None:
        return foxir.open_index(folder)
    from foxir.cluster.cluster_index import ClusterIndex  # noqa: PLC0415  (an extra)

    return ClusterIndex(folder, address=options.ray, n_replicas=options.replicas, partial=options.partial)
