"""The function words that a query was searched without, for explanations."""

from __future__ import annotations

import re

from engine.index.reader import IndexReader
from engine.planning.plan import Plan
from engine.planning.planning import make_plan
from engine.settings import Settings

TYPED_WORD = re.compile(r"\w+(?:['’]\w+)*")


def dropped_function_words(index: IndexReader, text: str, settings: Settings, plan: Plan) -> tuple[str, ...]:
    """Return the function words of a query that are not terms of its plan, in the order in which they were typed."""
    if not plan.query.function_words:
        return ()
    with_all = make_plan(text, index.analyser, settings, needs_text=False).query
    missing = with_all.word_counts.keys() - plan.query.word_counts.keys()
    typed = dict.fromkeys(word.casefold() for word in TYPED_WORD.findall(text))
    candidates = (word for word in typed if word in plan.query.function_words)
    return tuple(word for word in candidates if missing.intersection(index.analyser.terms(word)))
