"""The images of one shard for one search over all shards: its own, weighed by the number and the features of all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.index.image_store import Images
from engine.index.shard_exchange import Exchange, summed

Numbers = NDArray[np.int64]


class SharedImages(Images):
    """A view of the images of one shard; `n_images` and frequencies are of all shards, everything else is its own."""

    def __init__(self, local: Images, n_images: int, exchange: Exchange) -> None:
        self.__dict__.update(local.__dict__)
        self.n_images = n_images
        self._local, self._exchange = local, exchange

    @property
    def references(self) -> tuple[Numbers, Numbers]:
        """The elements of this shard that refer to images, ascending, and the image of each."""
        return self._local.references

    def document_frequencies(self, features: Numbers) -> Numbers:
        """Return how many images of all shards have each of some features (ascending), shape (n_features,)."""
        return self._exchange.combine(summed, super().document_frequencies(features))
