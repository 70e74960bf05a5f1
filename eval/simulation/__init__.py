"""Simulated runs derived from judgements."""
