"""The notices of a build for its user, beside the counts."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from engine.arrays import Mask, Rows
from engine.collection.inference.vocabularies import ROLES
from engine.collection.ingest_report import IngestReport
from engine.collection.markup.field_values import MOST_VALUES
from engine.collection.profiles.profile import NONE, Profile, Vocabulary
from engine.collection.profiles.profile_files import built_in, load_profile, profile_named, profile_names
from engine.collection.sources.patterns import is_exclusion, is_pattern, unsigned
from engine.collection.sources.source_listing import SourceListing
from engine.images.reader import EXTRA
from engine.index.elements.element_store import Elements
from engine.index.generation import open_segments, profile_of
from engine.index.manifest import Manifest
from engine.indexing.workers.build_worker import BatchResult, MisreadField
from engine.notices import Notice
from engine.wording import MOST_OF_PATH, nearest, printable, shortened

LIKE_A_TAG = 0.8  # the least similarity of a tag that may be meant
MOST_EXTENSIONS = 5  # that the notice on sources without XML names
MOST_EMPTY = 20  # elements of documents that may well have no words
# Extensions of what often lies beside XML and is none.
NO_XML = frozenset(
    (
        *(".bmp", ".eps", ".gif", ".jpeg", ".jpg", ".mp3", ".mp4", ".png", ".svg", ".tif", ".tiff", ".wav", ".webp"),
        *(".bib", ".csv", ".doc", ".docx", ".json", ".jsonl", ".md", ".odt", ".pdf", ".pptx", ".ps"),
        *(".rst", ".tex", ".toml", ".tsv", ".txt", ".xlsx", ".yaml", ".yml"),
        *(".c", ".css", ".h", ".java", ".js", ".py", ".sh", ".ts"),
    )
)


def notices_of(
    index: Path,
    old: Manifest,
    new: Manifest,
    listing: SourceListing,
    results: Sequence[BatchResult],
    report: IngestReport,
    memory: int,
    *,
    is_anew: bool,
) -> Iterator[Notice]:
    """Yield the notices of a build, on its sources and on the index.

    Args:
        old, new: the generations before and after. results: of all batches. memory: bytes that the build might use.
        is_anew: whether all documents were read again because entities have changed.
    """
    if is_anew:
        yield Notice("entities_changed")
    yield from large_documents(results, memory)
    if n_outside := sum(result.n_outside for result in results):
        yield Notice("text_outside", {"characters": n_outside, "tags": tuple(old.profile["split"])})
    if n_inclusions := sum(result.n_inclusions for result in results):
        yield Notice("inclusions_not_followed", {"elements": n_inclusions})
    if kept := Counter(report.kept_entities):
        names = sorted(kept, key=lambda name: (-kept[name], name))
        fields = {"references": kept.total(), "names": tuple(shortened(printable(name)) for name in names)}
        yield Notice("references_kept", fields)
    if n_pages := sum(result.n_web_pages for result in results):
        yield Notice("pages_read_as_html", {"pages": n_pages})
    if n_wrong := sum(result.n_with_wrong_ids for result in results):
        yield Notice("wrong_ids", {"files": n_wrong})
    yield from misread_fields(results)
    yield from no_documents(listing)
    yield from another_extension(listing)
    if excluded := [unsigned(each) for each in listing.unmatched if each not in old.sources]:
        yield Notice("nothing_excluded", {"patterns": tuple(map(printable, excluded))})
    yield from unused_split_tags(old, frozenset[str]().union(*(result.names for result in results)))
    if not old.segments:
        yield from misspelt_tags(index, new)
        yield from tags_used_otherwise(index, new)
    if report.documents and report.elements > MOST_EMPTY and not report.terms:
        yield Notice("no_words")
    if n_unread := report.images.get("unread", 0):
        yield Notice("unread_images", {"references": n_unread, "install": EXTRA})


def misread_fields(results: Sequence[BatchResult]) -> Iterator[Notice]:
    """Yield a notice on each field with values that are not of its type, and one on values beyond the most."""
    joined: dict[str, MisreadField] = {}
    for result in results:
        for name, found in (result.misread or {}).items():
            joined[name] = found.plus(joined.get(name))
    for name, found in sorted(joined.items()):
        fields = {"field": name, "expected": found.expected, "text": shortened(printable(found.text))}
        document = shortened(printable(found.document), MOST_OF_PATH)
        yield Notice("misread_field", {**fields, "document": document, "others": found.n_documents - 1})
    if n_left_out := sum(result.n_values_left_out for result in results):
        yield Notice("too_many_values", {"values": n_left_out, "most": MOST_VALUES})


def notices_of_vocabularies(
    profile: Profile, otherwise: Sequence[Vocabulary], new: Sequence[Vocabulary]
) -> Iterator[Notice]:
    """Yield the notices on new vocabularies with text in attributes or escaped markup, and on those whose new
    documents alone would give tags another meaning than the index has.

    Args:
        profile: of the index. otherwise: what the new documents would give. new: the vocabularies that it had not.
    """
    for each in new:
        attributes = sorted(each.profile.text_attributes | each.profile.title_attributes)
        escaped = sorted(each.profile.escaped)
        if each.base == NONE and (attributes or escaped):
            fields = {"attributes": tuple(map(printable, attributes)), "tags": tuple(map(printable, escaped))}
            yield Notice("held_text", {"root": printable(each.root), **fields})
    known = {each.key: each for each in profile.inferred or ()}
    for each in otherwise:
        kept = known[each.key]
        shared = kept.counts.keys() & each.counts.keys()
        tags = sorted(
            tag for role in ROLES for tag in (getattr(kept.profile, role) ^ getattr(each.profile, role)) & shared
        )
        yield Notice("inferred_otherwise", {"root": printable(each.root), "tags": tuple(map(printable, tags))})


def large_documents(results: Sequence[BatchResult], memory: int) -> Iterator[Notice]:
    """Yield the notice on documents that need more than the given memory, if there are any."""
    large = {name: needed for result in results for name, needed in (result.large or {}).items()}
    if large:
        name = max(large, key=large.__getitem__)
        needed = -(-large[name] // 2**20)
        fields = {"document": printable(name), "others": len(large) - 1, "needed": needed, "allowed": memory // 2**20}
        yield Notice("large_documents", fields)


def no_documents(listing: SourceListing) -> Iterator[Notice]:
    """Yield the notice on sources without any file of XML, with the extensions of their files."""
    sources = [source for source in listing.sources if not is_exclusion(source)]
    if listing.entries or listing.skipped or not sources:
        return
    found = Counter({name: count for name, count in sorted(listing.ignored.items()) if name}).most_common()
    folder = next((source for source in sources if os.path.isdir(source) and not is_pattern(source)), None)
    ending = next((name for name, _ in found if name.startswith(".") and not is_pattern(name)), None)
    pattern = shlex.quote(f"{folder}/**/*{ending}") if folder and ending else ""
    fields = {
        "sources": tuple(map(printable, sources)),
        "found": tuple(
            Notice("extension", {"ending": printable(shortened(name)), "files": count})
            for name, count in found[:MOST_EXTENSIONS]
        ),
        "others": max(0, len(found) - MOST_EXTENSIONS),
        "pattern": printable(pattern),
    }
    yield Notice("no_xml_file", fields)


def another_extension(listing: SourceListing) -> Iterator[Notice]:
    """Yield the notice on an extension, not looked at, that most files have and that may be of XML."""
    folder = next((source for source in listing.sources if os.path.isdir(source) and not is_pattern(source)), None)
    others = {
        name: count
        for name, count in sorted(listing.ignored.items())
        if name.startswith(".") and not is_pattern(name) and name.removesuffix(".gz") not in NO_XML
    }
    most = max(others, key=others.__getitem__, default="")
    if folder and most and others[most] > len(listing.entries) > 0:
        pattern = shlex.quote(f"{folder}/**/*{most}")
        fields = {"files": others[most], "ending": printable(shortened(most)), "pattern": printable(pattern)}
        yield Notice("another_extension", fields)


def unused_split_tags(manifest: Manifest, names: frozenset[str]) -> Iterator[Notice]:
    """Yield the notice on tags that split files and that no file of a new index has, if there are any.

    Args:
        manifest: of the generation before. names: of the elements of the files that were read.
    """
    tags = manifest.profile.get("split", ())
    if names and not manifest.segments and (unused := [tag for tag in tags if tag not in names]):
        near = nearest(unused[0], sorted(names)) or ""
        is_whole = names.isdisjoint(tags)
        yield Notice("unused_split_tags", {"tags": tuple(unused), "files_are_whole": is_whole, "near": near})


def misspelt_tags(index: Path, manifest: Manifest) -> Iterator[Notice]:
    """Yield the notice on tags of a user's profile that no document has, with tags spelt alike."""
    profile = profile_of(manifest)
    if profile.name in profile_names():
        return
    names = {tag for segment in open_segments(index, manifest) for tag in segment.tags}
    kinds = ("inline", "breaks", "skip", "titles", "labels", "headings", "tables", "rows", "row_groups", "preformatted")
    known = {tag for name in profile_names() for kind in kinds for tag in getattr(load_profile(name), kind) or ()}
    named = {tag: kind for kind in kinds for tag in getattr(profile, kind) or () if tag not in known}
    others = sorted(names.difference(named))
    near = {tag: nearest(tag, others, cutoff=LIKE_A_TAG) for tag in sorted(named.keys() - names)}
    misspelt = [{"tag": tag, "kind": named[tag], "near": other} for tag, other in near.items() if other]
    if misspelt:
        yield Notice("misspelt_tags", {"tags": tuple(Notice("misspelt_tag", fields) for fields in misspelt)})


