"""The settings that the search page offers in its drawer, with their labels and choices."""

from __future__ import annotations

from collections.abc import Mapping

# Settings in the drawer, with the words beside them; the others can be given in the address.
DRAWER: Mapping[str, str] = {
    "max_sentences": "Sentences of a passage, at most",
    "min_words": "Words of an element, at least",
    "max_words": "Words of an element, at most",
    "max_per_article": "Answers from one document, at most",
    "overlap": "Answers inside one another",
    "reading": "How strictly structure is read",
    "operator": "Words in one element",
    "similarity": "Similarity of documents",
    "named": "A run of the thesis",
    "image_weight": "Share of images in the score",
}
CHOICES: Mapping[str, tuple[str, ...]] = {
    "overlap": ("remove", "keep"),
    "reading": ("auto", "SS", "SV", "VS", "VV"),
    "operator": ("or", "and"),
}
