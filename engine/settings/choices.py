"""The words that settings choose from."""

from __future__ import annotations

from typing import Literal

from engine.settings.kinds.values import TagSelector

Approach = Literal["hybrid", "fulltext", "native"]
RankBy = Literal["structure", "score"]
Operator = Literal["or", "and"]
Overlap = Literal["keep", "remove"]
Repetitions = Literal["keep", "once"]
Reading = Literal["auto", "CO", "SS", "SV", "VS", "VV"]
Syntax = Literal["auto", "plain", "keywords", "path"]
TagComparison = Literal["exact", "classes"]
FunctionWords = Literal["drop", "keep"]
SemanticFailures = Literal["stop", "skip"]
Preset = Literal["default", "thesis-tuned"]
AnswerKind = Literal["auto", "oCRE", "nCRE", "matching", "target", "any", "blocks"]
AnswerSelection = AnswerKind | TagSelector
Heuristic = Literal[
    "MPB", "MPE", "MpB", "MpE", "mPB", "mPE", "mpB", "mpE", "PMB", "PME", "PmB", "PmE", "pMB", "pME", "pmB", "pmE",
    "TPF", "PTF", "document",
]  # fmt: skip

# Readings of a path query: by its words alone; with a strict target; with a strict support.
CONTENT_ONLY: tuple[Reading, ...] = ("CO", "VV")
STRICT_TARGET: tuple[Reading, ...] = ("SS", "SV")
STRICT_SUPPORT: tuple[Reading, ...] = ("SS", "VS")
