"""Names of measures as users write them: ``hixeval``, ``AP``, ``nxCG@10``, ``inex_eval:AP``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import MeasureError
from engine.wording import shown
from eval.measures.registry import FAMILIES, MeasureFamily, measure_family, suggestion

# Family of a measure that is named alone, first match; other measures are written ``family:measure``.
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
    (r"IoU@\d+|(R|P|IoU)\[\d+\]", "span"),
    (r"[OADP]", "overlap"),
)

# Names of means over topics in printed tables; both names are accepted.
MEANS = {"MAP": "AP", "iMAP": "iAP", "MAiP": "AiP", "MAgP": "AgP"}


# Names of other programs, in lower case without signs -> names here; a number at the end is the cut-off.
SYNONYMS = {
    **{"map": "AP", "ap": "AP", "gmap": "AP", "ndcg": "nDCG@10", "mrr": "RR", "recip_rank": "RR", "rr": "RR"},
    **{"rprec": "Rprec", "r_prec": "Rprec", "bpref": "Bpref", "recall": "R@10", "precision": "P@10", "f1": "F@10"},
    **{"p": "P@10", "magp": "AgP", "maip": "AiP", "ndcg_cut": "nDCG@10", "nxcg": "nxCG@10", "map_cut": "AP"},
}


# Names of trec_eval -> measures here; a cut-off follows some of them, `P_5`, `ndcg_cut.10`.
OF_TREC_EVAL = {"map": "AP", "recip_rank": "RR", "bpref": "Bpref", "Rprec": "Rprec"}
WITH_CUTOFF = {"P": "P", "recall": "R", "ndcg_cut": "nDCG"}
TREC_EVAL = re.compile(rf"({'|'.join(WITH_CUTOFF)})[._](\d{{1,18}})")


def translated(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of measures, those of trec_eval as they are written here; further cut-offs follow a dot.

    >>> translated(["map", "P.5", "10", "ndcg_cut_10", "AP"])
    ('trec:AP', 'trec:P@5', 'trec:P@10', 'trec:nDCG@10', 'AP')
    """
    found: list[str] = []
    family = ""  # that has a cut-off after a dot
    for name in names:
        match = TREC_EVAL.fullmatch(name.strip())
        if match is None and family and name.strip().isdecimal():
            found.append(f"trec:{family}@{name.strip()}")
            continue
        family = WITH_CUTOFF[match[1]] if match is not None and "." in match[0] else ""
        if match is not None:
            found.append(f"trec:{WITH_CUTOFF[match[1]]}@{match[2]}")
        else:
            found.append(f"trec:{OF_TREC_EVAL[name.strip()]}" if name.strip() in OF_TREC_EVAL else name)
    return tuple(found)


@dataclass(frozen=True)
class MeasureName:
    """A family, and one of its measures with the cut-off in its name; None for the whole family or no cut-off."""

    family: MeasureFamily
    measure: str | None
    rank: int | None = None

    def __hash__(self) -> int:
        return hash((self.family.name, self.measure))


def mean_name(measure: str) -> str:
    """Return the name of the mean of a measure over topics: MAP for AP, iMAP for iAP; other names do not change.

    >>> [mean_name(name) for name in ("AP", "AiP", "AgP", "iAP", "AP(element)", "P@5")]
    ['MAP', 'MAiP', 'MAgP', 'iMAP', 'MAP(element)', 'P@5']
    """
    name, bracket, rest = measure.partition("(")
    mean = next((mean for mean, bare in MEANS.items() if bare == name), name)
    return mean + bracket + rest


def _meant(text: str) -> str:
    """Return the middle of an error message: the name here of a measure of another program, or the nearest family."""
    word, _, rank = re.fullmatch(r"(.*?)([@_. ]?)(\d*)", text.strip().lower(), re.DOTALL).groups()  # type: ignore[union-attr]
    if word not in SYNONYMS:
        return suggestion(text, FAMILIES)
    name = SYNONYMS[word]
    return f": did you mean '{name.partition('@')[0]}@{rank}'?" if rank and "@" in name else f": did you mean '{name}'?"


# Measures of documents that have another home, because text has measures of these names, too.
OF_DOCUMENTS = re.compile(r"MAP|AP|[PR]@\d+")


def document_measure(text: str) -> str:
    """Return the named measure where whole documents are judged: a bare name is one of documents if there is one.

    >>> [document_measure(name) for name in ("AP", "R@10", "hixeval:AP", "trec", "RR")]
    ['trec:AP', 'trec:R@10', 'hixeval:AP', 'trec', 'RR']
    """
    return f"trec:{text.strip()}" if OF_DOCUMENTS.fullmatch(text.strip()) else text


def measure_name(text: str) -> MeasureName:
    """Return the named family or measure: a family, ``family:measure``, or a measure alone.

    Raises: MeasureError for an unknown family, and for a measure whose family cannot be inferred.
    """
    (text,) = translated([text])
    home, _, name = text.strip().rpartition(":")
    if not home and name.lower() in FAMILIES:
        return MeasureName(measure_family(name), None)
    for mean, bare in MEANS.items():
        if name.partition("(")[0] == mean:
            name = bare + name[len(mean) :]
    if not home:
        homes = [family for pattern, family in HOMES if re.fullmatch(pattern, name) and family in FAMILIES]
        if not homes:
            raise MeasureError(
                f"there is no measure or family {shown(text)}{_meant(text)} the families are "
                f"{', '.join(sorted(FAMILIES))}; write a measure with its family, e.g. hixeval:AP."
            )
        home = homes[0]
    rank = re.search(r"@(\d{1,18})$|\[(\d{1,18})\]$", name)
    return MeasureName(measure_family(home), name, int(rank[1] or rank[2]) if rank else None)
