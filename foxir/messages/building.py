"""Sentences on sources and builds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foxir.messages.front_end import Sentence

MOST_EXTENSIONS = 5


def _tags(tags: Sequence[str], conjunction: str) -> str:
    """Return the tags of the field `tags`."""
    return conjunction.join(f"<{{tags[{place}]}}>" for place in range(len(tags)))


def _no_xml_file(found: Sequence[tuple[str, int]], pattern: str, **_: object) -> str:
    named = ", ".join(f"{{found[{place}][0]}} {{found[{place}][1]:,}}" for place in range(len(found[:MOST_EXTENSIONS])))
    more = f" and {len(found) - MOST_EXTENSIONS} other extensions" if len(found) > MOST_EXTENSIONS else ""
    others = ", or, if others are XML, a pattern: {pattern}" if pattern else ""
    return (
        "no XML file in {sources}: looked for .xml, .xml.gz and other extensions of XML (docs/formats.md), found "
        f"{f'{named}{more}' if found else 'no file'}. Name a source that has some{others}."
    )


def _unused_split_tags(tags: Sequence[str], files_are_whole: bool, **_: object) -> str:
    whole = ", so each file is one document" if files_are_whole else ""
    return (
        f"no file has an element {_tags(tags, ' or ')}{whole}: {{near:did you mean '%'? }}names are local and "
        "case-sensitive; index into a new folder with other tags ({option:split=//TAG})."
    )


def _misspelt_tags(tags: Sequence[tuple[str, str, str]]) -> str:
    listing = ", ".join(
        f"{{tags[{place}][0]}} (in {{tags[{place}][1]}}; did you mean {{tags[{place}][2]}}?)"
        for place in range(len(tags))
    )
    return f"the profile names elements that no document has: {listing}. Tags are local names and case-sensitive."


FEWER = "use fewer processes ({option:jobs=1}), or a smaller limit on documents ({limit:max_text=8M})."
SENTENCES: Mapping[str, Sentence] = {
    "entities_changed": (
        "declarations of entities, DTDs or the options that name them have changed: all documents were read again."
    ),
    "large_documents": lambda others, **_: (
        f"{{document}}{' and {others:,} more' if others else ''}: read alone, with up to {{needed:,}} MB of memory; "
        "{allowed:,} MB were allowed ({option:memory})."
    ),
    "text_outside": lambda tags, **_: (
        f"{{characters:,}} characters of the files are outside of {_tags(tags, ', ')} and are not indexed."
    ),
    "no_xml_file": _no_xml_file,
    "another_extension": lambda files, **_: (
        f"{{files:file ends|files end}} in {{ending}} and {'was' if files == 1 else 'were'} not looked at: if these "
        "are XML, add a pattern as a source: {pattern}."
    ),
    "nothing_excluded": (
        "no file to exclude matches {patterns:listed}: a name (drafts, '*.bak.xml') matches anywhere, a path "
        "(old/*.xml) below each source."
    ),
    "unused_split_tags": _unused_split_tags,
    "misspelt_tags": _misspelt_tags,
    "no_words": (
        "no document has a word in its elements, so that no words find any. What attributes say is found by path "
        "queries, such as //*[about(./@NAME, words)]; 'foxir info' lists the attributes."
    ),
    "inclusions_not_followed": (
        "{elements:xi:include element was|xi:include elements were} not followed: an included file is a document of "
        "its own if a source contains it. To index whole documents, resolve them first (xmllint --xinclude)."
    ),
    "pages_without_profile": (
        "{pages:XHTML page was|XHTML pages were} read without a profile, words of scripts and styles included: index a "
        "collection of such pages with {option:profile=html}."
    ),
    "wrong_ids": (
        "{files:file has|files have} a repeated xml:id, or one that is not an XML name; all elements are indexed."
    ),
    "unread_images": (
        "{references:,} references to images were passed over, as Pillow is not installed, which reads images: "
        "{install}, and index the sources into a new folder."
    ),
    "part_of_source": "{source} is part of the source {whole}, which is brought up to date as a whole.",
    "unknown_source": lambda known, **_: (
        f"unknown source '{{source}}': the sources of this index are {'{known}' if known else 'none'}. A document of a "
        "source goes with its file: delete that, or exclude it ({option:exclude=NAME}), and index again."
    ),
    "contains_source": (
        "{source} contains {inner}, a source of this index, whose documents would be indexed twice: add "
        "{remove:{inner}}, or name other folders."
    ),
    "source_is_gone": (
        "no such source: '{source}', which this index remembers. If it has moved, name its new place with "
        "{remove:{source}}; if it is gone, {remove:{source}} drops its documents."
    ),
    "index_without_shards": "an index without shards: omit {option:shards}, or index into a new folder.",
    "other_shards": "has {shards} shards, not {asked}: omit {option:shards}, or index into a new folder.",
    "stopped": "{reason} ({stop_on_error:}: nothing was indexed; {skipped} in all)",
    "no_memory_to_read": f"not enough memory to read the documents: {FEWER}",
    "reader_died": f"a worker process died while reading documents, perhaps out of memory: {FEWER}",
    "no_remote_index": "not a foxir index: there is no manifest. Make one: {index_into:{url}}",
    "unknown_limit": "{limits:} {given}: {near:did you mean '%'? }expected one of {known}.",
    "wrong_limit": "{limits:} {given}: expected {name}=N, a whole number such as 500000 or 128M.",
}
