"""Output of scores: tables, plots and reports."""
