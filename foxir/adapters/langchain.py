"""foxir as a retriever of LangChain."""

from __future__ import annotations

import asyncio
from typing import Any

from foxir.adapters.hosts import require

require("langchain")

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, PrivateAttr

from foxir.adapters.element_retriever import DEFAULT_K, ElementRetriever, identifier, metadata
from foxir.adapters.field_filters import filtered
from foxir.searching.grouping import MOST_OF_ONE
from foxir.searching.search_settings import settings_of


class FoxirRetriever(BaseRetriever):
    """Returns elements or passages of an index as documents of LangChain, best first.

    >>> retriever = FoxirRetriever(index="demo.foxir", k=5, settings={"unit": "sentence"})   # doctest: +SKIP
    >>> retriever.invoke("how far can a fog signal be heard", k=2)                         # doctest: +SKIP

    A document has the text, an id, and as metadata its document, path, breadcrumb, offsets, words, rank, score and the
    checksum of the text. `invoke` takes `k` and settings for one query. Asynchronous calls run in threads.

    Attributes:
        index: an open foxir.Index, or its folder.
        k: number of documents.
        settings: settings of the search, as foxir.Settings or by name.
        token_budget, count_tokens: tokens of all texts together, and the function that counts them or its name.
        per_document: documents from one source, at most, unless others lack any; None for no such bound.
        filter: a condition on fields: {"year": {"$gte": 2019}, "type": "review"}, or text, "year >= 2019"; one call may
            have another one beside it, `retriever.invoke(query, filter=...)`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: Any
    k: int = DEFAULT_K
    settings: Any = None
    token_budget: int | None = None
    count_tokens: Any = None
    per_document: int | None = MOST_OF_ONE
    filter: Any = None
    _retriever: ElementRetriever = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Open the index and check the settings."""
        self._retriever = ElementRetriever.of(
            self.index,
            self.settings,
            k=self.k,
            token_budget=self.token_budget,
            count_tokens=self.count_tokens,
            per_document=self.per_document,
            filter=self.filter,
        )

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **settings: Any
    ) -> list[Document]:
        return self._documents(query, k, **settings)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None, **settings: Any
    ) -> list[Document]:
        found: list[Document] = await asyncio.to_thread(self._documents, query, k, **settings)
        return found

    def _documents(self, query: str, k: int | None, filter: Any = None, **settings: Any) -> list[Document]:
        if filter is not None:
            settings["where"] = filtered(settings_of(self._retriever.settings, settings), filter).where
        answers = self._retriever.retrieve(query, k, **settings)
        return [
            Document(id=identifier(answer), page_content=answer.readable_text, metadata=metadata(answer))
            for answer in answers
        ]
