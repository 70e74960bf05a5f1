"""The names of Whoosh that foxir uses, imported here alone, when first used, and without Whoosh's warnings.

Whoosh 2.7.4 has regular expressions in plain strings. Python warns of such an escape sequence (DeprecationWarning, from
3.12 on SyntaxWarning) when it compiles the module, that is once for each cache of bytecode; under `python -W error` the
import would fail. Nothing else of Whoosh is silenced: a warning that its code raises later is shown.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

_MODULES = {
    **dict.fromkeys(("Codec", "PerDocumentReader", "Segment", "TermsReader"), "codec.base"),
    **dict.fromkeys(("ID", "FieldType", "Schema"), "fields"),
    **dict.fromkeys(("TermInfo", "TermNotFound"), "reading"),
    "Existence": "formats",
    "FileStorage": "filedb.filestore",
    "ListMatcher": "matching",
    "stoplists": "lang.stopwords",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(import_module(f"whoosh.{_MODULES[name]}"), name)
