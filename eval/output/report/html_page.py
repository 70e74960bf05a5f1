"""The HTML page of a report: head, style, contents, sections; self-contained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from engine.errors import MeasureError
from engine.system.files import replace_file, unwritable


@dataclass(frozen=True)
class Section:
    """A section of the page: anchor, heading, HTML."""

    anchor: str
    heading: str
    body: str


def page(title: str, facts: str, sections: Sequence[Section]) -> str:
    """Return the whole page."""
    style = files("eval.output.report").joinpath("report.css").read_text(encoding="utf-8")
    links = "".join(f'<a href="#{s.anchor}">{escape(s.heading)}</a>' for s in sections)
    body = "".join(f'<section id="{s.anchor}"><h2>{escape(s.heading)}</h2>\n{s.body}</section>\n' for s in sections)
    return (
        "<!doctype html>\n"
        f"<html lang=en><head><meta charset=utf-8><title>{escape(title)}</title>\n"
        '<meta name=viewport content="width=device-width, initial-scale=1">\n'
        f"<style>\n{style}</style></head>\n"
        f"<body><header><h1>{escape(title)}</h1><p>{escape(facts)}</p><nav>{links}</nav></header>\n"
        f"<main>\n{body}</main>\n"
        f"<footer>Made by foxir {escape(version('foxir'))}. Bold: the best of a column. –: not defined.</footer>"
        "</body></html>\n"
    )


def write_report(text: str, file: str | Path) -> Path:
    """Write a page atomically and return its file."""
    file = Path(file)
    try:
        replace_file(file, text.encode(), sync=False)
    except OSError as error:
        raise MeasureError(unwritable(file, error)) from None
    return file
