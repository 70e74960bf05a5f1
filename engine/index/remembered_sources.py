"""The error for a remembered source that has moved or gone."""

from __future__ import annotations

import os
import shlex

from engine.collection.sources.patterns import is_pattern
from engine.errors import CollectionError


def check_is_there(source: str) -> None:
    """Raise CollectionError for a remembered source whose file, folder or list is not there any more."""
    if not is_pattern(source) and not os.path.exists(source.removeprefix("@")):
        remove = f"--remove {shlex.quote(source)}"
        raise CollectionError(
            f"no such source: '{source}', which this index remembers. If it has moved: foxir index INDEX NEW_PLACE "
            f"{remove}; if it is gone: foxir index INDEX {remove} drops its documents."
        )
