"""Batches of documents that are read by tasks of a Ray cluster: documents out, parts in.

A task needs no file of this machine, unless images are read, which it looks for where this machine has them. What a
lost worker or node was reading is read again. Parts do not depend on who made them, so neither does the index.
"""

from __future__ import annotations

import os
import platform
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import ray
from ray.exceptions import RayError, RayTaskError

from engine.collection.sources.document_entry import DocumentEntry
from engine.errors import ClusterError, CollectionError
from engine.indexing.workers.build_worker import BatchResult, ParseRules, process_batch
from foxir.cluster.cluster import connect

# How often a batch is begun again when its worker is lost; batches under way for each processor of the cluster.
RETRIES, AHEAD = 10, 2


class SentDocument(NamedTuple):
    """A document as it travels: its bytes as they are stored, None where this machine cannot read them."""

    entry: DocumentEntry
    content: bytes | None


class PartFile(NamedTuple):
    """A file of a part: the number of the part among those of its batch, the name of the file, its bytes."""

    part: int
    name: str
    content: bytes


@dataclass
class _Batch:
    """A batch: its settings, and the task reading it, once started."""

    entries: Sequence[DocumentEntry]
    rules: ParseRules
    memory: int
    is_alone: bool
    task: Any = None


class BatchTasks:
    """Reads batches on the Ray cluster at an address, few ahead of what is waited for; raises ClusterError."""

    def __init__(self, address: str) -> None:
        connect(address)
        self._most = max(1, AHEAD * int(ray.cluster_resources().get("CPU", 1)))
        self._waiting: deque[_Batch] = deque()
        self._n_started = 0

    def submit(
        self, entries: Sequence[DocumentEntry], rules: ParseRules, folder: Path, memory: int, *, is_alone: bool = True
    ) -> Callable[[], BatchResult]:
        """Take a batch, and return a function waiting for its result, which raises CollectionError, ClusterError."""
        batch = _Batch(entries, rules, memory, is_alone)
        self._waiting.append(batch)
        return lambda: self._result(batch, folder)

    def _result(self, batch: _Batch, folder: Path) -> BatchResult:
        while self._waiting and (batch.task is None or self._n_started < self._most):
            self._start(self._waiting.popleft())
        try:
            found: tuple[BatchResult, list[PartFile]] = ray.get(batch.task)
        except RayTaskError as error:
            self._waiting.clear()
            raise error.cause from None
        except RayError as error:
            self._waiting.clear()
            raise ClusterError(
                f"a batch of documents was begun {RETRIES + 1} times, and its worker was lost each time "
                f"({type(error).__name__}), perhaps out of memory: use a smaller limit on documents "
                "(--limit max_text=8M), or look at the cluster's nodes."
            ) from None
        self._n_started -= 1
        batch.task = None  # lets Ray forget the parts
        result, files = found
        folders = [folder.with_name(f"{folder.name}-{number:06d}") for number in range(len(result.folders))]
        for file in files:
            path = folders[file.part] / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
        return result._replace(folders=folders)

    def _start(self, batch: _Batch) -> None:
        limit = batch.rules.limits.max_file_bytes
        sent = [SentDocument(entry, entry.stored(limit)) for entry in batch.entries]
        task = ray.remote(read_batch).options(max_retries=RETRIES)
        batch.task = task.remote(sent, batch.rules, batch.memory, is_alone=batch.is_alone)
        self._n_started += 1


def read_batch(
    sent: Sequence[SentDocument], rules: ParseRules, memory: int, *, is_alone: bool
) -> tuple[BatchResult, list[PartFile]]:
    """Return the result of a batch, and the files of its parts."""
    if rules.images:
        for root in {entry.root for entry, _ in sent} - {""}:
            if not os.path.isdir(root):
                raise CollectionError(
                    f"{root}: no such folder on {platform.node()}, where the images of its documents are looked for: "
                    "let all machines see it under this path, or leave the images out (--no-images)."
                )
    with tempfile.TemporaryDirectory(prefix="foxir-batch-") as made:
        folder, entries = Path(made), []
        for number, (entry, content) in enumerate(sent):
            path = folder / f"{number}.document"
            if content is not None:
                path.write_bytes(content)
            entries.append(entry if content is None else entry.copied_to(str(path)))
        result = process_batch(entries, rules, folder / "part", memory, is_alone=is_alone)
        files = [
            PartFile(number, path.relative_to(part).as_posix(), path.read_bytes())
            for number, part in enumerate(result.folders)
            for path in sorted(part.rglob("*"))
            if path.is_file()
        ]
        return result, files
