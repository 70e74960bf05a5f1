"""The common part of the retrievers of all hosts: an index, settings, a number of answers and a budget."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Self

from engine.notices import Notice
from engine.settings import Settings
from engine.wording import shown
from foxir import arguments
from foxir.adapters.field_filters import filtered
from foxir.arguments import PathLike
from foxir.results.answers import Answer, Answers, with_notices
from foxir.searching.grouping import MOST_OF_ONE, RANKED_FOR_ONE, spread
from foxir.searching.opened_index import Index, open_index
from foxir.searching.search_settings import settings_of
from foxir.searching.token_budget import CountedTexts, TokenCounter, best_within, counted_texts, token_counter

# Seconds between two looks for a new generation.
REFRESH_S = 1.0


class NewestGeneration:
    """An open index that takes up its newest generation, which is looked for once in REFRESH_S seconds at most."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._next = time.monotonic() + REFRESH_S
        self._looking = Lock()

    def take_up(self) -> None:
        """Take up the newest generation if it is time to look for it; queries that run go on with theirs.

        Raises: IndexFormatError where the index has been removed; ClosedIndexError; StorageError.
        """
        if time.monotonic() < self._next or not self._looking.acquire(blocking=False):
            return
        try:
            self.index.refresh()
            self._next = time.monotonic() + REFRESH_S
        finally:
            self._looking.release()


logger = logging.getLogger(__name__)

# What a host may hand over as an index or as settings.
IndexArgument = Index | PathLike
SettingsArgument = Settings | Mapping[str, Any] | None

# Default number of answers of a retriever.
DEFAULT_K = 10


@dataclass(frozen=True)
class ElementRetriever:
    """Answers a query over an open index with at most `k` elements or passages, within a budget.

    token_budget: tokens of all texts together, counted by `count_tokens`; None for no such bound.
    per_document: answers of one document, at most, unless other documents lack any; None for no such bound. There is
    none within a budget, nor beside `max_per_article`.
    newest: keeps an index that the retriever opened itself at its newest generation; None of one that was given open,
    which answers from the generation it has until its owner calls `refresh`.
    """

    index: Index
    settings: Settings
    k: int = DEFAULT_K
    token_budget: int | None = None
    count_tokens: TokenCounter | None = None
    per_document: int | None = MOST_OF_ONE
    newest: NewestGeneration | None = None

    @classmethod
    def of(
        cls,
        index: IndexArgument,
        settings: SettingsArgument = None,
        *,
        k: int = DEFAULT_K,
        token_budget: int | None = None,
        count_tokens: TokenCounter | str | None = None,
        per_document: int | None = MOST_OF_ONE,
        filter: Mapping[str, Any] | str | None = None,
    ) -> Self:
        """Return a retriever; a folder is opened, and settings are checked.

        `filter` is a condition on fields of documents, or a mapping (`foxir.adapters.field_filters`).
        `count_tokens` is a function, or the name of a tokenizer (`foxir.searching.token_budget.token_counter`).

        Queries are what people type, so their signs are not operators (the setting syntax is "plain") unless the
        settings say otherwise.

        Raises: IndexFormatError, SettingsError, ArgumentError; TypeError for a value of a wrong type.
        """
        check_budget(token_budget, count_tokens)
        if isinstance(count_tokens, str):
            count_tokens = token_counter(count_tokens)
        chosen, wanted = filtered(settings_for_text(settings), filter), arguments.count("k", k)
        most = None if per_document is None else arguments.count("per_document", per_document)
        if isinstance(index, Index):
            return cls(index, chosen, wanted, token_budget, count_tokens, most)
        opened = open_index(index)
        return cls(opened, chosen, wanted, token_budget, count_tokens, most, NewestGeneration(opened))

    def retrieve(self, query: str, k: int | None = None, **keywords: Any) -> Answers:
        """Return the answers to a query, best first.

        Hosts return lists of documents, without notices: where there is no answer, those of the search are logged as
        warnings.

        Args:
            k: number of answers; that of the retriever if None. Within a budget of tokens there may be fewer, or none.
            keywords: settings of this query alone.

        Raises: QueryError, SettingsError, ArgumentError, ClosedIndexError; IndexFormatError where an index that the
            retriever opened was removed.
        """
        found = self.search(query, self.k if k is None else arguments.count("k", k), keywords)
        for notice in () if found else found.notices:
            logger.warning("no answer to %s: %s", shown(query), notice)
        return found

    def search(self, query: str, wanted: int, keywords: Mapping[str, Any]) -> Answers:
        """Return the answers to a query, best first, at most so many; nothing is logged."""
        if self.newest is not None:
            self.newest.take_up()
        if self.token_budget is None or self.count_tokens is None:
            is_bounded = self.settings.word_budget is not None or self.settings.max_per_article is not None
            if self.per_document is None or is_bounded or {"max_answers", "max_per_article"} & keywords.keys():
                return self.index.search(query, self.settings, **{"max_answers": wanted, **keywords})
            found = self.index.search(query, self.settings, **{"max_answers": RANKED_FOR_ONE * wanted, **keywords})
            return found.at(spread(found.documents, wanted, self.per_document))
        budget, count_tokens = self.token_budget, self.count_tokens
        given = {**self.settings.to_dict(), **keywords}.get("word_budget")
        n_words = given if isinstance(given, int) and given < budget else budget

        def best(n_words: int | None) -> tuple[Answers, CountedTexts]:
            found = self.index.search(query, self.settings, **{**keywords, "word_budget": n_words})
            return found, counted_texts((answer.readable_text for answer in found), budget, count_tokens)

        found, counted = best_within(best, n_words, budget)
        notices = [*found.plan.notices, *counted.notices(budget)]
        if n_words == budget:
            notices = [_of_tokens(notice, budget) for notice in notices]
        return with_notices(found, notices).at(counted.places)[:wanted]


