"""An index on a disk that is too small, then on one that is read-only: `python -m tests.trust.small_disk FOLDER STEP`.

It runs in a mount namespace of its own (`unshare --user --map-root-user --mount`), whose mounts no other process sees,
and prints one line of JSON for each attempt: the command, the free bytes (-1: read-only), the exit status, stderr,
whether the index contains the documents from before or after the update, and files that are left over.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.text.analyser import DEFAULT, make_analyser
from tests.engine.index.index_contents import FILES, expected, found, random_files, write
from tests.foxir.commands.command import foxir
from tests.reference.inverted_index import Contents
from tests.trust.killed_writers import ROOT

AFTER = random_files(30, seed=2)
ANALYSER = make_analyser(DEFAULT, "none")  # of the command line
PAGE = 4096
# Free bytes that are enough to update the index.
MOST = 640_000
READ_ONLY = -1


class Attempt(NamedTuple):
    """The result of a command."""

    command: str
    room: int
    status: int
    err: str
    holds: str  # before, after or none
    debris: list[str]


def attempts(folder: Path, step: int) -> list[Attempt]:
    """Return the results of attempts with `step` more free bytes each; no attempt if nothing may be mounted."""
    return [Attempt(*each) for each in with_own_mounts("tests.trust.small_disk", folder, step)]


def with_own_mounts(module: str, *arguments: object) -> list[Any]:
    """Return the values that a program prints, in a mount namespace of its own; none if nothing may be mounted."""
    if not shutil.which("unshare"):
        return []
    command = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-m", module, *map(str, arguments)]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in result.stdout.splitlines()]


def mount(disk: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(disk)], check=True)


@contextmanager
def small(disk: Path, spare: Path, room: int) -> Iterator[Path]:
    """Yield an index on a disk with `room` free bytes: a copy of `spare`, or a new index if that does not exist."""
    mount(disk, "size=64m")
    if spare.exists():
        shutil.copytree(spare, disk / "index")
    mount(disk, f"remount,size={max(shutil.disk_usage(disk).used + room, PAGE)}")
    try:
        yield disk / "index"
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@cache
def contents_by_name() -> dict[str, Contents]:
    return {"before": expected(FILES, analyser=ANALYSER), "after": expected(AFTER, analyser=ANALYSER)}


def attempt(command: str, index: Path, source: Path, room: int) -> Attempt:
    """Return the result of a command, and what it left behind."""
    words = {
        "index": ("index", str(index), str(source), "--profile", "none", "--stem", "none", "--jobs", "1", "-q"),
        "compact": ("compact", str(index), "-q"),
    }
    done = foxir(*words[command])
    holds = "none"
    if (index / "manifest.json").exists():
        assert foxir("info", index, "--verify").status == 0
        contents = found(index)
        holds = next((name for name, wanted in contents_by_name().items() if contents == wanted), "damaged")
    usual = {"lock", "manifest.json", "ingest.json", "segments"} if holds != "none" else {"lock"}
    left = {path.name for path in (*index.glob("*"), *index.glob("segments/new-*"))}
    return Attempt(command, room, done.status, done.err, holds, sorted(left - usual))


def main(folder: Path, step: int) -> None:
    disk, spare, source = folder / "disk", folder / "spare", write(folder / "source", FILES)
    disk.mkdir()
    assert foxir("index", spare, source, "--profile", "none", "--stem", "none", "-q").status == 0
    for before in (spare, folder / "none"):
        write(source, AFTER)
        for room in range(0, MOST, step):
            with small(disk, before, room) as index:
                print(json.dumps(attempt("index", index, source, room)), flush=True)
    with small(disk, spare, MOST) as index:
        assert attempt("index", index, source, 0).holds == "after"
        mount(disk, "remount,ro")
        write(source, FILES)
        for command, each in (("index", index), ("compact", index), ("index", disk / "new")):
            print(json.dumps(attempt(command, each, source, READ_ONLY)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
