"""Scores as the page of scores shows them: runs and measures in a table, one measure by topic."""

from __future__ import annotations

from typing import Any


def scores_shown(table: Any, measure: str) -> dict[str, Any]:
    """Return the mean of each run by each measure, and the values of one measure by topic."""
    if table is None:
        return {
            "runs": [],
            "columns": [],
            "cells": {},
            "best": {},
            "chosen": "",
            "topics": [],
            "common": "",
            "notices": (),
        }
    rows = [row for row in table.rows if not row.is_detail]
    columns: dict[str, str] = {}
    cells: dict[tuple[str, str], Any] = {}
    common = {name: value for row in rows[:1] for name, value in row.options.items()}
    for row in rows:
        common = {name: value for name, value in common.items() if row.options.get(name) == value}
    for row in rows:
        options = " ".join(f"{name}={value}" for name, value in row.options.items() if name not in common)
        key = f"{row.measure} {options}".strip()
        columns.setdefault(key, row.measure)
        cells[row.run, key] = row
    runs = list(dict.fromkeys(row.run for row in rows))
    best = {
        key: max(
            (cells[run, key].value for run in runs if (run, key) in cells and cells[run, key].value is not None),
            default=None,
        )
        for key in columns
    }
    chosen = measure if measure in columns else next(iter(columns), "")
    topics = list(dict.fromkeys(topic for run in runs if (run, chosen) in cells for topic in cells[run, chosen].topics))
    return {
        "runs": runs,
        "columns": list(columns),
        "cells": cells,
        "best": best,
        "chosen": chosen,
        "topics": topics,
        "common": ", ".join(f"{name} {value}" for name, value in common.items()),
        "notices": tuple(map(str, table.notices)),
    }
