"""`foxir explain`: why an element is an answer, or why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from engine.cli.console import counted, index_argument, json_option, print_json, times
from engine.cli.explain_scored import scored_lines
from engine.cli.grouped import GroupedCommand
from engine.cli.main import DONE
from engine.cli.opening import open_filled_index
from engine.cli.options import settings_options
from engine.cli.visible import say, visible_line
from engine.explain import explain
from engine.settings import Settings

NOT_ASKED = {  # a reading -> what of the structure decides; SS asks for all of it
    "SV": "only the target's name and its unwanted words count",
    "VS": "only the support counts",
    "VV": "none of it counts, the words do",
    "CO": "none of it counts, the words do",
}


@click.command(name="explain", cls=GroupedCommand)
@index_argument
@click.argument("query")
@click.argument("document")
@click.argument("path")
@settings_options
@json_option
def command(index: Path, query: str, document: str, path: str, settings: Settings, as_json: bool) -> int:
    """Say why an element is returned for a query, and at its rank, or why it is not.

    \b
      foxir explain wiki.foxir 'fresnel lens' na/1998/n1012 '/article[1]/bdy[1]/sec[2]'
      foxir explain wiki.foxir 'fresnel lens' na/1998/n1012 '/article[1]/bdy[1]/sec[2]/p[1]' --passages
    """
    explanation = explain(open_filled_index(index), query, document, path, settings)
    if as_json:
        print_json(explanation)
    else:
        say(in_words(explanation))
    return DONE


def in_words(explanation: dict[str, Any]) -> str:
    """Return the explanation as lines of text."""
    article = explanation["article"]
    score = "no score" if article["score"] is None else f"{article['similarity']} {article['score']:.6f}"
    rank = f", rank {article['rank']}" if article["rank"] else ", not ranked"
    lines = [
        f"{explanation['document']} {explanation['path']}",
        f"  {explanation['verdict']}",
        f"  article: {score}{rank}; {article['length_tokens']} tokens",
        *(
            f"    {_part(part['part'])}  {part['term']}: {times(part['tf'])} here, in {counted(part['df'], 'document')}"
            for part in article["parts"]
        ),
    ]
    if article["document_part"] is not None:
        lines.append(f"    {article['document_part']:+.6f}  the document's length")
    lines += [f"    unknown   {word}: in no document" for word in article["unknown_terms"]]
    reading = explanation["settings"]["reading"]
    lines += [f"  {line}" for line in _structure(explanation.get("structure", []), reading)]
    if explanation["settings"]["rank"] == "score" and "element" in explanation:
        lines += [f"  {line}" for line in scored_lines(explanation)]
    elif element := explanation.get("element"):
        lines.append(
            f"  element: M {counted(element['M'], 'match', 'matches')}, T {counted(element['T'], 'term')}, "
            f"F {counted(element['F'], 'occurrence')}, P {counted(element['P'], 'step')}, "
            f"B {'.'.join(map(str, element['B']))}"
        )
        lines += [
            f"    {term['term']}: {times(term['occurrences'])} in {counted(term['elements'], 'element')}"
            for term in element["terms"]
        ]
        lines += [f"    match {path}" for path in element["matches"]]
        if element["M"] > len(element["matches"]):
            lines.append(f"    ... {element['M'] - len(element['matches'])} more")
    return "\n".join(map(visible_line, lines))


def _part(value: float | None) -> str:
    return "         " if value is None else f"{value:+.6f}"


def _structure(parts: list[dict[str, Any]], reading: str) -> list[str]:
    """Return the parts of a path query as lines: what meets each, or that nothing does, and which of them count."""
    lines = []
    for part in parts:
        indent = "  " if part["kind"] == "condition" else ""
        met = f"met by {part['met_by']}" if part["met_by"] else "not met here or above"
        lines.append(f"{indent}{part['element']} {part['part']}: {met}; by {part['met_in_article']} in the article")
    note = NOT_ASKED.get(reading)
    head = f"structure ({reading}: {note}):" if note else "structure:"
    return [head, *(f"  {line}" for line in lines)] if lines else []
