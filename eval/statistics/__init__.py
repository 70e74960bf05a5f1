"""Which differences between runs are significant, and which measures can be trusted?"""
