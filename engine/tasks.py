"""Tasks of INEX and runs of the thesis: settings under a name, nothing else.

The tasks that group answers by article say so; where structure ranks, answers always are.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from engine.errors import SettingsError

Options = Mapping[str, Any]  # as `Settings.from_options` takes them

KEEP: Options = {"overlap": "keep"}
REMOVE: Options = {"overlap": "remove"}

IN_CONTEXT: Options = {"group": "article", "passages": "on", **REMOVE}

TASKS: Mapping[str, Options] = {
    # INEX 2005; CO asks with the title of a topic, COS with its castitle
    "CO.Thorough": {"reading": "CO", **KEEP},
    "CO.Focussed": {"reading": "CO", **REMOVE},
    "CO.FetchBrowse": {"reading": "CO", "group": "article", **KEEP},
    "COS.Thorough": {"reading": "SS", **KEEP},
    "COS.Focussed": {"reading": "SS", **REMOVE},
    "COS.FetchBrowse": {"reading": "SS", "group": "article", **KEEP},
    "SSCAS": {"reading": "SS", **KEEP},
    "SVCAS": {"reading": "SV", **KEEP},
    "VSCAS": {"reading": "VS", **KEEP},
    "VVCAS": {"reading": "VV", **KEEP},
    "SCAS": {"reading": "SS", **KEEP},  # 2003
    "VCAS": {"reading": "VV", **KEEP},  # 2004, which left open how support elements are read
    # INEX 2006 and later: passages are allowed. The entry point of an article is where its best passage begins; by
    # another rule, where its first leaf with a query term does: rank="structure", passages="off", answers="matching",
    # heuristic="document".
    "RelevantInContext": {**IN_CONTEXT, "per_article": 2},
    "BestInContext": {**IN_CONTEXT, "per_article": 1},
}

_THESIS: Options = {
    "approach": "hybrid",
    "rank": "structure",
    "similarity": "pcosine",
    "preset": "default",
    "match": "or",
    "matches": 1500,
    "answers": "matching",
    "heuristic": "document",
    "per_article": "all",
    "articles": 500,
    "limit": 1500,
    "overlap": "keep",
    "reading": "CO",
    "tags": "exact",
    # of scored elements, which these are not
    "passages": "off",
    "group": "none",
    "budget": "all",
}
_EXIST: Options = {**_THESIS, "approach": "native"}
_TUNED: Options = {**_THESIS, "preset": "tuned"}


def _cre(answers: str, heuristic: str) -> Options:
    return {"answers": answers, "heuristic": heuristic}


_TABLE_36: Mapping[str, Options] = {
    "Zettair": {**_THESIS, **REMOVE, "approach": "fulltext", "reading": "auto"},  # CO or VV, by the type of a topic
    "eXist": {**_EXIST, **REMOVE},
    "e-oCRE-MpE": {**_EXIST, **_cre("oCRE", "MpE")},
    "Hybrid": {**_THESIS, **REMOVE},
    "H-oCRE-MpE": {**_THESIS, **_cre("oCRE", "MpE")},
    "H-oCRE-MpE-NO": {**_THESIS, **_cre("oCRE", "MpE"), **REMOVE},
    "H-oCRE-PME": {**_THESIS, **_cre("oCRE", "PME")},
    "H-oCRE-PME-NO": {**_THESIS, **_cre("oCRE", "PME"), **REMOVE},
    "eXist-SS": {**_EXIST, "answers": "target", "reading": "SS"},
    "e-SS-oCRE-MpE": {**_EXIST, **_cre("target", "MpE"), "reading": "SS"},
    "Hybrid-SS": {**_THESIS, "answers": "target", "reading": "SS"},
    "H-SS-oCRE-MpE": {**_THESIS, **_cre("target", "MpE"), "reading": "SS"},
    **{
        f"H-{reading}-oCRE-{heuristic}": {**_THESIS, **_cre("oCRE", heuristic), "reading": reading}
        for reading in ("VV", "VS")
        for heuristic in ("MpE", "PME")
    },
}


def _table_63() -> dict[str, Options]:
    runs: dict[str, Options] = {}
    for source, reading in (("CO", "CO"), ("+S", "SS")):
        for answers, heuristic in (("nCRE", "PTF"), ("nCRE", "TPF"), ("oCRE", "PTF")):
            run = {**_TUNED, **_cre(answers, heuristic), "reading": reading}
            runs[f"{answers}-{source}-{heuristic}"] = run
            runs[f"{answers}-{source}-{heuristic}-NO"] = {**run, **REMOVE}
        for similarity in ("Okapi", "PCosine", "Dirichlet"):
            run = {**_TUNED, **_cre("nCRE", "PTF"), "reading": reading, "similarity": similarity.lower()}
            runs[f"{similarity}-{source}-PTF"] = run
    for heuristic in ("PTF", "TPF"):
        for reading in ("SS", "SV"):
            runs[f"{reading}-{heuristic}"] = {**_TUNED, **_cre("target", heuristic), "reading": reading}
        for reading in ("VS", "VV"):
            runs[f"nCRE-{reading}-{heuristic}"] = {**_TUNED, **_cre("nCRE", heuristic), "reading": reading}
    return runs


NAMED: Mapping[str, Options] = {**_TABLE_36, **_table_63()}
"""The runs of the thesis, Tables 3.6 (INEX 2003-2004) and 6.3 (INEX 2005), with every setting said."""


def task_settings(name: str) -> Options:
    """Return the options that a task of INEX stands for; what it leaves open is the engine's default.

    Raises: SettingsError naming the nearest task.
    """
    return _one("task", name, TASKS)


def named_settings(name: str) -> Options:
    """Return the options that a run of the thesis stands for.

    Raises: SettingsError naming the nearest run.
    """
    return _one("named run", name, NAMED)


def _one(kind: str, name: str, known: Mapping[str, Options]) -> Options:
    if name in known:
        return known[name]
    folded = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(name.casefold(), folded, 1, cutoff=0.4)
    hint = f"did you mean '{folded[near[0]]}'? " if near else ""
    raise SettingsError(f"{kind} '{name}' is unknown: {hint}known are {', '.join(known)}.")
