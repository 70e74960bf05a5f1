"""The sample collection and its topics: inside an installed package, next to the packages in a checkout."""

from __future__ import annotations

from pathlib import Path

from engine.errors import CollectionError

PACKAGE = Path(__file__).parent


def sample_folder(package: Path = PACKAGE) -> Path:
    """Return the folder that contains the sample data, `collections/` and `topics/`.

    A wheel carries them inside the package, as `foxir/sample`. In a checkout, and so for an editable install, they are
    beside the package.

    Raises: CollectionError if they are in neither place.
    """
    candidates = (package / "sample", package.parent)
    for folder in candidates:
        if (folder / "collections").is_dir() and (folder / "topics").is_dir():
            return folder
    raise CollectionError(
        f"no sample data: neither {candidates[0]} nor {candidates[1]} contains collections/ and topics/. "
        "Install foxir again, or run it from a complete checkout."
    )
