"""How a build resolves entities: files of declarations, catalogs, and the treatment of other references.

The report of a build remembers it, so that an update needs no options and notices files that have changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from engine.collection.entities.entity_declarations import ExternalId
from engine.collection.entities.entity_references import AUTO, Entities, entities_of_dtds, make_entities
from engine.errors import SettingsError
from engine.records import dataclass


@dataclass(frozen=True)
class EntityOptions:
    """The options on entities: a file of declarations, catalogs, and the treatment of others; None if not given."""

    file: str | None = None
    catalogs: tuple[str, ...] = ()
    undefined: str | None = None

    def over(self, remembered: EntityOptions) -> EntityOptions:
        """Return the options, with those of an earlier build in the place of None."""
        return EntityOptions(
            self.file or remembered.file, self.catalogs or remembered.catalogs, self.undefined or remembered.undefined
        )

    def read(self) -> Entities:
        """Return the entities; raises SettingsError if a file cannot be read or is malformed."""
        return make_entities(self.file, self.catalogs, self.undefined or AUTO)


@dataclass(frozen=True)
class UsedEntities:
    """The entities of a build: options, the DTDs that documents name, the digest of their declarations."""

    options: EntityOptions = field(default_factory=EntityOptions)
    dtds: frozenset[ExternalId] = frozenset()
    digest: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the record as the report stores it, empty if there is nothing to remember."""
        if self == UsedEntities():
            return {}
        options = self.options
        return {
            "file": options.file,
            "catalogs": list(options.catalogs),
            "undefined": options.undefined,
            "dtds": [list(dtd) for dtd in sorted(self.dtds)],
            "digest": self.digest,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> UsedEntities:
        """Return the record that `to_dict` made; raises ValueError for anything else."""
        if not content:
            return cls()
        file, undefined, digest = content["file"], content["undefined"], content["digest"]
        catalogs, dtds = content["catalogs"], content["dtds"]
        texts = [
            *(text for text in (file, undefined) if text is not None),
            digest,
            *catalogs,
            *(t for d in dtds for t in d),
        ]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("entities")
        return cls(EntityOptions(file, tuple(catalogs), undefined), frozenset(ExternalId(*dtd) for dtd in dtds), digest)


def read_entities(options: EntityOptions, remembered: EntityOptions) -> Entities:
    """Return the entities of options that are partly remembered; raises SettingsError, which says so."""
    try:
        return options.over(remembered).read()
    except SettingsError as error:
        if options.over(remembered) == options:
            raise
        raise SettingsError(f"{error} The index remembers the file: name another one.") from None


def entities_digest(entities: Entities, dtds: Iterable[ExternalId]) -> str:
    """Return the SHA-256 of the known entities, "" for none; the files of DTDs are read again."""
    entities_of_dtds.cache_clear()
    of_dtds = (
        {" ".join(dtd): dict(entities_of_dtds(entities.catalog, (dtd,))) for dtd in dtds} if entities.catalog else {}
    )
    known = [dict(entities.declared), {name: texts for name, texts in of_dtds.items() if texts}]
    if not any(known) and entities.undefined == AUTO:
        return ""
    return hashlib.sha256(json.dumps([*known, entities.undefined], sort_keys=True).encode()).hexdigest()


def absolute(path: str | Path | None) -> str | None:
    """Return an absolute path, None for none."""
    return str(Path(path).absolute()) if path else None
