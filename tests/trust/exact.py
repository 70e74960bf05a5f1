"""All that foxir makes of the sample collection, as digests: `python -m tests.trust.exact FOLDER JOBS`.

The environment of the process is what varies: hash seed, locale, time zone, processor.
"""

from __future__ import annotations

import hashlib
import json
import locale
import sys
from contextlib import suppress
from pathlib import Path

from engine.collection.profiles.profile_files import load_profile
from engine.index.reader import open_reader
from engine.indexing import build as builder
from engine.indexing.workers import document_reading
from engine.text.analyser import make_analyser
from foxir.terminal.commands import foxir
from tests.foxir.commands.command import COLLECTIONS, TOPICS
from tests.trust.query_results import query_results

UNLIKE = ("ingest.json", "lock")  # when it was, and who writes


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file that must not vary, by its name in the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in UNLIKE)
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def main(folder: Path, jobs: int) -> None:
    with suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, "")  # what a program around foxir may have done
    document_reading.WORTH_A_PROCESS, document_reading.BATCH_BYTES = (
        0,
        60_000,
    )  # so that there is work for several processes
    made, index = folder / "made", folder / "made" / "index"
    settings = builder.BuildSettings(make_analyser("default", "english", "none"), load_profile("auto"), jobs)
    builder.update_index(index, [str(COLLECTIONS)], settings)
    topics, qrels, runs = (
        TOPICS / "co",
        TOPICS / "qrels.txt",
        [made / "one.txt", made / "two.xml", made / "articles.xml"],
    )
    calls = [
        ["run", index, topics, "--out", runs[0], "--run-id", "one", "--format", "fol"],
        ["run", index, topics, "--out", runs[1], "--run-id", "two", "--similarity", "dirichlet", "--heuristic", "TPF"],
        ["run", index, topics, "--out", runs[2], "--run-id", "articles", "--approach", "fulltext"],
        ["eval", qrels, *runs, "--index", index, "--measures", "hixeval", "--jobs", jobs, "--csv", made / "scores.csv"],
    ]
    for call in calls:
        foxir.main([*map(str, call), "--quiet"], standalone_mode=False)
    (made / "results.json").write_text(json.dumps(query_results(open_reader(index)), indent=1, sort_keys=True), "utf-8")
    (folder / "digests.json").write_text(json.dumps(digests(made)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
