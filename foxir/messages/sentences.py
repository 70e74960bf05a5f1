"""The sentences of all front ends, by the codes of notices; each stands once."""

from __future__ import annotations

from foxir.messages import building, evaluation, queries, settings

SENTENCES = {**queries.SENTENCES, **settings.SENTENCES, **building.SENTENCES, **evaluation.SENTENCES}
