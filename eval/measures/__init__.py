"""One small file a measure family, one registry."""

from eval.measures import hixeval, hixeval_group, inex_eval
from eval.measures.options import Option, Value
from eval.measures.plan import Settings, Step, plan
from eval.measures.registry import FAMILIES, Family, Scores, family, measure

__all__ = [
    "FAMILIES",
    "Family",
    "Option",
    "Scores",
    "Settings",
    "Step",
    "Value",
    "family",
    "hixeval",
    "hixeval_group",
    "inex_eval",
    "measure",
    "plan",
]
