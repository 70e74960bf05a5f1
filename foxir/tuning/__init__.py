"""Which settings and weights are best on judged topics?"""
