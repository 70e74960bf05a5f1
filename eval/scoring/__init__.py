"""What does a run score?

Runs topic by topic under many measures, in several processes, as one table with notices.
"""
