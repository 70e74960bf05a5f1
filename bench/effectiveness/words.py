"""Words as peers see them."""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+")  # a run of letters and digits
