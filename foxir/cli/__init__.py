"""The command line: the one place that joins engine and eval."""
