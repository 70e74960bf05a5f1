"""What does foxir reach on benchmarks whose figures are published? Their users bring the data.

One module a benchmark turns its files into documents, questions and highlighted text, which `foxir.evaluate_chunks`
measures beside BM25 of the same units.
"""
