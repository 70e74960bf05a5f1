"""The table of contents by which Whoosh itself opens the articles of a segment; foxir never reads it.

It is, byte for byte, what `whoosh.index.TOC` writes of the schema and the segment in
`engine.index.whoosh_codec`, but without the import of Whoosh, which takes longer than indexing a small
collection. Both are pickles: that of the schema is always the same, that of the segment contains two numbers.
"""

from __future__ import annotations

import pickle
import struct

# Name of the file.
CONTENTS = "_MAIN_1.toc"
# Bytes of int, long and float, a number that shows the order of bytes, the versions of the format and of Whoosh.
_HEADER = struct.pack(">3B2i3B", 4, 8, 4, -12345, -111, 2, 7, 4)
_SCHEMA = (
    b"\x80\x02cwhoosh.fields\nSchema\nq\x00)\x81q\x01}q\x02(X\x07\x00\x00\x00_fieldsq\x03}q\x04(X\x08\x00\x00\x00documentq"
    b"\x05cwhoosh.fields\nID\nq\x06)\x81q\x07}q\x08(X\x08\x00\x00\x00analyzerq\tcwhoosh.analysis.tokenizers\nIDTokenizer"
    b"\nq\n)\x81q\x0bX\x06\x00\x00\x00formatq\x0ccwhoosh.formats\nExistence\nq\r)\x81q\x0e}q\x0f(X\x0b\x00\x00\x00field_"
    b"boostq\x10G?\xf0\x00\x00\x00\x00\x00\x00X\x07\x00\x00\x00optionsq\x11}q\x12ubX\x06\x00\x00\x00storedq\x13\x88X\x06"
    b"\x00\x00\x00uniqueq\x14\x89X\x0b\x00\x00\x00column_typeq\x15NubX\x04\x00\x00\x00textq\x16cengine.index.whoosh_codec"
    b"\nArrayField\nq\x17)\x81q\x18uX\n\x00\x00\x00_subfieldsq\x19}q\x1a(h\x05]q\x1bh\x05ah\x16]q\x1ch\x16auX\x0b\x00\x00"
    b"\x00_dyn_fieldsq\x1d}q\x1eub."
)
_SEGMENT = (
    b"]\x94\x8c\x19engine.index.whoosh_codec\x94\x8c\x0cArraySegment\x94\x93\x94)\x81\x94}\x94(\x8c\tindexname\x94\x8c\x04"
    b"MAIN\x94\x8c\x05segid\x94\x8c\x010\x94\x8c\x08compound\x94\x89\x8c\x0bn_documents\x94%b\x8c\x08n_tokens\x94%buba."
)


def whoosh_contents(n_documents: int, n_tokens: int) -> bytes:
    """Return the content of the file, for a segment with so many articles and words."""
    segment = _SEGMENT % (_pickled(n_documents), _pickled(n_tokens))
    schema = struct.pack(">2B", 0x80 | len(_SCHEMA) & 0x7F, len(_SCHEMA) >> 7) + _SCHEMA
    generation = struct.pack(">2i", 1, 0)
    return b"".join([_HEADER, schema, generation, b"\x80\x05\x95", struct.pack("<q", len(segment)), segment])


def _pickled(number: int) -> bytes:
    """Return a number as part of a pickle."""
    return pickle.dumps(number, 2)[2:-1]
