"""Files that define a generation of an index: JSON with the format and a checksum, replaced atomically."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Self

from engine.errors import INDEX_AGAIN, FoxirError, IndexFormatError, foreign_content
from engine.records import dataclass
from engine.system.files import read_regular
from engine.system.held_folder import HeldFolder

# The version of the index format that this foxir writes and reads.
FORMAT = 8

# What may be raised by content that foxir does not write.
_WRONG = (ValueError, KeyError, AttributeError, TypeError, RecursionError)


@dataclass(frozen=True)
class SealedFile(ABC):
    """The content of a file that defines a generation: the fields of a subclass."""

    file_name: ClassVar[str]

    @classmethod
    @abstractmethod
    def from_content(cls, content: dict[str, Any]) -> Self:
        """Return the value of the JSON; every part is checked, as the index may come from a stranger.

        Raises: ValueError, KeyError, TypeError, FoxirError for what foxir never writes.
        """

    @classmethod
    def read(cls, index: Path) -> Self:
        """Return the current generation of an index.

        Raises: IndexFormatError if the index is missing, damaged or of another format version.
        """
        return cls.parse(index / cls.file_name, cls._bytes(index))

    @classmethod
    def verify(cls, index: Path) -> None:
        """Raise IndexFormatError unless the file is unchanged, byte for byte."""
        path, raw = index / cls.file_name, cls._bytes(index)
        cls.parse(path, raw)
        if _to_bytes(json.loads(raw)) != raw:
            raise IndexFormatError(
                f"{path}: has the right content but was reformatted: the file is damaged. Restore it from a copy, or "
                f"{INDEX_AGAIN}."
            )

    @classmethod
    def _bytes(cls, index: Path) -> bytes:
        path = index / cls.file_name
        try:
            return read_regular(path)
        except OSError as error:
            if isinstance(error, FileNotFoundError | NotADirectoryError):
                from engine.index.missing_index import missing_index  # noqa: PLC0415  (rarely needed)

                raise missing_index(index) from None
            raise IndexFormatError(f"{path}: cannot be read: {error.strerror}.") from None

    @classmethod
    def parse(cls, path: Path | str, raw: bytes) -> Self:
        """Return the generation that a file contains; messages name the path.

        Raises: IndexFormatError if it is damaged, of another format, or not as foxir writes it.
        """
        try:
            content = json.loads(raw)
            found = content["format"]
            if found != FORMAT:  # checked first, because other formats may have no checksum
                raise IndexFormatError(
                    f"{path}: index format {found!r}, this foxir reads format {FORMAT}: "
                    f"{INDEX_AGAIN}, or use the foxir that made it."
                )
            checksum = content.pop("checksum")
        except _WRONG:
            raise IndexFormatError(
                f"{path}: not a manifest: the file is damaged. Restore it from a copy, or {INDEX_AGAIN}."
            ) from None
        if _checksum(content) != checksum:
            raise IndexFormatError(
                f"{path}: does not match its checksum: the file is damaged. Restore it from a copy, or {INDEX_AGAIN}."
            )
        del content["format"]
        try:
            return cls.from_content(content)
        except (*_WRONG, FoxirError) as error:
            raise foreign_content(path, error) from None

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        content = {"format": FORMAT, **asdict(self)}
        return _to_bytes({**content, "checksum": _checksum(content)})

    def write(self, index: HeldFolder) -> None:
        """Publish the generation atomically; it is durable on return.

        Raises: CollectionError if the path of the index leads to another folder meanwhile; OSError.
        """
        index.check()
        index.replace(self.file_name, self.to_bytes(), sync=True)


def _to_bytes(content: dict[str, Any]) -> bytes:
    return f"{json.dumps(content, sort_keys=True, indent=1)}\n".encode()


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
