"""Runs and judgements from one file format to another."""
