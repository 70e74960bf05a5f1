"""Which attributes do elements have?"""
