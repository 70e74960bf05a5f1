"""Reads declarations of entities from a DTD or a file of entity sets, without a parser: `<!ENTITY name "text">`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from engine.errors import SettingsError
from engine.records import NamedTuple
from engine.system.input_files import read_small_text

# Files that one DTD leads to; depth of files that refer to files.
MOST_FILES, DEEPEST = 200, 20

# Begins with an ASCII letter, _, : or anything beyond ASCII; as the characters that it is not, which compiles faster.
_NAME = r"[^\x00-9;-@\[-^`{-\x7f][\w.:\u00b7-]*"
REFERENCE = re.compile(rf"&({_NAME});")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
STRING = r"\"[^\"]*\"|'[^']*'"
_TOKEN = re.compile(
    rf"<!ENTITY\s+(?P<parameter>%\s+)?(?P<name>{_NAME})\s+"
    rf"(?:(?P<text>{STRING})|(?:PUBLIC\s+(?P<public>{STRING})|SYSTEM)(?:\s+(?P<system>{STRING}))?)"
    rf"\s*(?P<unparsed>NDATA\s+{_NAME}\s*)?>"
    rf"|%(?P<reference>{_NAME});"
)


class ExternalId(NamedTuple):
    """Public and system identifier of a DTD or an external entity, "" where one is missing."""

    public: str
    system: str


class Declarations(NamedTuple):
    """The declarations of a DTD: entities, and the files of others.

    texts: replacement text of internal general entities by name. names: of all general entities. used: external ids of
    the parameter entities referred to. unread: the names of these.
    """

    texts: dict[str, str]
    names: set[str]
    used: list[ExternalId]
    unread: set[str]


def find_declarations(text: str) -> Declarations:
    """Return the declarations in a DTD or an internal subset; of equal names the first counts."""
    found = Declarations({}, set(), [], set())
    parameters: dict[str, ExternalId | None] = {}
    for token in _TOKEN.finditer(_COMMENT.sub(" ", text)):
        if name := token["reference"]:
            if external := parameters.get(name):
                found.used.append(external)
                found.unread.add(name)
        elif token["parameter"]:
            external_id = None if token["text"] else ExternalId(_unquoted(token["public"]), _unquoted(token["system"]))
            parameters.setdefault(token["name"], external_id)
        elif token["name"] not in found.names:
            found.names.add(token["name"])
            if token["text"]:
                found.texts[token["name"]] = _unquoted(token["text"])
    return found


def read_declarations(path: Path, locate: Callable[[ExternalId, Path], Path | None] | None = None) -> dict[str, str]:
    """Return the general entities that a file declares, and the files that its parameter entities lead to.

    Args:
        locate: returns the local file of an external id; by default, of a system id relative to the file.
    Raises: SettingsError if the file is missing, too large, or not UTF-8 text.
    """
    declared: dict[str, str] = {}
    waiting = [(path, 0)]
    seen: set[Path] = set()
    while waiting:
        file, depth = waiting.pop(0)
        if file in seen or depth > DEEPEST or len(seen) >= MOST_FILES:
            continue
        seen.add(file)
        found = find_declarations(_text(file))
        for name, text in found.texts.items():
            declared.setdefault(name, text)
        located = ((locate or local_file)(external, file) for external in found.used)
        waiting += [(each, depth + 1) for each in located if each is not None]
    return declared


def local_file(external: ExternalId, base: Path) -> Path | None:
    """Return the file of a system id, relative to the file that has it; None for an address or a missing file."""
    system = external.system.removeprefix("file://")
    if not system or "://" in system:
        return None
    path = base.parent / system
    return path if path.is_file() else None


def _text(path: Path) -> str:
    try:
        return read_small_text(path)
    except OSError as error:
        expected = "expected a file in UTF-8 with lines like  <!ENTITY name 'text'>"
        raise SettingsError(f"{path}: the entity declarations cannot be read ({error.strerror}): {expected}") from None


def _unquoted(string: str | None) -> str:
    return string[1:-1] if string else ""
