"""Values as another process receives them: as messages of a cluster, so that what is unknown there fails in any search.

Where MessagePack is not installed, a stand-in writes the same types; its bytes are others.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple


class ExtType(NamedTuple):
    """An extension: the number of its kind, and its content."""

    code: int
    data: bytes


def packb(value: Any, *, default: Callable[[Any], Any], strict_types: bool, unicode_errors: str) -> bytes:
    assert strict_types
    assert unicode_errors == "surrogatepass"

    def plain(value: Any) -> Any:
        if type(value) is list:
            return [plain(each) for each in value]
        if type(value) is dict:
            return {plain(key): plain(each) for key, each in value.items()}
        if value is None or type(value) in (bool, float, str, bytes):
            return value
        if type(value) is int and -(2**63) <= value < 2**64:
            return value
        extension = value if isinstance(value, ExtType) else default(value)
        return extension.code, extension.data

    return marshal.dumps(plain(value))


def unpackb(message: bytes, *, ext_hook: Callable[[int, bytes], Any], strict_map_key: bool, unicode_errors: str) -> Any:
    assert not strict_map_key
    assert unicode_errors == "surrogatepass"

    def whole(value: Any) -> Any:
        if isinstance(value, tuple):
            return ext_hook(*value)
        if isinstance(value, list):
            return [whole(each) for each in value]
        if isinstance(value, dict):
            return {whole(key): whole(each) for key, each in value.items()}
        return value

    return whole(marshal.loads(message))


def stand_in() -> ModuleType:
    """Return a module in place of msgpack."""
    module = ModuleType("msgpack")
    vars(module).update(packb=packb, unpackb=unpackb, ExtType=ExtType)
    return module


try:
    from foxir.cluster.messages import packed, unpacked
except ModuleNotFoundError:
    sys.modules["msgpack"] = stand_in()
    from foxir.cluster.messages import packed, unpacked

    del sys.modules["msgpack"]  # tests of the real one are left out


def sent(value: Any) -> Any:
    """Return a value as another process receives it."""
    return unpacked(packed(value))
