"""Structure: which elements a path query is about, by interval and tag arithmetic on sets of rows."""

from engine.structure.conditions import targets_of
from engine.structure.readings import read_structure
from engine.structure.scope import Scope

__all__ = ["Scope", "read_structure", "targets_of"]
