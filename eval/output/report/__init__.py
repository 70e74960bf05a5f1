"""Report of scores as one self-contained HTML file."""

from __future__ import annotations

from eval.output.report.html_page import write_report

__all__ = ["write_report"]
