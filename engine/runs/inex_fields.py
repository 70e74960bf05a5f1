"""The fields of an XML submission of INEX: text, pointers, offset and length; errors name file and line."""

from __future__ import annotations

from typing import NoReturn, cast

from lxml import etree

from engine.errors import RunFormatError
from engine.runs.numbers import is_natural
from engine.runs.run import NOWHERE
from engine.runs.text_reader import UNPLACED


def line_of(element: etree._Element) -> int:
    """Return the line in which an element begins, from 1."""
    return cast(int, element.sourceline)


def text_of(element: etree._Element, source: str) -> str:
    """Return the text of a field without comments; raises RunFormatError for an entity or element in it."""
    parts = [element.text or ""]
    for child in element:
        if not isinstance(child, etree._Comment | etree._ProcessingInstruction):
            found = str(child.text) if isinstance(child, etree._Entity) else f"<{child.tag}>"
            raise RunFormatError(
                f"{source}:{line_of(child)}: {found} in <{element.tag}>: expected plain text. "
                "Only the entities &lt; &gt; &amp; &quot; &apos; are allowed."
            )
        parts.append(child.tail or "")
    return "".join(parts)


def refuse_path(path: str, where: str) -> NoReturn:
    """Raise the RunFormatError of a path that does not begin at the root."""
    raise RunFormatError(f"{where}: path {path!r}: expected a path from the root, such as /article[1]/bdy[1]/sec[2].")


def pointers_of(passage: etree._Element, where: str) -> tuple[str, str]:
    """Return both ends of a passage as pointers; raises RunFormatError."""
    start, end = passage.get("start", "").strip(), passage.get("end", "").strip()
    if not start or not end:
        raise RunFormatError(f"{where}: <passage> without both ends: expected a pointer in start= and in end=.")
    for pointer in (start, end):
        if not pointer.startswith("/"):
            refuse_path(pointer, where)
    return start, end


def span_of(fol: etree._Element, where: str) -> tuple[int, int]:
    """Return offset and length, `NOWHERE` for a missing value or an X; without length it is a best entry point."""
    values = []
    for name in ("offset", "length"):
        value = fol.get(name, UNPLACED).strip()
        if value != UNPLACED and not is_natural(value):
            raise RunFormatError(f"{where}: {name} {value!r}: expected a whole number of characters, or {UNPLACED}.")
        values.append(NOWHERE if value == UNPLACED else int(value))
    return values[0], values[1]
