"""How are scores read by somebody without foxir?

One HTML file that contains all that it shows.
"""

from __future__ import annotations

from eval.output.report.sections import write_report

__all__ = ["write_report"]
