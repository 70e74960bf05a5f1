"""Contents of an index: counts, tags, attributes, profiles, sources, sizes; its documents."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.collection.ingest_report import IngestReport
from engine.collection.markup.attributes import MARK
from engine.collection.sources.patterns import is_exclusion, unsigned
from engine.columns.checked_folder import reads_columns
from engine.columns.sliced import pieces
from engine.fields.values import typed
from engine.index.attribute_columns import Attributes
from engine.index.generation import n_shards
from engine.index.joined import SEPARATOR, folders_of
from engine.index.manifest import SegmentEntry
from engine.index.reader import IndexReader
from engine.index.segment import Segment
from engine.object_store.mirror import origin_of
from engine.settings import default_settings


@reads_columns
def describe(index: IndexReader) -> dict[str, Any]:
    """Return the contents of an index, as `foxir info --json` prints them."""
    manifest = index.manifest
    report = report_of(index)
    is_known = report.documents == manifest.statistics.documents  # else ingest.json is missing, damaged or older
    segments = [
        {
            "name": segment.name,
            "documents": segment.n_documents,
            "deleted": len(entry.deleted),
            "elements": segment.n_elements,
            "terms": segment.n_terms,
            "bytes": segment.size_bytes,
        }
        for segment, entry in zip(index.segments, manifest.segments, strict=True)
    ]
    return {
        "index": SEPARATOR.join(origin_of(folder) or str(folder) for folder in folders_of(index.folder)),
        "generation": manifest.generation,
        **_shards(index),
        "documents": manifest.statistics.documents,
        "elements": manifest.statistics.elements,
        "leaves": report.leaves if is_known else None,
        "terms": report.terms if is_known else None,
        "images": index.images.n_images,
        **_vectors(index),
        "tokens": manifest.statistics.tokens,
        "block_words": round(index.statistics.block_words, 3),
        "mean_density": round(index.statistics.mean_density, 3),
        "bytes": sum(segment.size_bytes for segment in index.segments),
        "analyser": {name: value for name, value in manifest.analyser.items() if name != "stop_words"},
        "profile": manifest.profile["name"],
        "profiles": dict(profile_counts(index).most_common()),
        "sources": [source for source in manifest.sources if not is_exclusion(source)],
        "excluded": [unsigned(source) for source in manifest.sources if is_exclusion(source)],
        "tags": dict(_tags(index).most_common()),
        "attributes": dict(_attributes(index).most_common()),
        "long_values": _long_values(index),
        "segments": segments,
        "skipped": len(report.skipped) if is_known else None,
        "defaults": default_settings().to_dict(),
    }


def report_of(index: IndexReader) -> IngestReport:
    """Return the report of the last build, empty if it is missing or damaged; of several indexes, that of all."""
    folders = folders_of(index.folder)
    if len(folders) == 1:
        return IngestReport.load(index.folder)
    from engine.indexing.commit import count_content  # noqa: PLC0415  (rarely needed)

    skipped = [each for folder in folders for each in IngestReport.load(folder).skipped]
    return replace(count_content(index.folder, index.manifest), skipped=skipped)


def _shards(index: IndexReader) -> dict[str, int]:
    """Return the number of shards of a sharded index."""
    number = n_shards(index.folder)
    return {"shards": number} if number else {}


def _vectors(index: IndexReader) -> dict[str, dict[str, Any]]:
    """Return the vectors of an index that has some."""
    record = index.vectors.record
    if record is None:
        return {}
    sizes = {"dimensions": record.n_dimensions, "blocks": index.vectors.n_blocks}
    return {"vectors": {"encoder": record.name, **sizes}}


def _tags(index: IndexReader) -> Counter[str]:
    """Return how often each tag occurs."""
    counts: Counter[str] = Counter()
    for segment, entry in zip(index.segments, index.manifest.segments, strict=True):
        tags = segment.elements.column("tag").all()[np.repeat(_is_live(segment, entry), np.diff(segment.first_row))]
        numbers = np.bincount(tags, minlength=len(segment.tags)).tolist()
        counts.update({tag: number for tag, number in zip(segment.tags, numbers, strict=True) if number})
    return counts


@reads_columns
def list_documents(index: IndexReader) -> list[dict[str, Any]]:
    """Return the documents in collection order, each with its profile, elements and words."""
    elements = index.elements
    numbers = np.array(sorted(index.live_documents.tolist(), key=index.ids.__getitem__), np.int64)
    roots = elements.root(numbers)
    sizes, words = elements.document_end(numbers) - roots, elements.n_words(roots)
    return [
        {"document": index.ids[number], "profile": index.profile_of(number).name, "elements": size, "words": length}
        for number, size, length in zip(numbers.tolist(), sizes.tolist(), words.tolist(), strict=True)
    ]


MOST_EXAMPLES = 3


@reads_columns
def describe_fields(index: IndexReader) -> dict[str, dict[str, Any]]:
    """Return the fields that documents have, by name: type, documents, distinct values, the most frequent of these."""
    live = np.ones(index.n_slots, np.bool_) if index.live is None else index.live
    found = {}
    for name, field in index.fields.definitions.items():
        counts = index.fields.counts(name, live)
        documents = index.fields.documents_with(name)
        if counts.keys:
            examples = [typed(field.type, shown.decode()) for shown, _ in counts.most_frequent(MOST_EXAMPLES)]
            found[name] = {
                "type": field.type,
                "several": field.several,
                "documents": int(np.count_nonzero(documents & live)),
                "values": len(counts.keys),
                "examples": examples,
            }
    return found


ROLES = {
    "inline": "inline",
    "breaks": "break",
    "skip": "skip",
    "titles": "title",
    "labels": "label",
    "wrappers": "wrapper",
    "records": "record",
    "entries": "entry",
    "table_tags": "table",
    "row_tags": "row",
    "headings": "heading",
    "escaped": "escaped markup",
    "text_attributes": "text",
    "title_attributes": "title",
    "styles": "style",
}


def describe_markup(index: IndexReader) -> list[dict[str, Any]]:
    """Return what was inferred for each vocabulary: its tags with their roles and the counts that decided."""
    return [
        {
            "root": each.root,
            "namespace": each.namespace,
            "base": each.base,
            "profile": each.profile.name,
            "documents": each.documents,
            "tags": [
                {
                    "tag": tag,
                    "roles": [role for key, role in ROLES.items() if tag in getattr(each.profile, key)],
                    **counts,
                }
                for tag, counts in each.counts.items()
            ],
        }
        for each in index.profile.inferred or ()
    ]


def profile_counts(index: IndexReader) -> Counter[str]:
    """Return the number of documents by profile."""
    counts: Counter[str] = Counter()
    for segment, entry in zip(index.segments, index.manifest.segments, strict=True):
        chosen = np.delete(segment.elements.column("profile").all(), entry.deleted)
        numbers = np.bincount(chosen, minlength=len(segment.profiles)).tolist()
        counts.update({name: number for name, number in zip(segment.profiles, numbers, strict=True) if number})
    return counts


def _attributes(index: IndexReader) -> Counter[str]:
    """Return how often each indexed attribute occurs."""
    counts: Counter[str] = Counter()
    for segment, entry in zip(index.segments, index.manifest.segments, strict=True):
        attributes = Attributes.read(segment.elements)
        n_values = np.diff(np.asarray(attributes.of_document))
        names = np.asarray(attributes.name)[np.repeat(_is_live(segment, entry), n_values)]
        numbers = np.bincount(names, minlength=len(attributes.names)).tolist()
        counts.update({name: number for name, number in zip(attributes.names, numbers, strict=True) if number})
    return counts


def _long_values(index: IndexReader) -> int:
    """Return the number of attributes of which only the beginning and a digest are indexed."""
    number = 0
    for segment, entry in zip(index.segments, index.manifest.segments, strict=True):
        attributes = Attributes.read(segment.elements)
        is_live = np.repeat(_is_live(segment, entry), np.diff(np.asarray(attributes.of_document)))
        ends, before = np.asarray(attributes.value_ends), 0
        for piece in pieces(attributes.values):
            places = np.flatnonzero(piece == ord(MARK)) + before
            number += int(is_live[np.searchsorted(ends, places, side="right")].sum())
            before += len(piece)
    return number


def _is_live(segment: Segment, entry: SegmentEntry) -> NDArray[np.bool_]:
    """Return whether each document of a segment is live."""
    live = np.ones(segment.n_documents, np.bool_)
    live[list(entry.deleted)] = False
    return live
