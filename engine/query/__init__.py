"""Queries: keywords and path queries (NEXI)."""
