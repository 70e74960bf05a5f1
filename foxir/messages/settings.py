"""Sentences on settings."""

from __future__ import annotations

from collections.abc import Mapping

from foxir.messages.front_end import Sentence

SENTENCES: Mapping[str, Sentence] = {
    "setting_value": "{given:{name}} {value}: {reason}",
    "scope_of_whole_articles": (
        "{given:{name}} '{selector}': fulltext returns whole articles, a scope names elements in them: choose another "
        "approach, or restrict documents."
    ),
    "unused_setting": lambda needs, **_: (
        "{setting:{name}} is a setting of {owner}; {found}: "
        + ("add {setting:{needs}}, or leave it out." if needs else "leave it out.")
    ),
    "headings_without_weight": "headings do not count ({setting:heading_weight} = 0)",
    "tables_stay_whole": "here tables stay whole ({setting:{name}} = {value})",
    "lengths_of_passages": "passages of sentences only have {setting:max_sentences} and {setting:min_passage_words}",
}
