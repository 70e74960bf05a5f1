"""A report of scores in one HTML file that opens without network."""

from eval.report.page import write_report
from eval.report.sections import report

__all__ = ["report", "write_report"]
