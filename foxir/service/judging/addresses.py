"""Addresses of the pages of judging, and the parameters of the order of documents, which they carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from foxir.service.json.requests import one_of
from foxir.service.judging.desk import ORDERS


def address(path: str, **parameters: Any) -> str:
    """Return the address of a page with its parameters; those without a value are left out."""
    given = {name: str(value) for name, value in parameters.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def order_parameters(given: Mapping[str, str]) -> dict[str, str]:
    """Return the order of the documents, and whether ranks are shown; raises ProblemError 422."""
    return {
        "order": one_of("order", given.get("order") or "rank", ORDERS),
        "ranks": one_of("ranks", given.get("ranks") or "shown", ("shown", "hidden")),
    }
