"""Readers of the judgement files of every INEX generation."""
