"""Structure: which elements a path query is about, by interval and tag arithmetic on sets of rows."""

from engine.structure.missing import missing_names
from engine.structure.predicates import Predicate, predicates_met
from engine.structure.readings import read_structure

__all__ = ["Predicate", "missing_names", "predicates_met", "read_structure"]
