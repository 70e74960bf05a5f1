"""What foxir uses of Whoosh beside its stop words, imported here alone and without its warnings.

Whoosh 2.7.4 has regular expressions in plain strings. Python warns of such an escape sequence (DeprecationWarning, from
3.12 on SyntaxWarning) when it compiles the module, that is once for each cache of bytecode; under `python -W error` the
import would fail. Nothing else of Whoosh is silenced: a warning that its code raises later is shown.
"""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from whoosh.codec.base import Codec, PerDocumentReader, Segment, TermsReader
    from whoosh.fields import ID, FieldType, Schema
    from whoosh.filedb.filestore import FileStorage
    from whoosh.formats import Existence
    from whoosh.matching import ListMatcher
    from whoosh.reading import TermInfo, TermNotFound

__all__ = [
    "ID",
    "Codec",
    "Existence",
    "FieldType",
    "FileStorage",
    "ListMatcher",
    "PerDocumentReader",
    "Schema",
    "Segment",
    "TermInfo",
    "TermNotFound",
    "TermsReader",
]
