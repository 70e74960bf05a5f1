"""Which options do commands share?"""
