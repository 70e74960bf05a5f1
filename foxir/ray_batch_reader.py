"""What reads the documents of a build, if not processes of this machine: the tasks of a Ray cluster."""

from __future__ import annotations

from engine.errors import ArgumentError, how_to_install
from engine.indexing.build_settings import BatchReader


def batch_reader(address: str | None) -> BatchReader | None:
    """Return what reads batches on the Ray cluster at an address, None for none.

    Raises: ArgumentError without Ray; ClusterError if there is no cluster.
    """
    if address is None:
        return None
    try:
        from foxir.cluster.batch_tasks import BatchTasks  # noqa: PLC0415  (an extra)
    except ModuleNotFoundError as error:
        raise ArgumentError(f"building on a cluster needs {error.name}: {how_to_install('cluster')}.") from None
    return BatchTasks(address)
