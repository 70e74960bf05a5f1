"""Is one run better than another?

Significance of differences, correlation of measures, their reliability; over scores by topic.
"""
