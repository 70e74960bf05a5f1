"""What a disk may hold of judgements after the power failed: writes are recorded, legal states made from the record.

`python -m tests.trust.judging_recorded FOLDER` judges, with `recorded_writes.c` preloaded. What was written to a file
before it was flushed is on the disk; of what was written since, any sectors, in any order. The name of a new file is
certain when its folder was flushed, and so is that a file is gone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from foxir.service.judging.judged import Assignment
from foxir.service.judging.store import Store

ROOT = Path(__file__).parents[2]
PLACE = Assignment("1", "ana", "document")
SECTOR = 512
ADDED = (20, 4)  # actions in two lives of the service
CONFIRMED = "confirmed"


class Call(NamedTuple):
    """A call that changes a disk: `write`, `truncate`, `unlink`, or `sync` of a file or folder."""

    what: str
    name: str  # "" for the folder
    offset: int = 0
    size: int = 0
    data: bytes = b""


def judge(folder: Path) -> None:
    """Judge in two lives of a service, noting each action; texts are so long that SQLite's log is written anew."""
    random = Random(1)
    noted = os.open(folder / CONFIRMED, os.O_WRONLY | os.O_CREAT)
    for first, end in ((0, ADDED[0]), (ADDED[0], sum(ADDED))):
        store = Store(folder / "judged.db")
        for number in range(first, end):
            text = random.randbytes(500_000).hex() if number % 2 else f"{number}"
            store.add(PLACE, text, [("mark", {"start": number, "end": number + 1})])
            os.write(noted, b".")
        store.close()


def recorded(folder: Path) -> list[Call]:
    """Return the calls of a process that judges in a folder of this one."""
    library, record, judged = folder / "recorded_writes.so", folder / "record", folder / "judged"
    judged.mkdir()
    source = Path(__file__).with_name("recorded_writes.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    program = [sys.executable, "-m", "tests.trust.judging_recorded", judged]
    names = {"LD_PRELOAD": str(library), "RECORDED": str(judged), "RECORD": str(record)}
    subprocess.run(program, cwd=ROOT, env=os.environ | names, check=True)
    calls = []
    with record.open("rb") as file:
        for line in file:
            what, offset, size, path = line.decode().split(maxsplit=3)
            data = file.read(int(size)) if what == "write" else b""
            name = Path(path.rstrip("\n")).relative_to(judged).name
            calls.append(Call(what, name, int(offset), int(size), data))
    return calls


def apply(call: Call, content: bytearray, chosen: Callable[[], bool]) -> None:
    """Change the bytes of a file by the chosen sectors of a call."""
    if call.what == "truncate":
        if chosen():
            content[:] = content[: call.size].ljust(call.size, b"\0")
        return
    at = 0
    while at < call.size:
        start = call.offset + at
        part = call.data[at : at + SECTOR - start % SECTOR]
        if chosen():
            content.extend(bytes(max(start - len(content), 0)))
            content[start : start + len(part)] = part
        at += len(part)


def disk_after(calls: list[Call], chosen: Callable[[], bool]) -> dict[str, bytes]:
    """Return the files, by name, that a disk may hold when the power fails after some calls.

    chosen: whether a sector, or a change of names, that is not certain is there.
    """
    contents: list[bytearray] = []  # of files, by number
    written: list[list[Call]] = []  # since a file was flushed
    named: dict[str, int] = {}  # as the process sees it
    durable: dict[str, int] = {}
    changes: list[tuple[str, int | None]] = []  # of names, since the folder was flushed
    for call in calls:
        if not call.name:
            _rename(durable, changes, lambda: True)
            changes = []
        elif call.what == "unlink":
            named.pop(call.name)
            changes.append((call.name, None))
        else:
            if call.name not in named:
                named[call.name] = len(contents)
                changes.append((call.name, len(contents)))
                contents.append(bytearray())
                written.append([])
            number = named[call.name]
            if call.what == "sync":
                for each in written[number]:
                    apply(each, contents[number], lambda: True)
                written[number] = []
            else:
                written[number].append(call)
    for content, since in zip(contents, written, strict=True):
        for each in since:
            apply(each, content, chosen)
    _rename(durable, changes, chosen)
    return {name: bytes(contents[number]) for name, number in durable.items()}


def _rename(names: dict[str, int], changes: list[tuple[str, int | None]], chosen: Callable[[], bool]) -> None:
    for name, number in changes:
        if not chosen():
            continue
        if number is None:
            names.pop(name, None)
        else:
            names[name] = number


if __name__ == "__main__":
    judge(Path(sys.argv[1]))
