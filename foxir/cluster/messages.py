"""What the coordinator and the searchers send to one another, as bytes.

Ray would pickle each argument of each call by itself, with a pickler for any Python object, which takes more than twice
the time; what is the same for all shards is packed once.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.retrieval.image_query import ExampleImage
from engine.settings import Settings


class Asked(NamedTuple):
    """A query as all its sessions are begun with it.

    identity: digest of the generation; n_shards: how many shards are asked.
    """

    identity: str
    query: str
    settings: Settings
    images: Sequence[ExampleImage]
    n_shards: int


def packed(value: Any) -> bytes:
    """Return a value as bytes; only values of this program's own types are sent."""
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def unpacked(message: bytes) -> Any:
    """Return the value of a message."""
    return pickle.loads(message)
