"""Judging by highlighting: what assessors mark, stored durably, moved only where the text is found again."""
