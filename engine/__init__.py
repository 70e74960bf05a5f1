"""foxir's engine: finds the right-sized elements of XML documents for a query.

>>> from engine import open_index
>>> index = open_index("wiki.foxir")                                    # doctest: +SKIP
>>> index.search("jedi force", answers="oCRE", heuristic="TPF")[0].path   # doctest: +SKIP
'/article[1]/sec[2]/p[1]'
"""

from engine.index.builder import build_index
from engine.index.index import Index, open_index

__all__ = ["Index", "build_index", "open_index"]
