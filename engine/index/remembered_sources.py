"""The error for a remembered source that has moved or gone."""

from __future__ import annotations

import os

from engine.collection.sources.patterns import is_pattern
from engine.errors import CollectionError
from engine.notices import Notice


def check_is_there(source: str) -> None:
    """Raise CollectionError for a remembered source whose file, folder or list is not there any more."""
    if not is_pattern(source) and not os.path.exists(source.removeprefix("@")):
        raise CollectionError(Notice("source_is_gone", {"source": source}))
