"""How similar are a query and a text, from numbers alone?

Q-expressions and their letters, presets for the ranking of articles; no index is known here.
"""

from __future__ import annotations

from engine.similarity import propagation_and_fusion
from engine.similarity.letters import combining, frequencies, lengths, term_weights

__all__ = ["combining", "frequencies", "lengths", "propagation_and_fusion", "term_weights"]
