"""Words as retrievers of chunks see them."""

from __future__ import annotations

import re

# A run of letters and digits.
WORD = re.compile(r"[^\W_]+")
