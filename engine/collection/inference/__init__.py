"""What do the tags of an unknown vocabulary mean, by their use?

Tags are counted in a sample (`tag_use.py`); one module a decision reads the counts. Useful where no profile names a
tag. Not for choosing the sample, nor for what a profile says.
"""
