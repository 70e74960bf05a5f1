"""The reader of one shard for one search over all shards: its documents, and statistics of the whole collection."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Numbers
from engine.errors import SettingsError
from engine.index.images.image_store import Images
from engine.index.reader import IndexReader
from engine.index.shard_exchange import ALONE, Exchange, summed
from engine.index.statistics.collection_statistics import CollectionStatistics, TermStatistics
from engine.index.statistics.tag_sums import ELEMENTS, N_SUMS, TagStatistics, tag_statistics
from engine.index.statistics.unit_statistics import Unit, UnitStatistics
from engine.index.statistics.vector_statistics import VectorStatistics
from engine.text.analyser import analyser_from
from engine.text.function_words import function_words_in
from engine.threads import cached_property


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
        """Return the number of images of all shards with each of the features (ascending), shape (n_features,)."""
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
        """Return the reader without the exchange: its own documents, statistics of the whole collection."""
        single = object.__new__(SharedReader)
        single.__dict__.update(self.__dict__)
        single.exchange = ALONE
        return single

    @property
    def tags(self) -> Sequence[str]:
        """Tags of all shards, sorted."""
        return self._all_tags

    @property
    def images(self) -> Images:
        """The images of this shard, with their number and the frequencies of their features in all shards."""
        if self.exchange is ALONE:
            return self._local.images
        (n_images,) = self.exchange.totals([("images",)])
        return SharedImages(self._local.images, n_images, self.exchange)

    @property
    def function_words(self) -> frozenset[str]:
        """The function words of the collection's languages, unstemmed."""
        return function_words_in(self.analyser, self.n_documents, self.document_frequencies)

    def document_frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of live documents of all shards that contain each term, shape (n_terms,)."""
        if self.exchange is ALONE or not len(terms):
            return np.zeros(len(terms), np.int64)
        (found,) = self.exchange.totals([("frequencies", *terms)])
        frequencies: NDArray[np.int64] = found
        return frequencies


class SharedTermStatistics(TermStatistics):
    """Frequencies of a term in all shards."""

    def __init__(self, term: str, counts: NDArray[np.int64], exchange: Exchange, tags: Sequence[str]) -> None:
        self._name, self._exchange, self._tags = term, exchange, tags
        self.document_frequency, self.collection_frequency, self.leaf_frequency, self.opening_frequency = (
            counts.tolist()
        )

    @property
    def _by_tag(self) -> dict[str, float]:
        (found,) = self._exchange.totals([("term by tag", self._name)])
        by_tag: dict[str, float] = found
        return by_tag

    @property
    def element_frequency(self) -> float:
        """Number of elements that contain the term."""
        return float(sum(self._by_tag.values()))

    @property
    def element_frequency_by_tag(self) -> FloatArray:
        """Number of elements of each tag of this shard that contain the term, shape (n_tags,)."""
        by_tag = self._by_tag
        return np.array([by_tag.get(tag, 0.0) for tag in self._tags], np.float64)


class SharedUnitStatistics(UnitStatistics):
    """Counts and lengths of units: numbers and means over all shards, columns of this one."""

    def __init__(self, local: UnitStatistics, exchange: Exchange, tags: Sequence[str], n_leaves: int) -> None:
        self.__dict__.update(local.__dict__)
        for name in ("n_elements_of_tag", "words_of_all_elements"):
            self.__dict__.pop(name, None)
        self._exchange, self._tag_names, self._n_leaves = exchange, tags, n_leaves

    @property
    def _shared(self) -> dict[str, Any]:
        (found,) = self._exchange.totals([("units",)])
        shared: dict[str, Any] = found
        return shared

    def n(self, unit: Unit) -> float:
        """Return the number of units."""
        if unit == "document":
            return float(self._totals.documents)
        return float(self._n_leaves) if unit == "leaf" else float(sum(self._shared["tags"].values()))

    @property
    def n_elements_of_tag(self) -> FloatArray:
        """Number of elements by the tag numbers of this shard."""
        by_tag = self._shared["tags"]
        return np.array([by_tag.get(tag, 0.0) for tag in self._tag_names], np.float64)

    @property
    def words_of_all_elements(self) -> float:
        """Sum of the lengths of all elements in words without stop words."""
        return float(self._shared["words"])

    def mean_words(self, unit: Unit) -> float:
        """Return the mean length of the units in words without stop words."""
        words = self.words_of_all_elements if unit == "element" else float(self._totals.tokens)
        return float(words / self.n(unit))


class SharedVectorStatistics(VectorStatistics):
    """Counts over all terms of the units of this shard, and their sums over all shards."""

    def __init__(self, local: VectorStatistics, exchange: Exchange) -> None:
        self.__dict__.update(local.__dict__)
        self._exchange = exchange

    def column(self, key: Hashable, compute: Callable[[], FloatArray]) -> FloatArray:
        """Return a column of values by row; raises SettingsError for vector norms."""
        if isinstance(key, tuple) and key[0] == "norm":
            raise SettingsError(
                "this similarity needs vector norms, which are computed from all terms of the collection: it is not "
                "offered on a cluster; search the index itself (foxir search)."
            )
        return super().column(key, compute)

    def n_pairs(self, unit: Unit) -> float:
        """Return the number of pairs of a term and a unit that contains it."""
        (found,) = self._exchange.totals([("pairs", unit)])
        return float(found)

    def mean_distinct(self, unit: Unit) -> float:
        """Return the mean number of distinct terms of the units."""
        (found,) = self._exchange.totals([("distinct", unit)])
        return float(found / self.units.n(unit))


class SharedStatistics(CollectionStatistics):
    """Statistics of the live documents of all shards; columns by document or row are those of this shard.

    Args:
        local: the statistics of this shard, whose totals from the manifest are those of all shards.
        tags: of this shard.
    """

    def __init__(self, local: CollectionStatistics, exchange: Exchange, tags: Sequence[str]) -> None:
        self.live = local.live
        self.n_documents, self.n_tokens, self.mean_weight = local.n_documents, local.n_tokens, local.mean_weight
        self._local, self._exchange, self._tag_names = local, exchange, tags
        self._known: dict[str, SharedTermStatistics] = {}
        (found,) = exchange.totals([("collection",)])
        self._shared: dict[str, Any] = found
        self.n_leaves, self.n_words = map(int, found["whole"])
        self.units = SharedUnitStatistics(local.units, exchange, tags, self.n_leaves)

    def prepare(self, terms: Sequence[str]) -> None:
        """Fetch the statistics of several terms at once."""
        missing = [term for term in dict.fromkeys(terms) if term not in self._known]
        for term, counts in zip(missing, self._exchange.totals([("term", term) for term in missing]), strict=True):
            self._known[term] = SharedTermStatistics(term, counts, self._exchange, self._tag_names)

    def term(self, term: str) -> TermStatistics:
        """Return the statistics of a term; all are 0 for an unknown one."""
        if term not in self._known:
            self.prepare([term])
        return self._known[term]

    @cached_property
    def vectors(self) -> VectorStatistics:
        """Statistics that need all terms of each unit."""
        shared = SharedVectorStatistics(self._local.vectors, self._exchange)
        shared.units = self.units
        return shared

    @property
    def lengths(self) -> FloatArray:
        """Length of each document of this shard in tokens."""
        return self._local.lengths

    @property
    def weights(self) -> FloatArray:
        """Vector norm W_d of each document of this shard."""
        return self._local.weights

    @property
    def _sums_of_all_tags(self) -> NDArray[np.int64]:
        """Sums over the elements of each tag of any shard."""
        none = np.zeros((0, N_SUMS), np.int64)
        return np.concatenate([none, *(sums[np.newaxis] for sums in self._shared["tags"].values())]).T

    @property
    def tag_frequencies(self) -> dict[str, int]:
        """The number of elements of each tag in all shards."""
        numbers = {tag: int(sums[ELEMENTS]) for tag, sums in self._shared["tags"].items()}
        return {tag: number for tag, number in numbers.items() if number}

    @cached_property
    def tags(self) -> TagStatistics:
        """The usual content of the elements of each tag of this shard, counted in all shards."""
        sums = self._shared["tags"]
        none = np.zeros((0, N_SUMS), np.int64)
        return tag_statistics(np.concatenate([none, *(sums[tag][np.newaxis] for tag in self._tag_names)]).T)

    @cached_property
    def mean_density(self) -> float:
        """Words per element."""
        return self.n_words / max(self.units.n_rows_of_all, 1)

    def mean_weight_of(self, bits: int) -> float:
        """Return the mean of the vector norms W_d, each rounded to a mantissa of `bits` bits; 0 for all bits."""
        if not bits:
            return self.mean_weight
        (parts,) = self._exchange.totals([("weights", bits)])
        return math.fsum(parts) / self.n_documents
