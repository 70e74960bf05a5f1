"""Highlighted text: intervals, offsets, and what results return of it."""
