"""Which order of answers does the thesis propose? Coherent retrieval elements, their counts and heuristics."""
