"""`foxir info`: the contents of an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from engine.collection.markup.attributes import BEGINNING, LONGEST
from engine.collection.profiles.profile import NONE
from engine.fields.definitions import without_fields
from engine.settings import default_settings
from engine.system.byte_sizes import rounded_bytes
from engine.wording import counted, shortened
from foxir.searching.index_contents import describe, describe_markup, list_documents
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.console import print_json
from foxir.terminal.control_characters import say, visible_line
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import index_argument, json_option, open_typed

MOST_TAGS = 20


@click.command(name="info", cls=FoxirCommand)
@index_argument
@click.option("--verify", is_flag=True, help="Check every block of every file against its checksum.")
@click.option("--list-tags", "with_tags", is_flag=True, help="List all tags and attributes, the most frequent first.")
@click.option("--list-documents", "with_documents", is_flag=True, help="List the documents, with profile and size.")
@click.option("--fields", "with_fields", is_flag=True, help="List the fields of documents: type, values, examples.")
@click.option("--markup", "with_markup", is_flag=True, help="Show what the meaning of tags was inferred from.")
@json_option
def command(
    index: Path,
    verify: bool,
    with_tags: bool,
    with_documents: bool,
    with_fields: bool,
    with_markup: bool,
    as_json: bool,
) -> int:
    """Show what an index contains: counts, tags, analyser, profiles, sources, sizes, default search settings.

    --markup lists the tags of vocabularies without a profile: role (- for none), number of elements in the sample,
    their words; then how many elements stand in a line of text, beside other elements, first in their parent, before
    a longer text, and have a text that occurs again.

    \b
    Examples:
      foxir info demo.foxir
      foxir info demo.foxir --verify
      foxir info demo.foxir --list-tags
      foxir info demo.foxir --list-documents
      foxir info demo.foxir --fields
      foxir info demo.foxir --markup
    """
    opened = open_typed(index)
    if verify:
        opened.verify()
    document = describe(opened.reader)
    if verify:
        document["verified"] = True
    if with_documents:
        document["document_list"] = list_documents(opened.reader)
    if with_fields:
        document["fields"] = opened.fields
    if with_markup:
        document["markup"] = describe_markup(opened.reader)
    if as_json:
        print_json(document)
        return DONE
    say(_text(document, with_tags=with_tags))
    for each in document.get("markup", ()):
        say("\n".join(map(visible_line, _markup(each))))
    if document.get("markup") == []:
        say("  markup     nothing was inferred")
    for line in _fields(document):
        say(visible_line(line))
    for each in document.get("document_list", ()):
        counts = f"{counted(each['elements'], 'element')}, {counted(each['words'], 'word')}"
        say(visible_line(f"{each['document']}  {each['profile']}, {counts}"))
    return DONE


def _text(document: dict[str, Any], *, with_tags: bool = False) -> str:
    most = None if with_tags else MOST_TAGS
    analyser = document["analyser"]
    lines = [
        f"{document['index']}, generation {document['generation']}",
        f"  documents  {document['documents']:,}",
        f"  elements   {document['elements']:,}{_known(document['leaves'], ', {:,} of them with text of their own')}",
        f"  tokens     {document['tokens']:,}{_known(document['terms'], ' of {:,} terms')}",
        f"  images     {document['images']:,}",
        *(
            f"  vectors    {found['blocks']:,} of {found['dimensions']} dimensions, by {found['encoder']}"
            for found in [document.get("vectors")]
            if found
        ),
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


def _fields(document: dict[str, Any]) -> Iterator[str]:
    """Yield a line on each field."""
    if document.get("fields") == {}:
        yield f"  fields     none: {without_fields(document['profile'])}"
    for name, field in document.get("fields", {}).items():
        examples = ", ".join(shortened(str(each)) for each in field["examples"])
        more = ", ..." if field["values"] > len(field["examples"]) else ""
        count = f"{field['documents']:,} of {counted(document['documents'], 'document')}"
        yield f"  field      {name} ({field['type']}): {count}, {counted(field['values'], 'value')}: {examples}{more}"


def _markup(vocabulary: dict[str, Any]) -> Iterator[str]:
    """Yield the lines on what was inferred for a vocabulary: each tag with its role and what was counted."""
    counted_in = counted(vocabulary["documents"], "document")
    space = f" in {shortened(vocabulary['namespace'])}" if vocabulary["namespace"] else ""
    beside = "" if vocabulary["base"] == NONE else f", beside the profile {vocabulary['base']}"
    yield f"  markup     root {shortened(vocabulary['root'])}{space}{beside}, inferred from {counted_in}"
    for tag in vocabulary["tags"]:
        role = ", ".join(tag["roles"]) or "-"
        if "headings" in tag:
            yield (
                f"    {shortened(tag['tag']):<20} {role:<16} {tag['values']:,} values, {tag['different']:,} different; "
                f"{tag['headings']:,} of headings"
            )
            continue
        if "values" in tag:
            yield (
                f"    {shortened(tag['tag']):<20} {role:<16} {tag['values']:,} values, {tag['different']:,} different; "
                f"of {tag['looked_at']:,}, {tag['several_words']:,} have several words, {tag['of_letters']:,} letters, "
                f"{tag['with_signs']:,} a sign at the end; {tag['without_words']:,} in elements without words"
            )
            continue
        yield (
            f"    {shortened(tag['tag']):<20} {role:<16} {tag['elements']:,} elements, {tag['words']:,} words; "
            f"{tag['in_lines']:,} in lines, {tag['beside']:,} beside others; {tag['first']:,} first, "
            f"{tag['before_more']:,} before more text, {tag['repeated']:,} repeated"
        )


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
