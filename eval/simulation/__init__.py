"""What would a perfect system return?

Runs made from judgements, to test measures with.
"""
