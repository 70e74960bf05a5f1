"""How are scores shown? Tables, plots, a report."""
