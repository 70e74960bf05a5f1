"""Columns as a data frame of pandas, which is imported when the first is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.system.host_programs import PANDAS

if TYPE_CHECKING:
    import pandas as pd


def data_frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return columns of equal length as a frame; raises MissingHostError without pandas."""
    PANDAS.require()
    import pandas as pd  # noqa: PLC0415  (optional)

    return pd.DataFrame(columns)
