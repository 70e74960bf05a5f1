"""The names of an element's neighbours."""

from __future__ import annotations

from typing import Literal

NeighbourName = Literal["parent", "children", "previous", "next"]
