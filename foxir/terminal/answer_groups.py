"""A card on a terminal: the title of a document, its best answer, and where more are; within the width, whole words."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

import click
import numpy as np

from engine.presentation.breadcrumbs import document_titles
from engine.wording import counted
from foxir.results.answers import Answer, Answers
from foxir.terminal.control_characters import visible, visible_line

INDENT = "    "
WIDEST = 120
# Elements with the text of an answer that a line names.
MOST_NAMED = 3


def card(
    answers: Answers, number: int, place: str | None, lacks: Sequence[str], *, n_more: int, with_text: bool
) -> str:
    """Return the answers of a document as lines of text.

    Args:
        place: file and line of the best one. lacks: words of the query that the best one is without.
        n_more: others that are printed, on a line each.
    """
    width = min(shutil.get_terminal_size((80, 24)).columns, WIDEST)
    first, best = answers[:1], answers[0]
    title = document_titles(answers.reader, np.array([best.element.number]))[0]
    head, *rest = _wrapped(visible_line(title), width)
    lines = [f"{number:>2}. {click.style(head, bold=True)}", *(INDENT + click.style(line, bold=True) for line in rest)]
    trail = visible_line(" › ".join(titles_above(first, _names(best, title))))
    lines += [INDENT + line for line in _wrapped(trail, width)] if trail else []
    if with_text:
        lines += ["", visible(best.readable_text), ""]
    else:
        lines += snippet_lines(first, width)
    score = f"score {best.score:.4f}" if best.has_score else f"rsv {best.rsv:.4f}"
    facts = f"{best.document} {best.path} · {score} · {counted(best.words, 'word')}"
    lines += [click.style(INDENT + line, dim=True) for line in _wrapped(visible_line(facts), width)]
    if place is not None:
        lines.append(INDENT + visible_line(place))
    lines += [INDENT + line for line in without(lacks)]
    lines += [INDENT + line for each in also_in(best) for line in _wrapped(visible_line(each), width)]
    others = answers[1 : n_more + 1]
    for answer, table in zip(others, others.table_snippets, strict=True):
        names = _names(answer, title) if table is None else [*table.titles(_names(answer, title)), table.last_row]
        shown = " › ".join(names) or answer.path
        lines += [INDENT + line for line in _wrapped(f"also {answer.rank}: {visible_line(shown)}", width)]
    if len(answers) > n_more + 1:
        lines.append(f"{INDENT}{len(answers) - 1 - n_more} more here")
    return "\n".join([*lines, ""])


def without(lacks: Sequence[str]) -> list[str]:
    """Return a line on the words that an answer lacks; none where it lacks none."""
    words = ", ".join(click.style(visible_line(word), strikethrough=True) for word in lacks)
    return [f"without: {words}"] if words else []


def also_in(answer: Answer) -> list[str]:
    """Return a line on the elements that say what an answer says, or nearly so; none where there are none."""
    places = [f"{each.document} {each.path}" for each in answer.also_in]
    n_more = len(places) - MOST_NAMED
    if n_more > 0:
        places[MOST_NAMED:] = [f"{n_more} more"]
    return [f"also in: {', '.join(places)}"] if places else []


def _names(answer: Answer, title: str) -> list[str]:
    """Return the titles above an answer, without that of its document."""
    names = answer.breadcrumb
    return names[1:] if names and names[0] == title else names


def _wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of whole words; a word that is longer than a line has one of its own."""
    return textwrap.wrap(text, max(width - len(INDENT), 20), break_long_words=False, break_on_hyphens=False) or [""]


def titles_above(best: Answers, names: Sequence[str]) -> Sequence[str]:
    """Return the titles above the first answer, without the header of a table that its lines begin with."""
    table = best.table_snippets[0]
    return names if table is None else table.titles(names)


def snippet_lines(best: Answers, width: int, indent: str = INDENT, before: Answers | None = None) -> list[str]:
    """Return the best lines of the first answer, of a table its header and best rows.

    Args:
        before: the answer above it; a row below another of its table has no header.
    """
    table = best.table_snippets[0]
    shown = [best[0].snippet] if table is None else table.lines
    if table is not None and table.header and before and before.documents == best.documents:
        shown = shown[table.is_after(before.table_snippets[0]) :]
    found = [each.marked("\x02", "\x03") for each in shown]
    style = click.style("", bold=True, fg="yellow", reset=False)
    room = width + len(INDENT) - len(indent)
    lines = [line for each in found for line in _wrapped(visible(each, keep="\x02\x03"), room)]
    return [indent + line.replace("\x02", style).replace("\x03", "\x1b[0m") for line in lines]
