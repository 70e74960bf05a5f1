"""What a build tells the user beside its counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.images.reader import EXTRA
from engine.index.build_worker import BatchResult
from engine.index.manifest import Manifest
from engine.printable import printable


def large_documents(results: Sequence[BatchResult], memory: int) -> Iterator[str]:
    """Yield the notice on documents that need more than the given memory, if there are any."""
    large = {name: needed for result in results for name, needed in (result.large or {}).items()}
    if large:
        name = max(large, key=large.__getitem__)
        more = f" and {len(large) - 1:,} more" if len(large) > 1 else ""
        needed = -(-large[name] // 2**20)
        yield (
            f"{printable(name)}{more}: read alone, with up to {needed:,} MB of memory; {memory // 2**20:,} MB were "
            "allowed (--memory)."
        )


def text_outside(manifest: Manifest, results: Sequence[BatchResult]) -> Iterator[str]:
    """Yield the notice on text that is in none of the documents into which files were split, if there is any."""
    if n_outside := sum(result.n_outside for result in results):
        tags = ", ".join(f"<{tag}>" for tag in manifest.profile["split"])
        yield f"{n_outside:,} characters of the files are outside of {tags} and are not indexed."


def unread_images(images: Mapping[str, int]) -> Iterator[str]:
    """Yield the notice on references to images that cannot be read, if there are any; counts of `IngestReport`."""
    if n_unread := images.get("unread", 0):
        yield (
            f"{n_unread:,} references to images were passed over, as Pillow is not installed, which reads images: "
            f"{EXTRA}, and index the sources into a new folder."
        )
