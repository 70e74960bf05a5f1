"""How does a run or a set of judgements get from one file format to another?"""
