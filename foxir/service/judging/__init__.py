"""Judging by highlighting: what assessors mark, kept durably, moved only where the text is found again."""
