"""Names of measures as users write them: ``hixeval``, ``AP``, ``nxCG@10``, ``inex_eval:AP``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import MeasureError
from engine.wording import shown
from eval.measures.registry import FAMILIES, MeasureFamily, measure_family, suggestion
from eval.measures.trec_eval import ALL, AT_LEVELS, AT_RANKS, WITH_COEFFICIENTS, names_of

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
    (r"RR|Bpref|nDCG@\d+", "trec"),
    (r"IoU@\d+|(R|P|IoU)\[\d+\]", "span"),
    (r"[OAD]", "overlap"),
)

# Names of means over topics in printed tables; both names are accepted.
MEANS = {"MAP": "AP", "iMAP": "iAP", "MAiP": "AiP", "MAgP": "AgP"}


# Names of other programs, in lower case without signs -> names here; a number at the end is the cut-off.
SYNONYMS = {
    **{"map": "AP", "ap": "AP", "gmap": "gm_map", "ndcg": "nDCG@10", "mrr": "RR", "recip_rank": "RR", "rr": "RR"},
    **{"rprec": "Rprec", "r_prec": "Rprec", "bpref": "Bpref", "recall": "R@10", "precision": "P@10", "f1": "F@10"},
    **{
        "p": "P@10",
        "magp": "AgP",
        "maip": "AiP",
        "nxcg": "nxCG@10",
        "iou": "IoU@10",
        "hit": "success_1",
        "hit_rate": "success_1",
    },
    **{"rbp": "ndcg", "rbp_resid": "ndcg", "unj": "num_nonrel_judged_ret", "yaap": "Rprec", "prefs": "bpref"},
    **{
        "map_avgjg": "map",
        "p_avgjg": "P_10",
        "rprec_mult_avgjg": "Rprec_mult",
        "relstring": "success",
        "runid": "num_q",
    },
}

OF_TREC_EVAL = "trec_eval:"
# A measure of trec_eval with a cut-off, `P_5`, `ndcg_cut.10`, or a level.
WITH_RANK = re.compile(rf"({'|'.join(AT_RANKS)})([._])(\d{{1,18}})")
WITH_LEVEL = re.compile(rf"({'|'.join(AT_LEVELS)})([._])(\d\.\d{{1,2}})0*")
# One with coefficients or gains, `set_F.0.5`, `ndcg.1=3.5`.
WITH_PARAMETERS = re.compile(rf"({'|'.join(WITH_COEFFICIENTS)})\.(-?\d+(\.\d+)?|\S*=\S*)")


def translated(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of measures, those of trec_eval with that family; further cut-offs follow a dot.

    Those that other families have, too, are trec_eval's: `P` and `Rprec`.

    >>> translated(["map", "P.5", "10", "ndcg_cut_10", "success", "AP"])[3:]
    ('trec_eval:ndcg_cut_10', 'trec_eval:success_1', 'trec_eval:success_5', 'trec_eval:success_10', 'AP')
    >>> translated(["Rprec", "trec:Rprec"])
    ('trec_eval:Rprec', 'trec:Rprec')
    """
    found: list[str] = []
    before = ""  # the measure that has a cut-off or level after a dot
    for given in names:
        name = given.strip()
        if before and (further := _in_trec_eval(f"{before}.{name}")):
            found += [f"{OF_TREC_EVAL}{each}" for each in further]
            continue
        bare = name.removeprefix(OF_TREC_EVAL)
        ranked = WITH_RANK.fullmatch(bare) or WITH_LEVEL.fullmatch(bare)
        before = ranked[1] if ranked is not None and ranked[2] == "." else ""
        found += [f"{OF_TREC_EVAL}{each}" for each in _in_trec_eval(name)] or [given]
    return tuple(found)


def _in_trec_eval(name: str) -> tuple[str, ...]:
    """Return the measures that a name of trec_eval stands for, `P_5` or `trec_eval:set`; none of another name."""
    bare = name.removeprefix(OF_TREC_EVAL)
    if ranked := WITH_RANK.fullmatch(bare):
        return (f"{ranked[1]}_{ranked[3]}",)
    if level := WITH_LEVEL.fullmatch(bare):
        return (f"{level[1]}_{float(level[3]):.2f}",)
    return names_of(bare)


@dataclass(frozen=True)
class MeasureName:
    """A family, and one of its measures with the cut-off in its name; None for the whole family or no cut-off.

    level: of recall, in hundredths.
    """

    family: MeasureFamily
    measure: str | None
    rank: int | None = None
    level: int | None = None

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
    word, rank = re.fullmatch(r"(.*?)(?:[@_. ]?(\d[\d.]*))?", text.strip().lower(), re.DOTALL).groups()  # type: ignore[union-attr]
    name = SYNONYMS.get("prefs" if word.startswith("prefs_") else word)
    if name is None:
        return suggestion(text, (*FAMILIES, *ALL))
    at, _, _ = name.partition("@")
    return f": did you mean '{at}@{rank}'?" if (rank or "").isdecimal() and "@" in name else f": did you mean '{name}'?"


# Measures of documents that have another home, because text has measures of these names, too.
OF_DOCUMENTS = re.compile(r"MAP|AP|[PR]@\d+")


def document_measures(names: Sequence[str]) -> tuple[str, ...]:
    """Return the named measures where whole documents are judged: a bare name is one of documents if there is one.

    >>> document_measures(["AP", "R@10", "hixeval:AP", "trec", "RR"])
    ('trec:AP', 'trec:R@10', 'hixeval:AP', 'trec', 'RR')
    """
    of_documents = (f"trec:{name.strip()}" if OF_DOCUMENTS.fullmatch(name.strip()) else name for name in names)
    return translated(tuple(of_documents))


def measure_name(text: str) -> MeasureName:
    """Return the named family or measure: a family, ``family:measure``, or a measure alone; of several, the first.

    Raises: MeasureError for an unknown family, and for a measure whose family cannot be inferred.
    """
    text = translated([text])[0]
    home, _, name = text.strip().rpartition(":")
    if not home and name.lower() in FAMILIES:
        return MeasureName(measure_family(name), None)
    for mean, bare in MEANS.items():
        if name.partition("(")[0] == mean:
            name = bare + name[len(mean) :]
    if home in ("", OF_TREC_EVAL[:-1]) and (given := WITH_PARAMETERS.fullmatch(name)):
        raise MeasureError(
            f"measure {shown(text)}: the package pytrec_eval, which computes the measures of trec_eval, takes no "
            f"coefficients or gains: choose {given[1]}, which has those that trec_eval takes by default."
        )
    if not home:
        homes = [family for pattern, family in HOMES if re.fullmatch(pattern, name) and family in FAMILIES]
        if not homes:
            raise MeasureError(
                f"there is no measure or family {shown(text)}{_meant(text)} the families are "
                f"{', '.join(sorted(FAMILIES))}; write a measure with its family, e.g. hixeval:AP."
            )
        home = homes[0]
    rank = re.search(r"@(\d{1,18})$|\[(\d{1,18})\]$", name) or WITH_RANK.fullmatch(name)
    level = _further_level(name)
    return MeasureName(measure_family(home), name, int(rank[rank.lastindex or 0]) if rank else None, level)


def _further_level(name: str) -> int | None:
    """Return the level in the name of a measure, in hundredths; None without one, and for a usual one."""
    found = WITH_LEVEL.fullmatch(name)
    level = round(100 * float(found[3])) if found else None
    return None if found is None or level in AT_LEVELS[found[1]] else level
