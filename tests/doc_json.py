"""The outlines of docs/json.md: the names in what each command prints with --json.

`python -m tests.doc_json` runs the commands anew and writes the names that they print into the page.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.doc_sessions import ROOT, prepare, run

PAGE = "docs/json.md"
WIDTH = 110
# Keys of JSON whose own keys, where there are any, depend on the index, the judgements, the runs and the settings.
FREE = {
    *("tags", "fields", "attributes", "profiles", "ignored", "kept_entities", "topics"),
    *("options", "settings", "defaults", "means", "counts"),
}
# The key of the parts of a tree, which are trees themselves.
PARTS = "details"
LENGTHS = """def scores(texts, queries):
    return [[len(text) for text in texts]] * len(queries)
"""
ELEMENT = "jats/fx-006 '/article[1]/body[1]/sec[5]/p[1]'"
# For each command that has --json: those whose output the outlines in its section are, in this order; several have one.
COMMANDS: dict[str, list[str | tuple[str, ...]]] = {
    "index": ["foxir index sample.foxir collections bad --json -q"],
    "info": ["foxir info sample.foxir --list-documents --json"],
    "show": ["foxir show sample.foxir jats/fx-006 '/article[1]/body[1]/sec[5]/title[1]' --xml --json"],
    "compact": ["foxir compact sample.foxir --json"],
    "search": ["foxir search sample.foxir 'fog signal' --top 2 --text --lines --json"],
    "explain": [
        (
            f"foxir explain sample.foxir 'fog signal' {ELEMENT} --json",
            f"foxir explain sample.foxir 'fog signal range' {ELEMENT} --rank-by structure --json",
            f"foxir explain sample.foxir 'fog signal' {ELEMENT} --passages --json",
        ),
        "foxir explain sample.foxir 'fog signal' --stages --json",
    ],
    "run": ["foxir run sample.foxir topics/co --out own.xml --json"],
    "judgements to-elements": [
        "foxir judgements to-elements topics/qrels.txt --index sample.foxir --out judged --json -q"
    ],
    "eval": ["foxir eval judged own.xml --index sample.foxir --topics 1-2 --measures hixeval --json -q"],
    "chunks eval": [
        "foxir chunks eval sample.foxir topics/co topics/qrels.txt --chunker documents --retriever lengths:scores"
        " --topics 1-5 --measures hixeval:AP --json -q"
    ],
    "judgements check": ["foxir judgements check changed --index sample.foxir --json"],
    "measures": ["foxir measures --json", "foxir measures hixeval --json"],
    "similarity": ["foxir similarity --json", "foxir similarity multinomial --json"],
    "runs ideal": ["foxir runs ideal judged --kind bep --out bep.xml --json"],
    "compare": ["foxir compare judged own.xml bep.xml --index sample.foxir --measure AP --json -q"],
    "tune": ["foxir tune sample.foxir topics/co judged --grid mu.toml --measure AP --method halving --json -q"],
    "runs correlate": [
        "foxir runs correlate judged own.xml bep.xml --index sample.foxir --measures AP,P@5 --json -q",
        "foxir runs correlate judged own.xml bep.xml --index sample.foxir --measures AP,P@5 --reliability --json -q",
    ],
    "judgements stats": ["foxir judgements stats judged --json"],
    "judgements agreement": ["foxir judgements agreement judged changed --json"],
    "judgements pool": ["foxir judgements pool own.xml bep.xml --depth 5 --out pool.xml --json"],
    "named": ["foxir named --json"],
    "judgements convert": ["foxir judgements convert topics/qrels.txt --format trec --out qrels.trec --json"],
    "runs convert": ["foxir runs convert own.xml --format fol --out passages.fol --index sample.foxir --json"],
}
SECTION = re.compile(r"^## foxir ([\w -]+)\n((?:(?!^## ).*\n)*)", re.MULTILINE)
OUTLINE = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documented(page: str) -> dict[str, int]:
    """Return how many outlines there are of each command, by its name."""
    return {section[1]: len(OUTLINE.findall(section[2])) for section in SECTION.finditer(page)}


def outlines(folder: Path) -> dict[str, list[str]]:
    """Run the commands in an empty folder; return the outlines of what they print, by the name of the command."""
    prepare(folder, PAGE)
    (folder / "bad").mkdir()
    (folder / "bad" / "a.xml").write_text("<a>x</b>")
    (folder / "lengths.py").write_text(LENGTHS)
    (folder / "mu.toml").write_text("mu = [200, 2000]\n[fixed]\nsimilarity = 'dirichlet'\n")
    found = {}
    for name, commands in COMMANDS.items():
        if name == "judgements check":
            _change_a_size(folder / "judged", folder / "changed")
        found[name] = [_outline([each] if isinstance(each, str) else each, folder) for each in commands]
    return found


def _outline(commands: Iterable[str], folder: Path) -> str:
    """Return the outline of what some commands print together."""
    printed = ["\n".join(run(command, folder)) for command in commands]
    (shape,) = _shape([json.JSONDecoder().raw_decode(each)[0] for each in printed])  # notices may follow
    return "\n".join(_lines(shape)) + "\n"


def _change_a_size(judged: Path, changed: Path) -> None:
    """Copy judgements, with the size of one element another than in the collection."""
    shutil.copytree(judged, changed)
    file = changed / "1.xml"
    file.write_text(re.sub(r'size="\d+" rsize', 'size="9999" rsize', file.read_text(), count=1))


def _shape(value: Any) -> Any:
    """Return the names in a JSON value as dictionaries: of a list, those of all its entries, in a list of one."""
    if isinstance(value, list):
        merged: Any = None
        for each in map(_shape, value):
            merged = _merged(merged, each)
        return [merged]
    if isinstance(value, dict):
        return {name: {} if name in FREE and isinstance(each, dict) else _shape(each) for name, each in value.items()}
    return None


def _merged(one: Any, other: Any) -> Any:
    """Return the names that either shape has."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: _merged(one.get(name), other.get(name)) for name in [*one, *other]}
    if isinstance(one, list) and isinstance(other, list):
        return [_merged(one[0], other[0])]
    return other if one is None else one


