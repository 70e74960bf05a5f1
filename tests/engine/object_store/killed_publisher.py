"""A writer to object storage that dies at a chosen moment; imported by its process, so with few imports."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any
from unittest.mock import patch

from engine.indexing.build_settings import BuildSettings
from engine.object_store.publishing import update_remote
from engine.object_store.remote_index import RemoteIndex

MOMENTS = (
    "first upload",
    "between uploads",
    "before the description",
    "before the manifest",
    "before the report",
    "at the end",
)


def update(url: str, *sources: Path, n_shards: int | None = None) -> Any:
    with patch("os.fsync", lambda _: None):
        return update_remote(url, list(map(str, sources)), BuildSettings(), n_shards=n_shards)


def killed_at(moment: str, url: str) -> None:
    """Update an index and die at a moment."""
    real, calls = RemoteIndex._put, []

    def put(self: RemoteIndex, path: str, data: Any) -> None:
        calls.append(path)
        is_reached = {
            "first upload": True,
            "between uploads": len(calls) == 20,
            "before the description": path.endswith("segment.json"),
            "before the report": path.startswith("reports"),
        }
        if is_reached.get(moment):
            os.kill(os.getpid(), signal.SIGKILL)
        real(self, path, data)

    def die(*_arguments: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    RemoteIndex._put = put  # type: ignore[method-assign]
    if moment == "before the manifest":
        RemoteIndex.publish = die  # type: ignore[method-assign]
    update(url)
    os.kill(os.getpid(), signal.SIGKILL)
