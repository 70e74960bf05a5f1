"""Structure: which elements a path query is about, by interval and tag arithmetic on sets of rows."""

from engine.structure.predicates import Predicate, predicates_met
from engine.structure.readings import read_structure

__all__ = ["Predicate", "predicates_met", "read_structure"]
