"""Reference page of a measure family, generated from the registry for terminal, documentation and JSON.

python -m eval.measures.reference_page > docs/measures.md
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.system.files import package_text
from eval.measures.registry import FAMILIES, MeasureFamily, MeasureOption

HEAD = """# Measures

Every measure of `foxir eval --measures FAMILY,...`, as `foxir measures NAME` prints it. Terminal tables write the mean
over topics with an M (MAP for AP); JSON keeps the bare name. Undefined values are null, and a topic without relevance
under a measure is excluded from its mean. [Evaluation](evaluation.md) explains how runs are scored.
"""


def page(family: MeasureFamily, described: Mapping[str, str] | None = None) -> str:
    """Return the page of a family as Markdown, which refers to the families that describe an option already."""
    described = described or {}
    lines = [f"## {family.name}", "", f"{_sentence(family.line)}", "", "Formula:", ""]
    lines += [f"- {part.strip()}" for part in family.formula.split(";")]
    if family.options:
        lines += ["", "Options (`--measure-option NAME=VALUE`):", ""]
        lines += [_option(option, described.get(_option(option))) for option in family.options]
    lines += ["", f"Source: {family.source}.".replace("..", ".")]
    return "\n".join(lines) + "\n"


def pages(families: Iterable[MeasureFamily]) -> str:
    """Return the pages of the families as one document, where each option is described once."""
    described: dict[str, str] = {}
    written = [HEAD]
    for family in families:
        written.append(page(family, described))
        described = {_option(option): family.name for option in family.options} | described
    return "\n".join(written)


def as_dict(family: MeasureFamily) -> dict[str, Any]:
    """Return the registered description of a family, as `--json` prints it."""
    return {
        "name": family.name,
        "line": family.line,
        "formula": family.formula,
        "source": family.source,
        "options": [
            {
                "name": option.name,
                "default": list(option.default) if isinstance(option.default, tuple) else option.default,
                "choices": list(option.choices),
                "doc": option.doc,
            }
            for option in family.options
        ],
    }


def citations(families: Sequence[MeasureFamily]) -> str:
    """Return the BibTeX of the publications that define families (`references.bib`, whose keywords name these)."""
    names = {family.name for family in families}
    entries = package_text(__name__, "references.bib").split("\n\n")
    return "\n\n".join(entry.strip() for entry in entries if names & set(families_of(entry))) + "\n"


def families_of(entry: str) -> list[str]:
    """Return the names of the families that an entry of BibTeX defines: its keywords."""
    found = re.search(r"keywords += \{(.*)\}", entry)
    return found[1].split(", ") if found else []


def _sentence(line: str) -> str:
    return line[:1].upper() + line[1:] + "."


def _option(option: MeasureOption, described_by: str | None = None) -> str:
    if described_by is not None:
        return f"- `{option.name}`: as under [{described_by}](#{described_by})"
    default = ",".join(map(str, option.default)) if isinstance(option.default, tuple) else option.default
    shown = str(default).lower() if isinstance(default, bool) or default is None else default
    choices = f" ({'|'.join(option.choices)})" if option.choices else ""
    return f"- `{option.name}={shown}`{choices}: {option.doc}"


if __name__ == "__main__":
    print(pages(FAMILIES.values()), end="")
