"""The reader of one shard for one search over all shards: its documents, and statistics of the whole collection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.array_types import Numbers
from engine.index.images.image_store import Images
from engine.index.reader import IndexReader
from engine.index.shard_exchange import Exchange, summed
from engine.index.statistics.tag_sums import ELEMENTS
from engine.shards.shared_statistics import SharedStatistics
from engine.text.analyser import analyser_from
from engine.text.function_words import function_words_in


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


class SharedReader(IndexReader):
    """A view of the reader of one shard; caches are those of the reader, totals come through an exchange.

    Args:
        local: opened on the segments of one shard, with a manifest whose statistics are those of all.
    """

    def __init__(self, local: IndexReader, exchange: Exchange) -> None:
        self.__dict__.update(local.__dict__)
        self.__dict__.pop("function_words", None)
        self.exchange, self._local = exchange, local
        languages, collection = exchange.totals([("languages",), ("collection",)])
        self.languages = set(languages)
        self.analyser = analyser_from(self.manifest.analyser).with_languages(self.languages)
        self.statistics = SharedStatistics(local.statistics, exchange, self.elements.tags)

        self._all_tags = sorted(tag for tag, sums in collection["tags"].items() if sums[ELEMENTS])

    def alone(self) -> IndexReader:
        """Return the reader without the exchange; its statistics are still those of the whole collection."""
        single = object.__new__(SharedReader)
        single.__dict__.update(self.__dict__)
        single.exchange = None
        return single

    @property
    def tags(self) -> Sequence[str]:
        """Tags of all shards, sorted."""
        return self._all_tags

    @property
    def images(self) -> Images:
        """The images of this shard, with their number and the frequencies of their features in all shards."""
        if self.exchange is None:
            return self._local.images
        (n_images,) = self.exchange.totals([("images",)])
        return SharedImages(self._local.images, n_images, self.exchange)

    @property
    def function_words(self) -> frozenset[str]:
        """Function words of the languages that the collection is written in, as they are before stemming."""
        return function_words_in(self.analyser, self.n_documents, self.document_frequencies)

    def document_frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of live documents of all shards that contain each term, shape (n_terms,)."""
        if self.exchange is None or not len(terms):
            return np.zeros(len(terms), np.int64)
        (found,) = self.exchange.totals([("frequencies", *terms)])
        frequencies: NDArray[np.int64] = found
        return frequencies
