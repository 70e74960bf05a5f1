"""foxir as a retriever of LlamaIndex."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foxir.adapters.hosts import require

require("llamaindex")

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import FilterCondition, MetadataFilters

from foxir.adapters.element_retriever import (
    DEFAULT_K,
    ElementRetriever,
    IndexArgument,
    SettingsArgument,
    identifier,
    metadata,
)
from foxir.adapters.field_filters import compared, has_value, one_of, together
from foxir.results.answers import Answer
from foxir.results.elements import Element
from foxir.searching.grouping import MOST_OF_ONE
from foxir.searching.token_budget import TokenCounter


class FoxirRetriever(BaseRetriever):
    """Returns elements or passages of an index as nodes of LlamaIndex with scores, best first.

    >>> retriever = FoxirRetriever("demo.foxir", k=5, settings={"unit": "sentence"})   # doctest: +SKIP
    >>> retriever.retrieve("how far can a fog signal be heard")[0].text              # doctest: +SKIP

    A node has the document as its source, the parent, previous and next elements as relationships, and as metadata its
    document, path, breadcrumb, offsets, words, rank, score and the checksum of the text.
    """

    def __init__(
        self,
        index: IndexArgument,
        settings: SettingsArgument = None,
        *,
        k: int = DEFAULT_K,
        token_budget: int | None = None,
        count_tokens: TokenCounter | str | None = None,
        per_document: int | None = MOST_OF_ONE,
        filters: MetadataFilters | Mapping[str, Any] | str | None = None,
        **options: Any,
    ) -> None:
        """Open the index and check the settings; `options` are those of LlamaIndex's BaseRetriever.

        Args:
            filters: conditions on fields of documents: MetadataFilters, a mapping, or text such as "year >= 2019".
        """
        self._retriever = ElementRetriever.of(
            index,
            settings,
            k=k,
            token_budget=token_budget,
            count_tokens=count_tokens,
            per_document=per_document,
            filter=_condition(filters) if isinstance(filters, MetadataFilters) else filters,
        )
        super().__init__(**options)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        answers = self._retriever.retrieve(query_bundle.query_str)
        return [NodeWithScore(node=_node(answer), score=answer.score) for answer in answers]


OPERATORS = {"==": "=", "text_match": ":", "text_match_insensitive": ":", "contains": ":"}


def _condition(filters: MetadataFilters) -> str:
    """Return filters of LlamaIndex as a condition on fields."""
    word = (filters.condition or FilterCondition.AND).value
    parts = [
        _condition(each) if isinstance(each, MetadataFilters) else _of_filter(each.key, each.operator.value, each.value)
        for each in filters.filters
    ]
    found = together(parts, "or" if word == "or" else "and")
    return f"not ({found})" if word == "not" and found else found


def _of_filter(key: str, operator: str, value: Any) -> str:
    if operator == "is_empty":
        return f"not ({has_value(key)})"
    if operator in ("in", "nin", "any"):
        return one_of(key, value) if operator != "nin" else f"not ({one_of(key, value)})"
    if operator == "all":
        return together((compared(key, "=", each) for each in value), "and")
    return compared(key, OPERATORS.get(operator, operator), value)


def _node(answer: Answer) -> TextNode:
    element = answer.element
    neighbours = {
        NodeRelationship.PARENT: element.parent,
        NodeRelationship.PREVIOUS: element.previous,
        NodeRelationship.NEXT: element.next,
    }
    related = {relation: _related(each) for relation, each in neighbours.items() if each is not None}
    return TextNode(
        id_=identifier(answer),
        text=answer.readable_text,
        metadata=metadata(answer),
        start_char_idx=answer.start,
        end_char_idx=answer.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=answer.document), **related},
    )


def _related(element: Element) -> RelatedNodeInfo:
    return RelatedNodeInfo(node_id=f"{element.document}#{element.path}", metadata=element.to_dict())
