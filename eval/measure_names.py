"""Finds the family and the cut-off that the name of one measure asks for: ``AP``, ``nxCG@10``, ``inex_eval:AP``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import MeasureError
from eval.measures import FAMILIES, Family, family

HOMES: Sequence[tuple[str, str]] = (
    (r"[PRF]@\d+|AP|iAP|RP", "hixeval"),
    (r"(Prec|Rec|AP)\((element|article)\)", "hixeval-group"),
    (r"P\[\d\.\d+\]", "inex_eval"),
    (r"AP\([so]\)", "inex_eval_ng"),
    (r"(MA)?nxCG@\d+|i?MAep|Q|R", "xcg"),
    (r"i?MAep\((element|article)\)", "xcg-group"),
    (r"iP\[\d\.\d+\]|AiP|char_\w+|art_\w+", "focused"),
    (r"g[PR]\[\d+\]|AgP", "ric"),
    (r"Rprec|RR|Bpref|nDCG@\d+", "trec"),
    (r"[OADP]", "overlap"),
)
"""Where a name without its family is looked for, first match first; other measures are named ``family:measure``."""

MEANS = {"MAP": "AP", "iMAP": "iAP", "MAiP": "AiP", "MAgP": "AgP"}
"""How terminal tables call the mean of a measure; both names are understood."""


@dataclass(frozen=True)
class MeasureName:
    """A measure of a family, and the rank in its name, if there is one."""

    family: Family
    measure: str
    rank: int | None

    @property
    def rank_option(self) -> str | None:
        """The option that the rank belongs to: the one of the family that takes whole numbers."""
        if self.rank is None:
            return None
        return next((option.name for option in self.family.options if option.kind == "whole numbers"), None)


def mean_name(measure: str) -> str:
    """Return how the mean of a measure over topics is called: MAP for AP, iMAP for iAP; others keep their name.

    >>> [mean_name(name) for name in ("AP", "AiP", "AgP", "iAP", "AP(element)", "P@5")]
    ['MAP', 'MAiP', 'MAgP', 'iMAP', 'MAP(element)', 'P@5']
    """
    name, bracket, rest = measure.partition("(")
    mean = next((mean for mean, bare in MEANS.items() if bare == name), name)
    return mean + bracket + rest


def measure_name(text: str) -> MeasureName:
    """Return the measure that a user wrote, ``family:measure`` or the measure alone.

    Raises: MeasureError for a family that does not exist, and for a name that no family is known to have.
    """
    home, _, name = text.strip().rpartition(":")
    for mean, bare in MEANS.items():
        if name.partition("(")[0] == mean:
            name = bare + name[len(mean) :]
    if not home:
        homes = [place for pattern, place in HOMES if re.fullmatch(pattern, name) and place in FAMILIES]
        if not homes:
            raise MeasureError(
                f"there is no measure {text!r} that is known without its family; write family:measure, "
                f"e.g. hixeval:AP. Families: {', '.join(sorted(FAMILIES))}."
            )
        home = homes[0]
    rank = re.search(r"@(\d{1,18})$|\[(\d{1,18})\]$", name)
    return MeasureName(family(home), name, int(rank[1] or rank[2]) if rank else None)
