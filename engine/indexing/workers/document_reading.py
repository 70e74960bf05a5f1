"""Reads documents: batches of them become parts, in worker processes or in this one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from engine.collection.sources.document_entry import DocumentEntry
from engine.errors import CollectionError
from engine.index.write_lock import leave_locks_to_parent
from engine.indexing.build_settings import BuildSettings
from engine.indexing.workers.build_worker import BATCH_BYTES, BatchResult, ParseRules, process_batch
from engine.notices import Notice
from engine.progress import Progress
from engine.system.process import resident_memory

MEMORY_A_JOB = 192 * 2**20
# Bytes that all processes together may take beyond the setting, for Python and the libraries.
BEYOND = 64 * 2**20
# Bytes of a worker process that reads nothing, and the least that is planned for a batch.
IDLE_WORKER, LEAST_BATCH = 40 * 2**20, 24 * 2**20
# Bytes of XML below which starting worker processes costs more than it saves.
WORTH_A_PROCESS = 32 * 2**20


def _batches(entries: Iterable[DocumentEntry]) -> Iterator[list[DocumentEntry]]:
    batch: list[DocumentEntry] = []
    size = 0
    for entry in entries:
        batch.append(entry)
        size += max(entry.xml_bytes, 512)
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def read_documents(
    shards: Sequence[Sequence[DocumentEntry]],
    rules: ParseRules,
    settings: BuildSettings,
    work: Path,
    progress: Progress,
) -> list[list[BatchResult]]:
    """Return the results of the batches of each shard, in order; their parts are written to the folder `work`.

    A batch contains documents of one shard; those of all shards are read side by side.
    """
    batches_of_shards = [list(_batches(entries)) for entries in shards]
    batches = [
        (batch, work / f"part-{number:06d}")
        for number, batch in enumerate(batch for of_shard in batches_of_shards for batch in of_shard)
    ]
    total = sum(entry.size for entries in shards for entry in entries)
    most = max(1, min(settings.jobs, settings.memory // MEMORY_A_JOB))
    jobs = 1 if total < WORTH_A_PROCESS or settings.reader else min(most, max(len(batches), 1))
    if rules.images:  # processes that read no documents decode images
        rules = replace(rules, images=replace(rules.images, n_processes=1 if settings.reader else most // jobs))
    left = settings.memory + BEYOND - resident_memory() - (IDLE_WORKER * jobs if jobs > 1 else 0)
    left = settings.memory if settings.reader else left
    runner = nullcontext(settings.reader.submit) if settings.reader else batch_runner(jobs, progress)
    done = 0
    try:
        with runner as run:
            waiting = [
                run(batch, rules, folder, max(left // jobs, LEAST_BATCH), is_alone=jobs == 1)
                for batch, folder in batches
            ]
            results = []
            for ready, (batch, _) in zip(waiting, batches, strict=True):
                results.append(ready())
                if not results[-1].is_deferred:
                    done += sum(entry.size for entry in batch)
                    progress("reading", done, total)
            for number in [number for number, result in enumerate(results) if result.is_deferred]:
                batch, folder = batches[number]
                results[number] = run(batch, rules, folder, max(left, LEAST_BATCH))()
                done += sum(entry.size for entry in batch)
                progress("reading", done, total)
    except MemoryError:
        raise CollectionError(Notice("no_memory_to_read")) from None
    in_order = iter(results)
    return [[next(in_order) for _ in of_shard] for of_shard in batches_of_shards]


@contextmanager
def batch_runner(jobs: int, progress: Progress) -> Iterator[Callable[..., Callable[[], BatchResult]]]:
    """Yield a function that submits a batch and returns a function that waits for its result.

    Raises: CollectionError if a worker dies.
    """
    if jobs == 1:
        yield lambda *job, **options: lambda: process_batch(*job, **options, progress=progress)
        return
    # More than one is worth the import only for large collections.
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    from engine.system.worker_processes import worker_processes  # noqa: PLC0415

    try:
        with worker_processes(jobs, process_batch.__module__, leave_locks_to_parent, may_fork=True) as start:
            yield lambda *job, **options: start(process_batch, *job, **options)
    except BrokenProcessPool:
        raise CollectionError(Notice("reader_died")) from None
