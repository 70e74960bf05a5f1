"""Declarations of entities, read without a parser, and catalogs that lead to the DTDs that contain them.

Declarations are those of a DTD or a file of entity sets: `<!ENTITY name "text">`. Catalogs are OASIS XML catalogs, and
SGML catalogs of lines such as `PUBLIC "-//..." "file.dtd"`. Nothing is fetched: an id that no catalog maps to an
existing local file has no DTD.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import cast
from urllib.parse import unquote

from lxml import etree

from engine.errors import SettingsError
from engine.records import NamedTuple, dataclass
from engine.system.input_files import read_small_input, read_small_text

# Files that one DTD leads to; depth of files that refer to files.
MOST_FILES, DEEPEST = 200, 20

# A name of XML 1.0 (production 5), by the characters that it cannot have, first and after, which compiles faster.
_NO_NAME = r";-@\[-^`{-\xb6\xb8-\xbf\xd7\xf7\u037e\u2000-\u200b\u200e-\u203e\u2041-\u206f\u2190-\u2bff\u2ff0-\u3000"
_NO_NAME += r"\ud800-\uf8ff\ufdd0-\ufdef\ufffe\uffff"
_NAME = rf"[^\x00-9\xb7\u0300-\u036f\u203f\u2040{_NO_NAME}][^\x00-,/{_NO_NAME}]*"
REFERENCE = re.compile(rf"&({_NAME});")
# Markup in which no reference is read; one that is not closed ends with the text.
COMMENT, INSTRUCTION, CDATA = r"<!--.*?(?:-->|\Z)", r"<\?.*?(?:\?>|\Z)", r"<!\[CDATA\[.*?(?:\]\]>|\Z)"
_COMMENT = re.compile(COMMENT, re.DOTALL)
STRING = r"\"[^\"]*\"|'[^']*'"
# Compiled where it is used: few documents declare entities.
_TOKEN = (
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
    for token in re.finditer(_TOKEN, _COMMENT.sub(" ", text)):
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


_NAMESPACE = "{urn:oasis:names:tc:entity:xmlns:xml:catalog}"
_SGML_ENTRY = re.compile(r"""\b(PUBLIC|SYSTEM|CATALOG)\s+("[^"]*"|'[^']*')(?:\s+("[^"]*"|'[^']*'))?""", re.IGNORECASE)
_SGML_COMMENT = re.compile(r"--.*?(?:--|\Z)", re.DOTALL)
_EXPECTED = 'expected an OASIS XML catalog, or lines such as PUBLIC "id" "file"'
DEEPEST = 20


@dataclass(frozen=True)
class Catalog:
    """Local files by public and by system identifier; `rewrites` replace the beginning of a system identifier."""

    public: Mapping[str, Path] = field(default_factory=dict, hash=False)
    system: Mapping[str, Path] = field(default_factory=dict, hash=False)
    rewrites: tuple[tuple[str, Path], ...] = ()

    @classmethod
    def read(cls, files: Sequence[str | Path]) -> Catalog:
        """Return the entries of catalogs; of equal identifiers the first counts.

        Raises: SettingsError if a file cannot be read or is not a catalog.
        """
        public: dict[str, Path] = {}
        system: dict[str, Path] = {}
        rewrites: list[tuple[str, Path]] = []
        waiting = [(Path(file), 0) for file in files]
        seen: set[Path] = set()
        while waiting:
            file, depth = waiting.pop(0)
            if file in seen or depth > DEEPEST:
                continue
            seen.add(file)
            for kind, name, target in _entries(file):
                path = _path(target, file)
                if path is None:
                    continue
                if kind == "catalog":
                    waiting.append((path, depth + 1))
                elif kind == "public":
                    public.setdefault(_normalised(name), path)
                elif kind == "system":
                    system.setdefault(name, path)
                else:
                    rewrites.append((name, path))
        return cls(public, system, tuple(sorted(rewrites, key=lambda rewrite: -len(rewrite[0]))))

    def __bool__(self) -> bool:
        return bool(self.public or self.system or self.rewrites)

    def locate(self, external: ExternalId, base: Path | None = None) -> Path | None:
        """Return the local file of an external id, None if there is none.

        Args:
            base: a DTD that contains the id; a relative system id then is a file beside it.
        """
        found = self.system.get(external.system) if external.system else None
        for start, path in self.rewrites:
            if found is None and external.system.startswith(start):
                found = path / external.system[len(start) :].lstrip("/")
        if found is None and external.public:
            found = self.public.get(_normalised(external.public))
        if found is not None and found.is_file():
            return found
        return local_file(external, base) if base is not None else None


def _entries(file: Path) -> list[tuple[str, str, str]]:
    """Return kind, identifier and target of every entry of a catalog."""
    try:
        raw = read_small_input(file)
    except OSError as error:
        raise SettingsError(f"{file}: the catalog cannot be read ({error.strerror}): {_EXPECTED}.") from None
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _xml_entries(raw, file)
    text = _SGML_COMMENT.sub(" ", raw.decode("utf-8", "replace"))
    found = []
    for kind, first, second in _SGML_ENTRY.findall(text):
        name, target = first[1:-1], second[1:-1] if second else ""
        found.append(("catalog", "", name) if kind.upper() == "CATALOG" else (kind.lower(), name, target))
    if text.strip() and not found:
        raise SettingsError(f"{file}: is not a catalog: {_EXPECTED}.")
    return found


def _xml_entries(raw: bytes, file: Path) -> list[tuple[str, str, str]]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        root = etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        raise SettingsError(f"{file}: the catalog is not well-formed: {error.msg}.") from error
    kinds = {
        "public": ("public", "publicId", "uri"),
        "system": ("system", "systemId", "uri"),
        "uri": ("system", "name", "uri"),
        "rewriteSystem": ("rewrite", "systemIdStartString", "rewritePrefix"),
        "nextCatalog": ("catalog", "", "catalog"),
    }
    found = []
    for element in cast(list[etree._Element], list(root.iter(etree.Element))):
        name = str(element.tag).removeprefix(_NAMESPACE)
        if name in kinds:
            kind, key, target = kinds[name]
            base = _base(element)
            found.append((kind, element.get(key, ""), f"{base}{element.get(target, '')}"))
    if str(root.tag) != f"{_NAMESPACE}catalog":
        raise SettingsError(f"{file}: is not a catalog: its root is {str(root.tag)!r}, expected an OASIS XML catalog.")
    return found


def _base(element: etree._Element | None) -> str:
    """Return the nearest xml:base, which ends with a slash."""
    while element is not None:
        if base := element.get("{http://www.w3.org/XML/1998/namespace}base"):
            return base
        element = element.getparent()
    return ""


def _path(target: str, catalog: Path) -> Path | None:
    """Return the local path of a target, relative to the catalog; None for an address."""
    target = unquote(target)
    if target.startswith("file:"):
        target = re.sub("^file:(//)?", "", target)
    elif "://" in target or not target:
        return None
    return catalog.parent / target


def _normalised(public: str) -> str:
    return " ".join(public.split())
