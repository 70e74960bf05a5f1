"""Relevance judgements of every INEX generation."""
