"""`foxir info`: the contents of an index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np

from engine.collection.ingest_report import IngestReport
from engine.collection.markup.long_values import BEGINNING, LONGEST, MARK
from engine.collection.sources.exclusions import is_exclusion, unsigned
from engine.columns.sliced import pieces
from engine.columns.wrong_numbers import reads_columns
from engine.index.attribute_columns import Attributes
from engine.index.generation import n_shards
from engine.index.reader import IndexReader, open_reader
from engine.object_store.mirror import origin_of
from engine.object_store.verification import verify_opened
from engine.settings import default_settings
from engine.system.byte_sizes import rounded_bytes
from engine.wording.wording import counted, shortened
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.console import print_json
from foxir.terminal.control_characters import say, visible_line
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import index_argument, json_option

MOST_TAGS = 20


@click.command(name="info", cls=FoxirCommand)
@index_argument
@click.option("--verify", is_flag=True, help="Check every block of every file against its checksum.")
@click.option("--list-tags", "with_tags", is_flag=True, help="List all tags and attributes, the most frequent first.")
@click.option("--list-documents", "with_documents", is_flag=True, help="List the documents, with profile and size.")
@json_option
def command(index: Path, verify: bool, with_tags: bool, with_documents: bool, as_json: bool) -> int:
    """Show what an index contains: counts, tags, analyser, profiles, sources, sizes, default search settings.

    \b
    Examples:
      foxir info demo.foxir
      foxir info demo.foxir --verify
      foxir info demo.foxir --list-tags
      foxir info demo.foxir --list-documents
    """
    opened = open_reader(index)
    if verify:
        verify_opened(opened)
    document = describe(opened)
    if verify:
        document["verified"] = True
    if with_documents:
        document["document_list"] = list_documents(opened)
    if as_json:
        print_json(document)
        return DONE
    say(_text(document, with_tags=with_tags))
    for each in document.get("document_list", ()):
        counts = f"{counted(each['elements'], 'element')}, {counted(each['words'], 'word')}"
        say(visible_line(f"{each['document']}  {each['profile']}, {counts}"))
    return DONE


@reads_columns
def describe(index: IndexReader) -> dict[str, Any]:
    """Return what `--json` prints."""
    manifest = index.manifest
    report = IngestReport.load(index.folder)
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
        "index": origin_of(index.folder) or str(index.folder),
        "generation": manifest.generation,
        **_shards(index),
        "documents": manifest.statistics.documents,
        "elements": manifest.statistics.elements,
        "leaves": report.leaves if is_known else None,
        "terms": report.terms if is_known else None,
        "images": index.images.n_images,
        "tokens": manifest.statistics.tokens,
        "block_words": round(index.statistics.block_words, 3),
        "mean_density": round(index.statistics.mean_density, 3),
        "bytes": sum(segment.size_bytes for segment in index.segments),
        "analyser": {name: value for name, value in manifest.analyser.items() if name != "stop_words"},
        "profile": manifest.profile["name"],
        "profiles": dict(_profiles(index).most_common()),
        "sources": [source for source in manifest.sources if not is_exclusion(source)],
        "excluded": [unsigned(source) for source in manifest.sources if is_exclusion(source)],
        "tags": dict(_tags(index).most_common()),
        "attributes": dict(_attributes(index).most_common()),
        "long_values": _long_values(index),
        "segments": segments,
        "skipped": len(report.skipped) if is_known else None,
        "defaults": default_settings().to_dict(),
    }


def _shards(index: IndexReader) -> dict[str, int]:
    """Return the number of shards of a sharded index."""
    number = n_shards(index.folder)
    return {"shards": number} if number else {}


def _tags(index: IndexReader) -> Counter[str]:
    """Return how often each tag occurs."""
    counts: Counter[str] = Counter()
    for segment, entry in zip(index.segments, index.manifest.segments, strict=True):
        is_live = np.ones(segment.n_documents, np.bool_)
        is_live[list(entry.deleted)] = False
        tags = segment.elements.column("tag").all()[np.repeat(is_live, np.diff(segment.first_row))]
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


def _profiles(index: IndexReader) -> Counter[str]:
    """Return how many documents were read with each profile."""
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
        is_live = np.ones(segment.n_documents, np.bool_)
        is_live[list(entry.deleted)] = False
        names = np.asarray(attributes.name)[np.repeat(is_live, np.diff(np.asarray(attributes.of_document)))]
        numbers = np.bincount(names, minlength=len(attributes.names)).tolist()
        counts.update({name: number for name, number in zip(attributes.names, numbers, strict=True) if number})
    return counts


def _long_values(index: IndexReader) -> int:
    """Return the number of attributes of which only the beginning and a digest are indexed."""
    number = 0
    for segment, entry in zip(index.segments, index.manifest.segments, strict=True):
        attributes = Attributes.read(segment.elements)
        is_live = np.ones(segment.n_documents, np.bool_)
        is_live[list(entry.deleted)] = False
        is_live = np.repeat(is_live, np.diff(np.asarray(attributes.of_document)))
        ends, before = np.asarray(attributes.value_ends), 0
        for piece in pieces(attributes.values):
            places = np.flatnonzero(piece == ord(MARK)) + before
            number += int(is_live[np.searchsorted(ends, places, side="right")].sum())
            before += len(piece)
    return number


def _text(document: dict[str, Any], *, with_tags: bool = False) -> str:
    most = None if with_tags else MOST_TAGS
    analyser = document["analyser"]
    lines = [
        f"{document['index']}, generation {document['generation']}",
        f"  documents  {document['documents']:,}",
        f"  elements   {document['elements']:,}{_known(document['leaves'], ', {:,} of them leaves')}",
        f"  tokens     {document['tokens']:,}{_known(document['terms'], ' of {:,} terms')}",
        f"  images     {document['images']:,}",
        f"  text block {document['block_words']:.1f} words (1x); {document['mean_density']:.1f} words an element",
        f"  size       {rounded_bytes(document['bytes'])} in {counted(len(document['segments']), 'segment')}"
        + (f" of {counted(document['shards'], 'shard')}" if "shards" in document else ""),
        f"  analyser   {analyser['name']}, stemming {analyser['stem']}, stop words {analyser['stop']}"
        f"{', diacritics folded' if analyser.get('diacritics') == 'fold' else ''}"
        f"{', camel case split' if analyser.get('camel_case') == 'split' else ''}",
        f"  profile    {document['profile']}: {_counts(document['profiles'])}",
        *(f"  source     {source}" for source in document["sources"]),
        *(f"  excluded   {pattern}" for pattern in document["excluded"]),
        f"  tags       {_counts(document['tags'], most)}",
        f"  attributes {_counts(document['attributes'], most)}",
        *_long(document["long_values"]),
        "  defaults   " + ", ".join(f"{name} {value}" for name, value in default_settings().describe().items()),
    ]
    if document["skipped"] is None:
        again = f"foxir index {document['index']}"
        lines.append(
            f"  unknown    leaves, terms, skipped documents: ingest.json is missing or damaged; again: {again}"
        )
    if document["skipped"]:
        skipped = counted(document["skipped"], "document")
        lines.append(f"  skipped    {skipped} in the last build, see {document['index']}/ingest.json")
    if document.get("verified"):
        lines.append("  verified   every block matches its checksum")
    return "\n".join(map(visible_line, lines))


def _long(number: int) -> Iterator[str]:
    if number:
        longer = f"{counted(number, 'attribute value')} of more than {LONGEST} bytes"
        yield f"  long       {longer}: words are searched in the first {BEGINNING} (--attributes NAME: in all)"


def _counts(numbers: Mapping[str, int], most: int | None = MOST_TAGS) -> str:
    """Return the most frequent names with their numbers; all if `most` is None."""
    shown = ", ".join(f"{shortened(name)} {count:,}" for name, count in list(numbers.items())[:most])
    n_more = 0 if most is None else len(numbers) - most
    return (shown or "none") + (f", and {n_more} more" if n_more > 0 else "")


def _known(number: int | None, form: str) -> str:
    return "" if number is None else form.format(number)
