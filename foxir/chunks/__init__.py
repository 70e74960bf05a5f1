"""How good are chunks of plain text, beside foxir's elements, on the same judgements?

For comparing splitters and retrievers of other libraries with foxir; no way to index or to serve chunks.
"""
