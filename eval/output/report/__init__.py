"""Report of scores as one self-contained HTML file."""

from __future__ import annotations

from eval.output.report.html_page import write_report
from eval.output.report.sections import report

__all__ = ["report", "write_report"]