# Most words of a short title; least share of an inline tag's elements with blocks inside for a notice.
SHORT, MANY = 25, 0.5


def tags_used_otherwise(index: Path, manifest: Manifest) -> Iterator[Notice]:
    """Yield the notices on titles that are never short, and on inline tags that hold blocks, of profiles of a user."""
    profile = profile_of(manifest)
    own = [each for each in (profile, *profile.choices) if each.name not in profile_names()]
    if not own or not manifest.segments:
        return

    def named(name: str) -> Profile:
        return profile_named(profile, name) or built_in(NONE)

    elements = Elements(open_segments(index, manifest), named)
    for each in own:
        long_titles = tuple(_long_titles(elements, _in_role(elements, each, each.titles)))
        with_blocks = tuple(_with_blocks(elements, _in_role(elements, each, each.inline)))
        if long_titles:
            yield Notice("long_titles", {"profile": printable(each.name), "most": SHORT, "tags": long_titles})
        if with_blocks:
            yield Notice("inline_with_blocks", {"profile": printable(each.name), "tags": with_blocks})


def _in_role(elements: Elements, profile: Profile, tags: frozenset[str]) -> Rows:
    """Return the elements with one of the tags in documents that were read with a profile, without roots."""
    every = np.arange(int(elements.row_base[-1]))
    return every.compress(elements.with_role(lambda name: tags if name == profile.name else frozenset())(every))


