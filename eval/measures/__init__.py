"""One small file a measure family, one registry; a family registers itself when its file is imported here."""

from eval.measures.bic import bic
from eval.measures.focused import focused, thorough
from eval.measures.hixeval import hixeval
from eval.measures.hixeval_group import hixeval_group
from eval.measures.inex_eval import inex_eval
from eval.measures.inex_eval_ng import inex_eval_ng
from eval.measures.options import Option, Value
from eval.measures.overlap_indicators import overlap, overlap_indicators
from eval.measures.plan import Settings, Step, plan
from eval.measures.registry import FAMILIES, Family, Scores, family, measure
from eval.measures.ric import ric
from eval.measures.trec import trec
from eval.measures.xcg import xcg
from eval.measures.xcg_group import xcg_group

__all__ = [
    "FAMILIES",
    "Family",
    "Option",
    "Scores",
    "Settings",
    "Step",
    "Value",
    "bic",
    "family",
    "focused",
    "hixeval",
    "hixeval_group",
    "inex_eval",
    "inex_eval_ng",
    "measure",
    "overlap",
    "overlap_indicators",
    "plan",
    "ric",
    "thorough",
    "trec",
    "xcg",
    "xcg_group",
]
