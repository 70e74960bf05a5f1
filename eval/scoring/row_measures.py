"""The measures of a table by name: as rows have them (`AP`), as tables print means (`MAP`), or with their family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.errors import MeasureError
from engine.wording.did_you_mean import did_you_mean
from engine.wording.shown_values import shown
from eval.measures.measure_names import mean_name


def measure_in(name: str, measures: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the measures of a table, as pairs of family and measure, that a name means.

    >>> sorted(measure_in("MAP", [("hixeval", "AP"), ("trec", "AP"), ("hixeval", "P@5")]))
    [('hixeval', 'AP'), ('trec', 'AP')]

    Raises: MeasureError if it means none, with the names there are.
    """
    known = list(dict.fromkeys(measures))
    family, colon, bare = name.rpartition(":")
    found = {
        (home, measure)
        for home, measure in known
        if bare in (measure, mean_name(measure)) and (not colon or family == home)
    }
    if known and not found:
        names = list(dict.fromkeys(mean_name(measure) for _, measure in known))
        every = [*names, *(measure for _, measure in known), *(f"{home}:{measure}" for home, measure in known)]
        raise MeasureError(
            f"measure {shown(name)} is not in the table: {did_you_mean(name, every)}it has {_listed(names)}."
        )
    return found


def _listed(names: Sequence[str], most: int = 40) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
