"""Data beside the checkout, in ../shared or in the folder that FOXIR_SHARED names: real collections, runs, judgements.

A test that reads them is marked `@pytest.mark.shared_data(PATH, ...)`, with paths below that folder. It is skipped if
one is missing, and the summary counts the tests that ran and those that did not.
"""

from __future__ import annotations

import os
from pathlib import Path

SHARED = Path(os.environ.get("FOXIR_SHARED") or Path(__file__).parents[2] / "shared")
MARK = "shared_data"
TRIALS = "data/trials/collection.tar.xz"
TRIALS_ASSESSMENTS = "data/trials/assessments"
TRIALS_PASSAGES = "data/trials/qrels-fol.txt"
MALFORMED = "data/malformed.tar.xz"
INEX_2009 = "golden/inex_eval_3.1/inex2009"


def shared(path: str) -> Path:
    """Return where a file or folder of the shared data is."""
    return SHARED / path


def missing(paths: tuple[str, ...]) -> list[Path]:
    """Return those of the paths that do not exist."""
    return [shared(path) for path in paths if not shared(path).exists()]
