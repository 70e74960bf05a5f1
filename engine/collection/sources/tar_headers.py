"""Headers of tars, bounded: `tarfile` alone keeps whatever headers hold, however much that is."""

import tarfile
from typing import Any, Self

from engine.collection.limits import MEGABYTE
from engine.errors import CollectionError

_EXTENSIONS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
_LASTING = MEGABYTE // 16  # bytes of headers that extend all members behind them, and are copied for each
_IS_EXTENDED = 504  # where a block of a sparse file's map says whether another one follows


class BoundedHeader(tarfile.TarInfo):
    """A header of one tar; use a class of your own for each, as `bounded_header` makes it: it counts in it."""

    n_extended = 0
    """Bytes of the headers that extend the next member."""
    n_lasting = 0
    """Bytes of those that extend all members to come."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str | None, errors: str) -> Self:
        """Return the header that a block holds; raises CollectionError when what extends it would fill the memory."""
        header = super().frombuf(buf, encoding, errors)  # type: ignore[arg-type]
        if header.size < 0:
            raise CollectionError("damaged: a member of negative size")
        is_extension = header.type in _EXTENSIONS
        cls.n_extended = cls.n_extended + header.size if is_extension else 0
        cls.n_lasting += header.size if header.type == tarfile.XGLTYPE else 0
        if cls.n_extended > MEGABYTE or cls.n_lasting > _LASTING:
            raise CollectionError(
                f"an extended header of {max(cls.n_extended, cls.n_lasting):,} bytes; no name is that long"
            )
        return header

    # Sparse files are not read, so the maps of their holes, which may be as long as the archive, are passed over.

    def _proc_sparse(self, tar: Any) -> Self:
        _, is_extended, _ = self._sparse_structs  # type: ignore[attr-defined]
        while is_extended:
            block = tar.fileobj.read(tarfile.BLOCKSIZE)
            if len(block) < tarfile.BLOCKSIZE:
                raise CollectionError("damaged: it ends in the header of a sparse file")
            is_extended = block[_IS_EXTENDED]
        self.sparse = b""
        self.offset_data = tar.fileobj.tell()
        tar.offset = self.offset_data + -(-self.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
        return self

    def _proc_gnusparse_10(self, member: Any, *_: object) -> None:
        member.sparse = b""


def bounded_header() -> type[BoundedHeader]:
    """Return the class of one tar's headers."""
    return type("Header", (BoundedHeader,), {})
