"""An index that is searched by a cluster; everything else is read from its files by this process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from engine.errors import ClusterError
from engine.index.generation import n_shards
from engine.index.joined import folders_of
from engine.index.reader import open_reader
from engine.object_store.mirror import origin_of
from engine.planning.plan import ExampleImage
from engine.query_limits import limited
from engine.settings import Settings
from foxir.cluster.cluster import Cluster
from foxir.cluster.shard_generation import Serving, shard_generations
from foxir.results.answers import Answers
from foxir.searching.first_answers import names_images, search_first
from foxir.searching.opened_folder import OpenedGeneration
from foxir.searching.opened_index import Index
from foxir.searching.query_spelling import with_suggestions


class _Served(NamedTuple):
    """The source of a query's answers: taken once, so that it is one generation."""

    serving: Serving
    opened: OpenedGeneration


class ClusterIndex(Index):
    """An open index whose `search` is answered by searchers on a Ray cluster.

    Args:
        folder: of the index, or of the local copy of one in object storage.
        address, n_replicas, partial: as of `foxir.cluster.cluster.Cluster`.
    Raises: ClusterError if there is no cluster, or searchers cannot be started; as `open_index`.
    """

    def __init__(self, folder: Path, *, address: str, n_replicas: int = 1, partial: bool = False) -> None:
        if len(folders_of(folder)) > 1:
            raise ClusterError(
                f"{folder}: a cluster searches one index: divide it into shards when it is made, or search "
                "several without --ray."
            )
        super().__init__(open_reader(folder))
        self._changing = Lock()
        self._cluster = Cluster(
            origin_of(folder) or str(folder),
            n_shards(folder) or None,
            address=address,
            n_replicas=n_replicas,
            partial=partial,
        )
        self._served_now = self._serve(self._current)

    def _serve(self, opened: OpenedGeneration) -> _Served:
        shards = shard_generations(opened.reader)
        self._cluster.open(shards)
        return _Served(Serving.of(shards, opened.reader), opened)

    @property
    def cluster(self) -> Cluster:
        """The searchers."""
        return self._cluster

    def _answers(self, query: str, settings: Settings, images: Sequence[ExampleImage], n_first: int | None) -> Answers:
        """Return the answers of all shards; `answers.shards` has the number of shards with an answer.

        Raises: ClusterError if a shard does not answer; SettingsError for vector norms.
        """
        _ = self.reader  # raises ClosedIndexError
        served = self._served_now
        opened = served.opened
        with limited(settings.max_query_memory, settings.max_seconds):
            found = search_first(
                lambda chosen: self._cluster.search(served.serving, query, chosen, images),
                settings,
                n_first,
                has_images=names_images(query, images),
            )
            columns = with_suggestions(opened.reader, found)
        return Answers(query, columns, opened.generation, opened.reader, opened.kept_answers)

    def refresh(self) -> bool:
        """Take up the newest generation in all searchers, then here; every query is answered by one generation."""
        with self._changing:
            if not super().refresh() and self._served_now.opened.generation == self.generation:
                return False
            self._served_now = self._serve(self._current)
            return True

    def close(self) -> None:
        """End the searchers and release the files."""
        if not self.is_closed:
            self._cluster.close()
        super().close()
