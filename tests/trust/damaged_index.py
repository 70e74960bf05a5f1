"""Damages the files of an index as disks do, and reports what a reader of the damaged index does.

`python -m tests.trust.damaged_index INDEX SEED FLIPS` damages an index in a separate process, which shows crashes of
the interpreter. It prints a line for each damage: what is changed, before it is tried, and then the outcome.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from engine.columns.folder_writer import BLOCK
from engine.errors import IndexFormatError
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.object_store.mirror import verify_index
from tests.trust.query_results import query_results


class Damage(NamedTuple):
    """Files of an index as they are now."""

    what: str
    files: Mapping[Path, bytes]


class Outcome(NamedTuple):
    """Why an index is refused when it is asked, and by `info --verify`; None where it is not."""

    asked: str | None
    verified: str | None


def files_of(index: Path) -> list[Path]:
    """Return the files that make an index; what else lies there holds nothing."""
    segments = [index / "segments" / entry.name for entry in Manifest.read(index).segments]
    inside = [path for segment in segments for path in sorted(segment.rglob("*")) if path.is_file()]
    return [index / "manifest.json", index / "ingest.json", *inside]


def flips(paths: list[Path], n_a_file: int, random: Random) -> Iterator[Damage]:
    """Yield single bytes changed, in every file as often: its first, its last and any other, in random order."""
    for path in paths:
        data = path.read_bytes()
        others = [random.randrange(len(data)) for _ in range(max(n_a_file - 2, 1))] if data else []
        for place in random.sample([0, len(data) - 1, *others], n_a_file) if data else ():
            byte = data[place] ^ random.randrange(1, 256)
            changed = data[:place] + bytes([byte]) + data[place + 1 :]
            yield Damage(f"{path}: byte {place} is {byte:#04x}, was {data[place]:#04x}", {path: changed})


def disk_faults(paths: list[Path], random: Random, n_a_file: int | None = None) -> Iterator[Damage]:
    """Yield what disks and people do to whole files: each is emptied, cut, longer, zeroed, another one's, swapped.

    Args:
        n_a_file: how many faults of each file are drawn; None for all.
    """
    contents = {path: path.read_bytes() for path in paths}
    for path in paths:
        faults = list(_faults_of(path, contents, random))
        yield from faults if n_a_file is None else random.sample(faults, min(n_a_file, len(faults)))


def _faults_of(path: Path, contents: Mapping[Path, bytes], random: Random) -> Iterator[Damage]:
    paths, data = list(contents), contents[path]
    other = random.choice(paths)
    begin = random.randrange(0, len(data) + 1, 512)
    variants = {
        "emptied": b"",
        "cut": data[: random.randrange(len(data))] if data else b"",
        "longer": data + random.randbytes(random.choice([1, 512, BLOCK])),
        "a sector of zeros": data[:begin] + bytes(len(data[begin : begin + 512])) + data[begin + 512 :],
        "moved by a byte": data[1:] + data[:1],
        f"what {other} is": contents[other],
    }
    for what, changed in variants.items():
        if changed != data:
            yield Damage(f"{path}: {what}", {path: changed})
    twins = [each for each in paths if each.name == path.name and each != path]
    same_size = [each for each in paths if len(contents[each]) == len(data) and each != path]
    for pool in (paths, twins, same_size):
        if pool and contents[other := random.choice(pool)] != data:
            yield Damage(f"{path} and {other} are swapped", {path: contents[other], other: data})
    if len(data) >= 2 * BLOCK:
        first, second = data[:BLOCK], data[BLOCK : 2 * BLOCK]
        yield Damage(f"{path}: two blocks are swapped", {path: second + first + data[2 * BLOCK :]})


@contextmanager
def applied(damage: Damage) -> Iterator[None]:
    """Have the damage on the disk for a while."""
    before = {path: path.read_bytes() for path in damage.files}
    for path, data in damage.files.items():
        path.write_bytes(data)
    try:
        yield
    finally:
        for path, data in before.items():
            path.write_bytes(data)


def outcome(index: Path, whole: Any) -> Outcome:
    """Return what becomes of a damaged index.

    Raises: AssertionError where it gives other answers than the whole one did. What only the report of the last build
        knows may be reported as unknown.
    """
    try:
        opened = open_reader(index)
    except IndexFormatError as error:
        return Outcome(str(error), str(error))  # both begin by opening the index
    asked = verified = None
    try:
        results = query_results(opened)
    except IndexFormatError as error:
        asked = str(error)
    else:
        if results["info"]["leaves"] is None:
            results["info"].update({name: whole["info"][name] for name in ("leaves", "terms", "skipped")})
        assert results == whole, "other answers"
    try:
        verify_index(open_reader(index))
    except IndexFormatError as error:
        verified = str(error)
    return Outcome(asked, verified)


def check(index: Path, damage: Damage, whole: Any) -> bool:
    """Do a damage and assert that nothing comes of it but refusals; return whether the index still answers."""
    with applied(damage):
        asked, verified = outcome(index, whole)
    named = [str(path) for path in damage.files]
    assert verified is not None, f"not found: {damage.what}"
    assert any(name in verified for name in named), f"{damage.what}: {verified}"
    assert asked is None or any(name in asked for name in named), f"{damage.what}: {asked}"
    return asked is None


def main(index: Path, seed: int, n_flips: int) -> None:
    random = Random(seed)
    whole = query_results(open_reader(index))
    paths = files_of(index)
    for damage in (*flips(paths, n_flips // len(paths) + 1, random), *disk_faults(paths, random)):
        print(damage.what, flush=True)
        print("  answers" if check(index, damage, whole) else "  refused", flush=True)
    verify_index(open_reader(index))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