def _lines(shape: Any, indent: str = "") -> Iterator[str]:
    """Yield the lines of an outline: names of plain values in one, then each name of an object, with its names."""
    if isinstance(shape, dict):
        shape = _flat_tree(shape)
        plain = [f"{name}{_mark(each)}" for name, each in shape.items() if not _names(each)]
        yield from _wrapped(", ".join(plain), indent)
        for names, each in _groups(shape):
            yield from _part(names, each, indent)


def _flat_tree(shape: dict[str, Any]) -> dict[str, Any]:
    """Return the names of a tree: those of its root, and of all parts below it together."""
    below, names = shape.get(PARTS), dict[str, Any]()
    while isinstance(below, list) and isinstance(below[0], dict):
        names = _merged(names, {name: each for name, each in below[0].items() if name != PARTS})
        below = below[0].get(PARTS)
    return {**shape, PARTS: [names]} if names else shape


def _groups(shape: dict[str, Any]) -> Iterator[tuple[list[str], Any]]:
    """Yield the names of objects, those together that follow one another with the same names in them."""
    names: list[str] = []
    last: Any = None
    for name, each in shape.items():
        if not _names(each):
            continue
        if names and each != last:
            yield names, last
            names = []
        names, last = [*names, f"{name}{_mark(each)}"], each
    if names:
        yield names, last


def _part(names: list[str], shape: Any, indent: str) -> Iterator[str]:
    lines = list(_lines(_names(shape)))
    head = f"{indent}{', '.join(names)}:"
    if len(lines) == 1 and len(head) + len(lines[0]) < WIDTH:
        yield f"{head} {lines[0]}"
    else:
        yield head
        yield from (f"{indent}  {line}" for line in lines)


def _names(shape: Any) -> Any:
    """Return the dictionary of names inside lists, if there is one with names."""
    while isinstance(shape, list):
        shape = shape[0]
    return shape


def _mark(shape: Any) -> str:
    if isinstance(shape, list):
        return "[]" + _mark(shape[0])
    return "{}" if shape == {} else ""


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def with_outlines(page: str, found: dict[str, list[str]]) -> str:
    """Return the page with the outlines in its sections."""

    def renewed(section: re.Match[str]) -> str:
        given = iter(found[section[1]])
        return OUTLINE.sub(lambda _: f"```text\n{next(given)}```", section[0])

    return SECTION.sub(renewed, page)


def main() -> None:
    """Write the names that the commands print into the page."""
    path = ROOT / PAGE
    with tempfile.TemporaryDirectory() as folder:
        found = outlines(Path(folder).resolve())
    path.write_text(with_outlines(path.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    main()
