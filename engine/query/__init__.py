"""What does a query ask for?

Words, phrases and signs of keyword queries, and how text that looks like a path is read; the paths themselves are in
`nexi/`. No index is needed: the same text always gives the same query.
"""
