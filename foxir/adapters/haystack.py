"""foxir as a component of Haystack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foxir import arguments
from foxir.adapters.hosts import require

require("haystack")

from haystack import Document, component, default_from_dict, default_to_dict

from engine.imported_function import name_of
from foxir.adapters.element_retriever import (
    DEFAULT_K,
    ElementRetriever,
    IndexArgument,
    check_budget,
    identifier,
    metadata,
    settings_for_text,
)
from foxir.searching.grouping import MOST_OF_ONE
from foxir.searching.opened_index import Index
from foxir.searching.token_budget import TokenCounter


@component
class FoxirRetriever:
    """Returns elements or passages of an index as documents of Haystack, best first.

    >>> pipeline.add_component("retriever", FoxirRetriever("demo.foxir", top_k=5))   # doctest: +SKIP

    A document has the text, an id, the score, and as meta its document, path, breadcrumb, offsets, words, rank and the
    checksum of the text. A pipeline is written with the folder of the index and the settings.
    """

    def __init__(
        self,
        index: IndexArgument,
        settings: Mapping[str, Any] | None = None,
        *,
        top_k: int = DEFAULT_K,
        token_budget: int | None = None,
        count_tokens: TokenCounter | str | None = None,
        per_document: int | None = MOST_OF_ONE,
    ) -> None:
        """Check the settings; the index is opened by `warm_up`, or by the first query.

        Args:
            token_budget: tokens of all texts together.
            count_tokens: counts the tokens of a text: a function, or the name of a tokenizer
                (`foxir.searching.token_budget.token_counter`).
            per_document: answers of one document, at most, unless other documents lack any; None for no such bound.
        """
        self.index = index
        self.settings = dict(settings or {})
        self.top_k = arguments.count("top_k", top_k)
        self.token_budget = token_budget
        self.count_tokens = count_tokens
        self.per_document = None if per_document is None else arguments.count("per_document", per_document)
        self._retriever: ElementRetriever | None = None
        settings_for_text(self.settings)
        check_budget(token_budget, count_tokens)

    def warm_up(self) -> None:
        """Open the index."""
        if self._retriever is None:
            self._retriever = ElementRetriever.of(
                self.index,
                self.settings,
                k=self.top_k,
                token_budget=self.token_budget,
                count_tokens=self.count_tokens,
                per_document=self.per_document,
            )

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """Return `documents`: at most `top_k` answers to a query."""
        self.warm_up()
        assert self._retriever is not None
        found = self._retriever.retrieve(query, None if top_k is None else arguments.count("top_k", top_k))
        return {
            "documents": [
                Document(id=identifier(answer), content=answer.readable_text, meta=metadata(answer), score=answer.score)
                for answer in found
            ]
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the component as Haystack writes it: the folder of the index, settings, documents and budget.

        A counting function is written as `module:function`.
        Raises: ArgumentError for one that no module has under its name, such as a lambda.
        """
        folder = self.index.folder if isinstance(self.index, Index) else self.index
        values: dict[str, Any] = default_to_dict(
            self,
            index=str(folder),
            settings=self.settings,
            top_k=self.top_k,
            token_budget=self.token_budget,
            count_tokens=None if self.count_tokens is None else name_of(self.count_tokens),
            per_document=self.per_document,
        )
        return values

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> FoxirRetriever:
        """Return the component that `to_dict` described."""
        made: FoxirRetriever = default_from_dict(cls, data)
        return made
