"""From a segment back to a part, which is merged into another segment."""

from __future__ import annotations

import numpy as np

from engine.index.attribute_columns import Attributes
from engine.index.image_columns import ImageColumns, has_images
from engine.index.index_part import (
    BYTE_COLUMNS,
    DOCUMENT_COLUMNS,
    ELEMENT_COLUMNS,
    POSITION_COLUMNS,
    POSTING_COLUMNS,
    WORD_COLUMNS,
    Part,
)
from engine.index.segment import Segment
from engine.index.streamed import StreamedColumn, StreamedStrings

# Columns in the folder of the articles; the others are in that of the elements.
ARTICLE_COLUMNS = ("length_tokens", "weight", "document", "tf")


def segment_part(segment: Segment) -> Part:
    """Return the columns of a segment as a part; they are read as they are merged."""
    columns = {name: StreamedColumn.ascending(segment.elements, name) for name in WORD_COLUMNS}
    columns["leaf"], columns["leaf_tf"] = StreamedColumn.leaves(segment.elements, segment.leaves)
    for name in (*DOCUMENT_COLUMNS, *ELEMENT_COLUMNS, *POSTING_COLUMNS, *POSITION_COLUMNS):
        files = segment.articles if name in ARTICLE_COLUMNS else segment.elements
        columns[name] = (StreamedColumn.small if name in BYTE_COLUMNS else StreamedColumn.plain)(files, name)
    pointers = {
        "postings": StreamedColumn.ascending(segment.articles, "postings_of_term"),
        "leaves": StreamedColumn.ascending(segment.elements, "leaves_of_term"),
        "positions": StreamedColumn.ascending(segment.articles, "positions_of_term"),
    }
    return Part(
        ids=segment.ids,
        tags=segment.tags,
        sources=segment.sources,
        profiles=segment.profiles,
        languages=segment.languages,
        terms=StreamedStrings(segment.articles, "terms"),
        first_row=segment.first_row,
        columns=columns,
        pointers=pointers,
        text_frames=StreamedStrings(segment.elements, "text_frames"),
        block_document=segment.elements.column("block_document").all().astype(np.int64),
        attributes=Attributes.read(segment.elements),
        images=ImageColumns.read(segment.elements) if has_images(segment.elements) else None,
    )