def _long_titles(elements: Elements, rows: Rows) -> Iterator[Notice]:
    """Yield a part of the notice for each tag whose elements with words are all long."""
    words = elements.n_words(rows)
    rows, words = rows.compress(words > 0), words.compress(words > 0)
    for tag, which in _by_tag(elements, rows):
        if words.compress(which).min() > SHORT:
            n = int(which.sum())
            yield Notice("long_title", {"tag": printable(tag), "elements": n, "words": int(words[which].mean())})


def _with_blocks(elements: Elements, rows: Rows) -> Iterator[Notice]:
    """Yield a part of the notice for each tag many of whose elements contain blocks with words."""
    every = np.arange(int(elements.row_base[-1]))
    is_block = ~elements.is_inline(every) & (elements.n_words(every) > 0)
    before = np.append(0, np.cumsum(is_block))
    holds = before.take(elements.end(rows)) > before.take(rows + 1)
    for tag, which in _by_tag(elements, rows):
        n, n_holding = int(which.sum()), int((which & holds).sum())
        if n_holding >= MANY * n:
            yield Notice("holds_blocks", {"tag": printable(tag), "elements": n, "with_blocks": n_holding})


def _by_tag(elements: Elements, rows: Rows) -> Iterator[tuple[str, Mask]]:
    """Yield each tag of some elements, and the mask of those with it."""
    tags = elements.tag(rows)
    for tag in np.unique(tags).tolist():
        yield elements.tags[tag], tags == tag
