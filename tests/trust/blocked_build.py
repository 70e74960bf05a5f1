"""A build whose two worker processes never finish a batch: `python -m tests.trust.blocked_build INDEX SOURCE`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from engine.indexing import build as builder
from engine.indexing.workers import document_reading
from tests.engine.index.index_contents import SETTINGS


def never_return(*_: object, **__: object) -> None:
    os.write(1, b"reading\n")  # in one write, so that the two processes' lines do not mix
    time.sleep(600)


if __name__ == "__main__":
    document_reading.WORTH_A_PROCESS = 0
    document_reading.BATCH_BYTES = 1
    document_reading.process_batch = never_return  # type: ignore[assignment]
    builder.update_index(Path(sys.argv[1]), [sys.argv[2]], builder.replace(SETTINGS, jobs=2))
