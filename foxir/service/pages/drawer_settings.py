"""The settings that the search page offers in its drawer, with their labels and choices."""

from __future__ import annotations

from collections.abc import Mapping

from engine.settings import NAMED
from engine.similarity.presets import PRESETS

# Settings in the drawer, with the words beside them; the others can be given in the address.
DRAWER: Mapping[str, str] = {
    "max_sentences": "Sentences of a passage, at most",
    "min_words": "Words of an element, at least",
    "max_words": "Words of an element, at most",
    "max_table_words": "Words of a table that stays whole, at most",
    "max_per_article": "Answers from one document, at most",
    "overlap": "Answers inside one another",
    "reading": "How strictly structure is read",
    "operator": "Words of the query in an element",
    "similarity": "Similarity of documents",
    "named": "A run of the thesis",
    "image_weight": "Share of images in the score",
}
# Value -> the words for it.
CHOICES: Mapping[str, Mapping[str, str]] = {
    "overlap": {"remove": "the best of them", "keep": "all of them"},
    "reading": {
        "auto": "as the query asks",
        "SS": "target and support strictly (SS)",
        "SV": "target strictly, support vaguely (SV)",
        "VS": "target vaguely, support strictly (VS)",
        "VV": "both vaguely (VV)",
    },
    "operator": {"or": "any of them", "and": "all of them"},
}
# Setting -> values to choose from; others, such as Q-expressions, can be typed.
NAMES: Mapping[str, tuple[str, ...]] = {"similarity": tuple(sorted(PRESETS)), "named": tuple(NAMED)}
