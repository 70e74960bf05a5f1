"""The sample collection and its topics: inside an installed package, next to the packages in a checkout."""

from __future__ import annotations

import atexit
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from engine.errors import CollectionError

PACKAGE = Path(__file__).parent
__loader__: object


def sample_folder(package: Path = PACKAGE) -> Path:
    """Return the folder that contains the sample data, `collections/` and `topics/`.

    A wheel carries them inside the package, as `foxir/sample`. In a checkout, and so for an editable install, they are
    beside the package. Those of an application in one zip archive are extracted, until Python ends.

    Raises: CollectionError if they are in neither place.
    """
    candidates = (package / "sample", package.parent)
    for folder in candidates:
        if (folder / "collections").is_dir() and (folder / "topics").is_dir():
            return folder
    if archive := getattr(__loader__, "archive", None):
        return _extracted(archive)
    raise CollectionError(
        f"no sample data: neither {candidates[0]} nor {candidates[1]} contains collections/ and topics/. "
        "Install foxir again, or run it from a complete checkout."
    )


@cache
def _extracted(archive: str) -> Path:
    """Return the folder of the sample data of an archive."""
    folder = tempfile.TemporaryDirectory(prefix="foxir-")
    atexit.register(folder.cleanup)
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder.name, [name for name in opened.namelist() if name.startswith("foxir/sample/")])
    return Path(folder.name, "foxir", "sample")
