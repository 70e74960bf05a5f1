"""Similarities of a query to articles, text nodes and elements: presets for articles, and Q-expressions."""

from __future__ import annotations

from engine.similarity.letters import combining, frequencies, lengths, propagation, term_weights

__all__ = ["combining", "frequencies", "lengths", "propagation", "term_weights"]
