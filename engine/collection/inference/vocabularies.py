"""The vocabularies of a collection that no profile knows, and the meaning of their tags, inferred from a sample.

A vocabulary is what documents with one root, by tag and namespace, have in common. Of each, documents are drawn by the
digests of their ids, up to MOST_DOCUMENTS and MOST_BYTES, large ones by their beginnings, so that the same documents
give the same answer in any order, number of processes and shards. Where a profile is known, only tags with a prefix
that it does not name are inferred.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from engine.arrays import Mask
from engine.collection.entities.entity_references import Entities
from engine.collection.inference.escaped import find_escaped
from engine.collection.inference.inline import Inline, find_inline, formula_tags
from engine.collection.inference.not_text import find_not_text
from engine.collection.inference.records import find_entries, find_records
from engine.collection.inference.styles import find_levels, find_styles
from engine.collection.inference.tables import Tables, find_tables
from engine.collection.inference.tag_use import TagUse
from engine.collection.inference.text_attributes import find_text_attributes
from engine.collection.inference.title_names import is_title_name
from engine.collection.inference.titles import Titles, find_titles
from engine.collection.inference.wrappers import find_wrappers
from engine.collection.limits import Limits
from engine.collection.markup.held_text import has_held_text, with_held_text
from engine.collection.profiles.profile import (
    ANNOTATIONS,
    ATTRIBUTE_TITLE,
    AUTO,
    IMAGE_TAGS,
    INFERRED,
    NONE,
    ROWS,
    TABLES,
    Profile,
    Vocabulary,
    with_styled,
)
from engine.collection.profiles.profile_files import VOCABULARIES, built_in, known_profile, profile_named
from engine.collection.sources.concatenated import document_ranges
from engine.collection.sources.document_entry import DocumentEntry
from engine.collection.xml_reader import Markup, read_beginning, read_markup
from engine.errors import CollectionError
from engine.records import NamedTuple
from engine.system.process import release_memory

# Documents and bytes of a vocabulary in which tags are counted; vocabularies of an index, and tags with counts of each.
MOST_DOCUMENTS, MOST_BYTES = 64, 2**21
# A file is read up to 1 / SHARES of the bytes that the sample has left; where that is below LEAST_BYTES, it ends.
SHARES, LEAST_BYTES = 4, 2**14
MOST_VOCABULARIES, MOST_TAGS = 64, 500
# Documents of one root that are read to learn whether a profile knows all of them, and bytes that show a root.
FEW, HEAD = 4, 4096
# Namespaces whose elements and attributes are never text of a line.
NO_TEXT = (
    *("http://www.w3.org/XML/", "http://www.w3.org/1999/xlink", "http://www.w3.org/2001/XInclude"),
    *("http://www.w3.org/2001/XMLSchema-instance", "http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2003/XInc"),
    *("http://www.niso.org/schemas/ali", "http://docs.oasis-open.org/ns/oasis-exchange/table"),
)
_PROLOG = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_START = re.compile(r"<(?:([^\s/>:]+):)?([^\s/>:]+)((?:\s[^<>]*?)?)/?>", re.DOTALL)
_DECLARED = re.compile(r"""\sxmlns(?::([^\s=]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')""")


# The profile of the elements of escaped markup, and the roles that these have by it.
HTML = "html"
OF_HTML = ("inline", "breaks", "skip", "titles", "labels")


class Root(NamedTuple):
    """The root of a document as its beginning shows it: local name, namespace, and whether others are declared."""

    name: str
    namespace: str
    declares_others: bool


def infer(
    profile: Profile, entries: Iterable[DocumentEntry], limits: Limits, entities: Entities
) -> tuple[Profile, list[Vocabulary]]:
    """Return the profile of an index with the vocabularies of new documents, and those that these decide otherwise.

    A vocabulary that the index has keeps its meaning. The second list has what the new documents alone would give it.
    """
    known = {each.key: each for each in profile.inferred or ()}
    found, otherwise = [], []
    for root, of_root in _by_root(entries):
        if root is not None and _is_known(profile, root):
            continue
        for key, markups in sorted(_samples(profile, of_root, limits, entities).items()):
            base = profile_named(profile, key[2]) or built_in(NONE)
            vocabulary = _inferred(key, base, markups, limits)
            if key not in known:
                found.append(vocabulary)
            elif _differs(known[key], vocabulary):
                otherwise.append(vocabulary)
    release_memory()
    merged: dict[tuple[str, str, str], Vocabulary] = {}
    for each in found:
        merged.setdefault(each.key, each)
    new = sorted(merged.values(), key=lambda each: each.key)[: max(0, MOST_VOCABULARIES - len(known))]
    names = {each.profile.name for each in known.values()}
    named = []
    for each in new:
        name = each.profile.name
        if name.startswith(INFERRED):
            name = next(n for n in chain([name], (f"{name}-{i}" for i in range(2, 99))) if n not in names)
            names.add(name)
        named.append(replace(each, profile=replace(each.profile, name=name)))
    return replace(profile, inferred=(*(profile.inferred or ()), *named)), otherwise


def _by_root(entries: Iterable[DocumentEntry]) -> list[tuple[Root | None, list[DocumentEntry]]]:
    """Return the documents of each root in the order in which they are drawn; those of most documents come first."""
    groups: dict[Root | None, list[DocumentEntry]] = {}
    for entry in entries:
        groups.setdefault(root_of(entry.beginning(HEAD)), []).append(entry)
    by_size = sorted(groups, key=lambda root: (-len(groups[root]), root or Root("", "", False)))
    return [(root, sorted(groups[root], key=_drawn)) for root in by_size[: 2 * MOST_VOCABULARIES]]


def _drawn(entry: DocumentEntry) -> bytes:
    return hashlib.blake2b(entry.document_id.encode(errors="surrogatepass"), digest_size=8).digest()


def root_of(beginning: bytes) -> Root | None:
    """Return the root that the first bytes of a document show, None where they do not.

    >>> root_of(b'<?xml version="1.0"?><a:b xmlns:a="urn:x"><c/></a:b>')
    Root(name='b', namespace='urn:x', declares_others=False)
    """
    encoding = "utf-16" if beginning[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = beginning.decode(encoding, "ignore")
    place = 0
    while (skipped := _PROLOG.match(text, place)) is not None:
        place = skipped.end()
    start = _START.match(text, place)
    if start is None:
        return None
    declared = {prefix or "": double or single for prefix, double, single in _DECLARED.findall(start[3])}
    prefix = start[1] or ""
    others = (uri for each, uri in declared.items() if each and uri and uri != declared.get(prefix))
    return Root(start[2], declared.get(prefix, ""), any(not uri.startswith(NO_TEXT) for uri in others))


def _is_known(profile: Profile, root: Root) -> bool:
    """Return whether the root alone shows that a profile knows all tags of a document."""
    if root.declares_others:
        return False
    if profile.name != AUTO:
        return True
    choices = profile.choices or [built_in(name) for name in VOCABULARIES]
    return any(root.namespace in each.namespaces for each in choices)


def _samples(
    profile: Profile, entries: Sequence[DocumentEntry], limits: Limits, entities: Entities
) -> Mapping[tuple[str, str, str], list[bytes]]:
    """Return the markup of the documents that are drawn, by vocabulary; those whose tags are all known are left out."""
    found: dict[tuple[str, str, str], list[bytes]] = {}
    n_known = n_read = 0
    left = MOST_BYTES
    for place, entry in enumerate(entries):
        most = left // min(SHARES, len(entries) - place)
        if most < LEAST_BYTES or n_read >= MOST_DOCUMENTS or n_known == n_read >= FEW:
            break
        for markup in islice(_markups(entry, most, limits, entities), MOST_DOCUMENTS - n_read):
            n_read += 1
            base = known_profile(profile, markup.root_name, markup.namespace, markup.children)
            if base.name != NONE and not _has_others(markup.text):
                n_known += 1
                continue
            found.setdefault((markup.root_name, markup.namespace, base.name), []).append(markup.text)
            left -= len(markup.text)
    return found


def _markups(entry: DocumentEntry, most: int, limits: Limits, entities: Entities) -> Iterator[Markup]:
    """Yield the markup of each document in the first bytes of a file that can be read, of the last its beginning."""
    raw = entry.beginning(most + 1)
    for begin, end in document_ranges(raw):
        with suppress(CollectionError):
            if end <= most:
                yield read_markup(raw[begin:end], entry.name, limits, entities)
            else:
                yield read_beginning(raw[begin:end], entry.name)


_OTHER = re.compile(rb"<[^\s/>:!?]+:[^\s/>]")


def _has_others(markup: bytes) -> bool:
    """Return whether any tag but that of the root has a prefix."""
    return _OTHER.search(markup, 1) is not None


def _inferred(key: tuple[str, str, str], base: Profile, markups: Sequence[bytes], limits: Limits) -> Vocabulary:
    """Return a vocabulary, given the profile that knows tags of it, or `none`."""
    use, given_profile = TagUse(markups), base
    is_known = base.name != NONE
    of_attributes: Mapping[str, Mapping[str, int]] = {}
    of_html = frozenset[str]()
    if not is_known:
        escaped = frozenset(use.names[each] for each in np.flatnonzero(find_escaped(use)).tolist())
        attributes = find_text_attributes(use)
        base = replace(
            base,
            text_attributes=attributes.found - attributes.titles,
            title_attributes=attributes.titles,
            titles=base.titles | ({ATTRIBUTE_TITLE} if attributes.titles else set()),
            escaped=escaped,
        )
        of_attributes = attributes.counts
        if has_held_text(base):
            known_names = frozenset(use.names)
            counted = replace(base, text_attributes=attributes.of_empty_tags, title_attributes=frozenset())
            markups = [_with_held_text(each, counted, key[0], limits) for each in markups]
            use = TagUse(markups)
            of_html = frozenset(use.names) - known_names
        if (is_formula := formula_tags(use)).any():
            of_formulas = {use.names[each] for each in np.flatnonzero(is_formula).tolist()}
            base = replace(base, inline=base.inline | of_formulas, skip=base.skip | (ANNOTATIONS & set(use.names)))
    html = built_in(HTML) if of_html else built_in(NONE)
    base = replace(base, **{role: getattr(base, role) | (getattr(html, role) & of_html) for role in OF_HTML})
    named = base.inline.union(
        *(base.breaks, base.skip, base.titles, base.labels, base.headings, base.split, base.row_tags, base.table_tags),
        base.row_group_tags,
    )
    has_prefix = use.share(use.has_prefix, ~use.is_root) > 0.5
    is_open = (
        np.array([name not in named for name in use.names], np.bool_) & has_prefix
        if is_known
        else np.array([name not in of_html | base.inline | base.skip for name in use.names], np.bool_)
    )
    is_open &= np.array([name not in IMAGE_TAGS for name in use.names], np.bool_)
    skipped = find_not_text(use) & is_open
    if skipped.any():
        use = TagUse(markups, [use.names[each] for each in np.flatnonzero(skipped).tolist()])
    inline = find_inline(use, is_open & ~skipped, np.array([name in base.inline for name in use.names], np.bool_))
    is_whole = not is_known  # else the profile says what titles and records are
    tables = find_tables(use, inline.tags)
    if is_known:
        tables = Tables(*(np.zeros_like(each) for each in tables))
    no_parts = ~(tables.tables | tables.rows | tables.cells | skipped) & is_whole
    every_title = find_titles(use, is_open & no_parts, inline.tags)
    levels = find_levels(use, every_title.headings)
    titles = every_title.without(levels)
    are_title_names = np.array(list(map(is_title_name, use.names)), np.bool_)
    records = find_records(use, inline.tags, are_title_names & ~tables.cells) & no_parts
    entries = find_entries(use, inline.tags, are_title_names) & no_parts & ~records
    could_be = is_open & no_parts & ~inline.tags & ~titles.titles & ~titles.labels
    if styles := {**find_styles(use, could_be, inline.tags), **dict(levels.values())} if is_whole else {}:
        base = replace(base, styles=frozenset(styles), headings=with_styled(base.headings))
    wrappers = find_wrappers(use, titles.titles) & is_open & no_parts & ~inline.tags
    base = replace(base, wrappers=base.wrappers | {use.names[each] for each in np.flatnonzero(wrappers).tolist()})
    name = f"{INFERRED}{key[2] if is_known else key[0]}"
    profile = _profile(name, base, use, inline, titles, tables, skipped, records, entries)
    if replace(profile, name=given_profile.name) == given_profile:
        profile = given_profile
    counts = {**_counts(use, is_open, inline, titles), **of_attributes, **styles}
    return Vocabulary(*key, profile, len(markups), counts)


def _with_held_text(markup: bytes, profile: Profile, name: str, limits: Limits) -> bytes:
    """Return the markup with all text as text of elements; as it is where it will be refused."""
    try:
        return with_held_text(markup, profile, name, limits)
    except CollectionError:
        return markup


def _profile(
    name: str,
    base: Profile,
    use: TagUse,
    inline: Inline,
    titles: Titles,
    tables: Tables,
    skipped: Mask,
    records: Mask,
    entries: Mask,
) -> Profile:
    def names(chosen: Mask) -> frozenset[str]:
        return frozenset(use.names[each] for each in np.flatnonzero(chosen).tolist())

    headings = tuple(use.names[each] for each in titles.headings)
    return replace(
        base,
        name=name,
        inline=base.inline | names(inline.tags),
        breaks=base.breaks | names(inline.breaks),
        skip=base.skip | names(skipped),
        records=base.records | names(records),
        entries=base.entries | names(entries),
        titles=base.titles | names(titles.titles) | frozenset(filter(is_title_name, headings)),
        labels=base.labels | names(titles.labels | (tables.captions & ~titles.titles)),
        tables=_with_more(base.tables, TABLES, names(tables.tables)),
        rows=_with_more(base.rows, ROWS, names(tables.rows)),
        headings=base.headings + headings,
        inferred=None,
    )


def _with_more(given: frozenset[str] | None, usual: frozenset[str], found: frozenset[str]) -> frozenset[str] | None:
    """Return the tags of a role with usual ones and those that were found; None where these are enough."""
    return given if found <= (usual if given is None else given) else (usual if given is None else given) | found


def _counts(use: TagUse, is_open: Mask, inline: Inline, titles: Titles) -> dict[str, dict[str, int]]:
    """Return what was counted of the tags that were to be decided, the most frequent first."""
    n = use.n(~use.is_root)
    order = [each for each in sorted(range(len(n)), key=lambda each: (-n[each], use.names[each])) if n[each]]
    words = np.bincount(use.tag, use.words * ~use.is_root, len(n))
    columns = {
        **{"elements": n, "words": words, "in_lines": inline.in_line, "beside": inline.beside},
        **{"first": titles.first, "before_more": titles.before_more, "repeated": titles.repeated},
    }
    return {
        use.names[each]: {column: int(values[each]) for column, values in columns.items()}
        for each in [each for each in order if is_open[each]][:MOST_TAGS]
    }


# What new documents may decide otherwise.
ROLES = (
    *("inline", "skip", "titles", "wrappers", "labels", "records", "entries"),
    *("text_attributes", "title_attributes", "escaped"),
)


def _differs(known: Vocabulary, other: Vocabulary) -> bool:
    """Return whether new documents give a tag that both have another meaning."""
    shared = known.counts.keys() & other.counts.keys()
    return any((getattr(known.profile, role) & shared) != (getattr(other.profile, role) & shared) for role in ROLES)
