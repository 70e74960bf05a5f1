"""The tasks of INEX and the runs of the thesis as settings.

Answers that structure ranks are always grouped by article; a task that groups scored answers sets `group_by_article`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import SettingsError
from engine.settings.kinds.values import Length
from engine.wording import did_you_mean, shown_text

# Keywords of `Settings.from_options`.
Options = Mapping[str, Any]

# Where answers may overlap none takes the place of another, so fragments are answers, too.
KEEP: Options = {"overlap": "keep", "min_leaf_words": Length(0.0)}
REMOVE: Options = {"overlap": "remove"}

IN_CONTEXT: Options = {"group_by_article": True, "unit": "sentence", "max_per_article": 1, **REMOVE}

TASKS: Mapping[str, Options] = {
    # INEX 2005; CO queries are topic titles, COS queries castitles
    "CO.Thorough": {"reading": "CO", **KEEP},
    "CO.Focussed": {"reading": "CO", **REMOVE},
    "CO.FetchBrowse": {"reading": "CO", "group_by_article": True, **KEEP},
    "COS.Thorough": {"reading": "SS", **KEEP},
    "COS.Focussed": {"reading": "SS", **REMOVE},
    "COS.FetchBrowse": {"reading": "SS", "group_by_article": True, **KEEP},
    "SSCAS": {"reading": "SS", **KEEP},
    "SVCAS": {"reading": "SV", **KEEP},
    "VSCAS": {"reading": "VS", **KEEP},
    "VVCAS": {"reading": "VV", **KEEP},
    "SCAS": {"reading": "SS", **KEEP},  # 2003
    "VCAS": {"reading": "VV", **KEEP},  # 2004, which did not define how support elements are read
    # INEX 2006 and later: passages are allowed. The entry point of an article is where its best passage begins; another
    # rule is the first leaf with a query term: rank_by="structure", unit="element", answers="matching",
    # heuristic="document".
    "RelevantInContext": IN_CONTEXT,
    "BestInContext": IN_CONTEXT,
}

_THESIS: Options = {
    "approach": "hybrid",
    "rank_by": "structure",
    "similarity": "pcosine",
    "preset": "default",
    "operator": "or",
    "max_matches": 1500,
    "answers": "matching",
    "heuristic": "document",
    "max_per_article": None,
    "max_articles": 500,
    "max_answers": 1500,
    "overlap": "keep",
    "function_words": "keep",
    "reading": "CO",
    "syntax": "auto",
    "tags": "exact",
    # apply to scored elements only
    "unit": "element",
    "group_by_article": False,
    "word_budget": None,
}
_EXIST: Options = {**_THESIS, "approach": "native"}
_TUNED: Options = {**_THESIS, "preset": "thesis-tuned"}


def _cre(answers: str, heuristic: str) -> Options:
    return {"answers": answers, "heuristic": heuristic}


_TABLE_36: Mapping[str, Options] = {
    "Zettair": {**_THESIS, **REMOVE, "approach": "fulltext", "reading": "auto"},  # CO or VV, by the type of the topic
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


# The runs of the thesis, Tables 3.6 (INEX 2003-2004) and 6.3 (INEX 2005), with every setting given.
NAMED: Mapping[str, Options] = {**_TABLE_36, **_table_63()}


def task_settings(name: str) -> Options:
    """Return the options of a task of INEX; other settings keep their defaults.

    Raises: SettingsError that names the most similar task.
    """
    return _one("task", name, TASKS)


def named_settings(name: str) -> Options:
    """Return the options of a run of the thesis.

    Raises: SettingsError that names the most similar run.
    """
    return _one("named run", name, NAMED)


def _one(kind: str, name: str, known: Mapping[str, Options]) -> Options:
    if name in known:
        return known[name]
    hint = did_you_mean(name, known, cutoff=0.4).rstrip() or f"known are {', '.join(known)}."
    raise SettingsError(f"{kind} {shown_text(name)} is unknown: {hint}")
