"""Changes of an index: only in a folder that is one, by one writer at a time, and without remains where they fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import CollectionError
from engine.index.file_names import MANIFEST, SEGMENTS
from engine.index.missing_index import other_files
from engine.index.write_lock import writer_lock
from engine.indexing.cleanup import remove_unfinished, remove_unpublished
from engine.indexing.shard_folders import refuse_others


@contextmanager
def writing(index: Path) -> Iterator[None]:
    """Hold the writer lock; after a failure, remove at once what the writer created, as it may fill the disk."""
    with writer_lock(index):
        remove_unfinished(index)
        before = set((index / SEGMENTS).glob("*"))
        try:
            yield
        except BaseException:
            remove_unfinished(index)
            remove_unpublished(index, before)
            raise


def check_folder(index: Path) -> None:
    """Raise CollectionError for a folder with files of others, before anything in it is written or removed."""
    if (index / SEGMENTS).is_symlink():
        raise CollectionError(
            f"{index / SEGMENTS}: a link, and an index contains none: replace it by the folder it leads to."
        )
    if index.is_dir() and not (index / MANIFEST).exists():
        refuse_others(index, other_files(index))
