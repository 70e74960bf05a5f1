"""Names of the files and folders directly in an index, beside those of its lock and its report."""

from __future__ import annotations

MANIFEST = "manifest.json"
# Folder of the segments.
SEGMENTS = "segments"