def _of_tokens(notice: Notice, budget: int) -> Notice:
    """Return a notice about a word budget as one about the tokens from which it follows; others as they are."""
    fields = {**notice.fields, "word_budget": "token_budget", "budget": budget}
    return Notice(notice.code, fields, notice.kind) if "shortest" in notice.fields else notice


def check_budget(token_budget: object, count_tokens: object) -> None:
    """Raise ArgumentError or TypeError for a budget that is not positive, or without a function that counts."""
    if token_budget is not None:
        arguments.count("token_budget", token_budget)
        if count_tokens is None:
            raise TypeError("token_budget: needs count_tokens, a function that returns the tokens of a text.")


def checked_settings(settings: SettingsArgument) -> Settings:
    """Return settings given as Settings, as names and values, or not at all; raises TypeError, SettingsError."""
    if settings is None:
        return Settings()
    if isinstance(settings, Mapping):
        return settings_of(None, {arguments.text("settings", name): value for name, value in settings.items()})
    return settings_of(settings, {})


def settings_for_text(settings: SettingsArgument) -> Settings:
    """Return settings whose queries are plain text, unless they name a syntax or are Settings."""
    if settings is None or isinstance(settings, Mapping):
        return checked_settings({"syntax": "plain", **(settings or {})})
    return checked_settings(settings)


# Names of metadata that fields of documents do not replace.
OWN = frozenset(
    ("document", "path", "siblings", "start", "end", "words", "rank", "score", "breadcrumb", "also_in", "checksum")
)


def metadata(answer: Answer) -> dict[str, Any]:
    """Return where an answer is from, as plain values: what a citation of it needs, and the fields of its document.

    checksum: SHA-256 of the exact text (`Answer.text`), 16 hexadecimal digits, by which a changed source is noticed.
    """
    also_in = {"also_in": answer.also_in_paths} if answer.also_in else {}
    siblings = {"siblings": list(answer.siblings)} if answer.siblings else {}
    return {
        "document": answer.document,
        "path": answer.path,
        **siblings,
        "start": answer.start,
        "end": answer.end,
        "words": answer.words,
        "rank": answer.rank,
        "score": answer.score,
        "breadcrumb": answer.breadcrumb,
        **also_in,
        **{name: value for name, value in answer.fields.items() if name not in OWN},
        "checksum": hashlib.sha256(answer.text.encode("utf-8", "surrogatepass")).hexdigest()[:16],
    }


def identifier(answer: Answer) -> str:
    """Return an id of an answer: `document#/article[1]/sec[2]`, of a stretch `document#start:length`."""
    return f"{answer.document}#{f'{answer.start}:{answer.size}' if answer.is_stretch else answer.path}"
